"""Reading a world folder: `load_world("harbour", language="de")`.

`docs/worlds.md` describes every file of the folder.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from crosstalk.dialogue.actions import ChangingTable
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Domain, Schema, Slot, SlotKind
from crosstalk.errors import WorldError
from crosstalk.files import read_text
from crosstalk.language.world_files import PACK, languages_with, policy_file
from crosstalk.problems import Problem, refuse
from crosstalk.worlds.action_words_check import check_goal_sentences
from crosstalk.worlds.cells import NO, YES
from crosstalk.worlds.language_pack import read_language
from crosstalk.worlds.manifest import WORLD_FILE, WorldFile, read_manifest
from crosstalk.worlds.table_files import changing_rows, read_tables
from crosstalk.worlds.tables import Cell, Row, Table, World, with_composed_name
from crosstalk.worlds.vocabulary import with_vocabulary

_BUILT_IN = Path(__file__).parent


def built_in_worlds() -> list[str]:
    """The worlds that ship with the package."""
    return sorted(file.parent.name for file in _BUILT_IN.glob(f"*/{WORLD_FILE}"))


def find_world(name_or_path: str | Path) -> Path:
    """The folder of a world; a bare name is one of ours, `./name` always a folder."""
    if isinstance(name_or_path, str) and name_or_path in built_in_worlds():
        return _BUILT_IN / name_or_path
    folder = Path(name_or_path)
    if (folder / WORLD_FILE).exists():
        return folder
    there = "is a file, not the folder of a world"
    if not folder.is_file():
        there = "is neither a world of ours nor a folder"
    if folder.is_dir():
        there = f"has no {WORLD_FILE}"
    raise WorldError(
        f"{str(name_or_path)!r} {there}",
        remedy=f"Worlds that ship with Crosstalk: {', '.join(built_in_worlds())}. "
        "`crosstalk world new DIR --empty` starts your own. A corpus of another world has no "
        "tables: it is counted (`data`), trained on and judged with --data FILE.",
    )


@dataclass(frozen=True, slots=True)
class Outline:
    """A world without its tables and texts."""

    name: str
    schema: Schema
    base: str
    """The language the world is written in, which serves where none is named."""
    languages: tuple[str, ...]
    tableless: bool = False
    """It has no tables that could be read."""


def load_outline(name_or_path: str | Path) -> Outline:
    """The name of a world, its domains and slots, and its languages, without reading tables."""
    folder, manifest = _manifest(name_or_path)
    codes = tuple(languages_of(folder))
    return Outline(manifest.name, manifest.value(), manifest.base, codes, manifest.tableless)


def load_schema(
    name_or_path: str | Path, *, language: str | None = None
) -> tuple[Schema, LanguagePack]:
    """A world without its tables: its domains and slots, and how a language writes them."""
    folder, manifest = _manifest(name_or_path)
    code = language or manifest.base
    _refuse_unknown_language(folder, manifest.name, code)
    problems: list[Problem] = []
    spoken = read_language(folder, code, problems)
    refuse(str(name_or_path), problems)
    assert spoken is not None  # a missing language is always a fatal problem
    return manifest.value(), spoken.pack


def load_world(
    name_or_path: str | Path, *, language: str | None = None, data: Path | None = None
) -> World:
    """A world in one of its languages, by default its base language.

    `data` is the folder of fetched corpora, by default `CROSSTALK_DATA`; only worlds whose tables
    are fetched need it. Raises WorldError in the words of `crosstalk world check`.
    """
    folder, manifest = _manifest(name_or_path)
    code = language or manifest.base
    _refuse_unknown_language(folder, manifest.name, code)
    problems: list[Problem] = []
    spoken = read_language(folder, code, problems)
    root = tables_folder(folder, manifest, data)
    tables = read_tables(root, manifest, problems)
    refuse(str(name_or_path), problems)
    assert spoken is not None  # a missing language is always a fatal problem
    spoken = with_vocabulary(spoken, root, [file.table for file in tables], problems)
    by_domain = {file.table.domain.key: file.table for file in tables}
    if manifest.tableless:
        by_domain = {place.key: Table(place, ()) for place in manifest.value().places}
    changing = changing_rows(folder, manifest, problems)
    problems.extend(check_goal_sentences(spoken, manifest.value()))
    refuse(str(name_or_path), problems)
    world = World(
        manifest.name,
        manifest.value(),
        spoken.pack,
        by_domain,
        folder,
        manifest.best,
        {file.table.domain.key: file.table for file in changing},
        read_policy(folder, code),
        manifest.tableless,
    )
    week = _week(folder, manifest.base)
    return localised(world, week) if code == manifest.base else translated(world, week)


def _week(folder: Path, base: str) -> tuple[str, ...]:
    """The days of the week as the tables write them."""
    spoken = read_language(folder, base, [])
    return spoken.pack.days if spoken else ()


def _manifest(name_or_path: str | Path) -> tuple[Path, WorldFile]:
    """The folder of a world and its `world.toml`; raises WorldError where it is not sound."""
    folder = find_world(name_or_path)
    problems: list[Problem] = []
    found = read_manifest(folder, problems)
    refuse(str(name_or_path), problems)
    assert found is not None  # a missing manifest is always a fatal problem
    return folder, found[0]


def world_with_tables(name: str, language: str | None, tables: Path | None) -> World:
    """A world; where its tables are missing, the message names the option `--tables`."""
    try:
        return load_world(name, language=language, data=tables)
    except WorldError as error:
        raise with_tables_option(error) from error


def refuse_tableless(world: World, doing: str) -> None:
    """Raise where something needs the rows of a world that has none."""
    if world.tableless:
        raise WorldError(
            f"the world {world.name} has domains and slots and no tables: {doing}",
            remedy="It can be counted, tracked and trained on. For the rest name a world with "
            "tables (--world), or add tables to a world folder: docs/worlds.md.",
        )


def with_tables_option(error: WorldError) -> WorldError:
    """For commands whose `--data` is a corpus: `--tables` names the data folder there."""
    return WorldError(error.message, remedy=error.remedy.replace("--data", "--tables"))


def languages_of(folder: Path) -> list[str]:
    return languages_with(folder, PACK)


def read_policy(folder: Path, code: str) -> str:
    """What an agent may and may not do, in a language of the world; empty where none is written."""
    file = folder / policy_file(folder, code)
    return read_text(file).strip() if file.is_file() else ""


def is_fetched(folder: Path) -> bool:
    """Whether a world's tables, and the corpus that goes with them, come with `crosstalk fetch`."""
    found = read_manifest(folder, [])
    return folder.parent == _BUILT_IN and found is not None and found[0].fetched


