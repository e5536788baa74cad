"""`crosstalk transfer dst`: dialogue states of another language, zero-shot and few-shot."""

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli import options
from crosstalk.cli.output import percent, print_json, print_table, warn
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.evaluation.transfer import StateScore
    from crosstalk.training.steps import Step
    from crosstalk.transfer.dst import Picking, Run
    from crosstalk.transfer.states.reading import Strange
    from crosstalk.transfer.states.turns import StateDialogue

Model = Annotated[
    str, typer.Option("--model", help="best (shared value ids) | published (picklists)")
]
Source = Annotated[str, typer.Option("--source", help="Language that is learnt from: en.")]
Target = Annotated[
    str, typer.Option("--target", help="zh, de, it; en to see the source itself; or one of yours.")
]
Shots = Annotated[
    int, typer.Option("--shots", help="Percent of the target's dialogues: 0, 1, 5, 10, 50, 100.")
]
Folder = Annotated[
    Path,
    typer.Option("--data", envvar="CROSSTALK_DATA", help="Folder that holds fetched corpora."),
]
Test = Annotated[Path, typer.Option("--test", help="File with the dialogues to be judged on.")]
Seeds = Annotated[int, typer.Option("--seeds", min=1, max=10, help="So many seeds.")]
Encoder = Annotated[
    str,
    typer.Option("--encoder", help="published: nano, or a transformers encoder by path or name."),
]
Values = Annotated[
    str,
    typer.Option(
        "--values", help="published: strings of each language, or shared: one id in all languages."
    ),
]
Steps = Annotated[int | None, typer.Option("--steps", min=6, help="published: steps of learning.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Folder for trained models; default: the user's cache."),
]
Sentences = Annotated[
    bool, typer.Option("--sentences/--no-sentences", help="best: use the sentence encoder.")
]
WordTable = Annotated[
    bool,
    typer.Option(
        "--word-table/--no-word-table",
        help="best: use the hand-written forms of the target's values and cues.",
    ),
]
TOLD = 5
"""So many unknown slots or values are named; the others are counted."""


def dst(
    target: Target,
    data: Folder,
    test: Test,
    model: Model = "best",
    source: Source = "en",
    shots: Shots = 0,
    protocol: options.Protocol = "corrected",
    seeds: Seeds = 3,
    encoder: Encoder = "nano",
    steps: Steps = None,
    values: Values = "strings",
    out: Out = None,
    sentences: Sentences = True,
    word_table: WordTable = True,
    as_json: options.AsJson = False,
) -> None:
    """Learn states in English, track them in another language, and score a test file.

    Joint goal accuracy and slot accuracy, means over seeds. `--protocol paper` selects on the
    target's development set, as published, and keeps the slips of the published tracker;
    `corrected` selects on English dialogues alone and mends them.
    """
    from crosstalk.language.state_words import words_of
    from crosstalk.transfer.dst import Picking, Run
    from crosstalk.transfer.embeddings import cache_folder
    from crosstalk.transfer.languages import SOURCE, refuse_unknown_language
    from crosstalk.transfer.sentences import is_installed
    from crosstalk.transfer.states.reading import Strange, read_states
    from crosstalk.transfer.states.sources import find_task

    if source != SOURCE:
        raise InputError(
            f"--source {source}: states are learnt from English", remedy="Give --source en."
        )
    if model not in ("best", "published"):
        raise InputError(f"there is no model called {model!r}", remedy="Give best or published.")
    refuse_unknown_language("--target", target)
    kept = out or cache_folder() / "transfer"
    if kept.exists() and not kept.is_dir():
        raise InputError(
            f"--out {kept}: is a file; a folder is expected", remedy="Name another with --out."
        )
    task = find_task(data, target, test)
    if model == "best":
        words_of(target)  # refused before anything is read
    picking = Picking(encoder, steps, _are_shared(values))
    run = Run(task, shots, protocol, tuple(range(1, seeds + 1)), sentences, word_table)
    strange = Strange()
    dialogues = read_states(test, target, task.slots, strange)
    scores = dict(
        _best(run, dialogues, kept)
        if model == "best"
        else _published(run, dialogues, kept, picking)
    )
    _warn_of_strangers(run, dialogues, strange)
    told = {"task": task.name_for(test), **_summary(run, model, dialogues, scores)}
    if model == "published":
        told |= {"encoder": Path(encoder).name, "values": values}
    else:
        told |= {"sentences": run.sentences and is_installed()}
        told |= {"hand_written_forms": words_of(target).forms if word_table else 0}
    _print(told, as_json)


