"""Which language a text is in, guessed from its script, then from everyday words.

For corpora that do not say. What is known of a language is data (`script` and `everyday` of
`writing.toml`), and counts decide, so the same text always gets the same answer.
"""

import re
from functools import cache
from typing import Final

from crosstalk.language.scripts import scripts_of
from crosstalk.language.writing import Writing, written_languages

_LETTERS_PER_SIGN: Final = 3
"""A Chinese character says about as much as three letters, so a Chinese sentence about
`Cambridge Belfry` stays Chinese."""
_WORD: Final = re.compile(r"\w+")


def guess_language(text: str) -> str:
    """The code of the text's language; empty when nothing speaks for one that has a table."""
    letters = scripts_of(text)
    weights = {name: _weight(name) * count for name, count in letters.items() if _using(name)}
    if not weights:
        return ""
    return _by_words(text, _using(max(weights, key=lambda name: weights[name])))


@cache
def _using(script: str) -> tuple[Writing, ...]:
    """The languages that are written in a script."""
    return tuple(each for each in written_languages() if each.script == script)


def _weight(script: str) -> int:
    return 1 if all(each.spaced for each in _using(script)) else _LETTERS_PER_SIGN


def _by_words(text: str, languages: tuple[Writing, ...]) -> str:
    """Of several languages in one script, the one whose everyday words a text has most of."""
    if len(languages) == 1:
        return languages[0].code
    said = _WORD.findall(text.lower())
    hits = {each.code: sum(word in each.everyday for word in said) for each in languages}
    best = max(hits, key=lambda code: hits[code])
    return best if hits[best] else ""
