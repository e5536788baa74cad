"""`crosstalk collect backup | restore`: everything a site has, in one file."""

from pathlib import Path
from typing import Annotated, Any

import typer

from crosstalk.cli.options import AsJson
from crosstalk.cli.output import print_result

StoreOption = Annotated[
    str, typer.Option("--store", metavar="PATH|URL", help="Where the site keeps everything.")
]
Out = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="FILE",
        help="File to write; .db at its end copies SQLite as it is.",
    ),
]
Backup = Annotated[Path, typer.Argument(metavar="FILE", help="What `backup` has written.")]


def backup(out: Out, store: StoreOption = "crosstalk.db", as_json: AsJson = False) -> None:
    """Write everything to one file, while the site goes on.

    JSON Lines that either kind of store can be restored from.
    """
    from crosstalk.web.store.backups import copy_sqlite, write_backup
    from crosstalk.web.store.connection import store_url
    from crosstalk.web.store.store import Store

    opened = Store(store_url(store), create=False, alone=False)
    try:
        if out.suffix in (".db", ".sqlite") and not opened.shared:
            copy_sqlite(opened, out)
            words, facts = f"{out}: a copy of the store", dict[str, Any](file=str(out))
        else:
            rows = write_backup(opened, out)
            words, facts = f"{out}: {rows:,} rows", dict[str, Any](file=str(out), rows=rows)
    finally:
        opened.close()
    print_result(words, facts, as_json)


def restore(file: Backup, store: StoreOption = "crosstalk.db", as_json: AsJson = False) -> None:
    """Fill a new or empty store from a backup; every room is replayed to check it."""
    from crosstalk.web.store.backups import is_sqlite
    from crosstalk.web.store.backups import restore as restored
    from crosstalk.web.store.connection import store_url
    from crosstalk.web.store.store import Store

    is_sqlite(file)  # whether it is there at all, before a store is made for it
    opened = Store(store_url(store))
    try:
        count = restored(opened, file)
    finally:
        opened.close()
    place = opened.url.render_as_string(hide_password=True)
    print_result(f"{place}: {count:,} rows restored", {"store": place, "rows": count}, as_json)
