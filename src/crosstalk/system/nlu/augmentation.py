"""Training data of `RankedNLU`: dialogues and templates, augmented with synthetic utterances.

With template files, as CrossWOZ has them, the reader learns from these and reads characters.
Without, it reads words and learns from every other dialogue and from synthetic utterances; the
trees learn from the other half, reworded. The reader sees single utterances, the trees dialogues
whose user types like people do; some of them end early with a synthetic turn.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from crosstalk.dialogue.acts import GENERAL
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.language.tokenize import units
from crosstalk.language.training_phrases import TrainingPhrases
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlu.encoding import ReaderConfig
from crosstalk.system.nlu.entity_lookup import EntityLookup
from crosstalk.system.nlu.reader_training import ReaderTraining, Supply
from crosstalk.system.nlu.synthetic_turns import Said, TurnGenerator, TurnSituation, TypingNoise
from crosstalk.system.nlu.synthetic_utterances import (
    Pieces,
    UtteranceComposer,
    UtterancePiece,
    sample_of_pieces,
)
from crosstalk.system.nlu.training_samples import FilledUtterance, Filler, TemplateGroup, sample_of
from crosstalk.system.nlu.value_linking import ValueLinker, lookup_of
from crosstalk.worlds.tables import World

REWORDED: Final = 0.6
"""Share of user turns that are reworded with the phrase book."""
CURT: Final = 0.5
"""Share of turns whose greeting or thanks is dropped."""
BESIDE: Final = 0.25
"""Share of utterances with added small talk; `FIRST`: share of it that comes first."""
FIRST: Final = 0.3
CUT_SHORT: Final = 0.75
"""Share of dialogues that are cut and end with a synthetic turn."""


class Augmenter:
    """Rewords dialogues and adds synthetic utterances for one world."""

    def __init__(self, lookup: ValueLinker, book: TrainingPhrases) -> None:
        schema, language = lookup.world.schema, lookup.world.language
        self._schema = schema
        self._book = book
        self._composer = UtteranceComposer(lookup, book)
        self._generator = TurnGenerator(lookup, book, self._composer) if book.domains else None
        self._noise = TypingNoise(book.keyboard)
        talk = [text[u.start : u.end] for text in book.say.nothing for u in units(text)]
        self._small_talk = [word for word in talk if word[0].isalnum()]
        self._keys = {side: ActKeys.of(schema, language, side) for side in Speaker}

    def samples(
        self, dialogues: Iterable[Dialogue], count: int, rng: Random
    ) -> list[FilledUtterance]:
        """All turns of the dialogues, and `count` synthetic ones."""
        found = []
        for dialogue in dialogues:
            known = ""
            for turn in dialogue.turns:
                found.append(self._sample(turn, known, rng))
                known = topic(turn) or known
        for _ in range(count if self._generator else 0):
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
        """The dialogues reworded, some with another end."""
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
        return self._generator is not None and rng.random() < CUT_SHORT

    def _reworded(self, turn: Turn, known: str, rng: Random) -> Said:
        """The turn reworded and with typing noise; no pieces if it stays as it is.

        Simulated users always begin with a greeting; people do not.
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
        """The pieces with typing noise, sometimes with small talk before or after them."""
        typed = self._noise.typed(pieces, rng)
        if not self._small_talk or rng.random() > BESIDE:
            return typed
        start = rng.randrange(len(self._small_talk))
        words = " ".join(self._small_talk[start : start + rng.randint(1, 4)])
        if rng.random() < FIRST:
            return [UtterancePiece(words + " "), *typed]
        return [*typed, UtterancePiece(" " + words)]

    def _made_up(self, now: TurnSituation, rng: Random) -> Said:
        assert self._generator is not None  # called only if there is a phrase book
        acts, pieces = self._generator.turn(now, rng)
        return acts, self._typed(pieces, rng)

    def _some_domain(self, rng: Random) -> str:
        return rng.choice(["", *(domain.key for domain in self._schema)])


