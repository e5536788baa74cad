"""A corpus in numbers, in one pass over its dialogues.

    counts = count_corpus(read_corpus(Path("val.json.zip")))
    counts.total.turns, len(counts.vocabulary), counts.by_type[GoalType.CM].no_offer_rate

The numbers of two parts of a corpus add up to those of the whole.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from crosstalk.dialogue.acts import GENERAL, NOTHING, SELECT
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import GoalType
from crosstalk.errors import InputError
from crosstalk.language.identify import guess_language
from crosstalk.language.tokenize import segmentation, words
from crosstalk.statistics.counts import Counts, count_dialogue, dialogue_domains

BATCH = 256
"""Dialogues merged at a time: merging one by one would copy the whole vocabulary each time."""


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """What Tables 1, 6 and 7 and Figure 2 of the CrossWOZ paper are made of."""

    by_type: Mapping[GoalType | None, Counts] = field(default_factory=dict, hash=False)
    """Under None, the dialogues without a goal type."""
    lengths: Mapping[tuple[GoalType | None, int], int] = field(default_factory=dict, hash=False)
    """Goal type and number of turns -> dialogues."""
    intents: Mapping[tuple[Speaker, str], int] = field(default_factory=dict, hash=False)
    """Who, and the intent -> acts."""
    languages: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Language code, empty where we could not tell -> dialogues."""
    vocabulary: frozenset[str] = frozenset()
    """Distinct words, as written."""
    domains: frozenset[str] = frozenset()
    slots: frozenset[tuple[str, str]] = frozenset()
    """Distinct (domain, slot) of the acts; each hotel service is one. CrossWOZ has 72."""
    values: frozenset[tuple[str, str, str]] = frozenset()
    """Distinct (domain, slot, value) of the acts."""

    def __add__(self, other: "CorpusCounts") -> "CorpusCounts":
        return merged((self, other))

    @property
    def total(self) -> Counts:
        return sum(self.by_type.values(), Counts())

    @property
    def types(self) -> tuple[GoalType, ...]:
        """The goal types that occur, from easy to hard."""
        return tuple(each for each in GoalType if each in self.by_type)

    @property
    def language(self) -> str:
        """The language of most dialogues; empty if unknown."""
        known = sorted(code for code in self.languages if code)
        return max(known, key=lambda code: self.languages[code], default="")

    @property
    def segmentation(self) -> str:
        """How the words were divided."""
        return "; ".join(sorted({segmentation(code) for code in self.languages}))


def count_corpus(dialogues: Iterable[Dialogue], *, language: str = "") -> CorpusCounts:
    """Count dialogues as they come; `language` overrides what they say or look like."""
    counts = CorpusCounts()
    for batch in _batches(iter(dialogues)):
        counts = merged((counts, *(count_one(dialogue, language=language) for dialogue in batch)))
    return counts


def check_language_code(language: str) -> None:
    """A name instead of a code would silently count Chinese as if it had spaces."""
    if language and not re.fullmatch("[a-z]{2,3}([-_][A-Za-z]+)*", language):
        raise InputError(
            f"--language {language}: not a language code",
            remedy="Give a code of two letters: zh, en, de, ar, ru, ...",
        )


def _batches(dialogues: Iterator[Dialogue]) -> Iterator[list[Dialogue]]:
    while batch := list(islice(dialogues, BATCH)):
        yield batch


def count_one(dialogue: Dialogue, *, language: str = "") -> CorpusCounts:
    """The corpus of this one dialogue."""
    language = language or dialogue.language or guess_language(_text(dialogue))
    tokens = [word for turn in dialogue.turns for word in words(turn.text, language)]
    kind = dialogue.goal.type if dialogue.goal else None
    acts = [(turn.speaker, act) for turn in dialogue.turns for act in turn.acts]
    about = [act for _, act in acts if act.intent not in (GENERAL, SELECT) and act.slot != NOTHING]
    return CorpusCounts(
        by_type={kind: count_dialogue(dialogue, len(tokens))},
        lengths={(kind, len(dialogue.turns)): 1},
        intents=Counter((speaker, act.intent) for speaker, act in acts),
        languages={language: 1},
        vocabulary=frozenset(tokens),
        domains=dialogue_domains(dialogue),
        slots=frozenset((act.domain, act.slot) for act in about),
        values=frozenset((act.domain, act.slot, act.value) for act in about if act.value),
    )


def _text(dialogue: Dialogue) -> str:
    return "\n".join(turn.text for turn in dialogue.turns)


def merged(parts: Sequence[CorpusCounts]) -> CorpusCounts:
    """The counts of all parts together."""
    by_type: dict[GoalType | None, Counts] = {}
    lengths: Counter[tuple[GoalType | None, int]] = Counter()
    intents: Counter[tuple[Speaker, str]] = Counter()
    languages: Counter[str] = Counter()
    for part in parts:
        for kind, counts in part.by_type.items():
            by_type[kind] = by_type.get(kind, Counts()) + counts
        lengths.update(part.lengths)
        intents.update(part.intents)
        languages.update(part.languages)
    return CorpusCounts(
        by_type=by_type,
        lengths=lengths,
        intents=intents,
        languages=languages,
        vocabulary=frozenset().union(*(part.vocabulary for part in parts)),
        domains=frozenset().union(*(part.domains for part in parts)),
        slots=frozenset().union(*(part.slots for part in parts)),
        values=frozenset().union(*(part.values for part in parts)),
    )
