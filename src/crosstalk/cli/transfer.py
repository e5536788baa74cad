"""`crosstalk transfer`: encoders and models carried from one language to another."""

from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.output import (
    TERMINAL,
    percent,
    print_json,
    print_models,
    print_result,
    print_table,
    warn,
)
from crosstalk.errors import InputError

app = typer.Typer(no_args_is_help=True)
Folder = Annotated[
    Path,
    typer.Option("--data", envvar="CROSSTALK_DATA", help="Folder that holds fetched corpora."),
]
Shots = Annotated[
    int,
    typer.Option("--shots", help="Percent of the target's dialogues: 0, 1, 5, 10, 50, 100."),
]
EncoderName = Annotated[
    str,
    typer.Option(
        "--encoder",
        help="Folder of a transformers encoder, its name where it lies on this machine, a folder "
        "that this command wrote, or nano.",
    ),
]
LearntFrom = Annotated[str, typer.Option("--source", help="Language to learn from.")]
Objective = Annotated[str, typer.Option("--objective", help="mlm | tlm | rs-x | rs-mono | tod")]
TextData = Annotated[
    Path,
    typer.Option(
        "--data",
        envvar="CROSSTALK_DATA",
        help="Folder of fetched corpora, of subtitles (OPUS) or of text files (en.txt, zh.txt), "
        "text file, instance file.",
    ),
]
Source = Annotated[str, typer.Option("--source", help="Language code.")]
Target = Annotated[str, typer.Option("--target", help="Language code.")]
Mix = Annotated[
    str,
    typer.Option(
        "--mix", help="mlm: mono (the target) | bi (source and target) | multi (all text files)."
    ),
]