def topic(turn: Turn) -> str:
    """The last domain of a turn; empty if it has none."""
    domains = [act.domain for act in turn.acts if act.intent != GENERAL]
    return domains[-1] if domains else ""


@dataclass(frozen=True, slots=True)
class RankedNLUConfig:
    """Settings of reader and trees, and amount of synthetic data."""

    reader: ReaderConfig = field(default_factory=ReaderConfig)
    training: ReaderTraining = field(default_factory=ReaderTraining)
    improvised: int = 0
    """Number of synthetic utterances."""
    echoes: int = 1
    """Reworded variants of each dialogue for the trees."""
    rounds: int = 300
    """Boosting rounds."""
    folds: int = 5
    """Number of folds when the acts of earlier turns are predicted by cross-validation."""
    guesses: int = 2
    """How often these predictions are repeated: +0.3 F1 on CrossWOZ val, then +0.1."""
    seed: int = 1
    least_steps: int = 0
    """With little text the reader makes more passes, until it has made this many steps."""


FROM_TEMPLATES: Final = RankedNLUConfig()
"""Ten minutes for CrossWOZ on one idle core."""

FROM_PRACTICE: Final = RankedNLUConfig(
    ReaderConfig(
        width=64, characters=32, pairs=48, pair_buckets=6144, dilations=(1, 2, 4, 1), words=True
    ),
    ReaderTraining(passes=5, batch=32, rate=3e-3, unhinted=0.3),
    improvised=14_000,
    echoes=2,
    rounds=120,
    folds=3,
    guesses=1,
    least_steps=800,
)
"""A minute or two for a language of harbour."""

QUICK: Final = replace(
    FROM_PRACTICE,
    training=replace(FROM_PRACTICE.training, passes=4),
    improvised=6000,
    echoes=1,
    rounds=80,
)
"""Under a minute; some points of F1 less on what people type."""


@dataclass(frozen=True, slots=True)
class NLUTrainingData:
    """Dialogues, templates and phrases to learn from."""

    dialogues: Sequence[Dialogue]
    groups: Sequence[TemplateGroup] = ()
    """Template files."""
    book: TrainingPhrases = field(default_factory=TrainingPhrases)
    """How people say things; unused if there are template files."""


@dataclass(frozen=True, slots=True)
class PreparedData:
    """Training data of the two models."""

    lookup: EntityLookup
    supply: Supply
    """For the reader."""
    dialogues: Sequence[Dialogue]
    """For the trees."""


def with_enough_passes(config: RankedNLUConfig, samples: int) -> ReaderTraining:
    """The reader's settings, with more passes if there are few samples."""
    training = config.training
    a_pass = max(1, samples // training.batch)
    return replace(training, passes=max(training.passes, -(-config.least_steps // a_pass)))


def prepare(world: World, material: NLUTrainingData, config: RankedNLUConfig) -> PreparedData:
    make = _from_templates if material.groups else _from_practice
    return make(world, material, config)


def _from_templates(
    world: World, material: NLUTrainingData, config: RankedNLUConfig
) -> PreparedData:
    """Templates, filled with new values in every pass."""
    filler = Filler(world)

    def supply(number: int) -> list[FilledUtterance]:
        rng = Random(f"filling {config.seed} {number}")
        return [
            filler.fill(group, template, rng)
            for group in material.groups
            for template in group.templates
        ]

    return PreparedData(lookup_of(world, None), supply, material.dialogues)


def _from_practice(
    world: World, material: NLUTrainingData, config: RankedNLUConfig
) -> PreparedData:
    lookup = ValueLinker(world, material.book)
    augmenter = Augmenter(lookup, material.book)
    rng = Random(f"rehearsing {config.seed}")
    samples = augmenter.samples(material.dialogues[::2], config.improvised, rng)
    others = material.dialogues[1::2] or material.dialogues
    dialogues = [each for _ in range(config.echoes) for each in augmenter.dialogues(others, rng)]

    def supply(number: int) -> list[FilledUtterance]:
        """The same samples in every pass: generating and encoding takes longer than learning."""
        return list(samples)

    return PreparedData(lookup, supply, dialogues)
