"""The actions of a transcript: its tool calls performed again on the tables of its world.

    turns = turns_of(transcript, executor)   ->  turns whose extras hold what was done

What a call answered counts, as far as it is there: a refusal stays one, and codes that were given
out are those that later calls name. Where an answer says neither, the tables decide.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Goal, Tuples
from crosstalk.errors import InputError
from crosstalk.evaluation.action_findings import (
    ActionFinding,
    ActionJudge,
    FindingKind,
    without_explained,
)
from crosstalk.evaluation.action_success import ActionCounts, ActionOutcome, action_outcome
from crosstalk.evaluation.offline_verdicts import Blame, FlawFound, OfflineVerdict
from crosstalk.evaluation.success import Flaw
from crosstalk.evaluation.transcripts import ToolResult, Transcript
from crosstalk.goals.action_goals import chosen_entities
from crosstalk.reading.conversation import ConversationReader, Exchange
from crosstalk.worlds.action_events import ActionEvent, Refusal, RowChange, TableState, applied
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.policy_rules import actions_of, with_actions
from crosstalk.worlds.tables import Row

REFUSED: Final = ("refused", "error")
"""Keys of an answer that says that nothing was done."""


def turns_of(transcript: Transcript, executor: Executor) -> tuple[Turn, ...]:
    """The conversation as turns, with the actions of each reply."""
    if transcript.dialogue is not None:
        return transcript.dialogue.turns
    events = _events(transcript, executor)
    turns: list[Turn] = []
    for number, said in enumerate(transcript.said):
        turns.append(Turn(Speaker.USER, said.user, said.acts or ()))
        turns.append(with_actions(Turn(Speaker.SYSTEM, said.reply), events.get(number, [])))
    return tuple(turns)


def _events(transcript: Transcript, executor: Executor) -> dict[int, list[ActionEvent]]:
    """Number of an exchange -> what was called in it."""
    state = executor.begin(transcript.id)
    found: dict[int, list[ActionEvent]] = {}
    for call in transcript.tools:
        if executor.world.schema.action(call.name) is None:
            continue
        state, event = _performed(call, state, executor)
        if event:
            last = min(call.exchange, len(transcript.said) - 1)
            found.setdefault(last, []).append(event)
    return found


def _performed(
    call: ToolResult, state: TableState, executor: Executor
) -> tuple[TableState, ActionEvent | None]:
    arguments, answer = _object(call.arguments), _object(call.content)
    reason = next((str(answer[key]) for key in REFUSED if answer.get(key)), "")
    if reason:
        return state, ActionEvent(call.name, arguments, refusal=Refusal(reason))
    try:
        _, event = executor.perform(state, call.name, arguments)
    except InputError:  # an argument that the action does not have: no call of this world's
        return state, None
    event = _with_codes(event, dict(_codes(event, answer, executor)))
    return applied(state, event), event


def _codes(
    event: ActionEvent, answer: Mapping[str, Any], executor: Executor
) -> Iterator[tuple[str, str]]:
    """Code that was drawn here -> the one that the transcript has."""
    for given in executor.action(event.action).gives:
        told = answer.get(given.key)
        if given.is_drawn and given.key in event.gives and isinstance(told, str) and told:
            yield str(event.gives[given.key]), told


def _with_codes(event: ActionEvent, codes: Mapping[str, str]) -> ActionEvent:
    def renamed(row: Row | None) -> Row | None:
        return row and {key: codes.get(str(cell), cell) for key, cell in row.items()}

    changes = tuple(
        RowChange(each.table, renamed(each.before), renamed(each.after)) for each in event.changes
    )
    return replace(event, gives=renamed(event.gives) or {}, changes=changes)


def _object(text: str) -> dict[str, Any]:
    """A JSON object; empty where it is none."""
    try:
        read = json.loads(text)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


NO_CALLS: Final = "the transcript holds no calls, so that nobody can say what was done"


@dataclass(frozen=True, slots=True)
class TranscriptActions:
    """What a transcript's calls did, and what its replies said about it."""

    executor: Executor
    exchanges: list[Exchange]
    """Without claims about places that are values of a call."""
    events: tuple[ActionEvent, ...]
    findings: tuple[ActionFinding, ...]
    is_known: bool
    """Whether the transcript shows what was called."""

    @classmethod
    def of(
        cls, transcript: Transcript, exchanges: list[Exchange], reader: ConversationReader
    ) -> "TranscriptActions | None":
        """None where the world has no actions, or nothing was to be done and nothing was."""
        if not reader.reader.world.schema.actions:
            return None
        executor = Executor(reader.reader.check.truth.database)
        turns = turns_of(transcript, executor)
        events = tuple(event for turn in turns for event in actions_of(turn))
        wanted = bool(transcript.goal and transcript.goal.actions)
        known = {action.key for action in executor.world.schema.actions}
        if not (events or wanted or transcript.offered & known):
            return None
        if not transcript.holds_calls:
            return cls(executor, exchanges, (), (), is_known=False)
        judge = ActionJudge(executor, reader.reader)
        told = judge.readings(turns, exchanges)
        shown = [
            without_explained(exchange, each)
            for exchange, each in zip(exchanges, told.values(), strict=False)
        ]
        findings = judge.findings(turns, exchanges)
        return cls(executor, [*shown, *exchanges[len(shown) :]], events, findings, is_known=True)

    def flaws(self, goal: Goal, final: Tuples) -> Iterator[FlawFound]:
        """What was not done as the goal wants it, and what was said of it that is not true."""
        for each in self.findings:
            if each.kind is FindingKind.FALSE_CLAIM:
                turn, quote = each.turn // 2, each.quote
                yield FlawFound(0, "", each.action, each.words, Blame.AGENT, turn, quote, each.rule)
        if goal.actions and not self.is_known:
            action = ", ".join(wanted.action for wanted in goal.actions)
            yield FlawFound(0, "", action, str(Flaw.UNSETTLED), Blame.READER, rule=NO_CALLS)
            return
        found = self._outcome(goal, final)
        for key, is_right in found.tables.items():
            if not is_right:
                rule = f"the table {key} does not end as the goal wants it"
                yield FlawFound(0, "", key, _what_was_done(found.counts), Blame.AGENT, rule=rule)

    def _outcome(self, goal: Goal, final: Tuples) -> ActionOutcome:
        entities = chosen_entities(self.executor.world.schema, final)
        return action_outcome(self.executor, goal, entities, self.events)

    def added_to(self, made: OfflineVerdict, goal: Goal | None, final: Tuples) -> OfflineVerdict:
        """A verdict with what was done, breaches, and the false claims about actions."""
        false = [
            {"turn": each.turn // 2, **{k: v for k, v in each.record().items() if k != "turn"}}
            for each in self.findings
        ]
        untrue = tuple(each for each in false if each["kind"] == FindingKind.FALSE_CLAIM)
        blame = made.blame or (Blame.AGENT if untrue and made.success is None else None)
        return replace(
            made,
            blame=blame,
            false_claims=(*made.false_claims, *untrue),
            actions=self._outcome(goal or Goal(()), final).counts if self.is_known else None,
            breaches=tuple(each for each in false if each["kind"] == FindingKind.BREACH),
        )


def _what_was_done(counts: ActionCounts) -> str:
    if counts.forbidden:
        return "done though forbidden"
    return "something else done" if counts.wrong else "not done"
