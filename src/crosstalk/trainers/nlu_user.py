"""Train the NLU of the simulated user, separately from the system's.

It learns from one corpus, and from simulated dialogues in the words of that corpus. Utterances that
also occur in corpora and template files that the system learns from (`apart_from`) are left out,
except very short ones. Utterances are compared as templates, that is without their values: two that
differ only in the name of a hotel are the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import Final

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.errors import InputError
from crosstalk.model_folders import Provenance
from crosstalk.simulation.synthetic_data import dialogues_in_words_of
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlg.corpus_templates import open_holes, read_auto, read_manual, template_file
from crosstalk.system.nlg.template_bank import HOLE
from crosstalk.system.nlu.ranked_training import SmallCorpus, seeded, train_on_small_corpus
from crosstalk.system.part_models import user_nlu_model
from crosstalk.trainers.job import Job, TrainingRun
from crosstalk.training.config import write_config
from crosstalk.training.reporter import Reporter
from crosstalk.training.steps import StepCallback
from crosstalk.worlds.tables import World

SHORT: Final = 6
"""Letters beside the values: utterances with at most so many are everybody's, such as thanks."""


@dataclass(frozen=True, slots=True)
class CorpusOverlap:
    """How many turns of a corpus another model learns from too."""

    turns: int
    """All turns of the corpus."""
    short: int
    """Shared and short: they stay."""
    long: int
    """Shared and longer: they are left out."""

    @property
    def learnt(self) -> int:
        return self.turns - self.long


class UtterancesOfOthers:
    """What another model learns from: corpora, and folders of template files."""

    def __init__(self, schema: Schema, language: LanguagePack) -> None:
        self._schema = schema
        self._keys = {side: ActKeys.of(schema, language, side) for side in Speaker}
        self._known: Mapping[Speaker, set[str]] = {side: set() for side in Speaker}

    def add_corpus(self, dialogues: Iterable[Dialogue]) -> None:
        for dialogue in dialogues:
            for turn in dialogue.turns:
                self._known[turn.speaker].update((turn.text, self._without_values(turn)))

    def add_templates(self, folder: Path) -> None:
        for side, known in self._known.items():
            for texts in (read_auto(folder, side), read_manual(folder, side, self._schema)):
                known.update(text for group in texts.values() for text in group)

    def knows(self, turn: Turn) -> bool:
        known = self._known[turn.speaker]
        return turn.text in known or self._without_values(turn) in known

    def forbids(self, turn: Turn) -> bool:
        """Whether a turn is known and longer than what everybody says."""
        fixed = HOLE.sub("", self._without_values(turn))
        return sum(letter.isalnum() for letter in fixed) > SHORT and self.knows(turn)

    def overlap(self, dialogues: Iterable[Dialogue]) -> CorpusOverlap:
        turns = [turn for dialogue in dialogues for turn in dialogue.turns]
        long = sum(map(self.forbids, turns))
        return CorpusOverlap(len(turns), sum(map(self.knows, turns)) - long, long)

    def _without_values(self, turn: Turn) -> str:
        spoken = self._keys[turn.speaker].in_order(turn.acts)
        return open_holes(turn.text, spoken) or turn.text


def train_user_nlu(job: Job, apart_from: Sequence[Path] = (), passes: int = 0) -> Path:
    """Train, write the model folder, return it.

    `job.practice` dialogues are simulated in the words of the corpus and learnt from, too.
    """
    if job.source().corpus is None:
        raise InputError(
            "a user's understanding is trained on a corpus, and none was found",
            remedy="Name one with --data that the system has not learnt from.",
        )
    run = job.start()
    world, data = run.world, run.data
    others = _utterances_of_others(world, apart_from)
    overlap = others.overlap(run.dialogues)
    _report(overlap, apart_from, job.reporter)
    folder = job.out / user_nlu_model(world)
    with job.reporter.training(folder) as watch:
        _train(run, others, passes, folder, watch)
    words = f"nlu --model user --world {world.name}"
    command = data.command(words, passes=passes, practice=job.practice, seed=job.seed)
    run.write_card(
        folder,
        "understanding of the simulated user: shares neither weights nor, but for short "
        "utterances, training utterances with the system's",
        command + "".join(f" --apart-from {path.name}" for path in apart_from),
        data=Provenance(
            f"{data.learnt_from}, without {overlap.long} of {overlap.turns} turns that the "
            f"system learns from too; {overlap.short} short ones stay; "
            f"{job.practice} simulated dialogues in its words",
            data.digest,
            len(data.dialogues),
        ),
        kind="nlu",
        world=world.name,
        language=world.language.code,
        minutes=watch.minutes,
    )
    return folder


def _utterances_of_others(world: World, apart_from: Sequence[Path]) -> UtterancesOfOthers:
    others = UtterancesOfOthers(world.schema, world.language)
    for path in apart_from:
        if template_file(path, "auto", Speaker.USER).exists():
            others.add_templates(path)
        else:
            others.add_corpus(read_corpus(path))
    return others


def _report(overlap: CorpusOverlap, apart_from: Sequence[Path], reporter: Reporter) -> None:
    if not apart_from:
        reporter.notice(
            "without --apart-from, utterances may be the system's own training utterances"
        )
    reporter.notice(
        f"{overlap.turns} turns; {overlap.short + overlap.long} occur in what the system learns "
        f"from: {overlap.long} are left out, {overlap.short} short ones stay"
    )


def _train(
    run: TrainingRun, others: UtterancesOfOthers, passes: int, folder: Path, told: StepCallback
) -> None:
    job, world, dialogues = run.job, run.world, run.dialogues
    ours = [_without(dialogue, others) for dialogue in dialogues]
    place = str(world.folder) if world.folder else world.name
    talked = (place, world.language.code, job.practice, job.seed)
    simulated = list(dialogues_in_words_of(ours, *talked, data=job.tables))
    mixed = [each for each in chain(*zip_longest(dialogues, simulated)) if each]
    forbidden = {dialogue.id for dialogue in dialogues}

    def taught(dialogue: int, turn: int) -> bool:
        found = mixed[dialogue]
        return found.id not in forbidden or not others.forbids(found.turns[turn])

    config = seeded(job.seed, passes)
    nlu = train_on_small_corpus(world, SmallCorpus(mixed, taught), config, told=told)
    nlu.save(folder)
    write_config(folder, config)


def _without(dialogue: Dialogue, others: UtterancesOfOthers) -> Dialogue:
    """The dialogue without the turns that the system learns from too."""
    turns = tuple(turn for turn in dialogue.turns if not others.forbids(turn))
    return replace(dialogue, turns=turns)