def _best(
    run: "Run", dialogues: "list[StateDialogue]", kept: Path
) -> "Iterator[tuple[int, StateScore]]":
    from crosstalk.evaluation.transfer import score_states
    from crosstalk.transfer.dst import track_with_best

    for seed, guesses in track_with_best(run, dialogues, kept=kept, told=warn):
        yield seed, score_states(guesses, dialogues, run.ontology)


def _published(
    run: "Run", dialogues: "list[StateDialogue]", kept: Path, picking: "Picking"
) -> "Iterator[tuple[int, StateScore]]":
    from crosstalk.cli.output import words_of
    from crosstalk.evaluation.transfer import score_labels, score_states
    from crosstalk.transfer.dst_published import PublishedTracker

    def told(step: "Step") -> None:
        warn(f"step {step.step} of {step.total}: {words_of(step)}")

    for seed, guesses in PublishedTracker(run, picking, kept, told).track(dialogues):
        if picking.shared:
            yield seed, score_states(guesses, dialogues, run.ontology)
        else:
            yield seed, score_labels(guesses, dialogues, run.task.slots)


def _are_shared(values: str) -> bool:
    if values not in ("strings", "shared"):
        raise InputError(f"--values {values}: not known", remedy="Give strings or shared.")
    return values == "shared"


def _warn_of_strangers(run: "Run", dialogues: "list[StateDialogue]", strange: "Strange") -> None:
    from crosstalk.transfer.states.gold_labels import unknown_values

    if strange.silent:
        warn(f"{strange.silent} turns of users without a word")
    unknown = unknown_values(dialogues, run.ontology)
    for what, found in (("slots", strange.slots), ("values", unknown)):
        if found:
            named = ", ".join(name for name, _ in found.most_common(TOLD))
            more = f" and {len(found) - TOLD} more" if len(found) > TOLD else ""
            warn(f"{found.total()} times {what} that are not known: {named}{more}")


def _summary(
    run: "Run", model: str, dialogues: "list[StateDialogue]", scores: "dict[int, StateScore]"
) -> dict[str, Any]:
    by_seed = [
        {
            "seed": seed,
            "joint_goal_accuracy": round(score.joint.percent or 0.0, 2),
            "slot_accuracy": round(score.slots.percent or 0.0, 2),
        }
        for seed, score in scores.items()
    ]
    return {
        "model": model,
        "source": "en",
        "target": run.task.target,
        "shots": run.shots,
        "protocol": run.protocol,
        "learnt_from": run.digest,
        "dialogues": len(dialogues),
        "turns": sum(len(each.turns) for each in dialogues),
        "joint_goal_accuracy": round(fmean(each["joint_goal_accuracy"] for each in by_seed), 2),
        "slot_accuracy": round(fmean(each["slot_accuracy"] for each in by_seed), 2),
        "seeds": by_seed,
    }


def _print(summary: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(summary)
        return
    rows = [
        [
            f"seed {each['seed']}",
            percent(each["joint_goal_accuracy"]),
            percent(each["slot_accuracy"]),
        ]
        for each in summary["seeds"]
    ]
    rows.append(
        ["mean", percent(summary["joint_goal_accuracy"]), percent(summary["slot_accuracy"])]
    )
    print_table(
        f"{summary['task']}: {summary['model']}, {summary['shots']} % shots",
        ["", "joint goal accuracy", "slot accuracy"],
        rows,
    )
