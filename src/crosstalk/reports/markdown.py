"""A report as Markdown, for notes and pull requests."""

from collections.abc import Iterator

from crosstalk.reports.summary import RunSummary
from crosstalk.reports.tables import TextTable, overall_note, tables


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
    """A text that Markdown takes for nothing but text."""
    for mark in ("\\", "|", "<", "`", "*", "_", "["):
        text = text.replace(mark, f"\\{mark}" if mark != "<" else "&lt;")
    return " ".join(text.split())
