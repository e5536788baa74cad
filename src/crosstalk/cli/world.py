"""`crosstalk world`: look at worlds, check them, start one, ask them something."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli import options, world_stats
from crosstalk.cli.output import print_json, print_result

if TYPE_CHECKING:
    from crosstalk.database.relaxing import Relaxation
    from crosstalk.database.tables import Row, World
    from crosstalk.dialogue.schema import Domain
    from crosstalk.problems import Problem

app = typer.Typer(no_args_is_help=True)
app.command("stats")(world_stats.stats)

Name = Annotated[
    str, typer.Argument(metavar="WORLD", help="A world that ships with Crosstalk, or a folder.")
]
DomainOption = Annotated[str | None, typer.Option("--domain", help="One domain, by its key.")]
All = Annotated[bool, typer.Option("--all", help="Print every problem, however many.")]

SHOWN = 30
"""Problems and rows printed for a person; `--all` or `--json` give all of them."""


@app.command("list")
def list_worlds(as_json: options.AsJson = False) -> None:
    """The worlds that ship with Crosstalk."""
    from crosstalk.database.worlds import built_in_worlds, find_world, languages_of

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
    every: All = False,
    as_json: options.AsJson = False,
) -> None:
    """Say exactly what is wrong with a world; exit code 1 when something is."""
    from crosstalk.database.check import check_world
    from crosstalk.database.worlds import find_world
    from crosstalk.system.nlg.template_check import check_templates

    problems = [*check_world(find_world(world), data=data), *check_templates(find_world(world))]
    if as_json:
        print_json({"world": world, "problems": [_problem(problem) for problem in problems]})
    else:
        _print_problems(world, problems, len(problems) if every else SHOWN)
    if problems:
        raise typer.Exit(1)


def _problem(problem: "Problem") -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(problem)


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
    source: Annotated[str, typer.Option("--from", help="The world to begin with.")] = "harbour",
    as_json: options.AsJson = False,
) -> None:
    """Start a world of your own as a copy of another."""
    from crosstalk.database.starting import copy_world

    copy_world(source, folder)
    words = f"{folder} is yours now. Change its tables, then run: crosstalk world check {folder}"
    print_result(words, {"folder": str(folder), "from": source}, as_json)


@app.command()
def show(
    world: Name,
    domain: DomainOption = None,
    language: options.Language = None,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Print a world's domains and slots, how many entities it has, and one of them."""
    from crosstalk.database.queries import Database
    from crosstalk.database.worlds import load_world

    loaded = load_world(world, language=language, data=data)
    domains = [Database(loaded).domain(domain)] if domain else list(loaded.schema)
    if as_json:
        print_json(_world_json(loaded, domains))
        return
    print(f"{loaded.name} in {loaded.language.name}")
    for each in domains:
        _print_domain(loaded, each)


def _world_json(world: "World", domains: "list[Domain]") -> dict[str, Any]:
    return {
        "name": world.name,
        "language": world.language.code,
        "domains": [
            {
                "key": domain.key,
                "name": world.language.domain_name(domain.key),
                "kind": domain.kind,
                "entities": _count(world, domain),
                "slots": [_slot_json(world, domain, key) for key in _slot_keys(domain)],
                "example": _example(world, domain),
            }
            for domain in domains
        ],
    }


def _slot_json(world: "World", domain: "Domain", key: str) -> dict[str, Any]:
    slot = domain.slot(key)
    assert slot is not None
    flags = {"search": slot.search, "constrain": slot.constrain, "request": slot.request}
    name = world.language.slot_name(domain.key, key)
    return {"key": key, "name": name, "kind": slot.kind, "target": slot.target, **flags}


def _slot_keys(domain: "Domain") -> list[str]:
    return [slot.key for slot in domain.slots]


def _count(world: "World", domain: "Domain") -> int | None:
    table = world.tables.get(domain.key)
    return len(table) if table else None


