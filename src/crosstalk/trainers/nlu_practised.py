"""Train the NLU whose trees have also learned from simulated dialogues.

The reader is that of our NLU as it is; the trees that choose among its proposals learn from the
corpus and from simulated dialogues together. Simulated users lead dialogues into corners where no
corpus has been, and conversations in words spend much of their time there: some of the dialogues
are held in words, with a system that misunderstands as our NLU does.
"""

from collections.abc import Iterable, Iterator
from itertools import product, zip_longest
from pathlib import Path
from typing import Final

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.language.training_phrases import kept_book
from crosstalk.model_folders import Card, Provenance, find_model, write_card
from crosstalk.simulation.synthetic_data import misheard_dialogues, practice_dialogues
from crosstalk.system.nlg.corpus_templates import read_auto
from crosstalk.system.nlu.augmentation import FROM_TEMPLATES
from crosstalk.system.nlu.hybrid import Familiarity
from crosstalk.system.nlu.ranked import RankedNLU
from crosstalk.system.nlu.ranked_training import Growing, train_trees
from crosstalk.system.nlu.reader import Reader
from crosstalk.system.nlu.value_linking import lookup_of
from crosstalk.system.part_models import plain_model, practised_model
from crosstalk.trainers.data import DialogueSource
from crosstalk.trainers.job import Job
from crosstalk.trainers.nlu import template_folder
from crosstalk.training.boosting import Rounds
from crosstalk.training.steps import StepCallback
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

USERS: Final = ("rule", "trees")
WORDS: Final = ("template", "best")
"""Generators: any words, and the most usual ones."""
PROTOCOLS: Final = ("corrected", "paper")
"""Of the users whose dialogues are held in words."""


def train_practised(job: Job) -> Path:
    """Train, write the model folder, return it."""
    source = job.source()
    material = job.material(source)
    simulated = list(_simulated(job, source))
    mixed = [each for pair in zip_longest(material.dialogues, simulated) for each in pair if each]
    world = load_world(source.world, language=source.language, data=source.folder)
    folder = job.out / practised_model(world)
    with job.reporter.training(folder) as watch:
        _train(job, world, mixed, folder, watch)
    Familiarity.of(_user_texts(mixed, template_folder(world, source.folder))).save(folder)
    write_card(
        folder,
        Card(
            what="understanding whose trees have also learnt from simulated dialogues",
            command=material.command(
                f"nlu --model practised --world {world.name}",
                practice=job.practice,
                seed=job.seed,
            ),
            data=Provenance(
                f"{material.learnt_from} and {len(simulated)} simulated dialogues",
                material.digest,
                len(mixed),
            ),
            seed=job.seed,
            kind="nlu",
            world=world.name,
            language=world.language.code,
            minutes=watch.minutes,
        ),
    )
    return folder


def _simulated(job: Job, source: DialogueSource) -> Iterator[Dialogue]:
    """An equal share by each user in each kind of words, and by each protocol in words alone."""
    ways = list(product(USERS, WORDS))
    share = job.practice // (len(ways) + len(PROTOCOLS))
    talked = (source.world, source.language, share, job.seed)
    for number, (user, words) in enumerate(ways):
        yield from practice_dialogues(
            *talked, user=user, nlg=words, data=source.folder, start=number * share
        )
    for number, protocol in enumerate(PROTOCOLS, start=len(ways)):
        yield from misheard_dialogues(
            *talked,
            nlu="trees",
            protocol=protocol,
            data=source.folder,
            models=job.out,
            start=number * share,
        )


def _user_texts(dialogues: Iterable[Dialogue], templates: Path | None) -> Iterator[str]:
    """What users say in the dialogues, and in the template files that the reader learns from."""
    for dialogue in dialogues:
        yield from (turn.text for turn in dialogue.turns if turn.speaker is Speaker.USER)
    if templates:
        for texts in read_auto(templates, Speaker.USER).values():
            yield from texts


def _train(
    job: Job, world: World, dialogues: list[Dialogue], folder: Path, told: StepCallback
) -> None:
    before = find_model(plain_model(world), job.out)
    lookup = lookup_of(world, kept_book(before))
    reader = Reader.load(before, lookup.finder)
    growth = Growing(Rounds(FROM_TEMPLATES.rounds, told=told), folds=2, passes=1)
    trees = train_trees(lookup, [reader], dialogues, seed=job.seed, growth=growth)
    RankedNLU(lookup, reader, trees).save(folder)
