"""Everything that is wrong with a world folder: `check_world(Path("myworld"))`."""

import difflib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from crosstalk.dialogue.schema import Domain, Slot, SlotKind
from crosstalk.language.number_forms import Bounds
from crosstalk.language.world_files import files_of_languages, language_of
from crosstalk.problems import Problem, did_you_mean
from crosstalk.toml_files import TomlFile
from crosstalk.worlds.language_check import LanguageCheck
from crosstalk.worlds.language_pack import read_language
from crosstalk.worlds.manifest import WORLD_FILE, WorldFile, read_manifest
from crosstalk.worlds.table_files import TableFile, read_tables
from crosstalk.worlds.tables import Row, World, texts
from crosstalk.worlds.word_check import check_words
from crosstalk.worlds.world import FETCHED, languages_of, tables_folder, translated


def check_tables(files: Sequence[TableFile]) -> Iterator[Problem]:
    """Links between places, repeated and blank terms, one name in two domains."""
    places = {file.table.domain.key: file for file in files if file.table.domain.name_slot}
    names = {key: _rows_by_name(file) for key, file in places.items()}
    for file in places.values():
        for row, line in file:
            at = Problem(
                file=file.name, line=line, entity=_name(file, row), message="", fatal=False
            )
            yield from _terms(file.table.domain, row, at)
            yield from _links(file.table.domain, row, at, places, names)
    yield from _shared_names(places)


def check_draws(
    manifest: WorldFile, file: TomlFile, tables: Sequence[TableFile]
) -> Iterator[Problem]:
    """Bands, tags and exclusive services that nothing in the tables answers to."""
    by_domain = {each.table.domain.key: each for each in tables}
    for number, described in enumerate(manifest.domains):
        if described.key not in by_domain:
            continue
        for position, slot in enumerate(described.value().slots):
            cells = [row[slot.key] for row, _ in by_domain[described.key] if slot.key in row]
            known = {text for cell in cells for text in texts(cell)}
            numbers = [cell for cell in cells if isinstance(cell, int | float)]
            for field, message, remedy in _nothing_drawn(slot, known, numbers):
                found = file.problem(("domains", number, "slots", position, field), message, remedy)
                yield replace(found, slot=f"{described.key}.{slot.key}", fatal=False)


def _nothing_drawn(
    slot: Slot, known: set[str], numbers: Sequence[float]
) -> Iterator[tuple[str, str, str]]:
    for band in slot.bands:
        if not any(map(Bounds(band.low, band.high).hold, numbers)):
            low = "..." if band.low is None else f"{band.low:g}"
            high = "..." if band.high is None else f"{band.high:g}"
            message = f"no row falls into the band {low} to {high}"
            yield "bands", message, "Change or remove the band, or add rows."
    named = {"tags": slot.tags, "exclusive": frozenset().union(*slot.exclusive)}
    for field, terms in named.items():
        for term in sorted(terms - known):
            yield field, f"no row has the term {term!r}", f"{_similar(term, known)}or remove it."


def _terms(domain: Domain, row: Row, at: Problem) -> Iterator[Problem]:
    for slot in domain.of_kind(SlotKind.LIST, SlotKind.SERVICES, SlotKind.NEARBY):
        for term, count in Counter(texts(row[slot.key])).items():
            if not term.strip():
                message, remedy = f"a blank text, {term!r}, stands in the list", "Remove it."
            elif count > 1:
                message, remedy = f"{term!r} stands in the list {count} times", "Keep one."
            else:
                continue
            yield replace(at, slot=slot.key, message=message, remedy=remedy)


def _links(
    domain: Domain,
    row: Row,
    at: Problem,
    places: dict[str, TableFile],
    rows: dict[str, dict[str, Row]],
) -> Iterator[Problem]:
    for slot in domain.of_kind(SlotKind.NEARBY):
        if slot.target not in rows:
            continue
        for name in dict.fromkeys(texts(row[slot.key])):
            other = rows[slot.target].get(name)
            if other is None:
                message = f"there is no {slot.target} called {name!r}"
                remedy = f"{_similar(name, rows[slot.target])}or remove the link."
            elif slot.target == domain.key and name == at.entity:
                message, remedy = "the place is near itself", "Remove the link."
            elif not _links_back(places[slot.target].table.domain, other, domain.key, at.entity):
                message = f"{name!r} is near, and does not have this one near it"
                remedy = f"Nearness goes both ways: add {at.entity!r} to the row of {name!r}."
            else:
                continue
            yield replace(at, slot=slot.key, message=message, remedy=remedy)


