"""Words of utterances that say much the same: what was divided once is remembered."""

import re
from functools import lru_cache
from typing import Final

from crosstalk.language.identify import primary
from crosstalk.language.tokenize import words

_STRETCH: Final = re.compile(r"([\u4E00-\u9FD5a-zA-Z0-9+#&._%\-]+)")
"""jieba divides what stands between two marks by itself, so each stretch can be remembered."""


def wording(text: str, language: str) -> tuple[str, ...]:
    """The words of a text, white space left out."""
    if primary(language) != "zh":
        return _divided(text, language)
    stretches = (stretch for stretch in _STRETCH.split(text) if stretch)
    return tuple(word for stretch in stretches for word in _divided(stretch, language))


@lru_cache(maxsize=1 << 18)
def _divided(text: str, language: str) -> tuple[str, ...]:
    return tuple(word for word in words(text, language) if word.strip())
