"""The report of `crosstalk reproduce` as Markdown and as one HTML page: tables beside ours.

write_pages(report.record(), Path("out"))["html"]
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from crosstalk.files import read_text, writing
from crosstalk.reports.page_elements import Markup, element, join

STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; }
th, td { border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent);
  padding: .25rem .6rem; text-align: right; vertical-align: top; }
th, td { white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
td:last-child:nth-child(2) { text-align: left; white-space: normal; overflow-wrap: anywhere; }
tr.ours td { font-weight: 600; }
code { font-size: .85em; overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; background: #fff; }
"""
Record = Mapping[str, Any]
Rows = Sequence[Sequence[str]]


def write_pages(record: Record, out: Path) -> dict[str, str]:
    """Write `report.md` and `report.html`; returns where they are."""
    places = {"markdown": out / "report.md", "html": out / "report.html"}
    with writing(places["markdown"]) as text:
        text.write("\n".join(markdown(record)) + "\n")
    with writing(places["html"]) as text:
        text.write(html(record))
    return {name: str(place) for name, place in places.items()}


def _setup(record: Record) -> list[list[str]]:
    """What the figures rest on."""
    facts = ("scale", "encoder", "device", "precision", "version")
    rows = [[name, str(record[name])] for name in facts]
    rows.append(["seeds", ", ".join(map(str, record["seeds"]))])
    rows.append(
        ["brackets", "(lowest to highest seed), [95 % interval, or lowest and highest seed]"]
    )
    return rows


def _data(record: Record) -> list[list[str]]:
    return [[name, each["sha256"]] for name, each in record["data"].items()]


def _stages(record: Record) -> list[list[str]]:
    return [
        [
            each["stage"] + (f", seed {each['seed']}" if each["seed"] else ""),
            each["state"],
            "" if each["minutes"] is None else f"{each['minutes']:g}",
        ]
        for each in record["stages"]
    ]


def markdown(record: Record) -> Iterator[str]:
    """The report, line by line."""
    yield f"# {record['title']}\n"
    yield f"{record['note']}\n"
    yield from _lines(["", ""], _setup(record))
    for table in record["tables"]:
        yield f"\n## {table['title']}\n"
        if table["note"]:
            yield f"{table['note']}\n"
        yield from _lines(table["header"], table["rows"])
        if "figure" in table:
            yield f"\n![{table['title']}](figures/{Path(table['figure']).name})"
    yield "\n## Stages\n"
    yield from _lines(["", "", "minutes"], _stages(record))
    yield "\n```"
    yield from (command for each in record["stages"] for command in each["commands"])
    yield "```\n\n## Data (SHA-256)\n"
    yield from _lines(["", ""], _data(record))


def _lines(header: Sequence[str], rows: Rows) -> Iterator[str]:
    if rows:
        yield "| " + " | ".join(header) + " |"
        yield "| --- " * len(header) + "|"
        for row in rows:
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def html(record: Record) -> str:
    """The report as one page without scripts; figures are inside."""
    parts = [
        element("h1", None, record["title"]),
        element("p", None, record["note"]),
        _table(["", ""], _setup(record)),
    ]
    for table in record["tables"]:
        parts.append(element("h2", None, table["title"]))
        parts.append(element("p", None, table["note"]))
        parts.append(_table(table["header"], table["rows"]))
        if table.get("figure", "").endswith(".svg"):
            parts.append(Markup(_svg(Path(table["figure"]))))
    parts.append(element("h2", None, "Stages"))
    parts.append(_table(["", "", "minutes"], _stages(record)))
    commands = [command for each in record["stages"] for command in each["commands"]]
    parts.append(element("ul", None, *(element("li", None, _code(each)) for each in commands)))
    parts.append(element("h2", None, "Data (SHA-256)"))
    parts.append(_table(["", ""], _data(record)))
    head = join(
        element("title", None, record["title"]),
        Markup('<meta name="viewport" content="width=device-width">'),
        element("style", None, Markup(STYLE)),
    )
    page = element(
        "html", {"lang": "en"}, element("head", None, head), element("body", None, *parts)
    )
    return f'<!doctype html>\n<meta charset="utf-8">\n{page}\n'


def _code(command: str) -> Markup:
    return element("code", None, command)


def _svg(file: Path) -> str:
    """The drawing without what stands before it in its file."""
    drawn = read_text(file)
    return drawn[drawn.index("<svg") :]


def _table(header: Sequence[str], rows: Rows) -> Markup:
    cells = (element("th", None, name) for name in header)
    body = (
        element(
            "tr",
            {"class": "ours"} if row and "ours" in row[0] else None,
            *(element("td", None, cell) for cell in row),
        )
        for row in rows
    )
    table = element("table", None, element("tr", None, *cells), *body)
    return element("div", {"class": "wide"}, table)
