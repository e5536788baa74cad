"""Generation judged by grouped references: the NLG figures of the CrossWOZ paper.

The references of an utterance are *all* utterances of the corpus with the same act keys, its own
included, their values exchanged for those of the turn. People's own words thus score 1.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.evaluation.bleu import Bleu, References
from crosstalk.evaluation.rates import BOOTSTRAP, bootstrap
from crosstalk.evaluation.slot_errors import SlotErrors, slot_errors
from crosstalk.language.tokenize import wording
from crosstalk.system.nlg.keys import ActKeys, Spoken
from crosstalk.system.nlg.templates import HOLE, numbered

Say = Callable[[tuple[Act, ...]], str]


@dataclass(frozen=True, slots=True)
class GenerationScore:
    """How close the generated utterances of one side come to what people said."""

    bleu: Bleu
    groups: int
    """Sets of turns with equal act keys."""
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
    """Say every turn of the keys' side anew, also those without acts, and compare."""
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
    known: dict[tuple[str, ...], References] = {}
    for text, turn in zip(texts, turns, strict=True):
        spoken = _sorted(turn, keys)
        values = tuple(each.value for each in spoken)
        if values not in known:
            others = {fill_values(each, spoken) for each in said}
            known[values] = References(wording(each, language) for each in others)
        hypothesis = fill_values(text, spoken)
        yield known[values].compare(wording(hypothesis, language))


def _sorted(turn: Turn, keys: ActKeys) -> list[Spoken]:
    return [keys.spoken(act) for act in sorted(turn.acts)]


def open_values(text: str, spoken: Sequence[Spoken]) -> str:
    """The text with holes for the values it holds; values it does not hold are let be."""
    for each, (key, number) in zip(spoken, numbered(each.key for each in spoken), strict=True):
        if not each.has_hole or each.value not in text:
            continue
        if number > 1:
            text = text.replace(f"[{key}]", f"[{key}1]")
        text = text.replace(each.value, f"[{key}{number if number > 1 else ''}]")
    return text


def fill_values(text: str, spoken: Sequence[Spoken]) -> str:
    """The text with these values in its holes; what is left open becomes a blank."""
    for each, (key, number) in zip(spoken, numbered(each.key for each in spoken), strict=True):
        if each.has_hole:
            text = text.replace(f"[{key}{number}]", each.value)
            if number == 1:
                text = text.replace(f"[{key}]", each.value)
    return HOLE.sub(" ", text)