def tables_folder(folder: Path, manifest: WorldFile, data: Path | None) -> Path:
    """Where the tables are: in the world's own folder, or in the data folder."""
    if not manifest.fetched:
        return folder
    if data is None and os.environ.get("CROSSTALK_DATA"):
        data = Path(os.environ["CROSSTALK_DATA"])
    tables = [domain.table for domain in manifest.domains if domain.table]
    if data is None:
        missing = "no data folder is known"
    elif tables and not any((data / table).exists() for table in tables):
        missing = f"the data folder {data} does not hold {tables[0]}"
    else:
        return data
    if not is_fetched(folder):
        raise WorldError(
            f"{folder / WORLD_FILE} says that the tables lie in a data folder, and {missing}",
            remedy=f"Put the tables into {folder / 'tables'} and remove the line `tables` from "
            f"{WORLD_FILE}; or name the folder that holds them with --data or CROSSTALK_DATA.",
        )
    raise WorldError(
        f"the tables of {manifest.name} are fetched, and {missing}",
        remedy=f"Run `crosstalk fetch {manifest.name}`, then name the folder with --data or "
        "CROSSTALK_DATA.",
    )


def _refuse_unknown_language(folder: Path, world: str, code: str) -> None:
    known = languages_of(folder)
    if code not in known:
        raise WorldError(
            f"the world {world} has no language {code!r}",
            remedy=f"It has {', '.join(known) or 'none'}; a file languages/{code}.toml adds one.",
        )


def translated(world: World, week: tuple[str, ...] = ()) -> World:
    """The world with the values of the base language replaced by those of its language.

    `week`: the days of the week in the base language.
    """
    values = world.language.values
    domains = tuple(_translated_domain(domain, values) for domain in world.schema)
    changing = tuple(_translated_changing(table, values) for table in world.schema.changing)
    schema = replace(world.schema, domains=domains, changing=changing)
    tables = {
        domain.key: Table(domain, _translated_rows(world.schema, world.tables[domain.key], values))
        for domain in domains
        if domain.key in world.tables
    }
    rows = {
        table.key: Table(
            table.domain, _translated_rows(world.schema, world.changing[table.key], values)
        )
        for table in changing
        if table.key in world.changing
    }
    said = localised(replace(world, schema=schema, tables=tables, changing=rows), week)
    return _renamed(world, said)


