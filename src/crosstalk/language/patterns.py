"""Patterns of the language files, compiled to regular expressions for plain text.

`looking for` is two adjacent words, `recommend*` any word with this beginning, `how ... cost`
allows up to thirty characters between, `where NAME` requires the name of a place after it,
`not >even` matches `not` only before `even`, `right$` matches `right` at the end of a clause, and
`=不=` requires the same letter on both sides. Chinese has no spaces; Arabic writes its shortest
words together with the next one.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final

from crosstalk.language.normalize import plain
from crosstalk.language.writing import Writing, writing_of

GAP: Final = "..."
MORE: Final = "*"
AHEAD: Final = ">"
"""Begins a word that must follow and is no part of what is found."""
LAST: Final = "$"
"""Ends a phrase that stands at the end of a clause."""
SAME: Final = "="
"""Stands for a letter, in one phrase always for the same."""
NAME: Final = "NAME"
"""Stands for the name of a place."""
FIRST_HOLE: Final = "\ue000"
LAST_HOLE: Final = "\ue0ff"
"""A name is one private character in the text, so that its words mean nothing else."""
_CLOSED: Final = r"(?=\s*(?:[\ue200-\ue202]|$))"
_END: Final = (r"(?!\w)", "")
"""What ends a word, in languages that part words and in Chinese."""
SHORT: Final = 3
"""Letters of a word that other letters before it easily make another word of."""
_NEVER: Final = re.compile(r"(?!)")


def pattern(phrases: Iterable[str], language: str) -> re.Pattern[str]:
    """One pattern for all phrases, long ones first; it matches nothing where there are none."""
    writing = writing_of(language)
    said = [phrase for phrase in phrases if plain(phrase) or phrase == "~"]
    if not said:
        return _NEVER
    said.sort(key=lambda phrase: (-len(plain(phrase.partition(AHEAD)[0])), phrase))
    ways = "|".join(_grouped(said, writing))
    if not writing.spaced:
        return re.compile(f"(?:{ways})")
    return re.compile(rf"(?<!\w)(?:{ways})(?!\w)")


def _grouped(phrases: Iterable[str], writing: Writing) -> Iterator[str]:
    """Expressions of phrases in their order.

    What may be written before a word is tried once for all phrases of a length.
    """
    groups: dict[tuple[str, int], dict[str, None]] = {}
    for phrase in phrases:
        before = _before(phrase, writing)
        length = len(plain(phrase.partition(AHEAD)[0])) if before else 0
        groups.setdefault((before, length), {})[_expression(phrase, writing)] = None
    for (before, _), expressions in groups.items():
        ways = "|".join(expressions)
        yield f"{before}(?:{ways})" if before else ways


def _before(phrase: str, writing: Writing) -> str:
    """What may be written together with the first word; short words would become others."""
    if not writing.joined:
        return ""
    word, *others = phrase.replace(AHEAD, " ").split() or [""]
    if len(plain(word.removesuffix(MORE)).removeprefix(writing.article)) > SHORT:
        return writing.joined
    return writing.joined_to_phrase if others else writing.joined_to_short


def rewriter(variants: Mapping[str, str], language: str) -> Callable[[str], str]:
    """Puts standard words for others in a plain text; what is written together with them stays."""
    writing = writing_of(language)
    table = {plain(said): plain(standard) for said, standard in variants.items()}
    if not table:
        return str
    ways = "|".join(re.escape(said) for said in sorted(table, key=lambda said: (-len(said), said)))
    before, after = writing.joined, _END[not writing.spaced]
    begin = "" if not writing.spaced else r"(?<!\w)"
    found = re.compile(f"{begin}(?:({ways})|({before})({ways})){after}")
    numbers = frozenset(map(plain, writing.number_words))
    return lambda text: found.sub(lambda match: _standard(match, table, numbers), text)


def _standard(match: re.Match[str], table: Mapping[str, str], numbers: Collection[str]) -> str:
    """The standard word; `الفين`, two thousand, is no article with another word behind it."""
    whole, joined, word = match.groups()
    if whole or match[0] in numbers:
        return table.get(match[0], match[0])
    return joined + table[word]


def _expression(phrase: str, writing: Writing) -> str:
    if phrase.endswith(LAST):
        return _expression(phrase.removesuffix(LAST), writing) + _CLOSED
    phrase, _, ahead = phrase.partition(AHEAD)
    parts = [part for part in phrase.split(GAP) if part.strip()]
    gap = r"\b.{0,30}?\b" if writing.spaced else ".{0,10}?"
    found = gap.join(_words(part, writing) for part in parts)
    return rf"{found}(?=\s*{_words(ahead, writing)}{_END[not writing.spaced]})" if ahead else found


def _words(part: str, writing: Writing) -> str:
    if part.strip() == "~":
        return "~"
    words = [_word(word, writing) for word in part.split()]
    return (" " if writing.spaced else r"\s*").join(words)


def _word(word: str, writing: Writing) -> str:
    if word == NAME:
        return f"[{FIRST_HOLE}-{LAST_HOLE}]"
    if SAME in word:
        return _doubled(word)
    stem = re.escape(plain(word.removesuffix(MORE)))
    if not word.endswith(MORE):
        return stem
    return stem + r"\w*" if writing.spaced else stem


def _doubled(word: str) -> str:
    """An expression for a word with the same letter in several places: `=不=`."""
    group = "same" + "".join(f"_{ord(letter):x}" for letter in word)
    first, *others = word.split(SAME)
    return rf"{first}(?P<{group}>\w)" + f"(?P={group})".join(others)
