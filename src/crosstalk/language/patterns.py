"""Patterns: words to look for in plain text, as the language files write them.

`looking for` is two words in a row, `recommend*` any word that begins so, `how ... cost` has up to
thirty characters between, `where NAME` a place's name behind it, `not >even` the word `not` where
`even` stands behind it, `right$` the word `right` at the end of a clause.
Chinese does not part its words; Arabic joins its smallest words to the
next one; the others stand between spaces.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from crosstalk.language.identify import primary
from crosstalk.language.normalize import plain

GAP: Final = "..."
MORE: Final = "*"
AHEAD: Final = ">"
"""Begins a word that must follow and is no part of what is found."""
LAST: Final = "$"
"""Ends a phrase that stands at the end of a clause."""
NAME: Final = "NAME"
"""Stands for the name of a place."""
FIRST_HOLE: Final = "\ue000"
LAST_HOLE: Final = "\ue0ff"
"""A name is one private character in the text, so that its words mean nothing else."""
_JOINED: Final = r"(?:(?:و|ف(?=\w{5}))?(?:ال|بال|كال|لل|[بل])?)"
"""What Arabic writes together with the word that follows: and, so, the, in, for, like. A short
word that begins like *so* is another word."""
_CLOSED: Final = r"(?=\s*(?:[\ue200-\ue202]|$))"
_END: Final = (r"(?!\w)", "")
"""What ends a word, in languages that part words and in Chinese."""
_JOINED_TO_SHORT: Final = r"(?:و?(?:ال|بال|لل|ب)?)"
SHORT: Final = 3
"""Letters of a word that other letters before it easily make another word of."""
_NEVER: Final = re.compile(r"(?!)")


def pattern(phrases: Iterable[str], language: str) -> re.Pattern[str]:
    """One pattern for all phrases, long ones first; it matches nothing where there are none."""
    code = primary(language)
    said = [phrase for phrase in phrases if plain(phrase) or phrase == "~"]
    if not said:
        return _NEVER
    said.sort(key=lambda phrase: (-len(plain(phrase.partition(AHEAD)[0])), phrase))
    ways = "|".join(_grouped(said, code))
    if code == "zh":
        return re.compile(f"(?:{ways})")
    return re.compile(rf"(?<!\w)(?:{ways})(?!\w)")


def _grouped(phrases: Iterable[str], code: str) -> Iterator[str]:
    """Expressions of phrases in their order.

    What may be written before a word is tried once for all phrases of a length.
    """
    groups: dict[tuple[str, int], dict[str, None]] = {}
    for phrase in phrases:
        before = _before(phrase, code)
        length = len(plain(phrase.partition(AHEAD)[0])) if before else 0
        groups.setdefault((before, length), {})[_expression(phrase, code)] = None
    for (before, _), expressions in groups.items():
        ways = "|".join(expressions)
        yield f"{before}(?:{ways})" if before else ways


def _before(phrase: str, code: str) -> str:
    """What may be written together with the first word; short words would become others."""
    if code != "ar":
        return ""
    word = (phrase.split() or [""])[0].removesuffix(MORE)
    return _JOINED if len(plain(word).removeprefix("ال")) > SHORT else _JOINED_TO_SHORT


def rewriter(variants: Mapping[str, str], language: str) -> Callable[[str], str]:
    """Puts standard words for others in a plain text; what is written together with them stays."""
    code = primary(language)
    table = {plain(said): plain(standard) for said, standard in variants.items()}
    if not table:
        return str
    ways = "|".join(re.escape(said) for said in sorted(table, key=lambda said: (-len(said), said)))
    before, after = (_JOINED if code == "ar" else ""), _END[code == "zh"]
    begin = "" if code == "zh" else r"(?<!\w)"
    found = re.compile(f"{begin}({before})({ways}){after}")
    return lambda text: found.sub(lambda match: match[1] + table[match[2]], text)


def _expression(phrase: str, code: str) -> str:
    if phrase.endswith(LAST):
        return _expression(phrase.removesuffix(LAST), code) + _CLOSED
    phrase, _, ahead = phrase.partition(AHEAD)
    parts = [part for part in phrase.split(GAP) if part.strip()]
    gap = ".{0,10}?" if code == "zh" else r"\b.{0,30}?\b"
    found = gap.join(_words(part, code) for part in parts)
    return rf"{found}(?=\s*{_words(ahead, code)}{_END[code == 'zh']})" if ahead else found


def _words(part: str, code: str) -> str:
    if part.strip() == "~":
        return "~"
    words = [_word(word, code) for word in part.split()]
    return (r"\s*" if code == "zh" else " ").join(words)


def _word(word: str, code: str) -> str:
    if word == NAME:
        return f"[{FIRST_HOLE}-{LAST_HOLE}]"
    stem = re.escape(plain(word.removesuffix(MORE)))
    if not word.endswith(MORE):
        return stem
    return stem if code == "zh" else stem + r"\w*"
