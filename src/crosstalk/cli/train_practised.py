"""`crosstalk train nlu --model practised`: understanding that has talked to simulated users too.

The reader is that of our understanding as it is; the trees that choose among its proposals learn
from the corpus and from simulated dialogues together. Simulated users lead dialogues into corners
where no corpus has been, and conversations in words spend much of their time there: some of the
dialogues are held in words, with a system that misunderstands as our understanding does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crosstalk.cli.training_data import find_source
from crosstalk.cli.training_progress import watching

if TYPE_CHECKING:
    from crosstalk.database.tables import World
    from crosstalk.dialogue.dialogues import Dialogue
    from crosstalk.training.steps import Told

PRACTISED: Final = "practised"
USERS: Final = ("rule", "trees")
WORDS: Final = ("template", "best")
"""Generators: any words, and the most usual ones."""
PROTOCOLS: Final = ("corrected", "paper")
"""Of the users whose dialogues are held in words."""


@dataclass(frozen=True, slots=True)
class PractisedOrder:
    """What somebody wants trained."""

    world: str
    language: str | None
    data: Path | None
    out: Path
    practice: int
    """Simulated dialogues beside those of the corpus."""
    seed: int


def train_practised(order: PractisedOrder) -> None:
    from crosstalk.database.worlds import load_world
    from crosstalk.model_folders import Card, Provenance, write_card
    from crosstalk.system.part_models import practised_model

    source = find_source(order.world, order.language, order.data)
    material = source.material(seed=order.seed, practice=order.practice)
    simulated = list(_simulated(order, source.folder))
    mixed = [each for pair in zip_longest(material.dialogues, simulated) for each in pair if each]
    world = load_world(order.world, language=order.language, data=source.folder)
    folder = order.out / practised_model(world)
    with watching(folder) as told:
        _learn(order, world, mixed, folder, told)
    write_card(
        folder,
        Card(
            what="understanding whose trees have also learnt from simulated dialogues",
            command=material.command(
                f"nlu --model practised --world {world.name}",
                practice=order.practice,
                seed=order.seed,
            ),
            data=Provenance(
                f"{material.learnt_from} and {len(simulated)} simulated dialogues",
                material.digest,
                len(mixed),
            ),
            seed=order.seed,
            kind="nlu",
            world=world.name,
            language=world.language.code,
            minutes=told.minutes,
        ),
    )
    print(folder)


def _simulated(order: PractisedOrder, data: Path | None) -> "Iterator[Dialogue]":
    """An equal share by each user in each kind of words, and by each protocol in words alone."""
    from crosstalk.simulation.synthetic_data import misheard_dialogues, practice_dialogues

    ways = list(product(USERS, WORDS))
    share = order.practice // (len(ways) + len(PROTOCOLS))
    talked = (order.world, order.language, share, order.seed)
    for number, (user, words) in enumerate(ways):
        start = number * share
        yield from practice_dialogues(*talked, user=user, nlg=words, data=data, start=start)
    for number, protocol in enumerate(PROTOCOLS, start=len(ways)):
        yield from misheard_dialogues(
            *talked,
            nlu="trees",
            protocol=protocol,
            data=data,
            models=order.out,
            start=number * share,
        )


def _learn(
    order: PractisedOrder,
    world: "World",
    dialogues: "list[Dialogue]",
    folder: Path,
    told: "Told",
) -> None:
    from crosstalk.model_folders import find_model
    from crosstalk.system.nlu.lessons import FROM_TEMPLATES
    from crosstalk.system.nlu.meanings import facts_of
    from crosstalk.system.nlu.phrases import kept_book
    from crosstalk.system.nlu.ranked import RankedUnderstanding
    from crosstalk.system.nlu.reader import Reader
    from crosstalk.system.nlu.training import Growing, train_trees
    from crosstalk.system.part_models import plain_model
    from crosstalk.training.boosting import Rounds

    before = find_model(plain_model(world), order.out)
    facts = facts_of(world, kept_book(before))
    reader = Reader.load(before, facts.finder)
    growth = Growing(Rounds(FROM_TEMPLATES.rounds, told=told), folds=2, passes=1)
    trees = train_trees(facts, [reader], dialogues, seed=order.seed, growth=growth)
    RankedUnderstanding(facts, reader, trees).save(folder)
