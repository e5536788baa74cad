"""New worlds: a copy of another one, a small commented scaffold, or a schema without tables."""

import re
import shutil
from pathlib import Path
from typing import Final

from crosstalk.dialogue.schema import Schema
from crosstalk.errors import InputError, WorldError
from crosstalk.files import read_text
from crosstalk.language.phrases import FILE
from crosstalk.language.world_files import PACK, languages_with, world_file
from crosstalk.language.writing import DATA, primary
from crosstalk.scaffolds import (
    make_folder,
    quotable_name,
    quoted,
    refuse_existing,
    write_templates,
)
from crosstalk.worlds.language_pack import read_language
from crosstalk.worlds.manifest import WORLD_FILE, read_manifest
from crosstalk.worlds.world import find_world

SCAFFOLD: Final = Path(__file__).parent / "new_world" / "files"
"""The files of a new world; `CODE` in their names and `@...@` in their texts are filled in."""
RIGHT_TO_LEFT: Final = frozenset({"ar", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"})
_CODE: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_NAME: Final = re.compile(r'^name\s*=\s*["\'].*?["\']', re.MULTILINE)
_TO_TRANSLATE: Final = ("cues", "understanding", "answers")
"""Tables of the package's English that a language unknown to it begins with."""


def copy_world(source: str | Path, folder: Path) -> None:
    """Copy a world to a folder that does not exist yet, and name it after the folder.

    The copy appears under its name when all of it is there.
    """
    origin = find_world(source)
    found = read_manifest(origin, [])
    if found is not None and found[0].fetched:
        refuse_existing(folder)
        raise WorldError(
            f"the tables of {source} are fetched and stand in no world folder",
            remedy="Start from a world that has its own, such as harbour.",
        )
    make_folder(folder, lambda copy: _copy(origin, copy, folder))


def new_world(folder: Path, *, language: str = "en") -> None:
    """Write the scaffold to a folder that does not exist yet; its texts are English.

    In a language whose everyday words the package does not know, `assistant/<code>.toml` begins
    with the English ones, to be translated.
    """
    if not _CODE.fullmatch(language):
        raise InputError(
            f"{language!r} is no code of a language",
            remedy="Write two or three small letters, as in en, de, pt-BR.",
        )
    words = {
        "NAME": quotable_name(folder),
        "CODE": language,
        "LANGUAGE": _language_name(language),
        "DIRECTION": "rtl" if primary(language) in RIGHT_TO_LEFT else "ltr",
        "PHRASES": "" if (DATA / primary(language) / FILE).exists() else _english_phrases(),
    }
    make_folder(folder, lambda copy: write_templates(SCAFFOLD, copy, words))


def write_schema_world(folder: Path, schema: Schema, *, language: str) -> None:
    """Write a world without tables to a folder that does not exist yet, named after the folder."""

    def fill(copy: Path) -> None:
        copy.mkdir()
        (copy / WORLD_FILE).write_text(_schema_text(folder, schema, language), "utf-8")
        spoken = f"code = {quoted(language)}\nname = {quoted(_language_name(language))}\n"
        file = copy / world_file(copy, PACK, language)
        file.parent.mkdir(parents=True)
        file.write_text(spoken, "utf-8")

    make_folder(folder, fill)


def _schema_text(folder: Path, schema: Schema, language: str) -> str:
    lines = [
        "# Domains, slots and values of a corpus; there are no tables.",
        f"name = {quoted(folder.resolve().name)}",
        "format = 2",
        f"base = {quoted(language)}",
        'tables = "none"',
    ]
    for domain in schema:
        lines += ["", "[[domains]]", f"key = {quoted(domain.key)}", f'kind = "{domain.kind}"']
        for slot in domain.slots:
            lines += ["", "[[domains.slots]]", f"key = {quoted(slot.key)}"]
            lines += [f'kind = "{slot.kind}"']
            lines += [f"{name} = true" for name in ("search", "request") if getattr(slot, name)]
            if slot.values:
                lines += [f"values = [{', '.join(map(quoted, slot.values))}]"]
    return "\n".join(lines) + "\n"


def _copy(origin: Path, copy: Path, folder: Path) -> None:
    shutil.copytree(origin, copy, copy_function=shutil.copyfile)
    manifest = copy / WORLD_FILE
    name = f'name = "{quotable_name(folder)}"'
    manifest.write_text(_NAME.sub(lambda _: name, manifest.read_text("utf-8"), count=1), "utf-8")


def _language_name(code: str) -> str:
    """The name that harbour has for a language; the code itself for all others."""
    harbour = find_world("harbour")
    if code not in languages_with(harbour, "pack"):
        return code
    spoken = read_language(harbour, code, [])
    return spoken.pack.name if spoken else code


def _english_phrases() -> str:
    """The tables of the package's English phrases that a new language needs words for."""
    text = read_text(DATA / "en" / FILE)
    tables = re.split(r"^(?=\[)", text, flags=re.MULTILINE)
    chosen = [each for each in tables if re.match(r"\[(\w+)\]", each)]
    wanted = [each for each in chosen if each[1 : each.index("]")] in _TO_TRANSLATE]
    return "# Translate what follows.\n\n" + "".join(wanted)
