"""`crosstalk train policy`: a policy from annotated dialogues."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.evaluate_policy import figures
from crosstalk.cli.evaluation_parts import Tables, spoken_world
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
    from collections.abc import Sequence

    from crosstalk.database.tables import World as LiveWorld
    from crosstalk.dialogue.dialogues import Dialogue
    from crosstalk.system.policy.delexicalise import Vocabulary
    from crosstalk.training.steps import Told

FOLDERS = {"sl": "policy-sl", "best": "policy"}
WHAT = {
    "sl": "the supervised policy of the CrossWOZ paper: a network of two hidden layers",
    "best": "our policy: boosted trees over acts about ranked entities",
}


@dataclass(frozen=True, slots=True)
class _Order:
    """What is trained, from what, and where to."""

    material: Material
    world: "LiveWorld"
    tables: Path | None
    folder: Path
    seed: int
    patience: int
    folds: int


def train_policy(
    out: Annotated[
        Path,
        typer.Option("--out", help="The models folder; the model goes to OUT/policy[-sl]."),
    ],
    data: TrainingData = None,
    model: Annotated[str, typer.Option("--model", help="sl (the published one), best")] = "best",
    world: CorpusWorld = None,
    language: Language = None,
    tables: Tables = None,
    practice: Practice = PRACTICE,
    patience: Patience = 0,
    folds: Folds = 0,
    seed: Seed = 0,
) -> None:
    """Train a policy: some twenty seconds for 500 dialogues, half a minute for sl.

    The last of every ten dialogues is held out: it chooses the epoch of sl, and for best shows
    how the trees do while they grow; the trees that remain learn from all dialogues.
    """
    if model not in FOLDERS:
        raise InputError(f"there is no policy called {model!r} to train", remedy="Known: sl, best.")
    refuse_one_fold(folds)
    if folds and model != "best":
        raise InputError("--folds goes with --model best only", remedy="Leave one of them out.")
    source = find_source(world, language, data)
    known = source.folder or tables
    live = spoken_world(source.world, source.language, known)
    material = source.material(seed=seed, practice=practice)
    order = _Order(material, live, known, out / FOLDERS[model], seed, patience, folds)
    _train(model, order)
    print(order.folder)


def _train(model: str, order: _Order) -> None:
    from crosstalk.model_folders import Card, write_card

    train = _train_sl if model == "sl" else _train_best
    with watching(order.folder) as told:
        found = train(order, told)
        if order.folds:
            found["cross-validation"] = _cross_validated(order)
    write_card(
        order.folder,
        Card(
            what=WHAT[model],
            command=order.material.command(
                f"policy --model {model} --world {order.world.name}",
                seed=order.seed,
                patience=order.patience,
                folds=order.folds,
            ),
            data=order.material.provenance,
            seed=order.seed,
            figures=found,
            world=order.world.name,
            language=order.world.language.code,
            minutes=told.minutes,
        ),
    )


def _train_best(order: _Order, told: "Told") -> dict[str, Any]:
    from crosstalk.database.queries import Database
    from crosstalk.system.policy.learned_training import PolicyConfig, train_learned
    from crosstalk.training.config import write_config
    from crosstalk.training.identity import Identity, settings_of
    from crosstalk.training.stages import STAGES, Stages

    config = PolicyConfig(patience=order.patience, seed=order.seed)
    identity = Identity(settings_of(config), order.material.digest, order.seed)
    stages = Stages(order.folder / STAGES, identity)
    train_learned(
        order.material.dialogues, Database(order.world), config, told=told, stages=stages
    ).save(order.folder)
    write_config(order.folder, config)
    return {}


def _train_sl(order: _Order, told: "Told") -> dict[str, Any]:
    from crosstalk.system.policy.sl_training import SLConfig, save_sl, split
    from crosstalk.training.config import write_config

    dialogues = order.material.dialogues
    config = SLConfig(patience=order.patience, seed=order.seed)
    vocabulary, source = _vocabulary(dialogues, order.world, order.tables)
    training = save_sl(dialogues, order.world, vocabulary, order.folder, config, told=told)
    write_config(order.folder, config)
    _, held_out = split(dialogues)
    return {
        "acts": f"{len(vocabulary.user)} user, {len(vocabulary.system)} system, from {source}",
        "training": asdict(training),
        "held out": {"dialogues": len(held_out), **_judged(held_out, order.world, order.folder)},
    }


def _cross_validated(order: _Order) -> dict[str, Any]:
    """Of our policy; the published one is judged on what it held out."""
    from crosstalk.database.queries import Database
    from crosstalk.evaluation.policies import Answer, answers_of
    from crosstalk.evaluation.policy_folds import cross_validate
    from crosstalk.system.policy.learned_training import PolicyConfig, train_learned

    database = Database(order.world)
    config = PolicyConfig(patience=order.patience, seed=order.seed)

    def train(learnt: "list[Dialogue]") -> Answer:
        return answers_of(train_learned(learnt, database, config))

    return {
        "protocol": f"single turn, {order.folds}-fold by dialogue",
        **figures(cross_validate(order.material.dialogues, train, folds=order.folds)),
    }


def _vocabulary(
    dialogues: "Sequence[Dialogue]", world: "LiveWorld", tables: Path | None
) -> tuple["Vocabulary", str]:
    """The acts that were published with the corpus, which stem from its training split."""
    from crosstalk.system.policy.delexicalise import (
        PUBLISHED_SYSTEM,
        extract_vocabulary,
        read_vocabulary,
    )

    published = tables / world.name if tables else None
    if published and (published / PUBLISHED_SYSTEM).exists():
        return read_vocabulary(published), "the files published with the corpus"
    return extract_vocabulary(dialogues), "the dialogues"


def _judged(dialogues: "Sequence[Dialogue]", world: "LiveWorld", folder: Path) -> dict[str, Any]:
    """On the dialogues that chose the epoch, hence a little too good."""
    from crosstalk.evaluation.policies import answers_of_sl, score_answers
    from crosstalk.system.policy.sl import SLPolicy

    told = {}
    for protocol in ("paper", "corrected"):
        policy = SLPolicy.load(folder, world, protocol=protocol)
        answer = answers_of_sl(policy, published=protocol == "paper")
        told[protocol] = figures(score_answers(answer, dialogues).overall)
    return told