def _example(world: "World", domain: "Domain") -> "Row | None":
    table = world.tables.get(domain.key)
    return table.rows[0] if table else None


def _print_domain(world: "World", domain: "Domain") -> None:
    count = _count(world, domain)
    entities = "" if count is None else f", {count} {'row' if count == 1 else 'rows'}"
    print(f"\n{domain.key} ({world.language.domain_name(domain.key)}): {domain.kind}{entities}")
    example = _example(world, domain)
    rows = []
    for slot in domain.slots:
        uses = [use for use in ("search", "constrain", "request") if getattr(slot, use)]
        kind = f"{slot.kind} of {slot.target}" if slot.target else str(slot.kind)
        name = world.language.slot_name(domain.key, slot.key)
        said = _said(world, domain, slot.key, example) if example else ""
        rows.append([slot.key, name, kind, " ".join(uses), said])
    _print_columns(["slot", "called", "kind", "used to", "for example"], rows)


def _print_columns(header: list[str], rows: list[list[str]]) -> None:
    """Columns of text; where the window is narrow, names and examples are folded, keys never."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in header:
        table.add_column(name, no_wrap=name in ("slot", "kind"))
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def _said(world: "World", domain: "Domain", key: str, row: "Row", most: int = 3) -> str:
    from crosstalk.database.saying import answer

    if key not in row:
        return ""
    texts = answer(world.language, domain, row, key)
    more = f", ... ({len(texts)})" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


@app.command()
def search(
    world: Name,
    constraints: Annotated[
        list[str] | None, typer.Argument(metavar="[SLOT=VALUE]...", help="What is wanted.")
    ] = None,
    *,
    domain: Annotated[str, typer.Option("--domain", help="The domain to search, by its key.")],
    language: options.Language = None,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Ask a world for places or rides; where nothing matches, see what to give up.

    Give a slot twice to want several terms. Exit code 1 when nothing matches.
    """
    from crosstalk.database.queries import Database
    from crosstalk.database.relaxing import relax
    from crosstalk.database.worlds import load_world

    loaded = load_world(world, language=language, data=data)
    database = Database(loaded)
    asked = database.domain(domain)
    found = relax(database, domain, _constraints(constraints or []))
    matched = bool(found.rows) and not found.dropped
    if as_json:
        print_json({"matched": matched, **_relaxation_json(found)})
    else:
        _print_found(loaded, asked, found)
    if not matched:
        raise typer.Exit(1)


def _constraints(given: list[str]) -> dict[str, tuple[str, ...]]:
    from crosstalk.errors import InputError

    constraints: dict[str, tuple[str, ...]] = {}
    for each in given:
        slot, equals, value = each.partition("=")
        if not equals:
            raise InputError(f"{each!r} is no constraint", remedy="Write SLOT=VALUE.")
        constraints[slot] = (*constraints.get(slot, ()), value)
    return constraints


def _relaxation_json(found: "Relaxation") -> dict[str, Any]:
    dropped = [{"slot": slot, "value": value} for slot, value in found.dropped]
    return {"kept": dict(found.kept), "dropped": dropped, "rows": [dict(row) for row in found.rows]}


def _print_found(world: "World", domain: "Domain", found: "Relaxation") -> None:
    from crosstalk.database.saying import label

    if found.dropped:
        without = ", ".join(f"{slot}={', '.join(value)}" for slot, value in found.dropped)
        print(f"Nothing matches all of it. Without {without}:")
    elif not found.rows:
        print("Nothing matches.")
    wanted = found.kept.keys() if len(found.rows) > 2 else set(_slot_keys(domain))
    for row in found.rows[:SHOWN]:
        print(label(world, domain, row))
        for key in (key for key in row if key in wanted):
            name = world.language.slot_name(domain.key, key)
            print(f"  {name}: {_said(world, domain, key, row)}")
    if len(found.rows) > SHOWN:
        print(f"... and {len(found.rows) - SHOWN} more")
