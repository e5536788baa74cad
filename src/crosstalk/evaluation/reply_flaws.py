"""Flaws of single replies that a verdict does not rest on, found by rule.

    flaws = reply_flaws(replies_of(dialogue, exchanges))

An agent may repeat itself, be cut off, leave the user's language or deny what its own tools have
shown, and its user may get everything all the same. Such flaws are counted beside the verdicts.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.schema import SERVICE_MARK
from crosstalk.language.normalize import comparable
from crosstalk.reading.claims import Verdict
from crosstalk.reading.conversation import Exchange
from crosstalk.reading.readings import Reading


class FlawKind(StrEnum):
    """What is wrong with a reply."""

    TOOL_DENIED = "contradicts its own tool result"
    REPEATED = "repetition"
    CUT = "cut reply"
    LANGUAGE = "other language"
    EMPTY = "empty reply"
    BROKEN_CALL = "wrong tool call"


@dataclass(frozen=True, slots=True)
class ReplyFlaw:
    """One flaw of one reply."""

    turn: int
    """Number of the exchange, from 0."""
    kind: FlawKind
    words: str = ""
    """The words that show it."""

    def record(self) -> dict[str, Any]:
        return {"turn": self.turn, "kind": str(self.kind), "quote": self.words}


@dataclass(frozen=True, slots=True)
class ReplyEvidence:
    """A reply with what is known of how it came about."""

    text: str
    reading: Reading
    results: tuple[str, ...] = ()
    """What tools answered before it."""
    is_cut: bool = False


def replies_of(dialogue: Dialogue, exchanges: Sequence[Exchange]) -> list[ReplyEvidence]:
    """The replies of a dialogue of a run, with the tool results that its turns keep."""
    turns = list(dialogue.system_turns)
    return [
        ReplyEvidence(each.reply, each.reading, _results(turn), _is_cut(turn))
        for each, turn in zip(exchanges, turns, strict=False)
    ]


def _results(turn: Turn) -> tuple[str, ...]:
    calls = (turn.extras.get("agent") or {}).get("tool_calls") or ()
    return tuple(str(call.get("result") or "") for call in calls)


def _is_cut(turn: Turn) -> bool:
    return (turn.extras.get("agent") or {}).get("finish_reason") == "length"


def reply_flaws(replies: Sequence[ReplyEvidence]) -> Iterator[ReplyFlaw]:
    """Everything that is wrong with the replies of one conversation, in their order."""
    said: set[str] = set()
    shown: list[Mapping[str, Any]] = []
    for number, reply in enumerate(replies):
        answers = [_json(each) for each in reply.results]
        shown += [row for answer in answers for row in _rows(answer)]
        for kind, words in _flaws(reply, answers, shown, said):
            yield ReplyFlaw(number, kind, words)
        said.add(comparable(reply.text).strip())


def _flaws(
    reply: ReplyEvidence, answers: Sequence[Any], shown: Sequence[Mapping[str, Any]], said: set[str]
) -> Iterator[tuple[FlawKind, str]]:
    errors = [each["error"] for each in answers if isinstance(each, dict) and "error" in each]
    if errors:
        yield FlawKind.BROKEN_CALL, str(errors[0])
    if not reply.text.strip():
        yield FlawKind.EMPTY, ""
        return
    if comparable(reply.text).strip() in said:
        yield FlawKind.REPEATED, reply.text[:80]
    if reply.is_cut:
        yield FlawKind.CUT, reply.text[-80:]
    if foreign := [each.quote for each in reply.reading.unread if each.why == "language"]:
        yield FlawKind.LANGUAGE, foreign[0][:80]
    for claim in reply.reading.claims:
        if claim.verdict is Verdict.FALSE and claim.is_firm:
            slot = claim.slot.partition(SERVICE_MARK)[0]
            if any(row.get("name") == claim.entity and slot in row for row in shown):
                yield FlawKind.TOOL_DENIED, claim.quote


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _rows(answer: Any) -> Iterator[Mapping[str, Any]]:
    """Every row of a table in the answer of a tool."""
    if isinstance(answer, list):
        for each in answer:
            yield from _rows(each)
    elif isinstance(answer, dict):
        if "name" in answer:
            yield answer
        for value in answer.values():
            yield from _rows(value)


def counted(flaws: Iterable[ReplyFlaw]) -> dict[str, int]:
    """Kind -> number of replies, the commonest first."""
    pairs = {(each.turn, str(each.kind)) for each in flaws}
    return dict(Counter(kind for _, kind in sorted(pairs)).most_common())
