"""`crosstalk train nlu --model user`: the simulated user's understanding, apart from the system's.

It learns from one corpus, and from simulated dialogues in the words of that corpus. Utterances that
occur in the corpora and template files given with `--apart-from`, those that the system learns
from, are left out but for very short ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from crosstalk.cli.evaluation_parts import spoken_world
from crosstalk.cli.output import warn
from crosstalk.cli.training_data import Material, find_source
from crosstalk.cli.training_progress import watching
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.database.tables import World
    from crosstalk.dialogue.dialogues import Dialogue
    from crosstalk.system.nlu.overlap import Overlap, UtterancesOfOthers
    from crosstalk.training.steps import Told

USER: Final = "user"
ApartFrom = Annotated[
    list[Path] | None,
    typer.Option(
        "--apart-from",
        help="user: a corpus or a folder of template files that the system learns from; "
        "utterances that occur there are left out. May be repeated.",
    ),
]


@dataclass(frozen=True, slots=True)
class UserOrder:
    """What the command was given."""

    world: str
    language: str | None
    data: Path | None
    out: Path
    tables: Path | None
    apart_from: Sequence[Path]
    passes: int
    practice: int
    """Simulated dialogues in the words of the corpus beside its own."""
    seed: int

    def command(self, material: Material) -> str:
        apart = "".join(f" --apart-from {path.name}" for path in self.apart_from)
        words = f"nlu --model user --world {self.world}"
        return (
            material.command(words, passes=self.passes, practice=self.practice, seed=self.seed)
            + apart
        )


def train_user(order: UserOrder) -> None:
    from crosstalk.model_folders import Card, Provenance, write_card
    from crosstalk.system.part_models import user_nlu_model

    source = find_source(order.world, order.language, order.data)
    if source.corpus is None:
        raise InputError(
            "a user's understanding is trained on a corpus, and none was found",
            remedy="Name one with --data that the system has not learnt from.",
        )
    material = source.material(seed=order.seed)
    world = spoken_world(order.world, source.language, source.folder or order.tables)
    others = _utterances_of_others(order, world)
    overlap = others.overlap(material.dialogues)
    _tell(overlap, order)
    folder = order.out / user_nlu_model(world)
    with watching(folder) as told:
        _learn(order, material, world, others, folder, told)
    write_card(
        folder,
        Card(
            what="understanding of the simulated user: shares neither weights nor, but for short "
            "utterances, training utterances with the system's",
            command=order.command(material),
            data=Provenance(
                f"{material.learnt_from}, without {overlap.long} of {overlap.turns} turns that the "
                f"system learns from too; {overlap.short} short ones stay; "
                f"{order.practice} simulated dialogues in its words",
                material.digest,
                len(material.dialogues),
            ),
            seed=order.seed,
            kind="nlu",
            world=world.name,
            language=world.language.code,
            minutes=told.minutes,
        ),
    )
    print(folder)


def _utterances_of_others(order: UserOrder, world: "World") -> "UtterancesOfOthers":
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.formats.corpus import read_corpus
    from crosstalk.system.nlg.crosswoz import template_file
    from crosstalk.system.nlu.overlap import UtterancesOfOthers

    others = UtterancesOfOthers(world.schema, world.language)
    for path in order.apart_from:
        if template_file(path, "auto", Speaker.USER).exists():
            others.add_templates(path)
        else:
            others.add_corpus(read_corpus(path))
    return others


def _tell(overlap: "Overlap", order: UserOrder) -> None:
    if not order.apart_from:
        warn("without --apart-from, utterances may be the system's own training utterances")
    typer.echo(
        f"{overlap.turns} turns; {overlap.short + overlap.long} occur in what the system learns "
        f"from: {overlap.long} are left out, {overlap.short} short ones stay",
        err=True,
    )


def _learn(
    order: UserOrder,
    material: Material,
    world: "World",
    others: "UtterancesOfOthers",
    folder: Path,
    told: "Told",
) -> None:
    from crosstalk.simulation.synthetic_data import dialogues_in_words_of
    from crosstalk.system.nlu.small_corpus import SmallCorpus, seeded, train_on_small_corpus
    from crosstalk.training.config import write_config

    ours = [_without(dialogue, others) for dialogue in material.dialogues]
    talked = (order.world, order.language, order.practice, order.seed)
    simulated = list(dialogues_in_words_of(ours, *talked, data=order.tables))
    mixed = [each for each in chain(*zip_longest(material.dialogues, simulated)) if each]
    forbidden = {dialogue.id for dialogue in material.dialogues}

    def taught(dialogue: int, turn: int) -> bool:
        found = mixed[dialogue]
        return found.id not in forbidden or not others.forbids(found.turns[turn])

    config = seeded(order.seed, order.passes)
    corpus = SmallCorpus(mixed, taught)
    train_on_small_corpus(world, corpus, config, told=told).save(folder)
    write_config(folder, config)


def _without(dialogue: "Dialogue", others: "UtterancesOfOthers") -> "Dialogue":
    """The dialogue without the turns that the system learns from too."""
    turns = tuple(turn for turn in dialogue.turns if not others.forbids(turn))
    return replace(dialogue, turns=turns)
