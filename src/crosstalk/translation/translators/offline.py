"""Translation without any model: memory, glossary, and what is the same in every language.

Deterministic, and honest about what it could not do: words it has no translation for stay as they
are and are named, so that editors see where a machine has not been.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Final

from crosstalk.language.normalize import comparable
from crosstalk.translation.glossary import Glossary
from crosstalk.translation.segments import is_label
from crosstalk.translation.translators.interface import Passage, Rendering
from crosstalk.translation.translators.markers import MARK
from crosstalk.translation.translators.memory import build_memory, sentences

_WORDS: Final = re.compile(r"[^\W\d_]+(?:['’\-\s]+[^\W\d_]+)*")
_FIGURES_ONLY: Final = re.compile(r"[\W\d_]*(?:[a-z]*\d[a-z0-9]*[\W\d_]*)+", re.IGNORECASE)


class OfflineTranslator:
    """Memory first, then the glossary's words inside the source's sentence."""

    batch = 256

    def __init__(
        self,
        glossary: Glossary,
        pairs: Iterable[tuple[str, str]] = (),
        answers: Iterable[str] = (),
    ) -> None:
        """`answers`: the source's yes and no, which are other words inside a sentence."""
        known, unsaid = sorted(pairs), sorted(map(comparable, answers))
        phrases = {key: form for key, form in glossary.phrases.items() if key not in unsaid}
        self._glossary = glossary
        self._memory = build_memory(known, phrases)
        tables = json.dumps([sorted(glossary.terms.items()), known, unsaid]).encode()
        self._name = f"offline:{hashlib.sha256(tables).hexdigest()[:12]}"

    @property
    def name(self) -> str:
        return self._name

    def translate(self, passages: Sequence[Passage]) -> list[Rendering]:
        return [self._value(each) if each.slot else self._utterance(each.text) for each in passages]

    def _value(self, passage: Passage) -> Rendering:
        if is_label(passage.text):
            return Rendering(passage.text, "copied")
        form = self._glossary.translate(passage.slot, passage.text)
        if form is not None:
            return Rendering(form, "glossary")
        if _FIGURES_ONLY.fullmatch(passage.text):
            return Rendering(passage.text, "copied")
        return self._utterance(passage.text)

    def _utterance(self, text: str) -> Rendering:
        found = self._memory.find(text)
        if found is not None:
            return Rendering(found, "memory")
        parts = sentences(text)
        if len(parts) > 1:
            return _joined([self._utterance(part) for part in parts])
        return self._word_by_word(text)

    def _word_by_word(self, text: str) -> Rendering:
        """The source's sentence with the words that have a form; the rest is named."""
        parts: list[str] = []
        left: list[str] = []
        last = 0
        pieces = self._memory.spotter.pieces(text)
        for piece in pieces:
            before = text[last : piece.start]
            left += _WORDS.findall(MARK.sub(" ", before))
            parts += [before, piece.form]
            last = piece.end
        left += _WORDS.findall(MARK.sub(" ", text[last:]))
        known = any(piece.form != text[piece.start : piece.end] for piece in pieces)
        how = "glossary" if known else "copied"
        return Rendering("".join([*parts, text[last:]]), how, tuple(left))


def _joined(parts: list[Rendering]) -> Rendering:
    hows = list(dict.fromkeys(part.how for part in parts))
    left = tuple(word for part in parts for word in part.untranslated)
    return Rendering(" ".join(part.text for part in parts), " + ".join(hows), left)
