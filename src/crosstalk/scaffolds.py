"""New folders from templates: `crosstalk world new --empty` and `crosstalk collect new-study`."""

import json
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from crosstalk.errors import OutputError
from crosstalk.files import cannot_write, making_folder


def make_folder(folder: Path, fill: Callable[[Path], None]) -> None:
    """Let a folder appear under its name when `fill` has written all of it; it must not exist."""
    refuse_existing(folder)
    try:
        with (
            making_folder(folder.parent),
            tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as beside,
        ):
            fill(Path(beside) / folder.name)
            (Path(beside) / folder.name).rename(folder)
    except OSError as error:
        raise cannot_write(folder, error) from error


def refuse_existing(folder: Path) -> None:
    if folder.exists() or folder.is_symlink():
        raise OutputError(
            f"{folder} exists already; nothing was changed",
            remedy="Choose another folder, or remove this one first.",
        )


def write_templates(source: Path, folder: Path, words: Mapping[str, str]) -> None:
    """Copy templates: `@WORD@` in their texts and WORD in their names are filled in."""
    for file in sorted(path for path in source.rglob("*") if path.is_file()):
        name, text = file.relative_to(source).as_posix(), file.read_text("utf-8")
        for word, meaning in words.items():
            text = text.replace(f"@{word}@", meaning)
            name = name.replace(word, meaning)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.rstrip("\n") + "\n", "utf-8")


def quoted(text: str) -> str:
    """A text between quotes; TOML escapes as JSON does, and DEL besides."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_key(key: str) -> str:
    """A key as TOML writes it: between quotes unless it is a plain word."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else quoted(key)


def quotable_name(folder: Path) -> str:
    """The name of a folder as it stands between quotes."""
    return quoted(folder.resolve().name)[1:-1]
