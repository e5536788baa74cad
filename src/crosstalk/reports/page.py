"""One self-contained page: tables, figures and dialogues, nothing from elsewhere.

The only script is the one in `page.js`; the page's policy allows no other, by its digest.
"""

from base64 import b64encode
from collections import Counter
from hashlib import sha256
from pathlib import Path

from crosstalk.reports.browser import browser
from crosstalk.reports.figures import histogram, interval_chart
from crosstalk.reports.markup import Markup, element, join
from crosstalk.reports.summary import FINISH, SUCCESS, RunSummary
from crosstalk.reports.tables import INTERVAL, TextTable, overall_note, tables

_HERE = Path(__file__).parent


def page(summaries: list[RunSummary]) -> str:
    """The page about some runs, as text."""
    style = Markup(_asset("page.css"))
    script = Markup(_asset("page.js"))
    head = element(
        "head",
        None,
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">'),
        element("title", None, "Simulation report"),
        element("style", None, style),
    )
    body = element("body", None, *_body(summaries), element("script", None, script))
    return "<!doctype html>\n" + element("html", {"lang": "en"}, head, body) + "\n"


def _asset(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _body(summaries: list[RunSummary]) -> list[Markup]:
    parts = [element("h1", None, "Simulation report")]
    parts += [_heading(summary) for summary in summaries]
    parts += [_table(table) for table in tables(summaries)]
    for summary in summaries:
        parts += _figures(summary)
    for summary in summaries:
        parts.append(element("h2", None, f"Dialogues, {summary.title}"))
        parts.append(browser(summary))
    return parts


def _heading(summary: RunSummary) -> Markup:
    card = summary.run.card
    told = (
        f"{summary.kind}: {summary.title}; world {summary.world.name} in "
        f"{summary.world.language.name}, seed {card.plan['seed']}, {summary.held:,} dialogues, "
        f"at most {card.rules['exchanges']} exchanges, Crosstalk {card.version}. "
    )
    return element("p", None, told[:1].upper() + told[1:] + overall_note(summary))


def _table(table: TextTable) -> Markup:
    header = element("tr", None, *(element("th", {"scope": "col"}, cell) for cell in table.header))
    rows = [
        _row(row, following)
        for row, following in zip(table.rows, [*table.rows[1:], [""]], strict=True)
    ]
    return join(
        element("h2", None, table.title),
        element(
            "div",
            {"class": "scroll"},
            element("table", None, element("thead", None, header), element("tbody", None, *rows)),
        ),
        element("p", None, table.note) if table.note else join(),
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
    inside = [element("div", None, element("h3", None, name), svg) for name, svg in figures]
    return [
        element("h2", None, f"Figures, {summary.title}"),
        element("div", {"class": "figures"}, *inside),
    ]
