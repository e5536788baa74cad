"""More forms of a word, by letters alone: its stem, and words that differ from it by one letter.

inflected(["teueres"], ["teueres", "teures"], vocabulary)  ->  ["teures", "teuer*"]
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from crosstalk.language.state_words import STEM

SHORTEST, ENDING = 5, 3
"""Letters of the shortest stem, and most that an ending has."""
ALIKE: Final = 3
"""Letters at the beginning that words of one stem have in common."""


def inflected(forms: Sequence[str], own: Sequence[str], vocabulary: Sequence[str]) -> list[str]:
    """`own`: the words that may be forms, those of `vocabulary` that name no other value.

    `vocabulary` is sorted.
    """
    single = [form for form in forms if " " not in form]
    known = set(own)
    stems = dict.fromkeys(stem for form in single for stem in _stems(form, vocabulary, known))
    return [*_misspelt(single, own), *(f"{stem}{STEM}" for stem in stems)]


def _stems(form: str, vocabulary: Sequence[str], own: Collection[str]) -> Iterator[str]:
    """The shortest beginning of the form with which no word of another value begins."""
    for length in range(max(SHORTEST, len(form) - ENDING), len(form)):
        place = bisect_left(vocabulary, form[:length])
        while place < len(vocabulary) and vocabulary[place].startswith(form[:length]):
            if vocabulary[place] not in own:
                break
            place += 1
        else:
            yield form[:length]
            return


def _misspelt(forms: Sequence[str], own: Sequence[str]) -> list[str]:
    """Words that differ from a form by one letter behind the third: `teuren` of `teueren`."""
    without: dict[str, set[str]] = defaultdict(set)
    for form in forms:
        for shorter in _shortened(form) if len(form) > SHORTEST else ():
            without[shorter].add(form)
    return [
        word
        for word in own
        if len(word) > SHORTEST
        and word not in forms
        and any(each in without for each in _shortened(word))
    ]


def _shortened(word: str) -> set[str]:
    """The word, and the word without one of its letters behind the third."""
    return {word, *(word[:place] + word[place + 1 :] for place in range(ALIKE, len(word)))}
