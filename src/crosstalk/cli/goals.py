"""`crosstalk goals`: sample goals, tell them in words, count them."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, print_table, track, warn
from crosstalk.dialogue.goals import Goal, GoalType
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.goals.counts import GoalCounts, TypeCount
    from crosstalk.goals.files import GoalRecord

app = typer.Typer(no_args_is_help=True)

Count = Annotated[int, typer.Option("-n", "--count", min=1, help="How many goals.")]
GoalFile = Annotated[Path, typer.Argument(metavar="FILE", help="A goal file (JSON Lines).")]
Only = Annotated[
    list[GoalType] | None,
    typer.Option(
        "--only", metavar="TYPE", help="Keep this type (S, M, M+T, CM, CM+T); repeatable."
    ),
]
Forbid = Annotated[
    list[GoalType] | None, typer.Option("--forbid", metavar="TYPE", help="Drop it; repeatable.")
]
MaxSubgoals = Annotated[
    int | None, typer.Option("--max-subgoals", min=1, help="Sub-goals in a goal at most.")
]
Odds = Annotated[
    list[str] | None,
    typer.Option(
        "--odds",
        metavar="NAME=VALUE",
        help="Change a probability of the world: ride=0.5, requests=30,70; repeatable.",
    ),
]
Satisfiable = Annotated[
    bool, typer.Option("--satisfiable", help="Only goals the database can meet as they stand.")
]
Out = Annotated[
    Path | None, typer.Option("--out", help="The goal file to write; default: standard output.")
]


@app.command()
def sample(
    world: options.World = "harbour",
    count: Count = 10,
    seed: options.Seed = 0,
    out: Out = None,
    language: options.Language = None,
    only: Only = None,
    forbid: Forbid = None,
    max_subgoals: MaxSubgoals = None,
    odds: Odds = None,
    satisfiable: Satisfiable = False,
    exclusions: options.Exclusions = 0.0,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Draw goals from a world: JSON Lines, one goal a line.

    Goal number i depends on the seed and i alone. With --out, --json prints their counts.
    """
    from crosstalk.database.worlds import load_world
    from crosstalk.goals.files import sample_records
    from crosstalk.goals.odds import changed_odds
    from crosstalk.goals.options import GoalOptions
    from crosstalk.goals.sampler import goal_sampler

    loaded = load_world(world, language=language, data=data)
    wishes = GoalOptions(
        only=frozenset(only or ()),
        forbid=frozenset(forbid or ()),
        max_subgoals=max_subgoals,
        odds=changed_odds(loaded.schema, _changes(odds or [])),
        satisfiable=satisfiable,
        exclusions=exclusions,
    )
    records = sample_records(goal_sampler(loaded, wishes), count, seed=seed)
    _deliver(track(records, doing="Sampling goals", total=count), out, as_json)