def localised(world: World, week: tuple[str, ...] = ()) -> World:
    """The world with flags and days in the words of its language, and composed names."""
    renderings = {
        SlotKind.FLAG: {YES: world.language.yes, NO: world.language.no},
        SlotKind.DAY: dict(zip(week, world.language.days, strict=False)),
    }
    said = replace(
        world,
        tables={key: _localised(table, renderings) for key, table in world.tables.items()},
        changing={key: _localised(table, renderings) for key, table in world.changing.items()},
    )
    return _renamed(world, said)


def _renamed(before: World, world: World) -> World:
    """The world whose changing tables call composed names as its rows are called by now."""
    renderings: dict[str, dict[str, str]] = {}
    for domain in world.schema:
        if domain.key_slots and domain.key in world.tables and (slot := domain.name_slot):
            rows = zip(before.tables[domain.key], world.tables[domain.key], strict=True)
            renderings[domain.key] = {str(old[slot.key]): str(new[slot.key]) for old, new in rows}
    changing = {key: _with_names(table, renderings) for key, table in world.changing.items()}
    return replace(world, changing=changing) if renderings else world


def _with_names(table: Table, renderings: Mapping[str, Mapping[str, str]]) -> Table:
    slots = [slot for slot in table.domain.of_kind(SlotKind.NAME) if slot.target in renderings]
    rows = (
        {**row, **{s.key: _translated_cell(row.get(s.key), renderings[s.target]) for s in slots}}
        for row in table
    )
    return Table(table.domain, tuple(rows)) if slots else table


def _localised(table: Table, renderings: Mapping[SlotKind, Mapping[str, str]]) -> Table:
    slots = table.domain.of_kind(*renderings)
    if not slots and not table.domain.key_slots:
        return table
    rows = (
        {**row, **{s.key: _translated_cell(row.get(s.key), renderings[s.kind]) for s in slots}}
        for row in table
    )
    return Table(table.domain, tuple(with_composed_name(table.domain, row) for row in rows))


def _translated_changing(
    table: ChangingTable, values: Mapping[str, Mapping[str, str]]
) -> ChangingTable:
    """The table with what may be given for its columns in the language."""
    return replace(table, columns=tuple(_translated_slot(slot, values) for slot in table.columns))


def _translated_domain(domain: Domain, values: Mapping[str, Mapping[str, str]]) -> Domain:
    return replace(domain, slots=tuple(_translated_slot(slot, values) for slot in domain.slots))


def _translated_slot(slot: Slot, values: Mapping[str, Mapping[str, str]]) -> Slot:
    terms = values.get(slot.key, {})
    return replace(
        slot,
        tags=frozenset(terms.get(tag, tag) for tag in slot.tags),
        exclusive=tuple(frozenset(terms.get(each, each) for each in g) for g in slot.exclusive),
        aliases=tuple((alias, terms.get(value, value)) for alias, value in slot.aliases),
        values=tuple(terms.get(each, each) for each in slot.values),
        examples=tuple(terms.get(each, each) for each in slot.examples),
    )


def _translated_rows(
    schema: Schema, table: Table, values: Mapping[str, Mapping[str, str]]
) -> tuple[Row, ...]:
    renderings = {
        slot.key: values.get(rendering_key(schema, slot), {}) for slot in table.domain.slots
    }
    return tuple(
        {key: _translated_cell(cell, renderings[key]) for key, cell in row.items()}
        for row in table.rows
    )


def rendering_key(schema: Schema, slot: Slot) -> str:
    """Whose renderings a slot's values use: places elsewhere are said by their names."""
    if not slot.target or slot.kind not in (SlotKind.NEARBY, SlotKind.NAME):
        return slot.key
    target = schema.domain(slot.target)
    name_slot = target.name_slot if target else None
    return name_slot.key if name_slot else slot.key


def _translated_cell(cell: Cell, renderings: Mapping[str, str]) -> Cell:
    """A value without a rendering stays as the table has it; `world check` reports it."""
    if isinstance(cell, str):
        return renderings.get(cell, cell)
    if isinstance(cell, tuple):
        return tuple(renderings.get(term, term) for term in cell)
    return cell