@app.command("retrieve")
@options.with_compute
def retrieve(
    data: Folder,
    test: Annotated[
        Path,
        typer.Option("--test", help="Dialogues in the target language, in any format we know."),
    ],
    model: Annotated[str, typer.Option("--model", help="best, or published.")] = "best",
    source: LearntFrom = "en",
    target: Annotated[str, typer.Option("--target", help="Language that is evaluated.")] = "zh",
    shots: Shots = 0,
    encoder: EncoderName = "nano",
    seeds: Annotated[
        str,
        typer.Option("--seeds", help="Seeds of draws and candidate lists, separated by commas."),
    ] = "1,2,3",
    distinct: Annotated[
        bool, typer.Option("--distinct", help="Candidate lists without duplicate texts.")
    ] = False,
    protocol: options.Protocol = "corrected",
    steps: Annotated[int | None, options.steps(6)] = None,
    models: Annotated[
        Path | None, typer.Option("--models", help="Folder of trained models.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """R_100@k: how often the true response is among the k best of 100 candidates.

    Shots are whole dialogues of the target's development split, nested, drawn by seed; none: the
    target's dialogues are not looked at. Figures are means over the seeds.
    """
    from crosstalk.evaluation.retrieval_transfer import evaluate_retrieval, parse_seeds
    from crosstalk.training.compute import is_first_process
    from crosstalk.training.sentence_encoders import cache_folder
    from crosstalk.transfer.retrieval_task import RetrievalRequest

    kept, published = models or cache_folder() / "models", _is_published(protocol)
    order = RetrievalRequest(
        source, target, shots, data, kept, encoder, published, TERMINAL.training, warn, steps
    )
    found = evaluate_retrieval(
        order, test, model, seeds=parse_seeds(seeds), distinct=distinct, reporter=TERMINAL
    )
    if not is_first_process():  # under torchrun, only the first process tells
        return
    if as_json:
        print_json(found)
        return
    columns = [name for name in found if name.startswith("r100@")]
    rows = [
        [f"seed {seed}", *(percent(each[name]) for name in columns)]
        for seed, each in zip(found["seeds"], found["by_seed"], strict=True)
    ]
    rows.append(["mean", *(percent(found[name]) for name in columns)])
    print_table(f"{found['exchanges']:,} exchanges, {found['shots']} %", ["", *columns], rows)


@app.command("train-retriever")
def train_retriever(
    data: Folder,
    out: Annotated[
        Path | None,
        typer.Option("--out", readable=False, help="The models folder; default: the user's cache."),
    ] = None,
    source: LearntFrom = "en",
    steps: Annotated[int, options.steps(1)] = 1680,
    seed: options.Seed = 1,
    as_json: options.AsJson = False,
) -> None:
    """Train our retriever on dialogues of the source language and translated sentences."""
    from crosstalk.transfer.retriever_training import train_retriever as train

    folder = train(data, out, source=source, steps=steps, seed=seed, reporter=TERMINAL)
    print_models([folder], as_json)


@app.command("specialise")
@options.with_compute
def specialise(
    objective: Objective,
    data: TextData,
    out: options.ModelFolder,
    encoder: EncoderName = "nano",
    source: Source = "en",
    target: Target = "zh",
    mix: Mix = "mono",
    limit: options.Limit = None,
    steps: Annotated[int | None, options.steps(1)] = None,
    rate: Annotated[float | None, options.learning_rate(1e-9)] = None,
    patience: options.EarlyStopping = None,
    protocol: options.Protocol = "corrected",
    seed: options.Seed = 1,
    as_json: options.AsJson = False,
) -> None:
    """Continue training an encoder on text of two languages; the same command resumes.

    One objective may follow another: give the folder of the first as --encoder of the second.
    Under torchrun several processes share the work.
    """
    from crosstalk.transfer.specialisation.specialise_encoder import PaceOptions, specialise_into
    from crosstalk.transfer.specialisation.training_instances import InstanceRequest

    published = _is_published(protocol)
    order = InstanceRequest(objective, data, source, target, published, seed, limit, mix)
    pace = PaceOptions(steps, rate, patience)
    found = specialise_into(out, order, encoder, pace, TERMINAL)
    if found is None:  # under torchrun, only the first process tells
        return
    if as_json:
        print_json(found)
    else:
        score = found.get("weighted_f1", found.get("loss"))
        warn(f"{found['objective']}: {score:.4g} on what was held out")
        print(out)


@app.command("instances")
def instances(
    objective: Objective,
    data: TextData,
    out: Annotated[
        Path, typer.Option("--out", readable=False, help="The folder for the instance files.")
    ],
    source: Source = "en",
    target: Target = "zh",
    mix: Mix = "mono",
    limit: options.Limit = None,
    protocol: options.Protocol = "corrected",
    seed: options.Seed = 1,
    as_json: options.AsJson = False,
) -> None:
    """Write the training instances as files in the published format: train and test."""
    from crosstalk.transfer.specialisation.training_instances import (
        InstanceRequest,
        write_instance_files,
    )

    published = _is_published(protocol)
    order = InstanceRequest(objective, data, source, target, published, seed, limit, mix)
    files = [str(file) for file in write_instance_files(order, out)]
    print_result("\n".join(files), {"files": files}, as_json)


def _is_published(protocol: str) -> bool:
    if protocol not in ("paper", "corrected"):
        raise InputError(f"--protocol {protocol}: unknown", remedy="Give paper or corrected.")
    return protocol == "paper"


@app.command("dst")
@options.with_compute
def dst(
    target: Annotated[
        str,
        typer.Option(
            "--target",
            help="Target language: zh, de, it, a language of your own, or en (the source itself).",
        ),
    ],
    data: Folder,
    test: Annotated[Path, typer.Option("--test", help="File with the dialogues to evaluate on.")],
    model: Annotated[
        str, typer.Option("--model", help="best (shared value ids) | published (picklists)")
    ] = "best",
    source: Annotated[str, typer.Option("--source", help="Language to learn from: en.")] = "en",
    shots: Shots = 0,
    protocol: options.Protocol = "corrected",
    seeds: Annotated[int, typer.Option("--seeds", min=1, max=10, help="Number of seeds.")] = 3,
    encoder: Annotated[
        str,
        typer.Option(
            "--encoder", help="published: nano, or a transformers encoder by path or name."
        ),
    ] = "nano",
    steps: Annotated[int | None, options.steps(6)] = None,
    values: Annotated[
        str,
        typer.Option(
            "--values",
            help="published: strings of each language, or shared: one id in all languages.",
        ),
    ] = "strings",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", readable=False, help="Folder for trained models; default: the user's cache."
        ),
    ] = None,
    sentences: Annotated[
        bool, typer.Option("--sentences/--no-sentences", help="best: use the sentence encoder.")
    ] = True,
    tables: Annotated[
        bool,
        typer.Option(
            "--tables/--no-tables",
            help="best: use the hand-written words of the target and the translations of its "
            "values, or derive words from texts without a label.",
        ),
    ] = True,
    learn: Annotated[
        Path | None,
        typer.Option(
            "--learn",
            help="File with dialogues of the target and their states, from which --shots are "
            "drawn; default: those in the data folder.",
        ),
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(
            "--share",
            min=0.01,
            max=1,
            help="Share of English train that is learnt from, where it is drawn from; default: "
            "a tenth for best, all for published.",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Train a state tracker on English, apply it to another language, score a test file.

    Joint goal accuracy and slot accuracy, means over seeds. `--protocol paper` selects on the
    target's development set, as published, and keeps the slips of the published tracker;
    `corrected` selects on English dialogues alone and mends them.
    """
    from crosstalk.evaluation.state_transfer import StateTransfer, evaluate_states
    from crosstalk.training.compute import is_first_process

    asked = StateTransfer(
        target=target, data=data, test=test, model=model, source=source, shots=shots,
        protocol=protocol, seeds=seeds, encoder=encoder, steps=steps, values=values, out=out,
        sentences=sentences, tables=tables, learn=learn, share=share,
    )  # fmt: skip
    found = evaluate_states(asked, TERMINAL)
    if not is_first_process():  # under torchrun, only the first process tells
        return
    if as_json:
        print_json(found)
        return
    parts = {f"seed {each['seed']}": each for each in found["seeds"]} | {"mean": found}
    rows = [
        [name, percent(each["joint_goal_accuracy"]), percent(each["slot_accuracy"])]
        for name, each in parts.items()
    ]
    title = f"{found['task']}: {found['model']}, {found['shots']} % shots"
    print_table(title, ["", "joint goal accuracy", "slot accuracy"], rows)


@app.command("report")
def report(
    results: Annotated[
        list[Path],
        typer.Argument(help="What `transfer dst --json` and `transfer retrieve --json` printed."),
    ],
    figure: options.FigureFile = None,
    as_json: options.AsJson = False,
) -> None:
    """Models and languages by shots, beside what was published: tables 3 to 5 and figure 1."""
    from crosstalk.reports.plots import draw_transfer
    from crosstalk.reports.transfer_tables import published_for, read_results, tables

    ours = read_results(results)
    curves = [*ours, *published_for(ours)]
    if figure:
        draw_transfer(curves, figure)
        warn(f"figure written to {figure}")
    if as_json:
        print_json([each.record() for each in tables(curves)])
        return
    for each in tables(curves):
        print_table(each.title, list(each.header), [list(row) for row in each.rows])
