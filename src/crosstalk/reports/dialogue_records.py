"""Judged dialogues as plain records for the viewer: goal, turns, claims, and what went wrong where.

    DialogueRecords(summary).record(examined)   # the goal part by part, turns, marks, causes

Lines are lists of texts; every second one (position 1, 3, ...) is a name or a value in the language
of the run and is shown isolated from its neighbours' direction.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

from crosstalk.dialogue.acts import GENERAL, NOTHING, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples, Value
from crosstalk.dialogue.schema import SERVICE_MARK, DomainKind
from crosstalk.dialogue.states import DomainState, SlotValue, SystemState
from crosstalk.errors import InputError
from crosstalk.evaluation.action_findings import ActionFinding
from crosstalk.evaluation.claims import CLAIMS, ClaimChecker
from crosstalk.evaluation.outcomes import Cause, Relaxations, find_relaxations
from crosstalk.evaluation.reply_flaws import FlawKind
from crosstalk.evaluation.success import Flaw, SuccessFinding, chosen_names, findings
from crosstalk.evaluation.word_judge import Examined
from crosstalk.reading.claims import Claim, Verdict
from crosstalk.reading.readings import Reading
from crosstalk.worlds.display import answer
from crosstalk.worlds.queries import Database
from crosstalk.worlds.truth import Truth, fold

Line = list[str]
Record = dict[str, Any]
FIRST: Final = 3
"""Number of search results that are named."""
LONGEST_CELL: Final = 240
"""Characters of a table's cell that are shown."""
UNREAD: Final = "unread"


SHOWN_WITH_WORDS: Final = (FlawKind.TOOL_DENIED, FlawKind.BROKEN_CALL, FlawKind.INVENTED)
"""Flaws of some words of a reply, or of something beside it; others are of all of it."""


class Fate(StrEnum):
    """What became of one part of a goal."""

    MET = "met"
    FALSE = "false"
    """The user was told, or took, something that the tables do not bear out."""
    OPEN = "open"
    GIVEN_UP = "given up"


OPEN_FLAWS: Final = {Flaw.UNSETTLED: Fate.OPEN}
RELAXED_FLAWS: Final = {Flaw.GIVEN_UP: Fate.GIVEN_UP, Flaw.FALSE_NO_OFFER: Fate.GIVEN_UP}


