"""Scores of generators: BLEU with grouped references (CrossWOZ's NLG figures) and slot error rate.

The references of an utterance are *all* utterances of the corpus with the same act keys, its own
included, with their values replaced by those of the turn. The corpus itself therefore scores 1.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.evaluation.scores import BOOTSTRAP, bootstrap
from crosstalk.language.tokenize import wording
from crosstalk.system.nlg.act_keys import ActKeys, SpokenAct
from crosstalk.system.nlg.template_bank import HOLE, numbered

ORDERS: Final = (1, 2, 3, 4)
EPSILON: Final = 0.1
"""NLTK's smoothing method 1: the count that replaces 0 matches."""
_END: Final = "\n"
"""Separator of words; no word contains white space."""

Counts = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Bleu:
    """Matched and possible n-grams of hypotheses; counts that add."""

    matches: Counts = (0, 0, 0, 0)
    totals: Counts = (0, 0, 0, 0)
    length: int = 0
    """Words of the hypotheses."""
    reference_length: int = 0
    """Words of the references that are closest in length."""
    sentences: int = 0

    def __add__(self, other: "Bleu") -> "Bleu":
        return Bleu(
            _sum(self.matches, other.matches),
            _sum(self.totals, other.totals),
            self.length + other.length,
            self.reference_length + other.reference_length,
            self.sentences + other.sentences,
        )

    @property
    def precisions(self) -> tuple[float, ...]:
        return tuple(
            (matched or EPSILON) / total if total else 0.0
            for matched, total in zip(self.matches, self.totals, strict=True)
        )

    @property
    def brevity(self) -> float:
        """The brevity penalty: below 1 if the hypotheses are shorter than the references."""
        if self.length >= self.reference_length:
            return 1.0
        return math.exp(1 - self.reference_length / self.length) if self.length else 0.0

    @property
    def score(self) -> float:
        """Between 0 and 1; 0 if no word matches."""
        if not self.matches[0]:
            return 0.0
        return self.brevity * math.exp(sum(map(math.log, self.precisions)) / len(ORDERS))


class ReferenceTexts:
    """The tokenized references of a hypothesis."""

    def __init__(self, references: Iterable[Sequence[str]]) -> None:
        texts = [_END + _END.join(words) + _END for words in references]
        self._lengths = {text.count(_END) - 1 if text.strip() else 0 for text in texts}
        self._texts = texts
        self._all = "".join(texts)

    def compare(self, words: Sequence[str]) -> Bleu:
        """The counts of one hypothesis.

        A hypothesis shorter than n words still counts as one n-gram, as in NLTK.
        """
        matches = [0, 0, 0, 0]
        for at, n in enumerate(ORDERS):
            for gram, count in Counter(ngrams(words, n)).items():
                text = _END + _END.join(gram) + _END
                if text in self._all:
                    matches[at] += min(count, self._most(gram, text)) if count > 1 else 1
        one, two, three, four = (max(1, len(words) - n + 1) for n in ORDERS)
        totals = (one, two, three, four)
        closest = min(self._lengths, key=lambda length: (abs(length - len(words)), length))
        return Bleu(
            (matches[0], matches[1], matches[2], matches[3]), totals, len(words), closest, 1
        )

    def _most(self, gram: tuple[str, ...], as_text: str) -> int:
        """The maximum count of an n-gram in one reference, overlaps included."""
        having = (text.strip(_END).split(_END) for text in self._texts if as_text in text)
        return max(ngrams(words, len(gram)).count(gram) for words in having)


def ngrams(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + n]) for at in range(len(words) - n + 1)]


def _sum(ours: Counts, theirs: Counts) -> Counts:
    one, two, three, four = (a + b for a, b in zip(ours, theirs, strict=True))
    return one, two, three, four


@dataclass(frozen=True, slots=True)
class SlotErrors:
    """Counts of values in utterances; counts that add."""

    values: int = 0
    """Values in the acts."""
    missing: int = 0
    repeated: int = 0
    """Values said more often than in the acts."""

    def __add__(self, other: "SlotErrors") -> "SlotErrors":
        return SlotErrors(
            self.values + other.values,
            self.missing + other.missing,
            self.repeated + other.repeated,
        )

    @property
    def rate(self) -> float:
        """Errors per value; 0 if there are no values."""
        return (self.missing + self.repeated) / self.values if self.values else 0.0


