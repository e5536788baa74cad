"""Findings about the actions of a conversation: rules broken, and false words about what was done.

    judge = ActionJudge(executor, ProseReader.of("harbour", "en"))
    judge.findings(dialogue.turns)   ->  [ActionFinding(turn=5, kind="breach", rule="confirm", ...)]

A breach says that the agent did something against the policy; it fails no conversation by itself. A
false claim does: what the user learned is not true.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.language.phrases import speaks
from crosstalk.reading.action_claims import (
    SAID_DONE,
    SAID_NOT_DONE,
    WRONG,
    ActionClaimReader,
    ActionContext,
    ActionReading,
)
from crosstalk.reading.claims import Verdict
from crosstalk.reading.conversation import Exchange
from crosstalk.reading.reader import ProseReader
from crosstalk.reading.readings import Reading, ReadingContext
from crosstalk.worlds.action_events import ActionEvent, applied
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.policy_rules import CONFIRMATION, actions_of, breaches


class FindingKind(StrEnum):
    """What was found."""

    BREACH = "breach"
    FALSE_CLAIM = "false claim"


@dataclass(frozen=True, slots=True)
class ActionFinding:
    """One thing an agent did against a rule, or said about its actions that is not true."""

    turn: int
    """Position of the turn in the dialogue."""
    kind: FindingKind
    rule: str
    """`confirm` or the key of a rule; of a claim, `said_done`, `wrong_reference` and the like."""
    action: str
    """The action, or those that may be meant."""
    quote: str = ""
    start: int = 0
    end: int = 0
    """Where the words stand in the reply."""

    @property
    def words(self) -> str:
        """What it says, for people."""
        return finding_words(self.rule, self.kind)

    def record(self) -> dict[str, Any]:
        """As JSON."""
        plain = asdict(self)
        if self.kind is FindingKind.BREACH:
            return {key: plain[key] for key in ("turn", "kind", "rule", "action")}
        return plain


_WORDS: Final[Mapping[str, str]] = {
    SAID_DONE: "the agent said it was done, and no call did it",
    SAID_NOT_DONE: "the agent said it was not done, and a call did it",
    CONFIRMATION: "done without asking the user for a yes",
}


def finding_words(rule: str, kind: FindingKind) -> str:
    """A rule for people."""
    if rule in _WORDS:
        return _WORDS[rule]
    if kind is FindingKind.FALSE_CLAIM:
        return f"the agent told a wrong {rule.removeprefix(WRONG)}"
    return f"done against the rule {rule}"


def by_rule(findings: Iterable[ActionFinding], kind: FindingKind) -> dict[str, int]:
    """Rule -> how often it was broken, most often first."""
    return dict(Counter(each.rule for each in findings if each.kind is kind).most_common())


def findings_record(found: Iterable[tuple[str, Sequence[ActionFinding]]]) -> dict[str, Any]:
    """The findings of several conversations as JSON; pairs of an id and its findings."""
    several = [(id, finding) for id, findings in found for finding in findings]
    return {
        "breaches": by_rule((each for _, each in several), FindingKind.BREACH),
        "false_action_claims": by_rule((each for _, each in several), FindingKind.FALSE_CLAIM),
        "findings": [{"dialogue": id, **each.record()} for id, each in several],
    }


class ActionJudge:
    """Finds breaches and false claims in conversations of one world and language."""

    def __init__(self, executor: Executor, reader: ProseReader | None) -> None:
        """`reader`: None where the language is not read, so that only breaches are found."""
        self._executor = executor
        self._reader = reader
        self._claims = ActionClaimReader(reader, executor) if reader else None

    @classmethod
    def of(cls, executor: Executor, world: str, data: Path | None = None) -> "ActionJudge":
        code = executor.world.language.code
        folder = executor.world.folder
        if folder is None or not speaks(folder, code):
            return cls(executor, None)
        return cls(executor, ProseReader.of(world, code, data))

    def findings(
        self, turns: Sequence[Turn], exchanges: Sequence[Exchange] = ()
    ) -> tuple[ActionFinding, ...]:
        """All findings, by turn; `exchanges` are the replies where they have been read already."""
        found = [
            ActionFinding(each.turn, FindingKind.BREACH, each.rule, each.action)
            for each in breaches(self._executor, turns)
        ]
        for at, reading in self.readings(turns, exchanges).items():
            found += [
                ActionFinding(
                    at, FindingKind.FALSE_CLAIM, claim.rule, ", ".join(claim.actions),
                    claim.quote, claim.start, claim.end,
                )
                for claim in reading.false
            ]  # fmt: skip
        return tuple(sorted(found, key=lambda each: (each.turn, each.kind, each.start)))

    def readings(
        self, turns: Sequence[Turn], exchanges: Sequence[Exchange] = ()
    ) -> dict[int, ActionReading]:
        """Position of a system's turn -> what it says about actions."""
        if self._claims is None or self._reader is None:
            return {}
        made: dict[int, ActionReading] = {}
        known = iter(exchanges)
        earlier: tuple[ActionEvent, ...] = ()
        state, users = self._executor.begin(), ""
        for at, turn in enumerate(turns):
            if turn.speaker is Speaker.USER:
                users += f" {turn.text}"
                continue
            events = tuple(actions_of(turn))
            for event in events:
                state = applied(state, event)
            exchange = next(known, None)
            reading = exchange.reading if exchange else self._read(turn.text, users)
            context = ActionContext(events, earlier, state, users)
            made[at] = self._claims.read(turn.text, reading, context)
            earlier = (*earlier, *events)
        return made

    def _read(self, reply: str, users: str) -> Reading:
        assert self._reader is not None
        return self._reader.read(reply, ReadingContext(users_words=users))


def without_explained(exchange: Exchange, actions: ActionReading) -> Exchange:
    """An exchange without claims about places where a value of a call is told instead.

    The total of a stay is no price per night, and a booking code is no unread number.
    """
    reading = exchange.reading
    claims = tuple(
        claim
        for claim in reading.claims
        if claim.verdict is Verdict.TRUE or not _meets(claim.start, claim.end, actions.explained)
    )
    unread = tuple(
        each for each in reading.unread if not _meets(each.start, each.end, actions.explained)
    )
    return replace(exchange, reading=replace(reading, claims=claims, unread=unread))


def _meets(start: int, end: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start < last and first < end for first, last in spans)
