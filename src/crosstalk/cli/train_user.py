"""`crosstalk train user`: our simulated user from dialogues between people."""

from pathlib import Path
from typing import Annotated, Any

import typer

from crosstalk.cli.evaluate_user import refuse_other_world
from crosstalk.cli.options import CorpusOption, Seed, World
from crosstalk.cli.output import track


def train_user(
    data: CorpusOption,
    out: Annotated[
        Path, typer.Option("--out", help="The models folder; the model goes to OUT/user.")
    ],
    world: World = "crosswoz",
    seed: Seed = 1,
    folds: Annotated[
        int,
        typer.Option("--folds", max=20, help="Cross-validate too, in so many parts; 0: do not."),
    ] = 0,
) -> None:
    """Train the learned user: some ten seconds for 500 dialogues, a minute with five folds."""
    from crosstalk.database.worlds import load_schema
    from crosstalk.formats.corpus import corpus_file, read_corpus
    from crosstalk.model_folders import write_card
    from crosstalk.users.model import NAME, save_model
    from crosstalk.users.training import Growth
    from crosstalk.users.training import train_user as train

    if folds == 1 or folds < 0:
        raise typer.BadParameter("give 0, or 2 and more", param_hint="--folds")
    schema, language = load_schema(world)
    dialogues = list(track(read_corpus(data), doing="reading"))
    refuse_other_world(dialogues, schema, data, world)
    growth = Growth(seed=seed)
    model = train(dialogues, schema, language, growth)
    figures: dict[str, Any] = {}
    if folds:
        from crosstalk.evaluation.user_folds import cross_validate

        score = cross_validate(dialogues, schema, language, folds=folds, growth=growth)
        figures = {
            "protocol": f"single turn, {folds}-fold cross-validation by dialogue",
            "state_accuracy": score.states.percent,
            "act_f1": score.acts.f1,
        }
    save_model(model, out / NAME)
    write_card(
        out / NAME,
        what="simulated user: boosted trees over what is written down, said next, and how",
        command=f"crosstalk train user --data {data.name} --seed {seed}"
        + (f" --folds {folds}" if folds else ""),
        corpus=corpus_file(data),
        dialogues=len(dialogues),
        seed=seed,
        figures=figures,
    )
    print(out / NAME)
