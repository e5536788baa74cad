"""The first card of a page about several runs: which is better, by how much, in which language."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from crosstalk.evaluation.scores import Rate, rate
from crosstalk.reports.page_elements import Markup, element, isolated, join, rate_bar
from crosstalk.reports.run_summary import OVERALL
from crosstalk.reports.run_summary import SUCCESS as SUCCESS_RATE
from crosstalk.reports.run_views import SUCCESS, RunView, compared

NO_PAIRS: Final = "The two runs share no goal word for word, so that they cannot be paired."


def letter(number: int) -> str:
    """How the page calls the runs: A, B, ... Z, 27, ..."""
    return chr(ord("A") + number) if number < 26 else str(number + 1)


def comparison_card(views: Sequence[RunView]) -> Markup:
    """Success of all runs, the comparison of two, and success by language."""
    rows = []
    for number, view in enumerate(views):
        found = view.summary.rate(OVERALL, SUCCESS_RATE)
        label = join(element("b", None, letter(number)), " ", isolated(view.name))
        chart = rate_bar(found)
        told = f"{found.percent:.0f} %" if found else "-"
        note = f"{view.results[SUCCESS]:,} of {view.summary.held:,}"
        rows.append(bar_row("run", str(number), label, chart, told, note))
    return element(
        "article",
        {"class": "card compare"},
        element("h2", None, "Runs side by side"),
        element("div", {"class": "columns"}, element("div", None, *rows), *_verdict(views)),
        *_by_language(views),
    )


def _verdict(views: Sequence[RunView]) -> Iterator[Markup]:
    found = compared(views)
    if found is None:
        if len(views) == 2:
            yield element("p", {"class": "note"}, NO_PAIRS)
        return
    low, high = found.interval or (0.0, 0.0)
    better = "B" if found.difference > 0 else "A"
    told = "The two are equally good on the goals they share."
    if found.difference:
        told = f"{better} is better by {abs(100 * found.difference):.0f} points"
        told += " on the goals both have" + (
            "; chance alone seldom does that." if found.p < 0.05 else "; chance may explain it."
        )
    note = (
        f"{len(found.a)} goals; difference B less A {100 * found.difference:+.1f} points, 95 % "
        f"interval {100 * low:+.1f} to {100 * high:+.1f}; p = {found.p:.3f} ({found.test})."
    )
    yield element(
        "div",
        None,
        element("p", {"class": "lead"}, told),
        element("p", {"class": "note"}, note),
        element(
            "p",
            {"class": "row"},
            filter_button("change", "won", f"{len(found.won):,} ", "goals better in B"),
            filter_button("change", "lost", f"{len(found.lost):,} ", "goals better in A"),
        ),
    )


def _by_language(views: Sequence[RunView]) -> Iterator[Markup]:
    """Success by language over all runs, weakest first."""
    counts: dict[str, Counter[str]] = {}
    for view in views:
        name = view.summary.world.language.name
        counts.setdefault(name, Counter()).update(view.results)
    if len(counts) < 2:
        return
    rates = {name: rate(each[SUCCESS], sum(each.values())) for name, each in counts.items()}
    rows = [
        bar_row(
            "language",
            name,
            isolated(name),
            rate_bar(found),
            f"{found.percent:.0f} %",
            f"{counts[name][SUCCESS]} of {sum(counts[name].values())}",
        )
        for name, found in _weakest_first(rates.items())
    ]
    yield element("div", None, element("h3", None, "Languages, weakest first"), *rows)


def _weakest_first(rates: Iterable[tuple[str, Rate | None]]) -> list[tuple[str, Rate]]:
    found = [(name, each) for name, each in rates if each is not None]
    return sorted(found, key=lambda pair: pair[1].percent)


# Rows and buttons that filter the list of dialogues


def bar_row(name: str, value: str, label: str, chart: Markup, number: str, note: str) -> Markup:
    """A label, a bar and its number; a click filters by `name`."""
    return element(
        "button",
        {"type": "button", "class": "bar-row", "data-filter": name, "data-value": value},
        element("span", {"class": "label"}, label),
        element("span", {"class": "number"}, number),
        chart,
        element("small", None, note),
    )


def filter_button(name: str, value: str, number: str, words: str) -> Markup:
    """A count and what it counts; a click filters by `name`."""
    attributes = {
        "type": "button",
        "class": f"pick {value}" if name == "result" else "pick",
        "data-filter": name,
        "data-value": value,
    }
    return element("button", attributes, element("b", None, number), words)
