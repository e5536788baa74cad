"""`crosstalk collect`: the website where people talk, and what it has collected."""

from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from crosstalk.cli import options, studies
from crosstalk.cli.output import announcer, print_result, warn
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.agents.build import AgentOptions
    from crosstalk.collection.study import Study
    from crosstalk.web.collect.agent_partners import AgentSeat
    from crosstalk.web.collect.corpus_export import Annotate
    from crosstalk.web.collect.settings import Settings
    from crosstalk.web.store.store import Store

app = typer.Typer(invoke_without_command=True, no_args_is_help=False)
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A setting (repeatable); `collect settings` lists them."
    ),
]
StudyFolder = Annotated[
    Path | None,
    typer.Option(
        "--study",
        metavar="DIR",
        help="The study to serve, as `collect new-study` writes it; a TOML file with [settings] "
        "alone sets only these.",
    ),
]
Training = Annotated[
    bool | None,
    typer.Option("--training/--no-training", help="Training exercises before real tasks."),
]


def _settings(chosen: list[str] | None, training: bool | None, study: Path | None) -> "Settings":
    """Where the settings of a site come from, but for its page."""
    import os

    from crosstalk.collection.study import STUDY_FILE
    from crosstalk.web.collect.settings import Settings, read_flags, read_settings

    flags = read_flags(chosen or [])
    if training is not None:
        flags["training"] = str(training).lower()
    file = study / STUDY_FILE if study and study.is_dir() else study
    return Settings(flags, os.environ, read_settings(file) if file else {})


def _study(path: Path | None) -> "Study | None":
    """The study of a folder or its file; None for a file with settings alone."""
    from crosstalk.collection.study import read_study
    from crosstalk.web.collect.settings import holds_settings_only

    return None if path is None or holds_settings_only(path) else read_study(path)


@app.callback()
@options.with_agent_options
def collect(
    context: typer.Context,
    *,
    asked: "AgentOptions",
    world: Annotated[
        str | None,
        typer.Option(
            "--world", help="World: a name or a folder; default: the study's, or harbour."
        ),
    ] = None,
    language: options.Language = None,
    goals: Annotated[
        str | None,
        typer.Option(
            "--goals",
            metavar="FILE|N",
            help="A goal file, or the number of goals to sample; default: 100.",
        ),
    ] = None,
    store: Annotated[
        str,
        typer.Option(
            "--store", metavar="PATH|URL", help="A file, sqlite:///FILE or postgresql://..."
        ),
    ] = "crosstalk.db",
    host: options.Host = "127.0.0.1",
    port: options.Port = 8000,
    address: options.PublicAddress = None,
    trusted_proxy: options.TrustedProxy = None,
    client_header: options.ClientHeader = "X-Forwarded-For",
    training: Training = None,
    chosen: SetOption = None,
    study: StudyFolder = None,
    machines: Annotated[
        bool, typer.Option("--machines/--no-machines", help="Offer machine partners.")
    ] = True,
    actions: Annotated[
        bool,
        typer.Option(
            "--actions", help="Wizards perform the world's actions, and goals ask for them."
        ),
    ] = False,
    admin_token: Annotated[
        str,
        typer.Option(
            "--admin-token",
            envvar="CROSSTALK_ADMIN_TOKEN",
            metavar="TOKEN",
            help="Opens /metrics, besides the token of the administrator's link.",
        ),
    ] = "",
    agent: options.Agent = "system",
    agent_seat: Annotated[
        Literal["wizard", "user"],
        typer.Option("--agent-seat", help="The role that --agent plays beside people."),
    ] = "wizard",
    timeout: options.Timeout = 60,
    seed: options.Seed = 0,
    data: options.Data = None,
    models: options.Models = None,
) -> None:
    """Serve the website for data collection: two people talk about a goal, as user and as wizard.

    Prints the address and a one-time link for the administrator; runs until it is stopped.
    """
    if context.invoked_subcommand:
        return
    from crosstalk.web.accounts import Accounts
    from crosstalk.web.app import collect_app, listening, serve
    from crosstalk.web.clients import trusted_proxies
    from crosstalk.web.collect.startup import build_parts, fill_pool, open_site, unmade_if_refused
    from crosstalk.worlds.world import load_world

    settings, served = _settings(chosen, training, study), _study(study)
    if served is not None:
        world, language = world or served.table.world, language or served.table.language
        goals, actions = goals or served.goals, actions or served.table.actions
    world = world or "harbour"
    loaded = load_world(world, language=language, data=data)
    clients = trusted_proxies(trusted_proxy or [], client_header)
    with listening(host, port, address, clients) as place:
        site = open_site(store, loaded, settings, actions=actions, study=served)
        try:
            with unmade_if_refused(site.store):
                fill_pool(site, goals, seed, world, data)
                asked = replace(asked, timeout=timeout, actions=actions)
                parts, missing = build_parts(
                    world,
                    loaded,
                    machines=machines,
                    data=data,
                    models=models,
                    agent=_agent_seat(agent, agent_seat, asked),
                    actions=actions,
                    checker=site.context.checker,
                )
            for problem in missing:
                warn(problem)
            link = Accounts(site.store).admin_link()
            lines = [f"Collecting dialogues at {place.base}/"]
            lines += [f"Participants: {served.link(place.base)}"] if served else []
            announce = announcer(*lines, f"Administrator, once: {place.base}/enter/{link}")
            website = collect_app(site, place.address, parts, admin_token, settings)
            serve(website, place, announce)
        finally:
            site.store.close()


