"""`crosstalk goals`: sample goals, tell them in words, count them."""

import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, print_table, track, warn
from crosstalk.dialogue.goals import GoalType

if TYPE_CHECKING:
    from crosstalk.goals.goal_files import StoredGoal, TypeCount

app = typer.Typer(no_args_is_help=True)

GoalFile = Annotated[Path, typer.Argument(metavar="FILE", help="A goal file (JSON Lines).")]
Only = Annotated[
    list[GoalType] | None,
    typer.Option(
        "--only", metavar="TYPE", help="Keep this type (S, M, M+T, CM, CM+T); repeatable."
    ),
]
Forbid = Annotated[
    list[GoalType] | None,
    typer.Option("--forbid", metavar="TYPE", help="Drop this type; repeatable."),
]
MaxSubgoals = Annotated[
    int | None, typer.Option("--max-subgoals", min=1, help="Maximum number of sub-goals in a goal.")
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
    bool,
    typer.Option("--satisfiable", help="Only goals that the database can satisfy without changes."),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", readable=False, help="The goal file to write; default: standard output."),
]


@app.command()
def sample(
    world: options.World = "harbour",
    count: options.Count = 10,
    seed: options.Seed = 0,
    out: Out = None,
    language: options.Language = None,
    only: Only = None,
    forbid: Forbid = None,
    max_subgoals: MaxSubgoals = None,
    odds: Odds = None,
    satisfiable: Satisfiable = False,
    exclusions: options.Exclusions = 0.0,
    actions: Annotated[
        bool, typer.Option("--actions", help="Goals in which something is to be done, too.")
    ] = False,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Sample goals from a world: JSON Lines, one goal per line.

    Goal number i depends on the seed and i alone. With --out, --json prints their counts.
    """
    from crosstalk.goals.goal_files import sample_stored_goals, to_line, write_goals
    from crosstalk.goals.goal_options import GoalOptions, changed_odds, parse_odds
    from crosstalk.goals.sampler import goal_sampler
    from crosstalk.worlds.world import load_world

    loaded = load_world(world, language=language, data=data)
    wishes = GoalOptions(
        only=frozenset(only or ()),
        forbid=frozenset(forbid or ()),
        max_subgoals=max_subgoals,
        odds=changed_odds(loaded.schema, parse_odds(odds or [])),
        satisfiable=satisfiable,
        exclusions=exclusions,
        actions=actions,
    )
    records = sample_stored_goals(goal_sampler(loaded, wishes), count, seed=seed)
    drawn = track(records, doing="Sampling goals", total=count)
    if out is None:
        sys.stdout.writelines(map(to_line, drawn))
        return
    counts = write_goals(out, drawn)
    if as_json:
        print_json(counts.record())
    else:
        warn(f"{counts.total.goals:,} goals written to {out}")


@app.command(name="import")
def import_goals(
    file: options.Corpus,
    world: Annotated[
        str | None,
        typer.Option("--world", help="World name or folder; default: the corpus's own."),
    ] = None,
    language: options.Language = None,
    count: Annotated[
        int | None, typer.Option("-n", "--count", min=1, help="The first so many; default: all.")
    ] = None,
    actions: Annotated[
        bool, typer.Option("--actions/--no-actions", help="With what is to be booked.")
    ] = True,
    out: Out = None,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Take the goals of a corpus as goals of a world: MultiWOZ, or a corpus in the world's terms.

    First wishes, questions and bookings are kept; with --no-actions, what is to be found alone.
    """
    from crosstalk.evaluation.corpus_world import found
    from crosstalk.goals.goal_files import to_line, write_goals
    from crosstalk.goals.multiwoz_goals import import_goals as read

    records = read(found(file), world, language=language, data=data, actions=actions)
    drawn = track(islice(records, count), doing="Reading goals", total=count)
    if out is None:
        sys.stdout.writelines(map(to_line, drawn))
        return
    counts = write_goals(out, drawn)
    if as_json:
        print_json(counts.record())
    else:
        warn(f"{counts.total.goals:,} goals written to {out}")


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
    count: options.Count = 1,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Describe goals in words, one numbered paragraph per sub-goal.

    Goals of a file are described in the language they were drawn in, or translated to --language.
    """
    from crosstalk.goals.goal_translation import describe_file, describe_sampled
    from crosstalk.worlds.world import load_world

    if file is None:
        loaded = load_world(world or "harbour", language=language, data=data)
        records = describe_sampled(loaded, count, seed=seed)
    else:
        records = describe_file(file, world=world, language=language, data=data)
    if as_json:
        print_json([_described(record) for record in records])
        return
    for number, record in enumerate(records):
        print("\n" * (number > 0) + f"{record.id} ({record.goal.type})")
        for at, paragraph in enumerate(record.goal.description, start=1):
            print(f"{at}. {paragraph}")


def _described(record: "StoredGoal") -> dict[str, Any]:
    goal = record.goal
    return {"id": record.id, "type": goal.type, "description": list(goal.description)}


@app.command()
def stats(file: GoalFile, as_json: options.AsJson = False) -> None:
    """Count goals: the mix of types in percent, sub-goals and tuples of each type on average."""
    from crosstalk.goals.goal_files import count_goals, read_goals

    counts = count_goals(record.goal for record in track(read_goals(file), doing="Counting"))
    if as_json:
        print_json(counts.record())
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
    out: Annotated[Path, typer.Option("--out", readable=False, help="The JSON file to write.")],
    as_json: options.AsJson = False,
) -> None:
    """Write goals as the published CrossWOZ website imports them: goal id -> its sub-goals."""
    from crosstalk.goals.goal_files import read_goals
    from crosstalk.goals.website_export import write_website

    written = write_website(read_goals(file), out)
    warn(f"{written:,} goals written to {out}")
    if as_json:
        print_json({"file": str(out), "goals": written})


def _averages(count: "TypeCount") -> list[str]:
    return [f"{count.subgoals_per_goal:.2f}", f"{count.tuples_per_goal:.2f}"]