class DialogueRecords:
    """Makes records of the dialogues of one run."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._language = database.world.language
        self._truth = Truth(database)
        self._checker = ClaimChecker(database)

    def record(self, examined: Examined) -> Record:
        dialogue, outcome = examined.dialogue, examined.outcome
        relaxed = find_relaxations(dialogue, self._truth)
        return {
            "goal": list(dialogue.goal.description) if dialogue.goal else [],
            "parts": list(self._parts(dialogue, relaxed)),
            "why": [self._cause(cause) for cause in outcome.decisive],
            "others": len(outcome.causes) - len(outcome.decisive),
            "ending": str(dialogue.extras.get("ending", "")),
            "turns": self._turns(examined, self._faults(examined, outcome.decisive, relaxed)),
        }

    # The goal

    def _parts(self, dialogue: Dialogue, relaxed: Relaxations) -> Iterator[list[Any]]:
        """[sub-goal, fate, line, note] of every part of the goal, however the dialogue ended."""
        wanted = dialogue.goal.tuples if dialogue.goal else ()
        final = dialogue.final_goal or wanted
        needless = dict(relaxed.needless)
        gone = relaxed.given_up | needless.keys()
        flaws = {each.position: each.flaw for each in findings(wanted, final, gone, self._truth)}
        flaws |= needless
        chosen = chosen_names(final, self._truth)
        for at, (wish, each) in enumerate(zip(wanted, final, strict=False)):
            flaw = flaws.get(at)
            kept = Fate.GIVEN_UP if at in relaxed.given_up else Fate.MET
            name = chosen.get(each.subgoal, ("", ""))[1]
            fate = _fate(flaw) if flaw else kept
            yield [each.subgoal, str(fate), *self._part(wish, each, fate, flaw, name)]

    def _part(
        self,
        wish: SemanticTuple,
        each: SemanticTuple,
        fate: Fate,
        flaw: Flaw | None,
        name: str,
    ) -> list[Line]:
        now = _value(each.value)
        line = self._pair(wish.domain, wish.slot, _value(wish.value) or now)
        if wish.value and now != _value(wish.value):
            line += [" \N{RIGHTWARDS ARROW} ", now or "?"]
        notes = [str(flaw)] if flaw and fate is not Fate.OPEN else []
        if fate is Fate.GIVEN_UP and not flaw:
            notes = ["nothing in the tables matched"]
        if fate is Fate.FALSE and (cell := self._cell(each.domain, name, each.slot)):
            notes = [f"{flaw}; the table says ", cell]
        return [line, notes]

    # Causes and faulty turns

    def _cause(self, cause: Cause) -> Line:
        where = cause.finding
        told = f"{cause.reason}: {cause.words}"
        if where is None:
            return [told]
        pair = self._pair(where.domain, where.slot, _value(where.value))
        end = [")"] if len(pair) % 2 == 0 else [f"{pair.pop()})"]
        return [f"{told} ({where.subgoal}. ", *pair[1:], *end]

    def _faults(
        self, examined: Examined, causes: tuple[Cause, ...], relaxed: Relaxations
    ) -> dict[int, list[Line]]:
        """Number of a turn -> what went wrong in it."""
        faults: dict[int, list[Line]] = {}
        found = examined.outcome.findings
        for finding in found:
            faults.setdefault(finding.turn, []).append(self._finding(finding))
        told = {finding.words for finding in found}
        for cause in causes:
            if cause.words in told:
                continue
            turn = self._faulty_turn(examined.dialogue, cause, relaxed)
            if turn is not None:
                faults.setdefault(turn, []).append(self._cause(cause))
        return faults

    def _finding(self, finding: ActionFinding) -> Line:
        """A breach or a false claim about an action, with the rule in words where there are."""
        rule = self._language.rules.get(finding.rule, "")
        words = [f"{finding.kind}: {finding.words} ({finding.action}, {finding.rule})"]
        return [f"{words[0]} ", rule] if rule else words

    def _faulty_turn(self, dialogue: Dialogue, cause: Cause, relaxed: Relaxations) -> int | None:
        where = cause.finding
        if where is None:
            return len(dialogue.turns) - 1 if dialogue.turns else None
        if where.flaw is Flaw.FALSE_NO_OFFER:
            false = [each.turn for each in relaxed.refusals if not each.is_true]
            return false[-1] if false else None
        if where.flaw is Flaw.GIVEN_UP:
            return _changed_in(dialogue, where.position)
        if where.flaw is Flaw.UNSETTLED:
            return _unanswered_in(dialogue, where)
        return self._told_in(dialogue, where)

    def _told_in(self, dialogue: Dialogue, where: SuccessFinding) -> int | None:
        """The last turn of the system that told the value, or offered the entity chosen."""
        slot = self._truth.domain(where.domain).name_slot
        name = chosen_names(dialogue.final_goal or (), self._truth).get(where.subgoal, ("", ""))[1]
        values = where.value if isinstance(where.value, tuple) else (_value(where.value),)
        told = {(where.slot, fold(value)) for value in values}
        offered = {(slot.key, fold(name))} if slot else set()
        return _last_with(dialogue, where.domain, told) or _last_with(
            dialogue, where.domain, offered
        )

    # Turns

    def _turns(self, examined: Examined, faults: Mapping[int, list[Line]]) -> list[Record]:
        dialogue = examined.dialogue
        readings = iter(examined.exchanges)
        state: Tuples = dialogue.goal.tuples if dialogue.goal else ()
        form = SystemState()
        flaws = _flaws_by_turn(examined)
        records = []
        for number, turn in enumerate(dialogue.turns):
            if turn.speaker is Speaker.USER:
                beside = self._learned(state, turn.user_state or state)
                state, marks = turn.user_state or state, []
            else:
                beside, form = self._searched(form, turn), turn.last_query or form
                exchange = next(readings, None)
                history = dialogue.turns[: number + 1]
                marks = self._read(exchange.reading) if exchange else self._said(history)
            told = self._turn(turn, marks, beside, faults.get(number, []))
            records.append({**told, "flaws": flaws[number]} if number in flaws else told)
        return records

    def _turn(
        self, turn: Turn, marks: list[list[Any]], beside: list[list[Any]], faults: list[Line]
    ) -> Record:
        agent = turn.extras.get("agent")
        calls = agent.get("tool_calls") or [] if isinstance(agent, dict) else []
        problems = agent.get("problems") or [] if isinstance(agent, dict) else []
        found: Record = {
            "who": str(turn.speaker),
            "text": turn.text,
            "marks": marks,
            "acts": [self._act(act) for act in turn.acts],
            "beside": [each for each in beside if each[1]],
            "calls": calls,
            "problems": list(map(str, problems)),
            "faults": faults,
        }
        return {key: value for key, value in found.items() if value}

    # Claims

    def _read(self, reading: Reading) -> list[list[Any]]:
        """[start, end, verdict, claim, what the table says] of what was read in a reply."""
        marks = [self._mark(claim) for claim in reading.claims]
        marks += [
            [each.start, each.end, UNREAD, [f"nobody could read this ({each.why})"], ""]
            for each in reading.unread
        ]
        return _apart(marks)

    def _mark(self, claim: Claim) -> list[Any]:
        cell = self._cell(claim.domain, claim.entity, claim.slot)
        if not claim.is_known:
            cell = ""
        line = ["", claim.entity, " \N{MIDDLE DOT} ", *self._pair(claim.domain, claim.slot, "")[1:]]
        said = [*line[:4], ": ", claim.value]
        missing = "no table has it" if not claim.is_known else cell
        verdict = Verdict.UNDECIDABLE if _accuses_nobody(claim) else claim.verdict
        return [claim.start, claim.end, str(verdict), said, missing]

    def _said(self, history: tuple[Turn, ...]) -> list[list[Any]]:
        """The same for a turn with acts: where its words hold the value of an act."""
        turn = history[-1]
        marks = []
        for act in turn.acts:
            start = turn.text.casefold().find(act.value.casefold()) if act.value else -1
            if start < 0 or act.intent not in CLAIMS or act.value == NOTHING:
                continue
            verdict = Verdict.TRUE if self._checker.is_true(act, history) else Verdict.FALSE
            line = self._pair(act.domain, act.slot, act.value)
            marks.append([start, start + len(act.value), str(verdict), line, ""])
        return _apart(marks)

    def _cell(self, domain: str, name: str, slot: str) -> str:
        """What the table says about an entity; empty if it has none or there is no such slot."""
        found = self._truth.domain(domain)
        row = self._truth.entity(domain, name) if found.kind is DomainKind.PLACE else None
        if row is None or found.slot(slot) is None:
            return ""
        text = ", ".join(answer(self._language, found, row, slot))
        return text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL] + " ..."

    # States

    def _learned(self, before: Tuples, after: Tuples) -> list[list[Any]]:
        pairs = list(zip(before, after, strict=False))
        filled = [self._tuple(new) for old, new in pairs if old.value != new.value]
        said = [self._tuple(new) for old, new in pairs if new.expressed and not old.expressed]
        left = sum(not each.is_settled for each in after)
        return [
            ["learned since, or changed", filled],
            [f"said now; {left} left to settle", said],
        ]

    def _searched(self, before: SystemState, turn: Turn) -> list[list[Any]]:
        asked = turn.first_query or SystemState()
        used = turn.last_query or asked
        changed = [tab for tab in used if tab.constraints and _differs(before, asked, tab)]
        searched = [line for tab in changed for line in self._query(asked.get(tab.domain), tab)]
        return [["query", searched], ["results", self._results(used, changed)]]

    def _query(self, asked: DomainState, used: DomainState) -> Iterator[Line]:
        for slot, value in asked.constraints.items():
            kept = used.get(slot)
            line = self._pair(asked.domain, slot, _value(value))
            given_up = f" (relaxed to {_value(kept) or 'anything'})" if kept != value else ""
            yield [*line, given_up] if given_up else line

    def _results(self, used: SystemState, changed: list[DomainState]) -> list[Line]:
        lines = [line for tab in changed if (line := self._found(tab))]
        for tab in used:
            if tab.selected:
                name = self._language.domain_name(tab.domain)
                lines.append([f"told of {name}: ", ", ".join(tab.selected)])
        return lines

    def _found(self, tab: DomainState) -> Line:
        try:
            rows = self._database.search(tab.domain, tab.constraints)
        except InputError:  # a form with fields that the world has not
            return []
        slot = self._database.domain(tab.domain).name_slot
        names = [str(row[slot.key]) for row in rows[:FIRST]] if slot else []
        more = ", ..." if slot and len(rows) > FIRST else ""
        found = f"{self._language.domain_name(tab.domain)}: {len(rows):,} found "
        return [found, ", ".join(names) + more]

    # Acts and values

    def _act(self, act: Act) -> Line:
        if act.intent == GENERAL:
            return [f"{act.intent} {act.domain}"]
        value = "" if act.value in ("", NOTHING) else act.value
        if act.slot == NOTHING:
            line = [f"{act.intent} ", self._language.domain_name(act.domain)]
            return [*line, ": ", value] if value else line
        if act.intent == SELECT:
            value = self._language.domain_name(value)
        return [f"{act.intent} ", *self._pair(act.domain, act.slot, value)[1:]]

    def _tuple(self, each: SemanticTuple) -> Line:
        return [f"{each.subgoal}. ", *self._pair(each.domain, each.slot, _value(each.value))[1:]]

    def _pair(self, domain: str, slot: str, value: str) -> Line:
        name = self._slot(domain, slot)
        return ["", name, ": ", value] if value else ["", name, " ?"]

    def _slot(self, domain: str, slot: str) -> str:
        """The display name of a slot; of a service, with its name."""
        known = self._database.world.schema.domain(domain)
        if known is None:  # an act about no domain, such as one that says what was ignored
            return " ".join(name for name in (domain, slot) if name)
        found = known.slot(slot)
        key = found.key if found else slot
        service = slot.removeprefix(key).removeprefix(SERVICE_MARK)
        names = [self._language.domain_name(domain), self._language.slot_name(domain, key), service]
        return " ".join(name for name in names if name)


def _flaws_by_turn(examined: Examined) -> dict[int, list[Line]]:
    """Number of a turn -> flaws of the reply that the verdict does not rest on."""
    turns = examined.dialogue.turns
    replies = [at for at, turn in enumerate(turns) if turn.speaker is Speaker.SYSTEM]
    found: dict[int, list[Line]] = {}
    for flaw in examined.outcome.reply_flaws:
        quote = flaw.words if flaw.kind in SHOWN_WITH_WORDS else ""
        line = [f"{flaw.kind}: ", quote] if quote else [str(flaw.kind)]
        found.setdefault(replies[flaw.turn], []).append(line)
    return found


def _fate(flaw: Flaw) -> Fate:
    return OPEN_FLAWS.get(flaw) or RELAXED_FLAWS.get(flaw) or Fate.FALSE


def _accuses_nobody(claim: Claim) -> bool:
    return claim.verdict is Verdict.FALSE and not claim.is_firm


def _apart(marks: list[list[Any]]) -> list[list[Any]]:
    """The marks in order, without those that overlap an earlier one; false ones go first."""
    order = [str(Verdict.FALSE), UNREAD, str(Verdict.UNDECIDABLE), str(Verdict.TRUE)]
    kept: list[list[Any]] = []
    for mark in sorted(marks, key=lambda each: (order.index(each[2]), each[0])):
        start, end = mark[:2]
        if start < end and all(end <= other[0] or start >= other[1] for other in kept):
            kept.append(mark)
    return sorted(kept, key=lambda each: int(each[0]))


def _last_with(dialogue: Dialogue, domain: str, told: set[tuple[str, str]]) -> int | None:
    """The last turn of the system with an act of these slots and values."""
    for number in range(len(dialogue.turns) - 1, -1, -1):
        turn = dialogue.turns[number]
        acts = {(act.slot, fold(act.value)) for act in turn.acts if act.domain == domain}
        if turn.speaker is Speaker.SYSTEM and acts & told:
            return number
    return None


def _changed_in(dialogue: Dialogue, position: int) -> int | None:
    """The first user turn in which a part of the goal is not what it was."""
    wanted = dialogue.goal.tuples[position].value if dialogue.goal else ""
    for number, turn in enumerate(dialogue.turns):
        if turn.user_state is not None and turn.user_state[position].value != wanted:
            return number
    return None


def _unanswered_in(dialogue: Dialogue, where: SuccessFinding) -> int | None:
    """The reply to the last turn in which the user asked."""
    asked = [
        number
        for number, turn in enumerate(dialogue.turns[:-1])
        if turn.speaker is Speaker.USER and any(_asks(act, where) for act in turn.acts)
    ]
    return asked[-1] + 1 if asked else None


def _asks(act: Act, where: SuccessFinding) -> bool:
    wanted = (act.intent == REQUEST and act.slot == where.slot) or act.intent == SELECT
    return wanted and act.domain == where.domain


def _differs(before: SystemState, asked: SystemState, tab: DomainState) -> bool:
    """Whether a tab was queried again: it changed since the last turn, or within this one."""
    old = before.get(tab.domain)
    return old.slots != tab.slots or asked.get(tab.domain).slots != tab.slots


def _value(value: Value | SlotValue) -> str:
    if isinstance(value, Reference):
        return f"{'near' if value.nearby else 'at'} {value.subgoal}"
    return value if isinstance(value, str) else ", ".join(value)
