"""`crosstalk train user`: our simulated user from dialogues between people, or from practice."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.options import CorpusWorld, Language, Seed
from crosstalk.cli.training_data import (
    PRACTICE,
    Folds,
    Material,
    Patience,
    Practice,
    TrainingData,
    find_source,
    refuse_one_fold,
)
from crosstalk.cli.training_progress import watching
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.dialogue.languages import LanguagePack
    from crosstalk.dialogue.schema import Schema
    from crosstalk.training.steps import Told
    from crosstalk.users.training import Growth


def train_user(
    out: Annotated[
        Path, typer.Option("--out", help="The models folder; the model goes to OUT/user.")
    ],
    data: TrainingData = None,
    model: Annotated[str, typer.Option("--model", help="best")] = "best",
    world: CorpusWorld = None,
    language: Language = None,
    practice: Practice = PRACTICE,
    patience: Patience = 0,
    folds: Folds = 0,
    seed: Seed = 1,
) -> None:
    """Train the learned user: some ten seconds for 500 dialogues, a minute with five folds.

    One dialogue in ten is held out to show how the trees do while they grow; the trees that remain
    learn from all of them.
    """
    from crosstalk.database.worlds import find_world, load_schema
    from crosstalk.model_folders import Card, write_card
    from crosstalk.users.model import NAME
    from crosstalk.users.training import Growth

    if model != "best":
        raise InputError(
            f"there is no user called {model!r} to train", remedy="Known: best. rule is not learnt."
        )
    refuse_one_fold(folds)
    source = find_source(world, language, data)
    schema, pack = load_schema(source.world, language=source.language)
    material = source.material(seed=seed, practice=practice)
    growth = Growth(patience=patience, seed=seed)
    name = find_world(source.world).name
    with watching(out / NAME) as told:
        _train(material, (schema, pack), growth, out / NAME, told)
        found = _cross_validated(material, (schema, pack), growth, folds) if folds else {}
    write_card(
        out / NAME,
        Card(
            what="simulated user: boosted trees over what is written down, said next, and how",
            command=material.command(
                f"user --world {name}", seed=seed, patience=patience, folds=folds
            ),
            data=material.provenance,
            seed=seed,
            figures=found,
            world=name,
            language=pack.code,
            minutes=told.minutes,
        ),
    )
    print(out / NAME)


def _train(
    material: Material,
    spoken: "tuple[Schema, LanguagePack]",
    growth: "Growth",
    folder: Path,
    told: "Told",
) -> None:
    from crosstalk.training.config import write_config
    from crosstalk.training.identity import Identity, settings_of
    from crosstalk.training.stages import STAGES, Stages
    from crosstalk.users.model import save_model
    from crosstalk.users.training import train_user as train

    identity = Identity(settings_of(growth), material.digest, growth.seed)
    stages = Stages(folder / STAGES, identity)
    save_model(train(material.dialogues, *spoken, growth, told=told, stages=stages), folder)
    write_config(folder, growth)


def _cross_validated(
    material: Material, spoken: "tuple[Schema, LanguagePack]", growth: "Growth", folds: int
) -> dict[str, Any]:
    from crosstalk.evaluation.user_folds import cross_validate

    score = cross_validate(material.dialogues, *spoken, folds=folds, growth=growth)
    return {
        "protocol": f"single turn, {folds}-fold cross-validation by dialogue",
        "state_accuracy": score.states.percent,
        "act_f1": score.acts.f1,
    }
