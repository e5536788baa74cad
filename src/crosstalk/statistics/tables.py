"""Counts as tables for people, laid out as in the CrossWOZ paper; terminal and Markdown alike."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.statistics.corpora import CorpusCounts
from crosstalk.statistics.databases import PlaceCounts
from crosstalk.statistics.measures import (
    BY_TYPE,
    DIALOGUES,
    DOMAINS_PER_DIALOGUE,
    SUBGOALS,
    TOKENS,
    TOKENS_PER_TURN,
    TUPLES,
    TURNS,
    TURNS_PER_DIALOGUE,
    Measure,
    Number,
)


@dataclass(frozen=True, slots=True)
class NumberTable:
    """A titled table; the first column is text, the others are numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def markdown(self) -> str:
        rule = ("---", *("---:" for _ in self.header[1:]))
        lines = (_markdown_row(row) for row in (self.header, rule, *self.rows))
        return "\n".join((f"**{self.title}**", "", *lines))


def _markdown_row(row: Sequence[str]) -> str:
    cells = (cell.replace("|", r"\|") for cell in row)
    return f"| {' | '.join(cells)} |"


def written(number: Number) -> str:
    """A whole number with its thousands, a mean with two decimals, a dash for unknown."""
    if number is None:
        return "-"
    return f"{number:,}" if isinstance(number, int) else f"{number:,.2f}"


def corpus_tables(name: str, counts: CorpusCounts) -> tuple[NumberTable, ...]:
    """The tables of a corpus that have something to show."""
    tables = (overview(name, counts), size(name, counts), by_type(counts), intents(counts))
    return tuple(table for table in tables if table.rows)


def overview(name: str, counts: CorpusCounts) -> NumberTable:
    """How corpora are compared with each other, Table 1.

    Domains are those of the goals, or of the acts where there are no goals; slots and values
    are distinct among the acts. The paper's average of domains for CrossWOZ equals its sub-goals.
    """
    total = counts.total
    rows = (
        ("language", counts.language or "unknown"),
        ("domains", written(len(counts.domains) or None)),
        *((each.label, written(each.of(total))) for each in (DIALOGUES, TURNS)),
        (DOMAINS_PER_DIALOGUE.label, written(total.domains_per_dialogue)),
        (TURNS_PER_DIALOGUE.label, written(total.turns_per_dialogue)),
        ("slots", written(len(counts.slots) or None)),
        ("values", written(len(counts.values) or None)),
    )
    return NumberTable("Overview (Table 1)", ("", name), rows)


def size(name: str, counts: CorpusCounts) -> NumberTable:
    """How much there is of it, Table 6."""
    rows = [_row(measure, counts) for measure in (DIALOGUES, TURNS, TOKENS)]
    rows.append(("vocabulary", written(len(counts.vocabulary))))
    rows += [
        _row(measure, counts) for measure in (SUBGOALS, TUPLES, TURNS_PER_DIALOGUE, TOKENS_PER_TURN)
    ]
    words = counts.segmentation or "none"
    return NumberTable(f"Size (Table 6; words: {words})", ("", name), tuple(rows))


def _row(measure: Measure, counts: CorpusCounts) -> tuple[str, str]:
    return measure.label, written(measure.of(counts.total))


def by_type(counts: CorpusCounts) -> NumberTable:
    """How the goal types differ, Table 7; no rows for a corpus without types and acts."""
    groups = [counts.by_type[kind] for kind in counts.types]
    title = "By goal type (Table 7)" if groups else "Rates"
    header = ("", *(kind.value for kind in counts.types), "all")
    rows = tuple(
        (measure.label, *(written(measure.of(group)) for group in (*groups, counts.total)))
        for measure in BY_TYPE
    )
    return NumberTable(title, header, rows if groups or counts.intents else ())


def intents(counts: CorpusCounts) -> NumberTable:
    """Acts by intent and speaker, the most frequent first."""
    totals: dict[str, int] = {}
    for (_, intent), number in counts.intents.items():
        totals[intent] = totals.get(intent, 0) + number
    rows = tuple(
        (
            intent,
            *(written(counts.intents.get((who, intent), 0)) for who in Speaker),
            written(total),
        )
        for intent, total in sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    )
    return NumberTable("Acts", ("intent", *(who.value for who in Speaker), "all"), rows)


def world_table(places: Sequence[PlaceCounts], name_of: Callable[[str], str]) -> NumberTable:
    """The database, Table 3; `name_of` tells what people call a domain."""
    targets = list(dict.fromkeys(target for place in places for target in place.links))
    rows = (
        ("entities", *(written(place.entities) for place in places)),
        ("slots", *(_slots(place) for place in places)),
        *(
            (f"nearby: {name_of(target)}", *(written(place.nearby(target)) for place in places))
            for target in targets
        ),
    )
    header = ("", *(name_of(place.domain) for place in places))
    return NumberTable("Database (Table 3)", header, rows if places else ())


def _slots(place: PlaceCounts) -> str:
    return f"{place.slots} + {place.services}" if place.services else str(place.slots)
