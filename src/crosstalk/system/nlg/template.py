"""Generation from templates: every value once, what no template says at once in few sentences.

TemplateNLG(keys, bank, AnyTemplate(), pack).say(acts, Random(1))
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from random import Random

from crosstalk.dialogue.acts import EXCLUDE, GENERAL, INFORM, RECOMMEND, REQUEST, Act
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import SERVICE_MARK
from crosstalk.language.writing import writing_of
from crosstalk.system.nlg.act_cover import cover
from crosstalk.system.nlg.banks import Bank, Unit
from crosstalk.system.nlg.keys import PART, ActKeys, SpokenAct
from crosstalk.system.nlg.template_choice import Chooser
from crosstalk.system.nlg.templates import Template, values_of

Piece = tuple[Unit, ...]
"""What one template says."""
Pick = Callable[[Hashable, Sequence[Template]], Template]
"""One of the templates of a group."""


class TemplateNLG:
    """Says acts by templates of a bank."""

    def __init__(self, keys: ActKeys, bank: Bank, chooser: Chooser, language: LanguagePack) -> None:
        self._keys = keys
        self._bank = bank
        self._chooser = chooser
        self._language = language
        self._divisions: dict[Piece, list[Piece]] = {}

    def say(self, acts: Sequence[Act], rng: Random) -> str:
        def pick(group: Hashable, templates: Sequence[Template]) -> Template:
            return self._chooser.choose(group, templates, rng)

        spoken, units = self._units(acts)
        return self._sentences(spoken, self._divide(units), pick)

    def ways(self, acts: Sequence[Act], rng: Random, most: int) -> Iterator[str]:
        """The same acts in other and other words: as `say` does first, act by act last of all."""
        spoken, units = self._units(acts)
        seen = {first := self.say(acts, rng)}
        yield first
        for number in range(1, most):
            text = self._sentences(spoken, self._divide(units), self._nth(number, rng))
            if text not in seen:
                seen.add(text)
                yield text
        if len(units) > 1:
            apart = sorted(((unit,) for unit in units), key=self._place)
            yield self._sentences(spoken, apart, self._nth(0, rng))

    def _nth(self, number: int, rng: Random) -> Pick:
        """Takes the so many-th best of the templates, from the first again after the last."""

        def pick(group: Hashable, templates: Sequence[Template]) -> Template:
            ranked = self._chooser.rank(group, templates, rng)
            return ranked[number % len(ranked)]

        return pick

    def _units(self, acts: Sequence[Act]) -> tuple[tuple[SpokenAct, ...], Piece]:
        spoken = self._keys.in_order(acts)
        return spoken, tuple(Counter(each.key for each in spoken).items())

    def _sentences(self, spoken: Sequence[SpokenAct], pieces: Sequence[Piece], pick: Pick) -> str:
        sentences: list[str] = []
        told: set[str] = set()
        for piece in pieces:
            about = {_domain(key) for key, _ in piece}
            ours = [each for each in spoken if each.key in dict(piece)]
            sentences += self._say_piece(piece, ours, bool(about & told), pick)
            told |= about
        return self._joined(sentences)

    def _divide(self, units: Piece) -> list[Piece]:
        if units not in self._divisions:
            at_once = not units or self._bank.find(units)
            pieces = [units] if at_once else cover(units, self._weight)
            self._divisions[units] = sorted(pieces, key=self._place) if units else pieces
        return self._divisions[units]

    def _place(self, piece: Piece) -> tuple[int, bool]:
        """Where a piece stands among the others: of equal ones, those that name a place first."""
        return self._keys.stage(piece[0][0]), not any(self._keys.names(key) for key, _ in piece)

    def _weight(self, units: Piece) -> float:
        """How well known a way of saying these units is, with 1 for a hundred sayings."""
        return min(1.0, self._bank.sayings(units) / 100)

    def _say_piece(
        self, piece: Piece, spoken: Sequence[SpokenAct], continuing: bool, pick: Pick
    ) -> list[str]:
        templates = self._bank.find(piece, continuing=continuing)
        if templates:
            return [pick((piece, continuing), templates).fill(values_of(spoken))]
        if len(spoken) > 1:
            return [
                sentence
                for each in spoken
                for sentence in self._say_piece(((each.key, 1),), [each], continuing, pick)
            ]
        if all(each.act.intent == GENERAL for each in spoken) and (least := self._bank.find(())):
            return [pick(((), continuing), least).fill({})]
        return [self._plain(each.act) for each in spoken]

    def _plain(self, act: Act) -> str:
        """For worlds whose templates do not know an act: its names and its value, nothing more."""
        pack = self._language
        slot, _, service = act.slot.partition(SERVICE_MARK)
        if act.intent == EXCLUDE:
            return f"{pack.domain_name(act.domain)}, {pack.slot_name(act.domain, slot)} " + (
                f"({act.value}): {pack.no}"
            )
        if act.intent not in (INFORM, RECOMMEND, REQUEST):
            return PART.join((act.intent, pack.domain_name(act.domain), act.value))
        name = f"{pack.domain_name(act.domain)}, {pack.slot_name(act.domain, slot)}"
        if service:
            name = f"{name}: {service}"
        return f"{name}?" if act.intent == REQUEST else f"{name}: {act.value}"

    def _joined(self, sentences: Sequence[str]) -> str:
        if len(sentences) == 1:
            return sentences[0]
        space = self._language.goal.sentence_space if self._language.goal else " "
        return space.join(self._ended(sentence.strip()) for sentence in sentences)

    def _ended(self, sentence: str) -> str:
        """The sentence with a full stop where it ends in a letter or digit."""
        if sentence and unicodedata.category(sentence[-1])[0] in "LN":
            return sentence + writing_of(self._language.code).full_stop
        return sentence


def _domain(key: str) -> str:
    return key.split(PART)[1]
