"""The viewer: an HTML page about runs, with their dialogues to search, filter and read.

    write_page([Path("run")], Path("report.html"))

Up to `SINGLE` dialogues the page is one self-contained file. Above, transcripts stand in files of
a folder beside it (`report-data`), which the page loads when they are asked for. Transcripts are
compressed in blocks of `BLOCK` dialogues and opened on demand. The content security policy of the
page allows its own script and style and nothing else.
"""

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from gzip import compress
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any, Final, TextIO

import crosstalk
from crosstalk.errors import InputError
from crosstalk.files import making_folder, writing
from crosstalk.reports.comparison_card import letter
from crosstalk.reports.overview import BLAMES, RESULTS, TYPES, overview
from crosstalk.reports.page_elements import Markup, element, histogram, interval_chart, join, text
from crosstalk.reports.run_summary import FINISH, SUCCESS, RunSummary
from crosstalk.reports.run_tables import INTERVAL, TextTable, overall_note, tables
from crosstalk.reports.run_views import (
    COLUMNS,
    DialogueRow,
    RunView,
    Span,
    Spool,
    chosen_rows,
    spooling,
    view_run,
)

SINGLE: Final = 1_000
"""Dialogues that fit into one file."""
BLOCK: Final = 20
"""Dialogues whose transcripts are compressed together."""
WORDS: Final = 500
"""Dialogues whose words are compressed together, for the search."""
INDEX: Final = "index.html"

_HERE = Path(__file__).parent
_THEME = Path(crosstalk.__file__).parent / "web" / "static" / "theme.css"


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """A page on disk."""

    path: Path
    summaries: list[RunSummary]
    held: int
    """Dialogues of the runs."""
    shown: int
    """Dialogues on the page."""


def write_page(
    runs: Sequence[Path],
    path: Path,
    *,
    data: Path | None = None,
    dialogues: int | None = SINGLE,
    reader: str = "",
) -> WrittenPage:
    """Judge runs and write the page about them; `dialogues`: at most so many, None for all.

    A path without the suffix .html or .htm is a folder; the page in it is `index.html`. `reader`:
    a language model, `openai:MODEL[@URL]`, that reads what our reader leaves unread.
    """
    if not runs:
        raise InputError("no run was named", remedy="Give the folder of a run.")
    if path.suffix.lower() not in (".html", ".htm"):
        path = path / INDEX
    with spooling() as spool:
        views = [
            view_run(folder, spool, number=number, data=data, reader=reader)
            for number, folder in enumerate(runs)
        ]
        return write_views(views, spool, path, dialogues)


def write_views(
    views: Sequence[RunView], spool: Spool, path: Path, dialogues: int | None = SINGLE
) -> WrittenPage:
    """Write the page about runs that were viewed already."""
    every = [row for view in views for row in view.rows]
    rows = chosen_rows(every, dialogues)
    beside = path.with_name(f"{path.stem}-data")
    _remove_blocks(beside)
    folder = beside if len(rows) > SINGLE else None
    with making_folder(path.parent), writing(path) as file:
        file.write(_page(views, rows, len(every), folder))
        _write_blocks(file, rows, spool, folder)
        file.write(f"<script>{_asset('page.js')}</script>\n</body>\n</html>\n")
    return WrittenPage(path, [view.summary for view in views], len(every), len(rows))


# Data blocks


def _write_blocks(
    file: TextIO, rows: Sequence[DialogueRow], spool: Spool, folder: Path | None
) -> None:
    """Rows into the page; transcripts, words and raw records into it or into files beside it."""
    _write_element(file, "rows", _packed(_json([row.record for row in rows])))
    for name, records in _blocks(rows, spool):
        packed = _packed(b"[" + b",".join(records) + b"]")
        if folder is None:
            _write_element(file, name, packed)
            continue
        with making_folder(folder), writing(folder / f"{name}.js") as block:
            block.write(f'crosstalkBlock("{name}","{packed}")\n')


