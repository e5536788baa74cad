"""How a word sounds, roughly, in any alphabet: what a name and its transliteration have in common.

sounds_of("London"), sounds_of("Λονδίνο")  ->  "landan", "landan"

Letters of other alphabets are read by their Unicode names (`GREEK SMALL LETTER DELTA` is a d). All
vowels are one sound; so are k, q and g, and s and z; `S` is sh, ch and zh; h is silent. Signs that
are no letters of an alphabet have no sound.
"""

import re
import unicodedata
from functools import cache
from itertools import groupby
from typing import Final

VOWELS: Final = "aeiouy"
_SPELT: Final = (
    (r"d?ge(?=s?$)", "dzh"),
    (r"gh(?![aeiouy])", ""),
    (r"tch", "ch"),
    (r"c(?=[eiy])", "s"),
    (r"ph", "f"),
    (r"x", "ks"),
)
"""What letters sound like together or before others, as English writes names."""
_SOUNDS: Final = str.maketrans(
    {**dict.fromkeys(VOWELS, "a"), **dict.fromkeys("cgq", "k"), "z": "s", "w": "v", "h": ""}
    | {"j": "dS"}
)


@cache
def sounds_of(word: str) -> str:
    """One letter per sound, without the vowel at the end."""
    word = word.lower()
    for spelt, said in _SPELT:
        word = re.sub(spelt, said, word)
    letters = "".join(map(romanised, word))
    sounds = re.sub("[csz]h", "S", letters).translate(_SOUNDS)
    return "".join(each for each, _ in groupby(sounds)).removesuffix("a")


@cache
def romanised(letter: str) -> str:
    """The Latin letters that a letter stands for; none if it belongs to no alphabet."""
    if letter.isascii():
        return letter if letter.isalpha() else ""
    _, _, rest = unicodedata.name(letter, "").lower().partition(" letter ")
    said = rest.partition(" with ")[0].split()  # `short i`, `e with acute`: the shortest word
    return _of_name(min(said, key=len)) if said and "sign" not in said else ""


def _of_name(name: str) -> str:
    """The sound of a letter by its name: `be` is b, `sha` sh, `ef` f; other vowels are vowels."""
    if first := re.match(f"[^{VOWELS}]+", name):
        return first[0]
    return name[1] if len(name) == 2 and name[1] not in VOWELS else name[0]
