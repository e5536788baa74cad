"""A new world as a copy of another."""

import json
import re
import shutil
import tempfile
from pathlib import Path

from crosstalk.errors import OutputError, WorldError
from crosstalk.files import cannot_write, making_folder, read_text
from crosstalk.worlds.manifest import WORLD_FILE
from crosstalk.worlds.world import find_world

_NAME = re.compile(r'^name\s*=\s*["\'].*?["\']', re.MULTILINE)


def copy_world(source: str | Path, folder: Path) -> None:
    """Copy a world to a folder that does not exist yet, and name it after the folder.

    The copy appears under its name when all of it is there.
    """
    origin = find_world(source)
    if folder.exists() or folder.is_symlink():
        raise OutputError(
            f"{folder} exists already; nothing was changed",
            remedy="Choose another folder, or remove this one first.",
        )
    if 'tables = "data"' in read_text(origin / WORLD_FILE):
        raise WorldError(
            f"the tables of {source} are fetched and stand in no world folder",
            remedy="Start from a world that has its own, such as harbour.",
        )
    try:
        with making_folder(folder.parent):
            _copy(origin, folder)
    except OSError as error:
        raise cannot_write(folder, error) from error


def _copy(origin: Path, folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as beside:
        copy = Path(beside) / folder.name
        shutil.copytree(origin, copy, copy_function=shutil.copyfile)
        manifest = copy / WORLD_FILE
        name = json.dumps(folder.resolve().name, ensure_ascii=False)  # TOML escapes as JSON does
        text = _NAME.sub(lambda _: f"name = {name}", manifest.read_text("utf-8"), count=1)
        manifest.write_text(text, "utf-8")
        copy.rename(folder)
