"""The HTML report: one self-contained page with tables, figures and dialogues.

The only script is `page.js`; the content security policy of the page allows no other.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from crosstalk.dialogue.acts import GENERAL, NOTHING, SELECT, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples, Value
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import SERVICE_MARK
from crosstalk.dialogue.states import DomainState, SlotValue, SystemState
from crosstalk.errors import InputError
from crosstalk.evaluation.outcomes import Cause, Outcome
from crosstalk.reports.page_elements import (
    Markup,
    element,
    histogram,
    interval_chart,
    isolated,
    join,
)
from crosstalk.reports.run_summary import FINISH, SUCCESS, RunSummary
from crosstalk.reports.run_tables import INTERVAL, TextTable, overall_note, tables
from crosstalk.worlds.queries import Database

FIRST = 3
"""Number of search results that are named."""


def browser(summary: RunSummary) -> Markup:
    """The examples of a run, with a filter."""
    shown, held = len(summary.examples), summary.held
    note = f"{shown:,} of {held:,} dialogues, failures first." if shown < held else ""
    writer = _DialogueWriter(summary.world.language, summary.database)
    dialogues = [writer.dialogue(*pair) for pair in summary.examples]
    return element(
        "div",
        {"class": "browser"},
        element("p", None, note) if note else join(),
        _filter(summary),
        *dialogues,
    )


def _filter(summary: RunSummary) -> Markup:
    types = list(summary.tallies)
    outcomes = sorted({_outcome(outcome) for _, outcome in summary.examples})
    return element(
        "form",
        {"class": "filter", "hidden": ""},
        _select("type", "Goal type", types),
        _select("outcome", "Outcome", outcomes),
        element("output", {"class": "quiet"}),
    )


def _select(name: str, label: str, values: list[str]) -> Markup:
    options = [element("option", {"value": ""}, "all")]
    options += [element("option", {"value": value}, value) for value in values]
    return element("label", None, label, element("select", {"name": name}, *options))


def _outcome(outcome: Outcome) -> str:
    return str(outcome.reason) if outcome.reason else "success"


class _DialogueWriter:
    """Renders dialogues with the names of a world's language."""

    def __init__(self, language: LanguagePack, database: Database) -> None:
        self._language = language
        self._database = database

    def dialogue(self, dialogue: Dialogue, outcome: Outcome) -> Markup:
        told = _outcome(outcome)
        kind = "success" if outcome.success else "failure"
        heading = element(
            "summary",
            None,
            element("span", {"class": "id"}, dialogue.id),
            element("span", None, str(outcome.type or "")),
            element("span", {"class": "quiet"}, f"{outcome.turns} turns"),
            element("span", {"class": kind}, told),
        )
        attributes = {"data-type": str(outcome.type or ""), "data-outcome": told}
        inside = element(
            "div",
            {"class": "inside"},
            self._causes(outcome),
            self._goal(dialogue),
            element("div", {"class": "turns", **self._direction()}, *self._turns(dialogue)),
        )
        return element("details", attributes, heading, inside)

    def _direction(self) -> dict[str, str]:
        return {"dir": self._language.direction, "lang": self._language.code}

    def _causes(self, outcome: Outcome) -> Markup:
        """The causes that decided the outcome, and the number of the others."""
        if not outcome.causes:
            return join()
        decisive = [cause for cause in outcome.causes if cause.reason is outcome.reason]
        others = len(outcome.causes) - len(decisive)
        lines = [self._cause(cause) for cause in decisive]
        if others:
            lines.append(element("li", None, f"and {others} more left unsettled, or wrong"))
        return element("ul", {"class": "failure"}, *lines)

    def _cause(self, cause: Cause) -> Markup:
        where = cause.finding
        told = f"{cause.reason}: {cause.words}"
        if where is None:
            return element("li", None, told)
        pair = self._pair(where.domain, where.slot, _value(where.value))
        return element("li", None, f"{told} ({where.subgoal}. ", pair, ")")

    def _goal(self, dialogue: Dialogue) -> Markup:
        goal = dialogue.goal
        if goal is None:
            return join()
        if goal.description:
            return element(
                "ol", self._direction(), *(element("li", None, each) for each in goal.description)
            )
        lines = [self._tuple(each) for each in goal.tuples]
        return element("ul", self._direction(), *lines)

    def _turns(self, dialogue: Dialogue) -> Iterator[Markup]:
        state: Tuples = dialogue.goal.tuples if dialogue.goal else ()
        form = SystemState()
        for number, turn in enumerate(dialogue.turns, start=1):
            if turn.speaker is Speaker.USER:
                yield self._turn(number, turn, self._learned(state, turn.user_state or state))
                state = turn.user_state or state
            else:
                yield self._turn(number, turn, self._searched(form, turn))
                form = turn.last_query or form

    def _turn(self, number: int, turn: Turn, beside: list[Markup]) -> Markup:
        words = element("p", {"class": "words"}, turn.text) if turn.text else join()
        said = [self._act(act) for act in turn.acts]
        acts = _listed("acts", said or [element("li", {"class": "intent"}, "nothing")])
        name = element("h4", {"lang": "en"}, isolated(f"{number} {turn.speaker}"))
        return element("div", {"class": f"turn {turn.speaker}"}, name, words, acts, *beside)

    # States

    def _learned(self, before: Tuples, after: Tuples) -> list[Markup]:
        pairs = list(zip(before, after, strict=False))
        filled = [self._tuple(new) for old, new in pairs if old.value != new.value]
        said = [self._tuple(new) for old, new in pairs if new.expressed and not old.expressed]
        left = sum(not each.is_settled for each in after)
        return [
            _listed("learned since, or changed", filled),
            _listed(f"said now; {left} left to settle", said),
        ]

    def _searched(self, before: SystemState, turn: Turn) -> list[Markup]:
        asked = turn.first_query or SystemState()
        used = turn.last_query or asked
        changed = [tab for tab in used if tab.constraints and _differs(before, asked, tab)]
        searched = [line for tab in changed for line in self._query(asked.get(tab.domain), tab)]
        return [_listed("query", searched), _listed("results", self._results(used, changed))]

    def _query(self, asked: DomainState, used: DomainState) -> Iterator[Markup]:
        for slot, value in asked.constraints.items():
            kept = used.get(slot)
            line = self._pair(asked.domain, slot, _value(value))
            given_up = f" (relaxed to {_value(kept) or 'anything'})" if kept != value else ""
            yield element("li", None, line, given_up)

    def _results(self, used: SystemState, changed: list[DomainState]) -> list[Markup]:
        lines = [line for tab in changed if (line := self._found(tab))]
        for tab in used:
            if tab.selected:
                name = self._language.domain_name(tab.domain)
                lines.append(
                    element("li", None, f"told of {name}: ", isolated(", ".join(tab.selected)))
                )
        return lines

    def _found(self, tab: DomainState) -> Markup:
        try:
            rows = self._database.search(tab.domain, tab.constraints)
        except InputError:  # a form with fields that the world has not
            return join()
        domain = self._database.domain(tab.domain)
        slot = domain.name_slot
        names = [str(row[slot.key]) for row in rows[:FIRST]] if slot else []
        more = ", ..." if slot and len(rows) > FIRST else ""
        found = f"{self._language.domain_name(tab.domain)}: {len(rows):,} found "
        return element("li", None, found, isolated(", ".join(names) + more))

    # Acts and values

    def _act(self, act: Act) -> Markup:
        intent = element("span", {"class": "intent"}, act.intent)
        if act.intent == GENERAL:
            return element("li", None, intent, f" {act.domain}")
        if act.slot == NOTHING:
            return element(
                "li", None, intent, " ", isolated(self._language.domain_name(act.domain))
            )
        value = "" if act.value in ("", NOTHING) else act.value
        if act.intent == SELECT:
            value = self._language.domain_name(value)
        return element("li", None, intent, " ", self._pair(act.domain, act.slot, value))

    def _tuple(self, each: SemanticTuple) -> Markup:
        line = self._pair(each.domain, each.slot, _value(each.value))
        return element("li", None, f"{each.subgoal}. ", line)

    def _pair(self, domain: str, slot: str, value: str) -> Markup:
        name = isolated(self._slot(domain, slot))
        return join(name, ": ", isolated(value)) if value else join(name, " ?")

    def _slot(self, domain: str, slot: str) -> str:
        """The display name of a slot; of a service, with its name."""
        found = self._database.domain(domain).slot(slot)
        key = found.key if found else slot
        service = slot.removeprefix(key).removeprefix(SERVICE_MARK)
        names = [self._language.domain_name(domain), self._language.slot_name(domain, key), service]
        return " ".join(name for name in names if name)


def _differs(before: SystemState, asked: SystemState, tab: DomainState) -> bool:
    """Whether a tab was queried again: it changed since the last turn, or within this one."""
    old = before.get(tab.domain)
    return old.slots != tab.slots or asked.get(tab.domain).slots != tab.slots


def _listed(title: str, lines: list[Markup]) -> Markup:
    heading = element("h5", {"lang": "en"}, isolated(title))
    return element("div", None, heading, element("ul", None, *lines)) if lines else element("div")


def _value(value: Value | SlotValue) -> str:
    if isinstance(value, Reference):
        return f"{'near' if value.nearby else 'at'} {value.subgoal}"
    return value if isinstance(value, str) else ", ".join(value)


_HERE = Path(__file__).parent


def page(summaries: list[RunSummary]) -> str:
    """The page about some runs, as HTML."""
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