def _links_back(other: Domain, row: Row, domain: str, name: str) -> bool:
    """True also where the other domain keeps no places of this one at all."""
    slots = [slot for slot in other.of_kind(SlotKind.NEARBY) if slot.target == domain]
    return not slots or any(name in texts(row[slot.key]) for slot in slots)


def _shared_names(places: dict[str, TableFile]) -> Iterator[Problem]:
    """A ride finds its ends by name, so no two places of the world should share one."""
    first: dict[str, str] = {}
    for key, file in places.items():
        for row, line in file:
            name = _name(file, row)
            if name and first.setdefault(name, key) != key:
                message = f"a {first[name]} has the same name"
                remedy = "Rename one: rides find their ends by name."
                at = Problem(file=file.name, line=line, entity=name, message=message, fatal=False)
                yield replace(at, remedy=remedy)


def _rows_by_name(file: TableFile) -> dict[str, Row]:
    return {_name(file, row): row for row, _ in file}


def _name(file: TableFile, row: Row) -> str:
    slot = file.table.domain.name_slot
    return str(row[slot.key] or "") if slot else ""


def _similar(term: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(term, known, n=1)
    return f"Did you mean {near[0]!r}? Correct " if near else "Correct "


DATA_SUFFIXES = (".toml", ".json", ".jsonl")


def check_world(folder: Path, *, data: Path | None = None) -> list[Problem]:
    """Problems of tables, languages and words, those that keep the world from loading first.

    What generators and annotation read (`templates`, `sayings`, `keywords`) is checked by them;
    `crosstalk.check_world` calls all checks.
    """
    problems: list[Problem] = []
    found = read_manifest(folder, problems)
    if found is None:
        for code in languages_of(folder):
            read_language(folder, code, problems)
        return problems
    manifest, file = found
    tables = read_tables(tables_folder(folder, manifest, data), manifest, problems)
    if not problems:  # links and bands make sense only between rows that are sound
        problems.extend(check_tables(tables))
        problems.extend(check_draws(manifest, file, tables))
    problems.extend(_check_languages(folder, manifest, tables))
    problems.extend(_check_names_of_files(folder, manifest))
    return sorted(problems, key=lambda problem: not problem.fatal)


def _check_languages(
    folder: Path, manifest: WorldFile, tables: Sequence[TableFile]
) -> Iterator[Problem]:
    codes = languages_of(folder)
    if manifest.base not in codes:
        yield Problem(
            file=f"languages/{manifest.base}.toml",
            message=f"the base language {manifest.base!r} has no file",
            remedy="Add it; it names the slots and holds the sentences of goals.",
        )
    by_domain = {file.table.domain.key: file.table for file in tables if len(file.table)}
    for code in codes:
        problems: list[Problem] = []
        spoken = read_language(folder, code, problems)
        yield from problems
        if spoken is None:
            continue
        schema = manifest.value()
        yield from LanguageCheck(spoken, schema, tables, manifest.base).problems()
        world = World(manifest.name, schema, spoken.pack, by_domain, folder)
        yield from check_words(folder, code, world if code == manifest.base else translated(world))


def _check_names_of_files(folder: Path, manifest: WorldFile) -> Iterator[Problem]:
    """Files that nothing reads: misspelt names, and files of a language the world does not have."""
    codes = set(languages_of(folder))
    own = manifest.tables != FETCHED
    tables = {domain.table for domain in manifest.domains if domain.table} if own else set()
    known = {WORLD_FILE, *tables, *files_of_languages(codes)}
    folders = {name.rpartition("/")[0] for name in known} - {""}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_file() or name in known or any(part[0] == "." for part in Path(name).parts):
            continue
        if path.parent.relative_to(folder).as_posix() in folders or path.suffix in DATA_SUFFIXES:
            yield _unread(name, known, codes)


def _unread(name: str, known: Collection[str], codes: Collection[str]) -> Problem:
    """A file by a name that no loader asks for."""
    code = language_of(name)
    if code and code not in codes and name in files_of_languages({code}):
        message = f"there is no language file beside it: the world has no language {code!r}"
        remedy = f"Add languages/{code}.toml, or remove the file."
        return Problem(file=name, message=message, remedy=remedy, fatal=False)
    remedy = did_you_mean(name, known, "Rename or remove it; docs/worlds.md lists the files.")
    return Problem(file=name, message="nothing reads this file", remedy=remedy, fatal=False)
