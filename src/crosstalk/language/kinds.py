"""Kinds of terms: which dishes are seafood, as the world's phrase file tells."""

from functools import lru_cache

from crosstalk.language.normalize import plain
from crosstalk.language.phrases import Phrasebook


class TermKinds:
    """Knows the kinds of terms of one world in one language."""

    def __init__(self, book: Phrasebook) -> None:
        self._members = {plain(kind): words for kind, words in book.members.items()}
        self.meets = lru_cache(maxsize=1 << 14)(self._meets)

    def _meets(self, text: str, kind: str) -> bool | None:
        """Whether a term is of a kind; None where the kind is unknown."""
        words = self._members.get(plain(kind))
        return None if words is None else bool(words.search(plain(text)))
