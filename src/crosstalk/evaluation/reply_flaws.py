"""Flaws of single replies that a verdict does not rest on, found by rule.

    flaws = reply_flaws(replies_of(dialogue, exchanges), truth)

An agent may repeat itself, be cut off, leave the user's language or deny what its own tools have
shown, and its user may get everything all the same. Such flaws are counted beside the verdicts.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from unicodedata import category

from crosstalk.agents.chat_agent import MOST_CHARACTERS
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.schema import SERVICE_MARK, SlotKind
from crosstalk.language.normalize import comparable
from crosstalk.reading.claims import Verdict
from crosstalk.reading.conversation import Exchange
from crosstalk.reading.readings import Reading
from crosstalk.reading.reply_state import UNKNOWN
from crosstalk.worlds.truth import Truth


class FlawKind(StrEnum):
    """What is wrong with a reply."""

    TOOL_DENIED = "contradicts its own tool result"
    REPEATED = "repetition"
    CUT = "cut reply"
    LANGUAGE = "other language"
    NOISE = "format noise"
    """Characters that nobody writes: control codes, bytes that were no text."""
    EMPTY = "empty reply"
    LONG = "over-long reply"
    BROKEN_CALL = "wrong tool call"
    CONCEDED = "contradicts an earlier turn"
    """A true answer taken back, for instance since the user insisted that it is wrong."""
    PROMPT = "prompt told"
    """A sentence of the prompt that we gave it, word for word."""
    INVENTED = "invented attribute"
    """Said of a place, and the tables know nothing of the kind: a hotel's 120 rooms."""


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
    heard: str = ""
    """What the user said before it."""


def replies_of(dialogue: Dialogue, exchanges: Sequence[Exchange]) -> list[ReplyEvidence]:
    """The replies of a dialogue of a run, with the tool results that its turns keep."""
    turns = list(dialogue.system_turns)
    return [
        ReplyEvidence(each.reply, each.reading, _results(turn), _is_cut(turn), each.user.text)
        for each, turn in zip(exchanges, turns, strict=False)
    ]


def _results(turn: Turn) -> tuple[str, ...]:
    calls = (turn.extras.get("agent") or {}).get("tool_calls") or ()
    return tuple(str(call.get("result") or "") for call in calls)


def _is_cut(turn: Turn) -> bool:
    return (turn.extras.get("agent") or {}).get("finish_reason") == "length"


def reply_flaws(
    replies: Sequence[ReplyEvidence], truth: Truth | None = None, prompt: str = ""
) -> Iterator[ReplyFlaw]:
    """Everything that is wrong with the replies of one conversation, in their order.

    `truth`: the tables; None: invented attributes are not looked for, nor languages told apart that
    could be read. `prompt`: what the agent was told, and should keep to itself.
    """
    language = truth.database.world.language.code if truth else ""
    said: set[str] = set()
    shown: list[Mapping[str, Any]] = []
    told = _KnownNumbers(truth) if truth else None
    secret = _sentences(prompt)
    true: set[tuple[str, str, str]] = set()
    for number, reply in enumerate(replies):
        answers = [_json(each) for each in reply.results]
        shown += [row for answer in answers for row in _rows(answer)]
        for kind, words in _flaws(reply, answers, shown, said, language):
            yield ReplyFlaw(number, kind, words)
        if told:
            told.learn(reply)
            for words in told.invented(reply):
                yield ReplyFlaw(number, FlawKind.INVENTED, words)
        if truth:
            yield from _taken_back(number, reply, true, truth)
        if words := next((each for each in secret if each in comparable(reply.text)), ""):
            yield ReplyFlaw(number, FlawKind.PROMPT, words)
        said.add(comparable(reply.text).strip())


SINGLE: Final = frozenset(
    {SlotKind.TEXT, SlotKind.NUMBER, SlotKind.RATING, SlotKind.DURATION, SlotKind.STATION}
)
"""Slots of one value: it cannot be wrong beside another that is right."""
LONGEST_PHRASE: Final = 5
"""Words that may stand in a prompt and in a reply by chance."""


def _taken_back(
    number: int, reply: ReplyEvidence, true: set[tuple[str, str, str]], truth: Truth
) -> Iterator[ReplyFlaw]:
    """False claims about what an earlier reply had right; `true` learns those of this one."""
    firm = []
    for claim in reply.reading.claims:
        slot = truth.domain(claim.domain).slot(claim.slot)
        if claim.is_firm and slot is not None and slot.kind in SINGLE:
            firm.append(claim)
    for claim in firm:
        if claim.verdict is Verdict.FALSE and (claim.domain, claim.entity, claim.slot) in true:
            yield ReplyFlaw(number, FlawKind.CONCEDED, claim.quote)
    true |= {(c.domain, c.entity, c.slot) for c in firm if c.verdict is Verdict.TRUE}


