"""`crosstalk evaluate`: the rows of the papers' tables, on any corpus split."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.options import (
    PART,
    AsJson,
    CorpusOption,
    CorpusWorld,
    Data,
    JudgedModel,
    Language,
    Models,
    Protocol,
    Seed,
    Tables,
    Templates,
    with_compute,
)
from crosstalk.cli.output import TERMINAL, percent, print_json, print_table

if TYPE_CHECKING:
    from crosstalk.evaluation.evaluator import Evaluated, Evaluator
    from crosstalk.evaluation.scores import Hits

app = typer.Typer(no_args_is_help=True)
EVERY_TURN = 1_000_000_000


@app.command("dst")
def evaluate_dst(
    data: CorpusOption,
    model: JudgedModel = "best",
    protocol: Protocol = "corrected",
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    tables: Tables = None,
    as_json: AsJson = False,
) -> None:
    """Joint accuracy over the 26 fields of the form (RuleDST's row in Table 8 of the paper).

    `paper` withholds the system's acts from the rules, as the published evaluation does;
    `corrected` shows them. Our tracker reads what the row of inputs says under either.
    """
    found = _evaluator(data, world, language, tables, models, protocol).dst(model)
    score = found.score
    rows = [
        ["overall", percent(score.overall.percent)],
        ["Select turns", percent(score.select.percent)],
        *([str(kind), percent(share.percent)] for kind, share in sorted(score.by_type.items())),
    ]
    title = f"State tracking, {found.part}, {protocol}"
    _print(found, as_json, title, ["", "joint accuracy %"], rows)


@app.command("nlg")
@with_compute
def evaluate_nlg(
    data: CorpusOption,
    side: Annotated[str, typer.Option("--side", help="usr | sys")],
    model: Annotated[
        str, typer.Option("--model", help=f"template-random (as published), {PART}.")
    ] = "best",
    templates: Templates = None,
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    tables: Tables = None,
    protocol: Protocol = "corrected",
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """BLEU-4 with grouped references, as the CrossWOZ paper measures generation.

    Every turn of one side is said anew from its acts, and compared with all turns of the corpus
    that do the same. `template-random` is the published generator, quirks included; `sclstm` is
    the published network, which in the protocol `paper` is not told of services; `best` says the
    most central template of each group, every value once.
    """
    evaluator = _evaluator(data, world, language, tables, models, protocol)
    found = evaluator.nlg(side, model, templates=templates, seed=seed)
    figures = {} if as_json else found.score.figures()
    rows = [[name, str(value)] for name, value in figures.items()]
    _print(found, as_json, f"Generation, {found.part}, {side}", ["", ""], rows)


@app.command("policy")
def evaluate_policy(
    data: CorpusOption,
    model: JudgedModel = "best",
    protocol: Protocol = "corrected",
    lingering: Annotated[
        bool | None,
        typer.Option(
            "--lingering-bounds/--fresh-bounds",
            help="sl: whether bounds of earlier queries linger; default: in the protocol paper.",
            show_default=False,
        ),
    ] = None,
    mended: Annotated[
        bool,
        typer.Option("--mended-lexicaliser", help="sl: our lexicaliser, not the published one."),
    ] = False,
    world: CorpusWorld = None,
    language: Language = None,
    tables: Tables = None,
    models: Models = None,
    as_json: AsJson = False,
) -> None:
    """Micro F1 of a policy's acts, with values (exact) and without them (delexicalised).

    For sl, `paper` says that the dialogue has ended from the third user turn on and lets bounds of
    earlier queries linger, as the published code does; `corrected` does neither. Other policies
    answer the same under both.
    """
    evaluator = _evaluator(data, world, language, tables, models, protocol)
    found = evaluator.policy(model, lingering=lingering, mended=mended)
    parts = {"overall": found.score.overall, "Select turns": found.score.select}
    parts |= {str(kind): score for kind, score in sorted(found.score.by_type.items())}
    rows = [
        [name, f"{score.turns:,}", percent(score.exact.f1), percent(score.delexicalised.f1)]
        for name, score in parts.items()
    ]
    header = ["", "turns", "exact F1 %", "delexicalised F1 %"]
    _print(found, as_json, f"Policy, {found.part}, {protocol}", header, rows)


@app.command("user")
def evaluate_user(
    data: CorpusOption,
    model: JudgedModel = "best",
    protocol: Protocol = "corrected",
    seeds: Annotated[
        int, typer.Option("--seeds", min=1, help="Number of passes with different seeds (rule).")
    ] = 5,
    seed: Seed = 1,
    any_order: Annotated[
        bool, typer.Option("--any-order", help="Ignore the order of lists (published: it counts).")
    ] = False,
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    as_json: AsJson = False,
) -> None:
    """Joint state accuracy and act F1 (the Simulator rows of the paper's Table 8).

    `paper` judges the rules as published, with goals that stay relaxed once they are; `corrected`
    judges the mended rules on the goals as given. Our learned user draws nothing at random and is
    judged once.
    """
    evaluator = _evaluator(data, world, language, None, models, protocol)
    found = evaluator.user(model, seeds=seeds, seed=seed, any_order=any_order)
    parts = {"overall": found.record, **found.record["by_type"]}
    rows = [
        [name, percent(each["state_accuracy"]), percent(each["act_f1"])]
        for name, each in parts.items()
    ]
    title = f"Simulated user, {found.part}, {protocol}"
    _print(found, as_json, title, ["", "state accuracy %", "act F1 %"], rows)


@app.command("nlu")
@with_compute
def evaluate_nlu(
    data: CorpusOption,
    model: JudgedModel = "best",
    values: Annotated[
        str | None,
        typer.Option(
            "--values",
            help="raw: as they stand in corpus and text; wordpiece: as wordpieces joined, which is "
            "the published way and the default of the bert models.",
        ),
    ] = None,
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    tables: Tables = None,
    as_json: AsJson = False,
) -> None:
    """Micro F1 over exact acts of both sides (the NLU rows of Tables 8 and 9 of the paper).

    Gold values are taken as they stand in the corpus; with --values wordpiece, those that the
    text holds are spelled as the model's wordpieces are.
    """
    found = _evaluator(data, world, language, tables, models).nlu(model, values=values)
    score = found.score
    parts: list[tuple[str, Hits]] = [("overall", score.overall)]
    for several in (score.by_side, score.by_intent, score.by_type):
        parts += sorted((str(key), counts) for key, counts in several.items())
    header = ["", "F1 %", "precision", "recall"]
    _print(found, as_json, f"Understanding, {found.part}", header, hits_rows(parts))


@app.command("tracking")
@with_compute
def evaluate_tracking(
    data: CorpusOption,
    model: JudgedModel = "best",
    nlu: Annotated[
        str, typer.Option("--nlu", help=f"For trackers that read acts: {PART}; best: trees.")
    ] = "best",
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    tables: Tables = None,
    as_json: AsJson = False,
) -> None:
    """Joint accuracy against the wizard's first form (TRADE's row in Table 8 of the paper).

    No act and no form of the corpus is shown to the tracker.
    """
    found = _evaluator(data, world, language, tables, models).tracking(model, nlu=nlu)
    score = found.score
    rows = [
        ["overall", percent(score.joint.percent)],
        ["Select turns", percent(score.select.percent)],
        *([str(kind), percent(each.percent)] for kind, each in sorted(score.by_type.items())),
        ["F1 of filled fields", percent(score.slots.f1)],
    ]
    title = f"State tracking from words, {found.part}"
    _print(found, as_json, title, ["", "joint accuracy %"], rows)


@app.command("multiwoz")
def evaluate_multiwoz(
    data: Annotated[Path, typer.Option("--data", help="A file of MultiWOZ 2.1.")],
    responses: Annotated[
        str,
        typer.Option(
            "--responses",
            help="gold (what people said), a run folder with the same dialogues, or a JSON file "
            "of predictions: dialogue id -> turns with response, state and active_domains.",
        ),
    ],
    domains: Annotated[
        str,
        typer.Option(
            "--domains",
            help="Where the domain of a turn comes from if it is not predicted: states | acts "
            "(those of the human dialogue).",
        ),
    ] = "states",
    partial: Annotated[
        bool,
        typer.Option("--partial", help="Score the dialogues that have responses, however few."),
    ] = False,
    tables: Tables = None,
    as_json: AsJson = False,
) -> None:
    """Inform, Success, BLEU, their sum and joint goal accuracy, as MultiWOZ papers report them.

    The figures of the public evaluation (Nekvinda and Dusek 2021), to the digit. Oracles of the
    protocol and the number of dialogues stand beside them.
    """
    from crosstalk.evaluation.multiwoz.standard_evaluation import MultiwozTask, evaluate_responses

    found = evaluate_responses(MultiwozTask(data, responses, tables, domains, partial))
    if as_json:
        print_json(found)
        return
    figures = ("inform", "success", "bleu", "combined", "joint_goal_accuracy", "dialogues")
    rows = [[name, str(found[name])] for name in figures]
    if found["booking_success"]:
        booked = found["booking_success"]
        share = f"{booked['percent']} ({booked['right']} of {booked['total']})"
        rows.append(["bookings as wished", share])
    print_table(f"MultiWOZ, {responses}", ["", ""], [*rows, ["uses", "; ".join(found["oracles"])]])


@app.command("speech")
def evaluate_speech(
    run: Annotated[Path, typer.Argument(help="A folder that `crosstalk simulate` has written.")],
    max_turns: Annotated[
        int | None,
        typer.Option("--max-turns", min=1, help="Number of turns to score; default: all."),
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Slot error rate of both sides, and whether what the system claims is in the database.

    Exit code 1 when the system claimed something that no table says.
    """
    from crosstalk.evaluation.claims import score_run_speech

    score = score_run_speech(run, max_turns or EVERY_TURN, data=data)
    if as_json:
        print_json(score.figures())
    else:
        rows = [[name, str(value)] for name, value in score.figures().items()]
        print_table(f"Speech, {run}", ["", ""], rows)
    if score.claims.false:
        raise typer.Exit(1)


def _evaluator(
    data: Path,
    world: str | None,
    language: str | None,
    tables: Path | None,
    models: Path | None,
    protocol: str = "corrected",
) -> "Evaluator":
    from crosstalk.evaluation.evaluator import Evaluator

    return Evaluator(data, world, language, tables, models, protocol, TERMINAL)


def _print(
    found: "Evaluated[Any]", as_json: bool, title: str, header: list[str], rows: list[list[str]]
) -> None:
    if as_json:
        print_json(found.record)
    else:
        print_table(title, header, rows)


def hits_rows(parts: "list[tuple[str, Hits]]") -> list[list[str]]:
    """F1, precision and recall of named counts."""
    return [
        [name, percent(each.f1), percent(each.precision), percent(each.recall)]
        for name, each in parts
    ]