@app.command()
def describe(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A goal file; default: fresh goals.")
    ] = None,
    world: Annotated[
        str | None,
        typer.Option("--world", help="World name or folder; default: the file's, or harbour."),
    ] = None,
    language: options.Language = None,
    seed: options.Seed = 0,
    count: Count = 1,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Tell goals in words, one numbered paragraph a sub-goal.

    Goals of a file are told in the language they were drawn in, or carried over to --language.
    """
    if file is None:
        records = _fresh(world or "harbour", language, data, seed, count)
    else:
        records = _told_again(file, world, language, data)
    if as_json:
        print_json([_told(record) for record in records])
        return
    for number, record in enumerate(records):
        print("\n" * (number > 0) + f"{record.id} ({record.goal.type})")
        for at, paragraph in enumerate(record.goal.description, start=1):
            print(f"{at}. {paragraph}")


@app.command()
def stats(file: GoalFile, as_json: options.AsJson = False) -> None:
    """Count goals: the mix of types in percent, sub-goals and tuples of each type on average."""
    from crosstalk.goals.counts import count_goals
    from crosstalk.goals.files import read_goals

    counts = count_goals(record.goal for record in track(read_goals(file), doing="Counting"))
    if as_json:
        print_json(_plain(counts))
        return
    rows = [
        [kind, f"{each.goals:,}", f"{counts.share(kind):.1f}", *_averages(each)]
        for kind, each in counts.by_type.items()
    ]
    rows.append(["all", f"{counts.total.goals:,}", "100.0", *_averages(counts.total)])
    print_table(str(file), ["type", "goals", "%", "sub-goals", "tuples"], rows)


@app.command()
def export(
    file: GoalFile,
    out: Annotated[Path, typer.Option("--out", help="The JSON file to write.")],
    as_json: options.AsJson = False,
) -> None:
    """Write goals as the published CrossWOZ website imports them: goal id -> its sub-goals."""
    import json

    from crosstalk.files import writing
    from crosstalk.goals.files import read_goals
    from crosstalk.goals.website import to_website

    goals = {record.id: to_website(record.goal.tuples) for record in read_goals(file)}
    with writing(out) as text:
        json.dump(goals, text, ensure_ascii=False, indent=2)
    warn(f"{len(goals):,} goals written to {out}")
    if as_json:
        print_json({"file": str(out), "goals": len(goals)})


def _changes(odds: list[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in odds]
    for name, mark, _ in pairs:
        if not mark:
            raise InputError(f"--odds {name}: no value", remedy="Write --odds NAME=VALUE.")
    return {name: value for name, _, value in pairs}


def _deliver(records: Iterable["GoalRecord"], out: Path | None, as_json: bool) -> None:
    from crosstalk.files import writing
    from crosstalk.goals.counts import count_goals
    from crosstalk.goals.files import to_line

    if out is None:
        sys.stdout.writelines(map(to_line, records))
        return
    with writing(out) as file:
        counts = count_goals(_written(records, file))
    if as_json:
        print_json(_plain(counts))
    else:
        warn(f"{counts.total.goals:,} goals written to {out}")


def _written(records: Iterable["GoalRecord"], file: TextIO) -> Iterator[Goal]:
    """The goals, each once its line is written."""
    from crosstalk.goals.files import to_line

    for record in records:
        file.write(to_line(record))
        yield record.goal


def _fresh(
    world: str, language: str | None, data: Path | None, seed: int, count: int
) -> Iterator["GoalRecord"]:
    from crosstalk.database.worlds import load_world
    from crosstalk.goals.describe import Describer
    from crosstalk.goals.files import sample_records
    from crosstalk.goals.sampler import goal_sampler

    loaded = load_world(world, language=language, data=data)
    Describer(loaded)  # says what is missing before anything is drawn
    return sample_records(goal_sampler(loaded), count, seed=seed)


def _told_again(
    file: Path, world: str | None, language: str | None, data: Path | None
) -> Iterator["GoalRecord"]:
    """The goals of a file, each in the language wanted."""
    from crosstalk.database.worlds import load_world
    from crosstalk.goals.files import read_goals
    from crosstalk.goals.translate import retell

    return retell(
        read_goals(file),
        lambda name, code: load_world(world or name, language=code, data=data),
        language=language,
    )


def _told(record: "GoalRecord") -> dict[str, Any]:
    goal = record.goal
    return {"id": record.id, "type": goal.type, "description": list(goal.description)}


def _averages(count: "TypeCount") -> list[str]:
    return [f"{count.subgoals_per_goal:.2f}", f"{count.tuples_per_goal:.2f}"]


def _plain(counts: "GoalCounts") -> dict[str, Any]:
    kinds = counts.by_type
    return {
        "goals": counts.total.goals,
        "mix": {kind: round(counts.share(kind), 2) for kind in kinds},
        "subgoals": {kind: round(each.subgoals_per_goal, 3) for kind, each in kinds.items()},
        "tuples": {kind: round(each.tuples_per_goal, 3) for kind, each in kinds.items()},
    }
