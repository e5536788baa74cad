"""The files of a world folder, read one by one; what is wrong with them is collected in words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from crosstalk.database.cells import read_records, to_row
from crosstalk.database.manifest import LanguageFile, WorldFile, parse
from crosstalk.database.placeholders import check_placeholders
from crosstalk.database.rules import broken_rules
from crosstalk.database.tables import Cell, Row, Table
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Domain
from crosstalk.errors import FileProblem
from crosstalk.files import read_json
from crosstalk.language.world_files import PACK, values_file, world_file
from crosstalk.problems import Problem
from crosstalk.toml_files import TomlFile, read_toml

WORLD_FILE = "world.toml"


def read_manifest(folder: Path, problems: list[Problem]) -> tuple[WorldFile, TomlFile] | None:
    """`world.toml`, and the same with its line numbers."""
    file = read_toml(folder, WORLD_FILE)
    if isinstance(file, Problem):
        problems.append(file)
        return None
    manifest = parse(WorldFile, file, problems)
    if manifest is None:
        return None
    problems.extend(broken_rules(manifest, file))
    return manifest, file


@dataclass(frozen=True, slots=True)
class Spoken:
    """A language file: what it says, and where it says it."""

    pack: LanguagePack
    file: TomlFile


def read_language(folder: Path, code: str, problems: list[Problem]) -> Spoken | None:
    """`languages/<code>.toml` with the values beside it."""
    file = read_toml(folder, world_file(folder, PACK, code))
    if isinstance(file, Problem):
        problems.append(file)
        return None
    language = parse(LanguageFile, file, problems)
    more_values = _read_values(folder, values_file(folder, code), problems)
    if language is None:
        return None
    if language.code != code:
        message = f"the code is {language.code!r}"
        problems.append(file.problem(("code",), message, f"Write {code!r}."))
    pack = language.value(more_values)
    problems.extend(check_placeholders(pack, file))
    return Spoken(pack, file)


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table, and where its rows stand."""

    name: str
    table: Table
    lines: tuple[int | None, ...]

    def __iter__(self) -> Iterator[tuple[Row, int | None]]:
        return zip(self.table.rows, self.lines, strict=True)


def read_tables(root: Path, manifest: WorldFile, problems: list[Problem]) -> list[TableFile]:
    """The tables of all domains that have one; `root` is where their names begin."""
    return [
        read_table(root, domain.value(), domain.table, problems)
        for domain in manifest.domains
        if domain.table
    ]


def read_table(root: Path, domain: Domain, name: str, problems: list[Problem]) -> TableFile:
    """A domain's table, in file order."""
    found: list[Problem] = []
    records = read_records(root / name, name, found)
    rows = tuple(to_row(domain, record, name, found) for record in records)
    if not rows and not found:
        found.append(Problem(file=name, message="the table has no rows", remedy="Add entities."))
    file = TableFile(name, Table(domain, rows), tuple(record.line for record in records))
    problems.extend(found)
    problems.extend(_repeated_names(file))
    return file


def _repeated_names(file: TableFile) -> Iterator[Problem]:
    slot = file.table.domain.name_slot
    first: dict[Cell, int | None] = {}
    for row, line in file if slot else ():
        name = row[slot.key] if slot else None
        if name is not None and name in first:
            where = f" (line {first[name]})" if first[name] is not None else ""
            yield Problem(
                file=file.name,
                line=line,
                entity=str(name),
                message=f"another row{where} has the same name",
                remedy="Names are unique in a table: rename or remove one.",
            )
        first.setdefault(name, line)


def _read_values(
    folder: Path, name: str, problems: list[Problem]
) -> Mapping[str, Mapping[str, str]]:
    if not (folder / name).exists():
        return {}
    try:
        content = read_json(folder / name)
    except FileProblem as error:
        message = error.message.removeprefix(f"{folder / name}: ")
        problems.append(Problem(file=name, message=message, remedy=error.remedy))
        return {}
    if _is_values(content):
        values: Mapping[str, Mapping[str, str]] = content
        return values
    problems.append(
        Problem(
            file=name,
            message="expected slot keys with renderings",
            remedy='Write {"name": {"value in the table": "value in this language"}}.',
        )
    )
    return {}


def _is_values(content: object) -> bool:
    return isinstance(content, dict) and all(
        isinstance(renderings, dict) and all(isinstance(text, str) for text in renderings.values())
        for renderings in content.values()
    )
