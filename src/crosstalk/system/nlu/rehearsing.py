"""Rehearsing: practice dialogues and made-up turns, in words that no template has.

What the reader learns from are single utterances; what the trees learn from are dialogues whose
user speaks as people type, cut short now and then by a turn out of the blue.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import Final

from crosstalk.dialogue.acts import GENERAL
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.language.training_phrases import TrainingPhrases
from crosstalk.language.units import units
from crosstalk.system.nlg.keys import ActKeys
from crosstalk.system.nlu.composing import Composer, Pieces, UtterancePiece, sample_of_pieces
from crosstalk.system.nlu.filling import FilledUtterance
from crosstalk.system.nlu.improvising import Improviser, Said, TurnSituation
from crosstalk.system.nlu.meanings import LooseFacts
from crosstalk.system.nlu.noise import Typist
from crosstalk.system.nlu.samples import sample_of

REWORDED: Final = 0.6
"""Share of user turns put into words of the book instead of the template's."""
CURT: Final = 0.5
"""Share of turns with a greeting or thanks that lose them."""
BESIDE: Final = 0.25
"""Share of utterances with words that mean nothing, and how often these come first."""
FIRST: Final = 0.3
CUT_SHORT: Final = 0.75
"""Share of dialogues that end with a made-up turn."""


class Rehearsal:
    """Makes material for one world."""

    def __init__(self, facts: LooseFacts, book: TrainingPhrases) -> None:
        schema, language = facts.world.schema, facts.world.language
        self._schema = schema
        self._book = book
        self._composer = Composer(facts, book)
        self._improviser = Improviser(facts, book, self._composer) if book.domains else None
        self._typist = Typist(book.keyboard)
        talk = [text[u.start : u.end] for text in book.say.nothing for u in units(text)]
        self._small_talk = [word for word in talk if word[0].isalnum()]
        self._keys = {side: ActKeys.of(schema, language, side) for side in Speaker}

    def samples(
        self, dialogues: Iterable[Dialogue], count: int, rng: Random
    ) -> list[FilledUtterance]:
        """All turns of the dialogues, and so many made up."""
        found = []
        for dialogue in dialogues:
            known = ""
            for turn in dialogue.turns:
                found.append(self._sample(turn, known, rng))
                known = topic(turn) or known
        for _ in range(count if self._improviser else 0):
            acts, pieces = self._made_up(TurnSituation(self._some_domain(rng)), rng)
            keys = frozenset(self._keys[Speaker.USER].spoken(act).key for act in acts)
            found.append(sample_of_pieces(pieces, keys))
        return found

    def _sample(self, turn: Turn, known: str, rng: Random) -> FilledUtterance:
        acts, pieces = self._reworded(turn, known, rng)
        keys = self._keys[turn.speaker]
        if not pieces:
            return sample_of(turn, keys)
        return sample_of_pieces(pieces, frozenset(keys.spoken(act).key for act in acts))

    def dialogues(self, dialogues: Sequence[Dialogue], rng: Random) -> list[Dialogue]:
        """The same dialogues in other words, some with another end."""
        return [self._dialogue(each, rng) for each in dialogues]

    def _dialogue(self, dialogue: Dialogue, rng: Random) -> Dialogue:
        turns: list[Turn] = []
        known = ""
        end = rng.randrange(len(dialogue.turns)) if self._cuts(dialogue, rng) else None
        for number, turn in enumerate(dialogue.turns):
            if end is not None and number >= end and turn.speaker is Speaker.USER:
                acts, pieces = self._made_up(TurnSituation(known), rng)
                text = sample_of_pieces(pieces, frozenset()).text
                turns.append(Turn(Speaker.USER, text, acts))
                break
            acts, pieces = self._reworded(turn, known, rng)
            text = sample_of_pieces(pieces, frozenset()).text if pieces else turn.text
            turns.append(replace(turn, text=text, acts=acts))
            known = topic(turn) or known
        return replace(dialogue, turns=tuple(turns))

    def _cuts(self, dialogue: Dialogue, rng: Random) -> bool:
        return self._improviser is not None and rng.random() < CUT_SHORT

    def _reworded(self, turn: Turn, known: str, rng: Random) -> Said:
        """The turn in words of the book, typed; no pieces where it stays as it is.

        Simulated users never begin without a greeting; people do.
        """
        acts = turn.acts
        if turn.speaker is Speaker.SYSTEM or not acts or not self._composer.can_say(acts):
            return acts, []
        if len(acts) > 1 and rng.random() < CURT:
            acts = tuple(act for act in acts if act.intent != GENERAL) or acts
        elif rng.random() > REWORDED:
            return acts, []
        return acts, self._typed(self._composer.compose(acts, rng, known=known), rng)

    def _typed(self, pieces: Pieces, rng: Random) -> Pieces:
        """Typed, now and then with words before or after that have nothing to do with it."""
        typed = self._typist.typed(pieces, rng)
        if not self._small_talk or rng.random() > BESIDE:
            return typed
        start = rng.randrange(len(self._small_talk))
        words = " ".join(self._small_talk[start : start + rng.randint(1, 4)])
        if rng.random() < FIRST:
            return [UtterancePiece(words + " "), *typed]
        return [*typed, UtterancePiece(" " + words)]

    def _made_up(self, now: TurnSituation, rng: Random) -> Said:
        assert self._improviser is not None  # asked for only where there is a book
        acts, pieces = self._improviser.turn(now, rng)
        return acts, self._typed(pieces, rng)

    def _some_domain(self, rng: Random) -> str:
        return rng.choice(["", *(domain.key for domain in self._schema)])


def topic(turn: Turn) -> str:
    """The domain a turn ends with; empty where it is about none."""
    domains = [act.domain for act in turn.acts if act.intent != GENERAL]
    return domains[-1] if domains else ""
