"""`crosstalk world`: look at worlds, check them, start one, ask them something."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.data import refuse_both, show_tables
from crosstalk.cli.output import print_json, print_result
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.dialogue.schema import Domain
    from crosstalk.problems import Problem
    from crosstalk.worlds.queries import Relaxation
    from crosstalk.worlds.tables import World

app = typer.Typer(no_args_is_help=True)

Name = Annotated[
    str, typer.Argument(metavar="WORLD", help="A world that ships with Crosstalk, or a folder.")
]
SHOWN = 30
"""Problems and rows printed for a person; `--all` or `--json` give all of them."""


@app.command()
def stats(
    world: Annotated[str, typer.Argument(help="harbour, crosswoz, or a world folder.")] = "harbour",
    language: options.Language = None,
    data: options.Data = None,
    as_json: options.AsJson = False,
    as_markdown: options.AsMarkdown = False,
) -> None:
    """Count a world's entities, slots and nearby relations: Table 3 of the CrossWOZ paper."""
    from crosstalk.statistics.count_tables import world_summary, world_table
    from crosstalk.statistics.world_counts import count_world
    from crosstalk.worlds.world import load_world

    refuse_both(as_json, as_markdown)
    loaded = load_world(world, language=language, data=data)
    places = count_world(loaded)
    if as_json:
        print_json({"world": loaded.name, "domains": world_summary(places)})
    else:
        show_tables([world_table(places, loaded.language.domain_name)], as_markdown)


@app.command("list")
def list_worlds(as_json: options.AsJson = False) -> None:
    """List the worlds that ship with Crosstalk."""
    from crosstalk.worlds.world import built_in_worlds, find_world, languages_of

    languages = {name: languages_of(find_world(name)) for name in built_in_worlds()}
    if as_json:
        print_json([{"name": name, "languages": codes} for name, codes in languages.items()])
        return
    for name, codes in languages.items():
        print(f"{name} ({', '.join(codes)})")


@app.command()
def check(
    world: Name,
    data: options.Data = None,
    every: Annotated[
        bool, typer.Option("--all", help="Print every problem, however many.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Check the files of a world and print every problem; exit code 1 when there is one."""
    from dataclasses import asdict

    from crosstalk.library import check_world

    problems = check_world(world, data=data)
    if as_json:
        print_json({"world": world, "problems": [asdict(problem) for problem in problems]})
    else:
        _print_problems(world, problems, len(problems) if every else SHOWN)
    if problems:
        raise typer.Exit(1)


def _print_problems(world: str, problems: "list[Problem]", shown: int) -> None:
    for problem in problems[:shown]:
        print(problem)
    if len(problems) > shown:
        print(f"... and {len(problems) - shown} more (--all prints them)")
    fatal = sum(problem.fatal for problem in problems)
    if not problems:
        print(f"{world}: nothing is wrong.")
    else:
        what = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        loads = f"{fatal} to mend before it loads" if fatal else "it loads all the same"
        print(f"\n{world}: {what}; {loads}.")


@app.command()
def new(
    folder: Annotated[Path, typer.Argument(help="The folder to make; it must not exist.")],
    source: Annotated[
        str | None, typer.Option("--from", help="The world to copy; harbour by default.")
    ] = None,
    empty: Annotated[
        bool, typer.Option("--empty", help="Write a small commented scaffold instead of a copy.")
    ] = False,
    language: Annotated[
        str | None, typer.Option("--language", help="With --empty: the language; en by default.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Start a world of your own: a copy of another one or, with --empty, a scaffold.

    The scaffold has two domains of places and one of rides with four rows each, and one file of
    every kind, which says in its first lines what it is for.
    """
    from crosstalk.worlds.scaffold import copy_world, new_world

    _refuse_other_starts(source, empty, language)
    record: dict[str, str] = {"folder": str(folder)}
    if empty:
        new_world(folder, language=language or "en")
        record["language"] = language or "en"
    else:
        copy_world(source or "harbour", folder)
        record["from"] = source or "harbour"
    words = f"{folder} is yours now. Change its tables, then run: crosstalk world check {folder}"
    print_result(words, record, as_json)


def _refuse_other_starts(source: str | None, empty: bool, language: str | None) -> None:
    if empty and source is not None:
        raise InputError(
            f"--empty copies nothing, and --from {source} was given",
            remedy="Give one of the two.",
        )
    if language is not None and not empty:
        raise InputError(
            "--language is for --empty: a copy has the languages of its source",
            remedy="Add --empty, or leave --language out.",
        )


@app.command()
def show(
    world: Name,
    domain: Annotated[str | None, typer.Option("--domain", help="One domain, by its key.")] = None,
    language: options.Language = None,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Print a world's domains and slots, how many entities it has, and one of them."""
    from crosstalk.worlds.display import world_record
    from crosstalk.worlds.queries import Database
    from crosstalk.worlds.world import load_world

    loaded = load_world(world, language=language, data=data)
    domains = [Database(loaded).domain(domain)] if domain else list(loaded.schema)
    if as_json:
        print_json(world_record(loaded, domains))
        return
    print(f"{loaded.name} in {loaded.language.name}")
    for each in domains:
        _print_domain(loaded, each)


def _print_domain(world: "World", domain: "Domain") -> None:
    """Its slots; where the window is narrow, names and examples are folded, keys never."""
    from rich.console import Console
    from rich.table import Table

    from crosstalk.worlds.display import count_rows, slot_table

    count = count_rows(world, domain)
    entities = "" if count is None else f", {count} {'row' if count == 1 else 'rows'}"
    print(f"\n{domain.key} ({world.language.domain_name(domain.key)}): {domain.kind}{entities}")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("slot", "called", "kind", "used to", "for example"):
        table.add_column(name, no_wrap=name in ("slot", "kind"))
    for row in slot_table(world, domain):
        table.add_row(*row)
    Console().print(table)


@app.command()
def search(
    world: Name,
    constraints: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SLOT=VALUE]...", help="Constraints of the search."),
    ] = None,
    *,
    domain: Annotated[str, typer.Option("--domain", help="The domain to search, by its key.")],
    language: options.Language = None,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Search a world for places or rides; if nothing matches, show which constraints to drop.

    Give a slot twice to want several terms. Exit code 1 when nothing matches.
    """
    from crosstalk.worlds.queries import Database, parse_constraints, relax
    from crosstalk.worlds.world import load_world

    loaded = load_world(world, language=language, data=data)
    database = Database(loaded)
    asked = database.domain(domain)
    found = relax(database, domain, parse_constraints(constraints or []))
    if as_json:
        print_json(found.record())
    else:
        _print_found(loaded, asked, found)
    if not found.matched:
        raise typer.Exit(1)


def _print_found(world: "World", domain: "Domain", found: "Relaxation") -> None:
    from crosstalk.worlds.display import cell_text, label

    if found.dropped:
        without = ", ".join(f"{slot}={', '.join(value)}" for slot, value in found.dropped)
        print(f"Nothing matches all of it. Without {without}:")
    elif not found.rows:
        print("Nothing matches.")
    every = {slot.key for slot in domain.slots}
    wanted = found.kept.keys() if len(found.rows) > 2 else every
    for row in found.rows[:SHOWN]:
        print(label(world, domain, row))
        for key in (key for key in row if key in wanted):
            name = world.language.slot_name(domain.key, key)
            print(f"  {name}: {cell_text(world, domain, key, row)}")
    if len(found.rows) > SHOWN:
        print(f"... and {len(found.rows) - SHOWN} more")
