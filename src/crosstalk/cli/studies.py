"""`crosstalk collect new-study | pay | reset | erase`: studies with participants of a platform."""

from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_result, warn

if TYPE_CHECKING:
    from crosstalk.web.store.store import Store


def new_study(
    folder: Annotated[Path, typer.Argument(help="The folder to make; it must not exist.")],
    platform: Annotated[
        str, typer.Option("--platform", help="prolific, sona, or link (any page with an id).")
    ] = "link",
    world: options.World = "harbour",
    language: Annotated[str, typer.Option("--language", help="The world's language.")] = "en",
    as_json: options.AsJson = False,
) -> None:
    """Write the folder of a study: texts, questionnaires, codes, quotas, pay and settings.

    The folder is all that another lab needs to repeat the study.
    """
    from crosstalk.collection.study_scaffold import new_study as write

    write(folder, platform=platform, world=world, language=language)
    words = f"{folder} is yours now. Change it, then run: crosstalk collect --study {folder}"
    print_result(words, {"folder": str(folder), "platform": platform}, as_json)


def pay(
    out: Annotated[
        Path,
        typer.Option("--out", readable=False, metavar="FILE", help="The payment file to write."),
    ],
    store: options.Store = "crosstalk.db",
    batch: Annotated[
        int | None,
        typer.Option("--batch", min=1, help="Write the file of an earlier batch again."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Write a file of all that is due to participants, in the layout of the study's platform.

    What stands in a file is due no more; nothing is paid by this command. The page Study says of a
    batch that it was sent, or that it failed and is due again. Works while the site is running.
    """
    import time

    from crosstalk.collection.pay import PROLIFIC_LINES, amount
    from crosstalk.errors import InputError
    from crosstalk.files import writing
    from crosstalk.web.collect.payments import Batch, draw_batch, stored_plan
    from crosstalk.web.store.store import Store, store_url
    from crosstalk.web.store.study_store import batch_file

    with closing(Store(store_url(store), create=False, alone=False)) as opened:
        plan = opened.read(stored_plan)
        with writing(out) as file:
            if batch is not None:
                body = opened.read(partial(batch_file, number=batch))
                if body is None:
                    raise InputError(
                        f"there is no batch {batch}", remedy="The page Study lists all batches."
                    )
                drawn = Batch(batch, body, len(body.splitlines()), 0)
            else:
                drawn = opened.write(partial(draw_batch, plan=plan, now=time.time())).result()
            file.write(drawn.body)
    if plan.platform.payment == "prolific" and drawn.lines > PROLIFIC_LINES:
        warn(f"Prolific takes {PROLIFIC_LINES} lines at a time; this file has {drawn.lines}")
    total = f"{amount(drawn.minor, plan.rates.decimals)} {plan.rates.currency}"
    words = f"{out}: nothing is due"
    if drawn.number:
        words = f"{out}: batch {drawn.number}, {drawn.lines} lines"
        words += f", {total}" if batch is None else ""
    facts = {"file": str(out), "batch": drawn.number or None, "lines": drawn.lines}
    print_result(words, {**facts, "minor": drawn.minor, "currency": plan.rates.currency}, as_json)


def erase(
    worker: Annotated[str, typer.Option("--worker", metavar="NAME", help="Whom to erase.")],
    store: options.Store = "crosstalk.db",
    level: Annotated[
        Literal["sever", "remove"],
        typer.Option(
            "--level",
            help="sever: name, ids, answers and notes go, dialogues stay under a number; remove: "
            "their dialogues go, too.",
        ),
    ] = "sever",
    erased: Annotated[
        Path | None,
        typer.Option(
            "--erased",
            readable=False,
            metavar="FILE",
            help="Where to list who was erased; default: STORE.erased.jsonl. On PostgreSQL there "
            "is no default.",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Erase a person from a store; stop the site first.

    A file keeps what was erased, as numbers, so that `collect restore` erases it again from an
    older backup. What was exported before is not changed: the removed dialogues are
    listed.
    """
    from crosstalk.web.store import erasure
    from crosstalk.web.store.store import is_shared, store_url

    url = store_url(store)
    done = erasure.erase(url, worker, erasure.Level(level), erased)
    if is_shared(url) and erased is None:
        warn(
            f"this stands in no list: keep that worker {done.worker} was erased ({level}), or name "
            "a file with --erased; a backup from before brings them back"
        )
    words = f"erased worker {done.worker} ({level})"
    if done.rooms:
        words += f"; removed dialogues: {', '.join(map(str, done.rooms))}"
    facts = {"worker": done.worker, "level": level, "rooms": list(done.rooms)}
    print_result(words, facts, as_json)


def reset(
    name: Annotated[str, typer.Argument(help="Whose password was forgotten.")],
    store: options.Store = "crosstalk.db",
    address: Annotated[
        str, typer.Option("--address", metavar="URL", help="Where people find the site.")
    ] = "http://127.0.0.1:8000",
    as_json: options.AsJson = False,
) -> None:
    """Make a link by which somebody chooses a new password: once, within a day.

    Works while the site is running; earlier links of the same person are void.
    """
    from crosstalk.web.accounts import Accounts
    from crosstalk.web.store.store import Store, store_url

    with closing(Store(store_url(store), create=False, alone=False)) as opened:
        token = Accounts(opened).reset_link(name)
    link = f"{address.rstrip('/')}/reset/{token}"
    print_result(f"{name} chooses a new password at {link}", {"name": name, "link": link}, as_json)


def export_answers(store: "Store", out: Path, as_json: bool) -> None:
    """Write the answers to all questionnaires."""
    from crosstalk.files import writing
    from crosstalk.web.collect.answers_export import answers_table

    text = answers_table(store)
    with writing(out) as file:
        file.write(text)
    rows = text.count("\n") - 1
    print_result(f"{out}: {rows:,} rows", {"file": str(out), "rows": rows}, as_json)
