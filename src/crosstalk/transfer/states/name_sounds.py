"""Names in texts of another alphabet, by how they sound: no translation and no list of words.

    spoken_names(["london kings cross"], ["λονδίνο", "τρένο"], ordinary=set())
    ->  {"london kings cross": ["λονδίνο"]}

A unit of text says a name if each of its words sounds like a word of the name in turn, and no other
name has these words. A single word has to be a proper one: what a name shares with everyday
English (`bridge`, `rice`) is translated, not spelt by sound, and left to other evidence.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from crosstalk.language.scripts import scripts_of
from crosstalk.language.sounds import sounds_of
from crosstalk.transfer.states.text_units import LONGEST

Run = tuple[str, ...]
"""Words of a name, one after the other."""
ARTICLE: Final = "the"
SHORT: Final = 2
"""Sounds of a word that has no ending, and that alone makes no run of words a name's."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """When two words sound alike; chosen so that few English words sound like an English name."""

    least: int = 5
    """Sounds of the shortest name."""
    per_slip: int = 8
    """Sounds of a name for each that may be another."""
    ending: int = 2
    """Sounds that may follow the name: the ending of a case; fewer after names of two or three."""

    def alike(self, name: str, said: str) -> bool:
        """Whether the sounds of `said` are those of the name, with an ending."""
        slips = len(name) // self.per_slip
        ending = max(0, min(self.ending, len(name) - SHORT))
        longer = len(said) - len(name)
        if not name or name[:1] != said[:1] or not -slips <= longer <= ending + slips:
            return False
        return min(_distances(name, said)[max(0, len(said) - ending) :]) <= slips


LIKENESS: Final = Likeness()


def spoken_names(
    names: Iterable[str],
    units: Iterable[str],
    ordinary: Collection[str],
    everyday: Collection[str] = (),
    likeness: Likeness = LIKENESS,
) -> dict[str, list[str]]:
    """Name -> the units that say it and no other name.

    `ordinary` are English words that are no names, `everyday` those of the texts' language.
    """
    runs = _telling_runs(names, ordinary)
    by_first: dict[str, list[str]] = defaultdict(list)
    for word in sorted({word for run in runs for word in run}):
        by_first[sounds_of(word)[:1]].append(word)
    heard: dict[str, list[str]] = {}

    def alike(word: str) -> list[str]:
        if word not in heard:
            said = sounds_of(word)
            near = by_first.get(said[:1], []) if said else []
            heard[word] = [each for each in near if likeness.alike(sounds_of(each), said)]
        return heard[word]

    found: dict[str, list[str]] = defaultdict(list)
    for unit in units:
        if "latin" in scripts_of(unit) or unit in everyday:
            continue
        meant = {
            runs[run]
            for run in product(*map(alike, unit.split()))
            if run in runs and sum(len(sounds_of(word)) for word in run) >= likeness.least
        }
        if len(meant) == 1:
            found[meant.pop()].append(unit)
    return dict(found)


def ordinary_words(texts: Iterable[str]) -> set[str]:
    """Words written with a small letter more often than not; none where all letters are alike."""
    small, capital = Counter[str](), Counter[str]()
    for text in texts:
        for word in re.findall(r"[^\W\d_]+", text):
            (small if word.islower() else capital)[word.lower()] += 1
    return {word for word, count in small.items() if count > capital[word]}


def _telling_runs(names: Iterable[str], ordinary: Collection[str]) -> dict[Run, str]:
    """Runs of words that one name alone has, or is, with the name."""
    owners: dict[Run, set[str]] = defaultdict(set)
    whole: dict[Run, str] = {}
    for name in names:
        words = tuple(each for each in re.findall(r"[a-z]+", name) if each != ARTICLE)
        whole[words] = name
        for run in _runs(words):
            if any(word not in ordinary and len(sounds_of(word)) > SHORT for word in run):
                owners[run].add(name)
    return {
        run: whole[run] if run in whole else min(having)
        for run, having in owners.items()
        if run in whole or len(having) == 1
    }


def _runs(words: Sequence[str]) -> Iterator[Run]:
    for start in range(len(words)):
        for end in range(start + 1, min(start + LONGEST, len(words)) + 1):
            yield tuple(words[start:end])


def _distances(name: str, said: str) -> list[int]:
    """Slips between the name and each beginning of what is said, shortest first."""
    row = list(range(len(said) + 1))
    for count, sound in enumerate(name, 1):
        before, row = row, [count]
        for place, other in enumerate(said):
            change = before[place] + (sound != other)
            row.append(min(before[place + 1] + 1, row[-1] + 1, change))
    return row
