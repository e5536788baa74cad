"""Whether what the system states stands in a message before it: in a result, or said by the user.

    grounding_of(json.loads(line) for line in open("chat.jsonl"))   # Grounding(stated, grounded)

What the system said before is no evidence for itself. A value counts as grounded if a cell of the
same slot has it (any cell, where no result has that slot), or if the user said it. That a place has
a service is grounded by a list that names it, that it has none by a list that does not. A name that
a call brings up by itself is not grounded by its answer.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
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
SPELT: Final = 6
"""Letters of a value in which a slip of spelling is forgiven."""
ALIKE: Final = 0.85
"""How alike (ratio of `difflib`) a misspelt value is to the one it means."""
_SEPARATORS: Final = re.compile(r"[\s,;/|，、；。$€£¥]+")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?![\d-]))")
_HYPHENS: Final = re.compile(r"\s*-\s*")
_BESIDE_CJK: Final = re.compile(r"(?<=[⺀-鿿]) | (?=[⺀-鿿])")
_WORD: Final = "0-9a-zà-öø-ÿ"


@dataclass(frozen=True, slots=True)
class SaidValues:
    """How the acts of a corpus write values, where they keep the words that were said."""

    meant: Callable[[str, str], str]
    """The value that is meant, from slot and words; values of tables pass through it too."""
    least: Callable[[str], int]
    """The smallest number that a word for a quantity may mean; 0 for other words."""
    is_none: Callable[[str], bool]
    """Whether the words name no value, or say that none is known."""


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


def stated(turn: Turn, nothing: str = "", said: SaidValues | None = None) -> list[Act]:
    """The acts of a turn of the system that state a value; that nothing is known states none.

    `nothing`: how acts of this language say so; `said`: how those of the corpus do.
    """
    unstated = (*UNSTATED, nothing)
    found = [act for act in turn.acts if act.intent in STATING and act.value not in unstated]
    return [act for act in found if not (said and said.is_none(act.value))]


class Evidence:
    """The results and the user's words of a conversation so far."""

    def __init__(self, no: str = "", language: str = "", said: SaidValues | None = None) -> None:
        """`no`: how acts of this language say that a place does not have a service."""
        self._said = said
        self._counts: list[int] = []
        """Numbers of rows that were found."""
        self._rows: list[list[Any]] = []
        """The rows of each result."""
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
        self._heard.append(_plain(self._with_digits(text)))

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
        if isinstance(content, dict) and type(content.get("count")) is int:
            self._counts.append(content["count"])
            self._rows.append(content.get("results", []))
        for slot, value in _leaves(content):
            if isinstance(value, list):
                self._lists.setdefault(slot, []).append(frozenset(map(_plain, value)))
                self._cells.setdefault(slot, {}).update(dict.fromkeys(map(_plain, value)))
                self._cells[slot][_plain(" ".join(value))] = None
            else:
                self._cells.setdefault(slot, {})[_plain(value)] = None

    def supports(self, act: Act, turn: Iterable[Act] = ()) -> bool:
        """Whether the value of an act stands in what is known; `turn`: all acts of its turn."""
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
        if all(_stands(_plain(part), texts) for part in parts):
            return True
        return self._said is not None and self._supports_meant(act, turn, texts, self._said)

    def _supports_meant(
        self, act: Act, turn: Iterable[Act], texts: list[str], said: SaidValues
    ) -> bool:
        """Whether what is meant stands somewhere, also misspelt, or so many rows were found."""
        least = said.least(act.value)
        if least and any(count >= least for count in self._counts):
            return True
        meant = said.meant(act.slot, act.value)
        number = self._number(meant) or meant
        if number.isdecimal():
            return _stands(number, texts) or self._are_shown(int(number), act, turn, said)
        known = {said.meant(act.slot, text) for text in texts}
        if not meant or _stands(meant, known):
            return True
        return len(meant) >= SPELT and bool(get_close_matches(meant, known, 1, ALIKE))

    def _are_shown(self, number: int, act: Act, turn: Iterable[Act], said: SaidValues) -> bool:
        """Whether the last result shows so many rows with another value that the turn tells."""
        told = {said.meant(each.slot, each.value) for each in turn if each.slot != act.slot}
        rows = self._rows[-1] if self._rows else []
        cells = [{said.meant(slot, text) for slot, text in _texts(row)} for row in rows]
        return any(sum(value in each for each in cells) == number for value in told)

    def _with_digits(self, text: str) -> str:
        """A text with its numbers also in digits: `for two people 2`."""
        if not self._language:
            return text
        read = numerals_of(writing_of(self._language)).in_text(text.casefold())
        return " ".join([text, *(each.digits for each in read)])

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


def _texts(row: Any) -> Iterator[tuple[str, str]]:
    """The cells of a row that are texts or numbers."""
    return ((slot, value) for slot, value in _leaves(row) if isinstance(value, str))


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