def slot_errors(text: str, spoken: Sequence[SpokenAct]) -> SlotErrors:
    """Compare the values of the acts with a text, letter for letter.

    Longer values are matched first, so that a value inside another one does not count twice.
    """
    wanted = Counter(each.value for each in spoken if each.has_hole)
    errors = SlotErrors()
    for value, count in sorted(wanted.items(), key=lambda pair: -len(pair[0])):
        said = text.count(value)
        text = text.replace(value, "\0")
        errors += SlotErrors(count, max(0, count - said), max(0, said - count))
    return errors


Say = Callable[[tuple[Act, ...]], str]


@dataclass(frozen=True, slots=True)
class GenerationScore:
    """BLEU and slot errors of the generated utterances of one side."""

    bleu: Bleu
    groups: int
    """Number of groups of turns with equal act keys."""
    errors: SlotErrors
    by_dialogue: tuple[Bleu, ...] = field(default=(), compare=False)
    """For intervals."""

    def figures(self) -> dict[str, Any]:
        """As JSON; BLEU and rates as shares of one."""
        bleu, errors = self.bleu, self.errors
        return {
            "bleu": round(bleu.score, 4),
            "slot_error_rate": round(errors.rate, 4),
            "values": {
                "said": errors.values - errors.missing,
                "missing": errors.missing,
                "repeated": errors.repeated,
            },
            "precisions": [round(each, 4) for each in bleu.precisions],
            "brevity_penalty": round(bleu.brevity, 4),
            "turns": bleu.sentences,
            "intervals": {"bleu": bootstrap(self.by_dialogue, lambda part: part.score)},
            "interval": BOOTSTRAP,
            "groups": self.groups,
            "protocol": "grouped references, own included; BLEU-4, smoothing method 1 of NLTK",
        }


def score_generation(
    say: Say, dialogues: Iterable[Dialogue], keys: ActKeys, *, language: str
) -> GenerationScore:
    """Generate every turn of the keys' side again, also those without acts, and compare."""
    groups: dict[str, list[tuple[int, Turn]]] = defaultdict(list)
    for number, dialogue in enumerate(dialogues):
        for turn in dialogue.turns:
            if turn.speaker is keys.speaker:
                group = "".join(each.key for each in _sorted(turn, keys))
                groups[group].append((number, turn))
    by_dialogue: dict[int, Bleu] = defaultdict(Bleu)
    errors = SlotErrors()
    for members in groups.values():
        turns = [turn for _, turn in members]
        texts = [say(turn.acts) for turn in turns]
        scores = _score_group(texts, turns, keys, language)
        for (number, turn), text, score in zip(members, texts, scores, strict=True):
            by_dialogue[number] += score
            errors += slot_errors(text, keys.in_order(turn.acts))
    parts = tuple(by_dialogue.values())
    return GenerationScore(sum(parts, Bleu()), len(groups), errors, parts)


def _score_group(
    texts: Sequence[str], turns: Sequence[Turn], keys: ActKeys, language: str
) -> Iterator[Bleu]:
    said = {open_values(turn.text, _sorted(turn, keys)) for turn in turns}
    known: dict[tuple[str, ...], ReferenceTexts] = {}
    for text, turn in zip(texts, turns, strict=True):
        spoken = _sorted(turn, keys)
        values = tuple(each.value for each in spoken)
        if values not in known:
            others = {fill_values(each, spoken) for each in said}
            known[values] = ReferenceTexts(wording(each, language) for each in others)
        hypothesis = fill_values(text, spoken)
        yield known[values].compare(wording(hypothesis, language))


def _sorted(turn: Turn, keys: ActKeys) -> list[SpokenAct]:
    return [keys.spoken(act) for act in sorted(turn.acts)]


def open_values(text: str, spoken: Sequence[SpokenAct]) -> str:
    """The text with placeholders for the values of the acts that it contains."""
    for each, (key, number) in zip(spoken, numbered(each.key for each in spoken), strict=True):
        if not each.has_hole or each.value not in text:
            continue
        if number > 1:
            text = text.replace(f"[{key}]", f"[{key}1]")
        text = text.replace(each.value, f"[{key}{number if number > 1 else ''}]")
    return text


def fill_values(text: str, spoken: Sequence[SpokenAct]) -> str:
    """The text with its placeholders filled; placeholders without a value become a blank."""
    for each, (key, number) in zip(spoken, numbered(each.key for each in spoken), strict=True):
        if each.has_hole:
            text = text.replace(f"[{key}{number}]", each.value)
            if number == 1:
                text = text.replace(f"[{key}]", each.value)
    return HOLE.sub(" ", text)
