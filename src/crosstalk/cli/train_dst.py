"""`crosstalk train dst`: our trackers from an annotated corpus, or from practice."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.evaluation_parts import Tables, spoken_world
from crosstalk.cli.options import CorpusWorld, Language, Models, Seed
from crosstalk.cli.output import track, warn
from crosstalk.cli.train_trade import (
    TradeEpochs,
    TradeOrder,
    TradeQuick,
    TradeVectors,
    train_trade,
)
from crosstalk.cli.training_data import (
    PRACTICE,
    Folds,
    Material,
    Patience,
    Practice,
    TrainingData,
    find_source,
    refuse_one_fold,
    training_world,
)
from crosstalk.cli.training_progress import watching
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.database.queries import Database
    from crosstalk.database.tables import World as LiveWorld
    from crosstalk.dialogue.dialogues import Dialogue
    from crosstalk.system.dst.understood import Understood
    from crosstalk.training.stages import Stages
    from crosstalk.training.steps import Told

FOLDERS = {"edits": "dst", "words": "dst-words"}
WHAT = {
    "edits": "edit tracker: boosted trees over candidate values of each field",
    "words": "tracker from words: boosted trees over all values that came up for each field",
}
FOLDS = 5
"""Of the tracker from words, which learns from dialogues that its trees have not seen."""


@dataclass(frozen=True, slots=True)
class _Order:
    """What is trained, from what, and where to."""

    model: str
    material: Material
    world: str
    language: str | None
    tables: Path | None
    models: Path
    folder: Path
    seed: int
    patience: int
    folds: int
    share: float


Out = Annotated[
    Path, typer.Option("--out", help="The models folder; the model goes to OUT/dst[-words].")
]
Model = Annotated[
    str,
    typer.Option(
        "--model",
        help="edits (given gold forms and acts) | words (from words alone) | trade (as published)",
    ),
]
Share = Annotated[
    float, typer.Option("--share", min=0.01, max=1, help="Learn from this share of dialogues.")
]


def train_dst(
    out: Out,
    data: TrainingData = None,
    model: Model = "edits",
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    tables: Tables = None,
    practice: Practice = PRACTICE,
    patience: Patience = 0,
    folds: Folds = 0,
    share: Share = 1.0,
    seed: Seed = 1,
    epochs: TradeEpochs = None,
    quick: TradeQuick = False,
    vectors: TradeVectors = None,
) -> None:
    """Train a tracker: edits takes a minute for 500 dialogues, words ten.

    words needs a model of understanding (`crosstalk train nlu`), from --out or --models, else the
    one that ships. A smaller --share is always a part of a larger one.
    """
    if model == "trade":
        given = (practice, epochs, patience, quick, vectors, seed)
        world, language = training_world(world, language, data)
        train_trade(TradeOrder(data, out, world, language, *given))
        return
    _refuse_unknown(model)
    refuse_one_fold(folds)
    source = find_source(world, language, data)
    material = shared(source.material(seed=seed, practice=practice), share)
    places = (source.folder or tables, models or out, out / FOLDERS[model])
    world, language = source.world, source.language
    order = _Order(model, material, world, language, *places, seed, patience, folds, share)
    _train(order)
    print(order.folder)


def _refuse_unknown(model: str) -> None:
    if model not in FOLDERS:
        known = ", ".join((*FOLDERS, "trade"))
        raise InputError(
            f"there is no tracker called {model!r} to train", remedy=f"Known: {known}."
        )


def shared(material: Material, share: float) -> Material:
    """So many of the dialogues, in their order; the same few are in every larger share."""
    from random import Random

    if share == 1:
        return material
    every = list(range(len(material.dialogues)))
    Random(0).shuffle(every)
    kept = sorted(every[: max(2, round(share * len(every)))])
    return replace(
        material,
        dialogues=[material.dialogues[number] for number in kept],
        learnt_from=f"{len(kept)} dialogues of {material.learnt_from}",
        option=f"{material.option} --share {share:g}",
    )


def _train(order: _Order) -> None:
    from crosstalk.model_folders import Card, write_card

    train = _train_edits if order.model == "edits" else _train_words
    with watching(order.folder) as told:
        language, found = train(order, told)
    write_card(
        order.folder,
        Card(
            what=WHAT[order.model],
            command=order.material.command(
                f"dst --model {order.model} --world {Path(order.world).name}",
                seed=order.seed,
                patience=order.patience,
                folds=order.folds,
            ),
            data=order.material.provenance,
            seed=order.seed,
            figures=found,
            world=Path(order.world).name,
            language=language,
            minutes=told.minutes,
        ),
    )


def _train_edits(order: _Order, told: "Told") -> tuple[str, dict[str, Any]]:
    from crosstalk.database.queries import Database
    from crosstalk.system.dst.training import EditConfig, train_edits
    from crosstalk.training.config import write_config

    database = Database(spoken_world(order.world, order.language, order.tables))
    config = EditConfig(patience=order.patience, seed=order.seed)
    stages = _stages(order, config)
    train_edits(order.material.dialogues, database, config, told=told, stages=stages).save(
        order.folder
    )
    write_config(order.folder, config)
    found = _cross_validated(order, database) if order.folds else {}
    return database.world.language.code, found


def _cross_validated(order: _Order, database: "Database") -> dict[str, Any]:
    from crosstalk.evaluation.tracking_folds import cross_validate
    from crosstalk.system.dst.edits import EditTracker
    from crosstalk.system.dst.training import EditConfig, train_edits

    config = EditConfig(patience=order.patience, seed=order.seed)

    def train(learnt: "list[Dialogue]") -> EditTracker:
        return train_edits(learnt, database, config)

    schema = database.world.schema
    score = cross_validate(order.material.dialogues, schema, train, folds=order.folds)
    return {
        "protocol": f"single turn, {order.folds}-fold cross-validation by dialogue",
        "joint_accuracy": score.overall.percent,
        "select": score.select.percent,
        "turns": score.overall.total,
        "select_turns": score.select.total,
    }


def _train_words(order: _Order, told: "Told") -> tuple[str, dict[str, Any]]:
    from crosstalk.cli.evaluate_tracking import figures
    from crosstalk.database.queries import Database
    from crosstalk.evaluation.tracking_words import WordsScore, score_forms
    from crosstalk.system.dst.words_training import WordsConfig, train_words
    from crosstalk.training.config import write_config

    if order.patience:
        raise InputError("--patience goes with --model edits only", remedy="Leave it out.")
    world = spoken_world(order.world, order.language, order.tables)
    config = WordsConfig(folds=order.folds or FOLDS, seed=order.seed)
    stages = _stages(order, config)
    heard = _understood(order, world, stages)
    trained = train_words(heard, Database(world), config, told=told, stages=stages)
    trained.tracker.save(order.folder)
    write_config(order.folder, config)
    score = WordsScore()
    for dialogue, forms in zip(order.material.dialogues, trained.held_out, strict=True):
        score += score_forms(dialogue, forms)
    told_of = f"from words, {config.folds}-fold cross-validation by dialogue"
    return world.language.code, {"protocol": told_of, **figures(score)}


def _understood(order: _Order, world: "LiveWorld", stages: "Stages") -> "list[Understood]":
    """The dialogues with what a model of understanding hears that has not learned from them."""
    from crosstalk.system.dst.understood import load_doubts, save_doubts

    def write(place: Path) -> None:
        save_doubts(_listen(order, world), place / "doubts.jsonl")

    place = stages.folder("understood", write)
    return load_doubts(order.material.dialogues, place / "doubts.jsonl")


def _listen(order: _Order, world: "LiveWorld") -> "list[Understood]":
    from crosstalk.model_folders import find_model, read_card
    from crosstalk.system.dst.understood import Understood, understood_afresh
    from crosstalk.system.nlu.ranked import RankedUnderstanding

    ears = find_model(f"nlu-{world.name}-{world.language.code}", order.models)
    dialogues = order.material.dialogues
    if read_card(ears).get("sha256") == order.material.digest:
        warn("understanding has learned from these dialogues; its trees are grown anew in folds")
        return understood_afresh(ears, world, dialogues, folds=FOLDS, seed=order.seed)
    weigh = RankedUnderstanding.load(ears, world).weigh_all
    return [Understood.of(each, weigh) for each in track(dialogues, doing="understanding")]


def _stages(order: _Order, config: Any) -> "Stages":
    from crosstalk.training.identity import Identity, settings_of
    from crosstalk.training.stages import STAGES, Stages

    settings = {**settings_of(config), "share": order.share}
    return Stages(order.folder / STAGES, Identity(settings, order.material.digest, order.seed))
