"""The tables of a report as texts; terminal, Markdown and HTML show the same cells."""

import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from crosstalk.dialogue.goals import GoalType
from crosstalk.evaluation.blame import Component
from crosstalk.evaluation.outcomes import Reason
from crosstalk.evaluation.scores import Rate
from crosstalk.evaluation.success_rates import SOURCE, Mix, Pairing, TallyFigure
from crosstalk.evaluation.user_fidelity import HOW
from crosstalk.reports.run_summary import (
    ALL_TYPES,
    OVERALL,
    RunSummary,
    failing,
    passing,
    share,
)
from crosstalk.reports.several_runs import HEADER, are_languages, language_rows, paired_runs
from crosstalk.system.build import ACTS

_FILE = Path(__file__).with_name("published.toml")


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A published result, or an upper bound (ceiling)."""

    world: str
    """The world it belongs to; empty for any."""
    measure: str
    name: str
    source: str
    values: Mapping[str, float]
    """Goal type, or `overall` -> percent."""
    level: str = ""
    """Whether the sides heard acts or words; empty for either."""


def published(world: str, measure: str, levels: Collection[str]) -> tuple[PublishedRow, ...]:
    """The published rows that compare with runs in this world at these levels."""
    found = [
        PublishedRow(**row) for row in tomllib.loads(_FILE.read_text(encoding="utf-8"))["figures"]
    ]
    return tuple(
        row
        for row in found
        if row.measure == measure and row.world in ("", world) and row.level in ("", *levels)
    )


COLUMNS = (*map(str, GoalType), OVERALL)
MISSING = "-"
INTERVAL = "  95 % interval"


@dataclass(frozen=True, slots=True)
class TextTable:
    """A title, a header and rows; the first column is text, the others are numbers."""

    title: str
    header: list[str]
    rows: list[list[str]]
    note: str = ""


def tables(summaries: list[RunSummary]) -> list[TextTable]:
    """All tables of a report."""
    return [
        rates("Task finish (%)", "finish", summaries),
        rates("Verified success (%)", "success", summaries),
        *paired(summaries),
        *([by_language(summaries)] if are_languages(summaries) else []),
        *([by_pairing(summaries)] if any(map(_has_people, summaries)) else []),
        *each_run(pass_hat_table, summaries, lambda each: each.run.card.plan["repeat"] > 1),
        *each_run(failures, summaries),
        *each_run(first_failures, summaries, lambda each: bool(each.broken)),
        *each_run(dialogue_measures, summaries),
        *each_run(user_fidelity_table, summaries, lambda each: each.in_words),
    ]


def each_run(
    table: Callable[[RunSummary], TextTable],
    summaries: list[RunSummary],
    has_one: Callable[[RunSummary], bool] = lambda each: True,
) -> Iterator[TextTable]:
    """A table of each run that has one; its title names the folder where there are several."""
    for summary in filter(has_one, summaries):
        made = table(summary)
        several = f" ({summary.run.folder.name})" if len(summaries) > 1 else ""
        yield replace(made, title=made.title + several)


def paired(summaries: list[RunSummary]) -> Iterator[TextTable]:
    """The runs that share goals with the first one, each against it."""
    found = paired_runs(summaries)
    if found:
        first = summaries[0].run.folder.name
        note = (
            f"Paired by goal with {first}: goals that both runs decided, difference in points, "
            "bootstrap over goals, p adjusted over the rows after Holm."
        )
        yield TextTable(f"Success against {first}", HEADER, [each.row() for each in found], note)


def rates(title: str, measure: str, summaries: list[RunSummary]) -> TextTable:
    """Published rows, our runs with 95 % intervals below them, and the ceiling."""
    worlds = {summary.world.name for summary in summaries}
    world = worlds.pop() if len(worlds) == 1 else ""
    levels = {summary.run.card.setup.get("level", ACTS) for summary in summaries}
    others = published(world, measure, levels)
    rows = [[f.name, *_figures(f.values)] for f in others if f.name != "ceiling"]
    for summary in sorted(summaries, key=lambda each: each.kind != "faithful"):
        found = [summary.rate(key, measure) for key in COLUMNS]
        rows.append([named(summary, summaries), *map(_percent, found)])
        rows.append([INTERVAL, *map(_interval, found)])
    rows += [[f.name, *_figures(f.values)] for f in others if f.name == "ceiling"]
    told = "; ".join(f"{f.name}: {f.source}" for f in others if f.name != "ceiling")
    return TextTable(title, ["", *COLUMNS], rows, _sentence(told))


def named(summary: RunSummary, among: list[RunSummary]) -> str:
    """The name of a row, with its folder if another row has the same name."""
    name = f"{summary.kind}: {summary.title}"
    if are_languages(among):
        return f"{name}, in {summary.world.language.name}"
    alike = [each for each in among if (each.kind, each.title) == (summary.kind, summary.title)]
    return f"{name} ({summary.run.folder.name})" if len(alike) > 1 else name


def _has_people(summary: RunSummary) -> bool:
    return bool(set(summary.judgement.by_pairing) - {Pairing.MACHINES})


def by_pairing(summaries: list[RunSummary]) -> TextTable:
    """People with people, people with machines, machines with machines."""
    header = ["", "dialogues", "finish (%)", INTERVAL.strip(), "success (%)", INTERVAL.strip()]
    rows = []
    for summary in summaries:
        name = f", {named(summary, summaries)}" if len(summaries) > 1 else ""
        for pairing, tally in summary.judgement.by_pairing.items():
            finish, success = tally.finish_rate, tally.success_rate
            figures = _percent(finish), _interval(finish), _percent(success), _interval(success)
            turns = f"{tally.mean_turns:.1f}" if tally.mean_turns is not None else MISSING
            rows.append([f"{pairing}{name}", str(tally.dialogues), *figures, turns])
    note = "The user's side is named first. All goal types together, in the mix of each row."
    return TextTable("People and machines side by side", [*header, "turns"], rows, note)


def by_language(summaries: list[RunSummary]) -> TextTable:
    """Runs that differ only by language."""
    header = ["", "dialogues", "finish (%)", "success (%)", "95 % interval", "behind the best"]
    note = "All goal types together; the same goals, in words and names of each language."
    return TextTable("Languages side by side", header, language_rows(summaries), note)


def failures(summary: RunSummary) -> TextTable:
    """Reasons in percent of all dialogues of a type."""
    rows = [
        [str(reason), *(_of(summary, key, failing(reason)) for key in COLUMNS)] for reason in Reason
    ]
    return TextTable(f"Reasons of failure (%), {summary.title}", ["", *COLUMNS], rows)


def first_failures(summary: RunSummary) -> TextTable:
    """Failed conversations in words, by the module that failed first."""
    columns = (*map(str, GoalType), ALL_TYPES)
    rows = [
        [str(part), *(str(summary.broken.get(key, Counter())[part]) for key in columns)]
        for part in Component
    ]
    note = (
        "Failed dialogues by the first module that broke. `fails in acts too`: the same goal fails "
        "where both sides hear each other's acts."
    )
    return TextTable(f"What broke first, {summary.title}", ["", *columns], rows, note)


def user_fidelity_table(summary: RunSummary) -> TextTable:
    """Whether the users said their goals, and how a language model phrased them."""
    counts = summary.fidelity
    rows = [
        ["faithful dialogues", _count_of(counts.faithful, counts.dialogues)],
        ["parts of the goal never said", _count_of(counts.omitted, counts.parts)],
        ["values invented", _count_of(counts.invented, counts.values)],
        ["values contradicting the goal", _count_of(counts.contradicted, counts.values)],
        ["stopped early", _count_of(counts.stopped_early, counts.dialogues)],
    ]
    turns = counts.phrasing.total()
    rows += [[f"turns {how}", _count_of(counts.phrasing[how], turns)] for how in HOW if turns]
    note = "Of the user's acts; a language model's are read from its words."
    return TextTable(f"User fidelity, {summary.title}", ["", "count"], rows, note)


def _count_of(count: int, total: int) -> str:
    return f"{count:,} of {total:,}" if total else MISSING


def dialogue_measures(summary: RunSummary) -> TextTable:
    """Lengths, `NoOffer` rates, goal changes and repeated questions."""
    rows = [
        ["dialogues", *(_held(summary, key) for key in COLUMNS)],
        ["turns", *(_of(summary, key, lambda t: t.mean_turns) for key in COLUMNS)],
        ["NoOffer (%)", *(_of(summary, key, lambda t: share(t.refused, t)) for key in COLUMNS)],
        [
            "... though something matched (%)",
            *(_of(summary, key, lambda t: share(t.refused_falsely, t)) for key in COLUMNS),
        ],
        [
            "goal changed (%)",
            *(_of(summary, key, lambda t: share(t.changed, t)) for key in COLUMNS),
        ],
        [
            "questions asked again, each",
            *(_of(summary, key, lambda t: t.repeated / t.dialogues, 2) for key in COLUMNS),
        ],
    ]
    return TextTable(f"Dialogues, {summary.title}", ["", *COLUMNS], rows)


def pass_hat_table(summary: RunSummary) -> TextTable:
    """pass^k: the chance that k tries at the same goal all succeed."""
    repeat = int(summary.run.card.plan["repeat"])
    rows = [
        [f"pass^{k}", *(_of(summary, key, passing(k)) for key in COLUMNS)]
        for k in range(1, repeat + 1)
    ]
    return TextTable(f"Success in every one of k tries (%), {summary.title}", ["", *COLUMNS], rows)


def overall_note(summary: RunSummary) -> str:
    """What `overall` means in this run, what people are judged by, and whether it is complete."""
    note = "Overall is all dialogues of the run, in the natural mix of goals."
    if summary.judgement.mix is Mix.PUBLISHED:
        weights = summary.judgement.weights.items()
        told = ", ".join(f"{kind} {100 * weight:.1f} %" for kind, weight in weights)
        note = (
            "The run has as many goals of each type; overall weighs the types by the published mix "
            f"({SOURCE}: {told})."
        )
    if not summary.run.is_complete:
        planned = summary.run.card.sessions
        note += f" The run is unfinished: {summary.held:,} of {planned:,} dialogues."
    if summary.words:
        note += (
            " People are judged by the wishes they ticked and filled in: one they forgot to tick "
            f"is their fault. {summary.words.note}"
        )
    return note


def _percent(rate: Rate | None) -> str:
    return f"{rate.percent:.1f}" if rate else MISSING


def _interval(rate: Rate | None) -> str:
    return f"{rate.low:.0f}-{rate.high:.0f}" if rate else MISSING


def _figures(values: Mapping[str, float]) -> list[str]:
    return [f"{values[key]:.1f}" if key in values else MISSING for key in COLUMNS]


def _of(summary: RunSummary, key: str, figure: TallyFigure, digits: int = 1) -> str:
    value = summary.figure(key, figure)
    return MISSING if value is None else f"{value:.{digits}f}"


def _held(summary: RunSummary, key: str) -> str:
    tally = summary.judgement.everything if key == OVERALL else summary.tallies.get(key)
    return f"{tally.dialogues:,}" if tally and tally.dialogues else MISSING


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "." if text else ""


def markdown(summaries: list[RunSummary]) -> str:
    return "\n".join(_lines(summaries)) + "\n"


def _lines(summaries: list[RunSummary]) -> Iterator[str]:
    yield "# Simulation"
    for summary in summaries:
        card = summary.run.card
        yield ""
        yield f"- {summary.kind}: {_plain(summary.title)}; world {_plain(summary.world.name)} "
        yield f"  in {summary.world.language.code}, seed {card.plan['seed']}, "
        yield f"  {summary.held:,} dialogues. {overall_note(summary)}"
    for table in tables(summaries):
        yield from ("", f"## {_plain(table.title)}", "")
        yield from _table(table)
        if table.note:
            yield from ("", _plain(table.note))


def _table(table: TextTable) -> Iterator[str]:
    yield "| " + " | ".join(map(_plain, table.header)) + " |"
    yield "|" + " --- |" + " ---: |" * (len(table.header) - 1)
    for row in table.rows:
        yield "| " + " | ".join(map(_plain, row)) + " |"


def _plain(text: str) -> str:
    """A text with the special characters of Markdown escaped."""
    for mark in ("\\", "|", "<", "`", "*", "_", "["):
        text = text.replace(mark, f"\\{mark}" if mark != "<" else "&lt;")
    return " ".join(text.split())