def _sentences(prompt: str) -> list[str]:
    """The sentences of a prompt that nobody says by chance."""
    found = [comparable(each).strip() for each in re.split(r"[.!?。！？؟\n]", prompt)]
    return [each for each in found if len(each.split()) > LONGEST_PHRASE or _is_long(each)]


def _is_long(text: str) -> bool:
    """In scripts without spaces."""
    return " " not in text and len(text) > 2 * LONGEST_PHRASE


SMALL: Final = 31
"""Whole numbers up to this one may be counts, days or turns of speech."""
THOUSANDS: Final = 3
"""Digits behind a mark that parts thousands, perhaps."""
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)?")


class _KnownNumbers:
    """Numbers that tables, tools or the user have given in one conversation.

    A number that was said of a place and could not be read as any of its attributes is invented if
    nobody has given it: not the row of a place spoken of, not a tool, not the user.
    """

    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self._known: set[str] = set()
        self._spoken_of = False

    def learn(self, reply: ReplyEvidence) -> None:
        """Take in what stands behind a reply, and the rows of the places it names."""
        self._known |= _numbers(reply.heard)
        for result in reply.results:
            self._known |= _numbers(result)
        places = {(claim.domain, claim.entity) for claim in reply.reading.claims if claim.is_known}
        places |= {each.place for each in reply.reading.names}
        for domain, name in places:
            if row := self._truth.entity(domain, name):
                self._spoken_of = True
                self._known |= _numbers(" ".join(map(str, row.values())))

    def invented(self, reply: ReplyEvidence) -> Iterator[str]:
        """The words of a reply that say what nobody knows."""
        if not self._spoken_of:
            return
        for claim in reply.reading.claims:
            if claim.verdict is Verdict.UNDECIDABLE and claim.is_known and claim.is_firm:
                yield claim.quote
        for each in reply.reading.unread:
            found = {n for n in _numbers(each.quote) if not (n.isdigit() and int(n) <= SMALL)}
            if each.why == "number" and found and not any(map(self._is_known, found)):
                yield each.quote

    def _is_known(self, number: str) -> bool:
        """Also in minutes what the tables have in hours."""
        if number in self._known:
            return True
        return number.isdigit() and f"{int(number) / 60:g}" in self._known


def _numbers(text: str) -> set[str]:
    """The numbers of a text: times as they stand, decimals with a point, thousands joined."""
    return {each for found in _NUMBER.findall(text) for each in _spelled(found)}


def _spelled(number: str) -> set[str]:
    if ":" in number:
        return {number.lstrip("0")}
    whole, mark, rest = number.replace(",", ".").partition(".")
    joined = {whole + rest} if len(rest) == THOUSANDS else set()
    return {f"{float(f'{whole}{mark}{rest}'):g}", *joined}


def _flaws(
    reply: ReplyEvidence,
    answers: Sequence[Any],
    shown: Sequence[Mapping[str, Any]],
    said: set[str],
    language: str,
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
    if is_too_long(reply.text):
        yield FlawKind.LONG, reply.text[:80]
    if is_noise(reply.text):
        yield FlawKind.NOISE, reply.text[:80]
    elif language and reply.reading.language not in (language, "", UNKNOWN):
        yield FlawKind.LANGUAGE, reply.text[:80]
    elif foreign := [each.quote for each in reply.reading.unread if each.why == "language"]:
        yield FlawKind.LANGUAGE, foreign[0][:80]
    for claim in reply.reading.claims:
        if claim.verdict is Verdict.FALSE and claim.is_firm:
            slot = claim.slot.partition(SERVICE_MARK)[0]
            if any(row.get("name") == claim.entity and slot in row for row in shown):
                yield FlawKind.TOOL_DENIED, claim.quote


def is_too_long(text: str) -> bool:
    """Whether nobody would read a text to its end."""
    return len(text) >= MOST_CHARACTERS


def is_noise(text: str) -> bool:
    """Whether a text holds characters that nobody writes."""
    return any(
        each == "\ufffd" or (category(each) == "Cc" and each not in "\t\n\r") for each in text
    )


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
