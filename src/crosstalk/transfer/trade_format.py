"""JSON as TRADE, ToD-BERT and Multi2WOZ keep it: `dev_dials-<language>.json`.

A list of dialogues; each turn has the system's words before it, the user's words, and the state
after them. The system's last words are not kept by the format.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosstalk.errors import FormatError, Place
from crosstalk.files import read_json


@dataclass(frozen=True, slots=True)
class TradeTurn:
    """A user turn with the system turn before it."""

    system: str
    """Empty at the start."""
    user: str
    state: Mapping[str, str] | None
    """`domain-slot` to value after this turn; None if the file has no states."""


@dataclass(frozen=True, slots=True)
class TradeDialogue:
    """One dialogue."""

    id: str
    turns: tuple[TradeTurn, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The utterances, user and system alternating, the user first and last."""
        said = [text for turn in self.turns for text in (turn.system, turn.user)]
        return tuple(" ".join(text.split()) for text in said[1:])


def is_trade(start: str) -> bool:
    """Recognise the format by the first few thousand characters of a file."""
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
            _refuse_gaps(turns)
            yield TradeDialogue(id, tuple(map(_turn, turns)))
        except KeyError as error:
            raise _not_trade(file, id, f"the field {error} is missing") from error
        except (TypeError, ValueError, AttributeError, IndexError) as error:
            raise _not_trade(file, id, str(error)) from error


def _not_trade(file: Path, id: str, problem: str) -> FormatError:
    return FormatError(
        f"not a dialogue as TRADE keeps it: {problem}",
        place=Place(str(file), dialogue=id),
        remedy="Each needs `dialogue`, a list of turns with `turn_idx` from 0 on, `transcript`, "
        "`system_transcript` and `belief_state`.",
    )


def _refuse_gaps(turns: Sequence[Mapping[str, Any]]) -> None:
    """Check turn numbers: a translation that lost a turn would be misaligned."""
    if not turns:
        raise ValueError("it has no turns")
    found = [int(turn["turn_idx"]) for turn in turns if "turn_idx" in turn]
    wanted = list(range(len(found)))
    if found and found != wanted:
        missing = next(number for number in wanted if found[number] != number)
        problem = "there twice" if found[missing] < missing else "missing"
        raise ValueError(f"turn {found[missing] if problem != 'missing' else missing} is {problem}")


def _turn(raw: Mapping[str, Any]) -> TradeTurn:
    return TradeTurn(_text(raw, "system_transcript"), _text(raw, "transcript"), _state(raw))


def _state(raw: Mapping[str, Any]) -> dict[str, str] | None:
    if "belief_state" not in raw:
        return None
    pairs = [pair for each in raw["belief_state"] for pair in each["slots"]]
    if strange := [pair for pair in pairs if len(pair) != 2]:
        raise ValueError(f"`slots` of turn {raw.get('turn_idx', '')} holds {strange[0]}, no pair")
    return {str(slot): str(value) for slot, value in pairs}


def _text(raw: Mapping[str, Any], field: str) -> str:
    if field not in raw:
        raise ValueError(f"`{field}` of turn {raw.get('turn_idx', '')} is missing")
    text = raw[field]
    if not isinstance(text, str):
        raise ValueError(f"`{field}` of turn {raw.get('turn_idx', '')} is no text")
    return text
