"""JSON as TRADE, ToD-BERT and Multi2WOZ keep it: `dev_dials-<language>.json`.

A list of dialogues; each turn has the system's words before it, the user's words, and the state
after them. The system's last words are not kept by the format.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosstalk.errors import FormatError, Place
from crosstalk.files import read_json


@dataclass(frozen=True, slots=True)
class TradeTurn:
    """The user's turn and what came before it."""

    system: str
    """Empty at the start."""
    user: str
    state: Mapping[str, str]
    """`domain-slot` to value, all that holds after this turn."""


@dataclass(frozen=True, slots=True)
class TradeDialogue:
    """One dialogue."""

    id: str
    turns: tuple[TradeTurn, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """User and system by turns, the user first and last."""
        said = [text for turn in self.turns for text in (turn.system, turn.user)]
        return tuple(" ".join(text.split()) for text in said[1:])


def is_trade(start: str) -> bool:
    """By the first few thousand characters of a file."""
    return start.lstrip().startswith("[") and '"dialogue_idx"' in start


def read_trade(file: Path) -> Iterator[TradeDialogue]:
    raw = read_json(file)
    if not isinstance(raw, list):
        raise FormatError(
            "a list of dialogues was expected",
            place=Place(str(file)),
            remedy="Give a file such as dev_dials-cn.json.",
        )
    for number, each in enumerate(raw):
        id = str(each.get("dialogue_idx", number)) if isinstance(each, dict) else str(number)
        try:
            turns = sorted(each["dialogue"], key=lambda turn: int(turn.get("turn_idx", 0)))
            yield TradeDialogue(id, tuple(map(_turn, turns)))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise FormatError(
                f"not a dialogue as TRADE keeps it: {error}",
                place=Place(str(file), dialogue=id),
                remedy="Each needs `dialogue`, a list of turns with `transcript`, "
                "`system_transcript` and `belief_state`.",
            ) from error


def _turn(raw: dict[str, Any]) -> TradeTurn:
    state = {
        str(slot): str(value)
        for each in raw.get("belief_state", [])
        for slot, value in each["slots"]
    }
    return TradeTurn(_text(raw, "system_transcript"), _text(raw, "transcript"), state)


def _text(raw: dict[str, Any], field: str) -> str:
    text = raw[field]
    if not isinstance(text, str):
        raise TypeError(f"{field} is no text")
    return text