def _agent_seat(agent: str, seat: str, asked: "AgentOptions") -> "AgentSeat | None":
    """Who of somebody else's sits in rooms; None: our own machines only."""
    if agent == "system":
        return None
    from crosstalk.collection.events import Role
    from crosstalk.web.collect.agent_partners import AgentSeat

    return AgentSeat(agent, Role(seat), asked)


@app.command("export")
def export(
    to: Annotated[
        Literal["crosswoz", "native", "chat", "csv", "run", "answers"],
        typer.Option(
            "--to",
            help="Format; csv is for spreadsheets, run a folder for report, view and compare, "
            "answers a table of what questionnaires were answered with.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", readable=False, metavar="FILE", help="File to write; for run, a new folder."
        ),
    ],
    store: options.Store = "crosstalk.db",
    review: Annotated[
        Literal["approved", "pending", "returned"] | None,
        typer.Option(
            "--review", help="Only dialogues with this verdict; default: all but returned."
        ),
    ] = None,
    acts: Annotated[
        bool, typer.Option("--acts/--no-acts", help="Derive dialogue acts from states.")
    ] = True,
    world: Annotated[
        str | None,
        typer.Option("--world", help="World folder, if the world is not one that ships."),
    ] = None,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Write finished dialogues to a file, with both states and derived acts.

    Works while the site is running.
    """
    from crosstalk.files import writing_packed
    from crosstalk.web.collect.corpus_export import count_finished, exported
    from crosstalk.web.store.store import Store, store_url

    with closing(Store(store_url(store), create=False, alone=False)) as opened:
        if to == "answers":
            studies.export_answers(opened, out, as_json)
            return
        annotate = _annotation(opened, world, data) if acts else None
        if to == "run":
            _export_run(opened, annotate, out, world, data, review)
        else:
            with writing_packed(out) as file:
                file.writelines(exported(opened, to, annotate, review=review))
        count = opened.read(partial(count_finished, review=review))
    if to == "crosswoz":
        warn("CrossWOZ's turns have no place for ticks: they stand in `crosstalk.turns`")
    facts = {"file": str(out), "dialogues": count, "format": to}
    print_result(f"{out}: {count:,} dialogues", facts, as_json)


def _export_run(
    store: "Store",
    annotate: "Annotate | None",
    out: Path,
    world: str | None,
    data: Path | None,
    review: str | None,
) -> None:
    from crosstalk.simulation.corpus_runs import corpus_run
    from crosstalk.web.collect.corpus_export import collected, stored_world
    from crosstalk.worlds.world import load_world

    known, language = store.read(stored_world)
    loaded = load_world(world or known, language=language, data=data)
    corpus_run(collected(store, annotate, review=review), world or known, loaded, out)


def _annotation(store: "Store", world: str | None, data: Path | None) -> "Annotate | None":
    """The function that derives acts; None, with a warning, if the world does not support it."""
    from crosstalk.web.collect.corpus_export import annotation, stored_world

    known, language = store.read(stored_world)
    try:
        return annotation(world or known, language, data)
    except InputError as problem:
        warn(f"no acts are derived: {problem.message}")
        return None


@app.command("backup")
def backup(
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            readable=False,
            metavar="FILE",
            help="File to write; a name that ends in .db gets a copy of the SQLite file.",
        ),
    ],
    store: options.Store = "crosstalk.db",
    as_json: options.AsJson = False,
) -> None:
    """Write a backup of the whole store to one file; the site may be running.

    The backup (JSON Lines) can be restored to SQLite or PostgreSQL. Nothing is written to the
    store, whatever its version; a damaged one is named and refused.
    """
    from crosstalk.web.store.backups import copy_sqlite, write_backup
    from crosstalk.web.store.store import is_shared, store_url

    url = store_url(store)
    if out.suffix in (".db", ".sqlite") and not is_shared(url):
        copy_sqlite(url, out)
        words, facts = f"{out}: a copy of the store", dict[str, Any](file=str(out))
    else:
        rows = write_backup(url, out)
        words, facts = f"{out}: {rows:,} rows", dict[str, Any](file=str(out), rows=rows)
    print_result(words, facts, as_json)


@app.command("restore")
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `backup` wrote.")],
    store: options.Store = "crosstalk.db",
    erased: Annotated[
        Path | None,
        typer.Option(
            "--erased",
            metavar="FILE",
            help="Who was erased since the backup; default: STORE.erased.jsonl, if it is there.",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Fill a new or empty store from a backup; every room is replayed as a check.

    People who were erased since then (`collect erase`) are erased again.
    """
    from crosstalk.web.store.backups import refuse_damaged_backup
    from crosstalk.web.store.backups import restore as restored
    from crosstalk.web.store.erasure import compact, known_erasures, lists_nearby
    from crosstalk.web.store.store import Store, store_url

    refuse_damaged_backup(file)  # before a store is made for it
    url = store_url(store)
    erasures = known_erasures(url, erased)
    opened = Store(url)
    try:
        count = restored(opened, file, erasures)
    except BaseException:  # also Ctrl-C: nothing is left behind, and the error goes on
        opened.take_back()
        raise
    opened.close()
    compact(url)
    place, people = (
        url.render_as_string(hide_password=True),
        len({each.worker for each in erasures}),
    )
    if not erasures and erased is None:
        nearby = ", ".join(map(str, lists_nearby(url, file))) or "none here"
        warn(
            "nobody was erased again, for this store has no list of erased people. If somebody was "
            "erased since the backup, restore it anew, with --erased FILE: the list beside the "
            f"store that they were erased from, STORE.erased.jsonl (found: {nearby})"
        )
    words = f"{place}: {count:,} rows restored"
    words += f"; erased again: {people}" if people else ""
    print_result(words, {"store": place, "rows": count, "erased_again": people}, as_json)


@app.command("settings")
def settings(
    store: options.Store = "crosstalk.db",
    training: Training = None,
    chosen: SetOption = None,
    study: StudyFolder = None,
    as_json: options.AsJson = False,
) -> None:
    """Show every setting: what holds, and which source says so; nothing is changed.

    Flags hold before the environment (CROSSTALK_GRACE and so on), the settings page, the study's
    file and the defaults.
    """
    from crosstalk.cli.output import print_json, print_table
    from crosstalk.web.collect.settings import KNOWN, stored_settings
    from crosstalk.web.store.still_reading import still
    from crosstalk.web.store.store import is_shared, sqlite_file, store_url

    url = store_url(store)
    stored: dict[str, object] = {}
    if is_shared(url) or sqlite_file(url).exists():
        with still(url) as connection:
            stored = stored_settings(connection)
    found = _settings(chosen, training, study).chosen(stored)
    if as_json:
        facts = {name: {"value": each.value, "source": each.source} for name, each in found.items()}
        print_json(facts)
        return
    rows = [
        [each.name, found[each.name].text, found[each.name].source, each.expected] for each in KNOWN
    ]
    print_table(store, ["setting", "holds", "comes from", "may be"], rows)


app.command("new-study")(studies.new_study)
app.command("pay")(studies.pay)
app.command("reset")(studies.reset)
app.command("erase")(studies.erase)
