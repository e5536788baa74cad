"""Train the simulated user's NLU, apart from the system's.

It learns from one corpus, and from simulated dialogues in the words of that corpus. Utterances that
occur in the corpora and template files that the system learns from (`apart_from`) are left out but
for very short ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from pathlib import Path

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import InputError
from crosstalk.model_folders import Card, Provenance, write_card
from crosstalk.simulation.synthetic_data import dialogues_in_words_of
from crosstalk.system.nlg.crosswoz import template_file
from crosstalk.system.nlu.overlap import CorpusOverlap, UtterancesOfOthers
from crosstalk.system.nlu.small_corpus import SmallCorpus, seeded, train_on_small_corpus
from crosstalk.system.part_models import user_nlu_model
from crosstalk.trainers.data import TrainingData
from crosstalk.trainers.job import Job
from crosstalk.training.config import write_config
from crosstalk.training.steps import StepCallback
from crosstalk.worlds.tables import World


@dataclass(frozen=True, slots=True)
class _Training:
    """A job with its data read."""

    job: Job
    """`practice`: simulated dialogues in the words of the corpus beside its own."""
    apart_from: Sequence[Path]
    passes: int
    material: TrainingData
    world: World

    def command(self) -> str:
        apart = "".join(f" --apart-from {path.name}" for path in self.apart_from)
        words = f"nlu --model user --world {self.world.name}"
        options = {"passes": self.passes, "practice": self.job.practice, "seed": self.job.seed}
        return self.material.command(words, **options) + apart


def train_user_nlu(job: Job, apart_from: Sequence[Path] = (), passes: int = 0) -> Path:
    """Train, write the model folder, return it."""
    source = job.source()
    if source.corpus is None:
        raise InputError(
            "a user's understanding is trained on a corpus, and none was found",
            remedy="Name one with --data that the system has not learnt from.",
        )
    world = job.world_of(source)
    training = _Training(job, apart_from, passes, job.material(source), world)
    material = training.material
    others = _utterances_of_others(training)
    overlap = others.overlap(material.dialogues)
    _report(overlap, training)
    folder = job.out / user_nlu_model(world)
    with job.reporter.training(folder) as watch:
        _train(training, others, folder, watch)
    write_card(
        folder,
        Card(
            what="understanding of the simulated user: shares neither weights nor, but for short "
            "utterances, training utterances with the system's",
            command=training.command(),
            data=Provenance(
                f"{material.learnt_from}, without {overlap.long} of {overlap.turns} turns that the "
                f"system learns from too; {overlap.short} short ones stay; "
                f"{job.practice} simulated dialogues in its words",
                material.digest,
                len(material.dialogues),
            ),
            seed=job.seed,
            kind="nlu",
            world=world.name,
            language=world.language.code,
            minutes=watch.minutes,
        ),
    )
    return folder


def _utterances_of_others(training: _Training) -> UtterancesOfOthers:
    others = UtterancesOfOthers(training.world.schema, training.world.language)
    for path in training.apart_from:
        if template_file(path, "auto", Speaker.USER).exists():
            others.add_templates(path)
        else:
            others.add_corpus(read_corpus(path))
    return others


def _report(overlap: CorpusOverlap, training: _Training) -> None:
    notice = training.job.reporter.notice
    if not training.apart_from:
        notice("without --apart-from, utterances may be the system's own training utterances")
    notice(
        f"{overlap.turns} turns; {overlap.short + overlap.long} occur in what the system learns "
        f"from: {overlap.long} are left out, {overlap.short} short ones stay"
    )


def _train(
    training: _Training, others: UtterancesOfOthers, folder: Path, told: StepCallback
) -> None:
    job, world, dialogues = training.job, training.world, training.material.dialogues
    ours = [_without(dialogue, others) for dialogue in dialogues]
    place = str(world.folder) if world.folder else world.name
    talked = (place, world.language.code, job.practice, job.seed)
    simulated = list(dialogues_in_words_of(ours, *talked, data=job.tables))
    mixed = [each for each in chain(*zip_longest(dialogues, simulated)) if each]
    forbidden = {dialogue.id for dialogue in dialogues}

    def taught(dialogue: int, turn: int) -> bool:
        found = mixed[dialogue]
        return found.id not in forbidden or not others.forbids(found.turns[turn])

    config = seeded(job.seed, training.passes)
    nlu = train_on_small_corpus(world, SmallCorpus(mixed, taught), config, told=told)
    nlu.save(folder)
    write_config(folder, config)


def _without(dialogue: Dialogue, others: UtterancesOfOthers) -> Dialogue:
    """The dialogue without the turns that the system learns from too."""
    turns = tuple(turn for turn in dialogue.turns if not others.forbids(turn))
    return replace(dialogue, turns=turns)
