"""Noise: typing as people type. Case, punctuation, slips of the finger, words left out."""

from collections.abc import Sequence
from random import Random
from typing import Final

from crosstalk.language.scripts import is_undivided
from crosstalk.system.nlu.composing import Pieces, UtterancePiece

SLIPS: Final = 0.5
"""Share of utterances typed carelessly, and of their longer words that get a slip."""
SLIP: Final = 0.08
SMALL: Final = 0.65
BARE: Final = 0.5
LEFT_OUT: Final = 0.06
_MARKS: Final = ".,!?;:。，！？；：،؟"


class Typist:
    """Types what somebody means to say."""

    def __init__(self, keyboard: Sequence[str]) -> None:
        self._near = {
            key: [row[n] for n in (at - 1, at + 1) if 0 <= n < len(row)]
            for row in keyboard
            for at, key in enumerate(row)
        }

    def typed(self, pieces: Pieces, rng: Random) -> Pieces:
        small, bare, careless = (rng.random() < odds for odds in (SMALL, BARE, SLIPS))
        done = []
        for number, piece in enumerate(pieces):
            text = piece.text.lower() if small else piece.text
            if not small and not number:
                text = text[:1].upper() + text[1:]
            if bare and not piece.key:
                text = "".join(each for each in text if each not in _MARKS)
            if careless:
                text = self._slipping(text, rng, may_drop=not piece.key)
            done.append(UtterancePiece(text, piece.key))
        if not bare and done and rng.random() < 0.6:
            done.append(UtterancePiece(rng.choice((".", "?", "!", "?"))))
        return done

    def _slipping(self, text: str, rng: Random, *, may_drop: bool) -> str:
        words = text.split(" ")
        kept = []
        for word in words:
            if may_drop and len(words) > 3 and word and rng.random() < LEFT_OUT:
                continue
            slips = len(word) > 3 and not is_undivided(word) and not word.isdigit()
            kept.append(self._slip(word, rng) if slips and rng.random() < SLIP else word)
        return " ".join(kept)

    def _slip(self, word: str, rng: Random) -> str:
        """One letter dropped, doubled, swapped with the next, or the key beside it hit."""
        at = rng.randrange(1, len(word))
        match rng.randrange(4):
            case 0:
                return word[:at] + word[at + 1 :]
            case 1:
                return word[:at] + word[at] + word[at:]
            case 2:
                return word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]
            case _:
                other = rng.choice(self._near.get(word[at], [word[at]]))
                return word[:at] + other + word[at + 1 :]
