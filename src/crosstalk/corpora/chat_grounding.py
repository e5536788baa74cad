"""Whether what the system states stands in a message before it: in a result, or said by the user.

    grounding_of(json.loads(line) for line in open("chat.jsonl"))   # Grounding(stated, grounded)

What the system said before is no evidence for itself. A value counts as grounded if a cell of the
same slot has it (any cell, where no result has that slot), or if the user said it. That a place has
a service is grounded by a list that names it, that it has none by a list that does not. A name that
a call brings up by itself is not grounded by its answer.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from crosstalk.dialogue.acts import FACT, INFORM, NOTHING, RECOMMEND, Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.language.writing import numerals_of, writing_of

STATING: Final = (INFORM, RECOMMEND, FACT, "OFFER", "Book", "OfferBooked", "book", "offerbooked")
"""Intents that tell a value; `OFFER` is that of SGD, `Book` those of MultiWOZ."""
NO: Final = ("no", "否")
"""How annotations say that a place does not have a service, beside the word of the language."""
UNSTATED: Final = ("", NOTHING, "无")
"""Values of acts that say that nothing is known, beside the word of the language."""
_SEPARATORS: Final = re.compile(r"[\s,;/|，、；。$€£¥]+")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?![\d-]))")
_HYPHENS: Final = re.compile(r"\s*-\s*")
_BESIDE_CJK: Final = re.compile(r"(?<=[⺀-鿿]) | (?=[⺀-鿿])")
_WORD: Final = "0-9a-zà-öø-ÿ"


@dataclass(frozen=True, slots=True)
class Grounding:
    """How many values the system states, and how many of them stand in a message before."""

    stated: int
    grounded: int

    @property
    def share(self) -> float:
        return self.grounded / self.stated if self.stated else 1.0


def grounding_of(records: Iterable[Mapping[str, Any]]) -> Grounding:
    """Added up over records of the chat format, from their metadata."""
    told = missing = 0
    for record in records:
        metadata = record["metadata"]
        told += metadata.get("stated", 0)
        missing += len(metadata.get("ungrounded", ()))
    return Grounding(told, told - missing)


def stated(turn: Turn, nothing: str = "") -> list[Act]:
    """The acts of a turn of the system that state a value; that nothing is known states none.

    `nothing`: how acts of this language say so.
    """
    unstated = (*UNSTATED, nothing)
    return [act for act in turn.acts if act.intent in STATING and act.value not in unstated]


class Evidence:
    """The results and the user's words of a conversation so far."""

    def __init__(self, no: str = "", language: str = "") -> None:
        """`no`: how acts of this language say that a place does not have a service."""
        self._no = {*NO, _plain(no)}
        self._language = language
        self._guessed: set[str] = set()
        """Names that a call gave and that only its own answer shows."""
        self._cells: dict[str, dict[str, None]] = {}
        """Slot -> its values in the results."""
        self._lists: dict[str, list[frozenset[str]]] = {}
        """Slot -> its lists in the results, one for each row."""
        self._heard: list[str] = []

    def heard(self, text: str) -> None:
        self._heard.append(_plain(text))

    def found(self, result: str, name: str = "") -> None:
        """Takes in the answer of a call; `name`: the place whose details it asked for."""
        guessed = {_plain(name)} if name and not self._has(name) else set()
        self._take(result)
        self._guessed = {each for each in self._guessed if each not in _plain(result)} | guessed

    def _has(self, text: str) -> bool:
        cells = (each for some in self._cells.values() for each in some)
        return _stands(_plain(text), [*cells, *self._heard])

    def _take(self, result: str) -> None:
        try:
            content = json.loads(result)
        except ValueError:
            content = result
        for slot, value in _leaves(content):
            if isinstance(value, list):
                self._lists.setdefault(slot, []).append(frozenset(map(_plain, value)))
                self._cells.setdefault(slot, {}).update(dict.fromkeys(map(_plain, value)))
                self._cells[slot][_plain(" ".join(value))] = None
            else:
                self._cells.setdefault(slot, {})[_plain(value)] = None

    def supports(self, act: Act) -> bool:
        slot, mark, service = act.slot.partition("-")
        if mark and slot in self._lists:
            wanted, lists = _plain(service), self._lists[slot]
            if _plain(act.value) in self._no:
                return any(wanted not in each for each in lists)
            return any(_stands(wanted, each) for each in lists)
        cells = self._cells.get(act.slot)
        known = list(cells) if cells else [each for some in self._cells.values() for each in some]
        texts = [*known, *self._heard]
        if _plain(act.value) in self._guessed:
            return False
        if _stands(_plain(act.value), texts):
            return True
        if (number := self._number(act.value)) and _stands(number, texts):
            return True
        parts = filter(None, _SEPARATORS.split(_HYPHENS.sub("-", act.value)))
        return all(_stands(_plain(part), texts) for part in parts)

    def _number(self, value: str) -> str:
        """The digits of a number in words, `4` of `four`; empty for anything else."""
        if not self._language or any(sign.isdigit() for sign in value):
            return ""
        text = value.strip().casefold()
        read = list(numerals_of(writing_of(self._language)).in_text(text))
        whole = len(read) == 1 and (read[0].start, read[0].end) == (0, len(text))
        return read[0].digits if whole else ""


def _leaves(content: Any, slot: str = "") -> Iterator[tuple[str, str | list[str]]]:
    """Each value of a result under its nearest key; a list of plain values as a whole."""
    if isinstance(content, Mapping):
        for key, value in content.items():
            yield from _leaves(value, str(key))
    elif isinstance(content, list):
        if any(isinstance(each, (Mapping, list)) for each in content):
            for each in content:
                yield from _leaves(each, slot)
        else:
            yield slot, [str(each) for each in content]
    elif content is not None:
        yield slot, str(content)


def _plain(text: str) -> str:
    """Text without differences of case, separators, spaces and signs of currencies."""
    text = _HYPHENS.sub("-", _THOUSANDS.sub("", text.casefold()))
    return _BESIDE_CJK.sub("", _SEPARATORS.sub(" ", text)).strip()


def _stands(value: str, texts: Iterable[str]) -> bool:
    """Whether a text has the value, as whole words and numbers: 5 does not stand in 4.5."""
    if not value:
        return False
    whole = re.compile(rf"(?<![{_WORD}])(?<![{_WORD}]\.){re.escape(value)}(?!\.?[{_WORD}])")
    return any(value in text and whole.search(text) for text in texts)
