"""Counts of corpora and worlds as tables, laid out as in the CrossWOZ paper, and as JSON."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.statistics.corpus_counts import CorpusCounts, DialogueCounts
from crosstalk.statistics.world_counts import PlaceCounts

Number = int | float | None


@dataclass(frozen=True, slots=True)
class Measure:
    """A number computed from counts, with its name in JSON and in tables."""

    key: str
    """Its name in JSON."""
    label: str
    """Its name in a table."""
    of: Callable[[DialogueCounts], Number]


DIALOGUES = Measure("dialogues", "dialogues", lambda counts: counts.dialogues)
TURNS = Measure("turns", "turns", lambda counts: counts.turns)
TOKENS = Measure("tokens", "tokens", lambda counts: counts.tokens)
SUBGOALS = Measure("subgoals", "sub-goals per dialogue", lambda counts: counts.subgoals_per_goal)
TUPLES = Measure("tuples", "semantic tuples per dialogue", lambda counts: counts.tuples_per_goal)
TURNS_PER_DIALOGUE = Measure(
    "turns_per_dialogue", "turns per dialogue", lambda counts: counts.turns_per_dialogue
)
TOKENS_PER_TURN = Measure(
    "tokens_per_turn", "tokens per turn", lambda counts: counts.tokens_per_turn
)
DOMAINS_PER_DIALOGUE = Measure(
    "domains_per_dialogue", "domains per dialogue", lambda counts: counts.domains_per_dialogue
)

BY_TYPE = (
    DIALOGUES,
    Measure("nooffer_rate", "NoOffer rate", lambda counts: counts.no_offer_rate),
    Measure("multi_query_rate", "multi-query rate", lambda counts: counts.multi_query_rate),
    Measure("goal_change_rate", "goal-change rate", lambda counts: counts.goal_change_rate),
    Measure("acts_per_turn", "acts per turn", lambda counts: counts.acts_per_turn),
    SUBGOALS,
    TUPLES,
    TURNS_PER_DIALOGUE,
    TOKENS_PER_TURN,
)
"""The rows of Table 7."""

EVERY = (DIALOGUES, TURNS, TOKENS, *BY_TYPE[1:], DOMAINS_PER_DIALOGUE)


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
    """A number for tables: thousands separators, two decimals for means, a dash for None."""
    if number is None:
        return "-"
    return f"{number:,}" if isinstance(number, int) else f"{number:,.2f}"


def corpus_tables(name: str, counts: CorpusCounts) -> tuple[NumberTable, ...]:
    """The tables of a corpus, without empty ones."""
    tables = (overview(name, counts), size(name, counts), by_type(counts), intents(counts))
    return tuple(table for table in tables if table.rows)


def overview(name: str, counts: CorpusCounts) -> NumberTable:
    """The comparison of corpora, Table 1.

    Domains are those of the goals, or of the acts without goals; slots and values
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
    """The size of a corpus, Table 6."""
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
    """Goal types compared, Table 7; no rows for a corpus without types and acts."""
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
    """The database, Table 3; `name_of` gives the display name of a domain."""
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


Json = str | int | float | None | Sequence["Json"] | Mapping[str, "Json"]


def corpus_summary(counts: CorpusCounts) -> dict[str, Json]:
    """Tables 1, 6 and 7 and Figure 2 of a corpus."""
    return {
        **_measures(counts.total),
        "vocabulary": len(counts.vocabulary),
        "domains": sorted(counts.domains),
        "slots": len(counts.slots) or None,
        "values": len(counts.values) or None,
        "language": counts.language or None,
        "languages": {
            code or "unknown": number for code, number in sorted(counts.languages.items())
        },
        "segmentation": counts.segmentation or None,
        "by_type": {kind.value: _measures(counts.by_type[kind]) for kind in counts.types},
        "intents": {speaker.value: _intents(counts, speaker) for speaker in Speaker},
        "lengths": _lengths(counts),
    }


def _measures(counts: DialogueCounts) -> dict[str, Number]:
    return {measure.key: measure.of(counts) for measure in EVERY}


def _intents(counts: CorpusCounts, speaker: Speaker) -> dict[str, int]:
    own = {intent: number for (who, intent), number in counts.intents.items() if who is speaker}
    return dict(sorted(own.items(), key=lambda item: (-item[1], item[0])))


def _lengths(counts: CorpusCounts) -> dict[str, dict[str, int]]:
    """Goal type (`all` for the whole corpus) -> number of turns -> dialogues."""
    lengths: dict[str, dict[str, int]] = {"all": {}}
    for (kind, turns), number in sorted(counts.lengths.items(), key=lambda item: item[0][1]):
        for group in ("all", kind.value) if kind else ("all",):
            found = lengths.setdefault(group, {})
            found[str(turns)] = found.get(str(turns), 0) + number
    return lengths


def world_summary(places: Sequence[PlaceCounts]) -> dict[str, Json]:
    """Table 3."""
    return {
        place.domain: {
            "entities": place.entities,
            "slots": place.slots,
            "services": place.services,
            "nearby": {target: place.nearby(target) for target in place.links},
        }
        for place in places
    }