def _blocks(rows: Sequence[DialogueRow], spool: Spool) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Name and records of every block."""

    def read(spans: Iterable[Span]) -> Iterator[bytes]:
        return (spool.get(span) for span in spans)

    for number in range(-(-len(rows) // BLOCK)):
        some = rows[number * BLOCK : (number + 1) * BLOCK]
        yield f"block-{number}", read(row.transcript for row in some)
        yield f"raw-{number}", read(row.raw for row in some)
    for number in range(-(-len(rows) // WORDS)):
        some = rows[number * WORDS : (number + 1) * WORDS]
        yield f"words-{number}", read(row.words for row in some)


def _remove_blocks(folder: Path) -> None:
    """Remove the data files of an earlier page of this name."""
    for path in folder.glob("*.js") if folder.is_dir() else ():
        if re.fullmatch(r"(block|raw|words)-\d+", path.stem):
            path.unlink()


def _write_element(file: TextIO, name: str, packed: str) -> None:
    file.write(f'<script type="text/plain" id="data-{name}">{packed}</script>\n')


def _packed(data: bytes) -> str:
    """Compressed, as base64: text of others cannot end the element that it stands in."""
    return b64encode(compress(data, 6, mtime=0)).decode()


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


# The page around them


def _page(
    views: Sequence[RunView], rows: Sequence[DialogueRow], held: int, folder: Path | None
) -> str:
    style, script = _asset("page.css"), _asset("page.js")
    style = _THEME.read_text(encoding="utf-8") + style
    names = ", ".join(view.name for view in views)
    view = json.dumps(_view(views, folder)).replace("<", "\\u003c")
    return Template(_asset("page.html")).substitute(
        policy=_policy(script, style, loads=folder is not None),
        title=text(f"{names} \N{MIDDLE DOT} Simulation report"),
        style=style,
        overview=overview(views),
        left_out=text(_left_out(len(rows), held)),
        tables=_tables([view.summary for view in views]),
        view=view,
    )


def _asset(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _policy(script: str, style: str, *, loads: bool) -> str:
    """Only our script and style; above `SINGLE` dialogues the script may load the data files."""
    more = " 'strict-dynamic'" if loads else ""
    return (
        f"default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src '{_digest(style)}'; script-src '{_digest(script)}'{more}"
    )


def _digest(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


def _left_out(shown: int, held: int) -> str:
    if shown == held:
        return ""
    return (
        f"{shown:,} of {held:,} dialogues, failures first. The figures above are of all of them; "
        f"`--dialogues {held}` puts all on the page."
    )


def _view(views: Sequence[RunView], folder: Path | None) -> dict[str, Any]:
    """What the script needs to know before any block."""
    return {
        "columns": COLUMNS,
        "block": BLOCK,
        "words": WORDS,
        "folder": f"{folder.name}/" if folder else "",
        "runs": [_run(number, view) for number, view in enumerate(views)],
        "types": {str(key): words for key, words in TYPES.items()},
        "results": RESULTS,
        "blames": BLAMES,
    }


def _run(number: int, view: RunView) -> dict[str, Any]:
    language = view.summary.world.language
    return {
        "letter": letter(number),
        "name": view.name,
        "language": language.name,
        "lang": language.code,
        "dir": language.direction,
        "read": view.is_read,
        "repeats": view.repeats,
    }


# Tables


def _tables(summaries: list[RunSummary]) -> Markup:
    parts = [element("h2", None, "All figures")]
    parts += [_heading(summary) for summary in summaries]
    parts += [_table(table) for table in tables(summaries)]
    for summary in summaries:
        parts += _figures(summary)
    return join(*parts)


def _heading(summary: RunSummary) -> Markup:
    card = summary.run.card
    told = (
        f"{summary.kind}: {summary.title}; world {summary.world.name} in "
        f"{summary.world.language.name}, seed {card.plan['seed']}, {summary.held:,} dialogues, "
        f"at most {card.rules['exchanges']} exchanges, Crosstalk {card.version}. "
    )
    return element("p", None, told[:1].upper() + told[1:] + overall_note(summary))


def _header(cell: str) -> Markup:
    """An empty cell above names of rows is no header."""
    return element("th", {"scope": "col"}, cell) if cell else element("td")


def _table(table: TextTable) -> Markup:
    header = element("tr", None, *map(_header, table.header))
    rows = [
        _row(row, following)
        for row, following in zip(table.rows, [*table.rows[1:], [""]], strict=True)
    ]
    scroll = {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": table.title}
    return join(
        element("h3", None, table.title),
        element(
            "div",
            scroll,
            element("table", None, element("thead", None, header), element("tbody", None, *rows)),
        ),
        element("p", {"class": "note"}, table.note) if table.note else join(),
    )


def _row(row: list[str], following: list[str]) -> Markup:
    kind = "interval" if row[0] == INTERVAL else "below" if following[0] == INTERVAL else ""
    return element("tr", {"class": kind}, *(element("td", None, cell.strip()) for cell in row))


def _figures(summary: RunSummary) -> list[Markup]:
    finish = {key: summary.rate(key, FINISH) for key in summary.columns}
    success = {key: summary.rate(key, SUCCESS) for key in summary.columns}
    turns: Counter[int] = sum((tally.turns for tally in summary.tallies.values()), Counter())
    figures = [
        ("Task finish (%), 95 % intervals", interval_chart(finish, "Task finish by goal type")),
        ("Verified success (%)", interval_chart(success, "Verified success by goal type")),
        ("Length in turns, all dialogues", histogram(turns, "Histogram of dialogue lengths")),
    ]
    inside = [element("div", None, element("h4", None, name), svg) for name, svg in figures]
    return [
        element("h3", None, f"Figures, {summary.title}"),
        element("div", {"class": "figures"}, *inside),
    ]
