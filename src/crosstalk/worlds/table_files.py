"""The tables of a world folder, read row by row; every problem is collected with its line."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crosstalk.dialogue.schema import Domain, Slot, SlotKind
from crosstalk.errors import FileProblem
from crosstalk.files import read_json, read_text
from crosstalk.problems import Problem
from crosstalk.worlds.cells import CellError, read_cell
from crosstalk.worlds.manifest import WorldFile
from crosstalk.worlds.tables import Cell, Row, Table, with_composed_name

TERMS = frozenset({SlotKind.LIST, SlotKind.SERVICES, SlotKind.NEARBY})
"""Kinds whose cells hold several texts."""
COMMENT = "#"
"""Begins a line of a `.jsonl` table that says something to its writers."""
ELSEWHERE = frozenset({SlotKind.ENDPOINT})
"""Kinds whose values come with the question and stand in no table."""


@dataclass(frozen=True, slots=True)
class Record:
    """One row as the file has it."""

    line: int | None
    cells: dict[str, Any]
    checked: bool = True
    """False: fields that are no slots are expected and left out (the released CrossWOZ files)."""


def read_records(path: Path, name: str, problems: list[Problem]) -> list[Record]:
    """The rows of a `.jsonl` table or of a released `.json` one; problems call it `name`."""
    try:
        if path.suffix == ".json":
            return list(_pairs(read_json(path), name, problems))
        return list(_lines(read_text(path), name, problems))
    except FileProblem as error:
        message = error.message.removeprefix(f"{path}: ")
        problems.append(Problem(file=name, message=message, remedy=error.remedy))
        return []


def _lines(text: str, name: str, problems: list[Problem]) -> Iterator[Record]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith(COMMENT):
            continue
        try:
            cells = json.loads(line, object_pairs_hook=_without_repeats)
            line.encode() if "\\u" not in line else json.dumps(cells, ensure_ascii=False).encode()
        except json.JSONDecodeError as error:
            message = f"not valid JSON at column {error.colno}: {error.msg}"
        except RecursionError:
            message = "is nested too deeply"
        except UnicodeEncodeError:
            message = "holds half of a surrogate pair (\\ud800 to \\udfff), which is no character"
        except _RepeatedError as error:
            message = f"the slot `{error}` stands twice in the row"
        else:
            if isinstance(cells, dict):
                yield Record(number, cells)
                continue
            message = f"expected an object, found {_words(cells)}"
        remedy = 'Write one entity a line, as {"name": "...", "price": 60}.'
        problems.append(Problem(file=name, line=number, message=message, remedy=remedy))


class _RepeatedError(ValueError):
    pass


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    cells = dict(pairs)
    if len(cells) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _RepeatedError(next(key for key in keys if keys.count(key) > 1))
    return cells


def _pairs(content: Any, name: str, problems: list[Problem]) -> Iterator[Record]:
    remedy = "A .json table is a list of records, or of [name, record] pairs; others end in .jsonl."
    if not isinstance(content, list):
        message = f"expected a list, found {_words(content)}"
        problems.append(Problem(file=name, message=message, remedy=remedy))
        return
    for number, pair in enumerate(content, start=1):
        match pair:
            case [str(), dict(cells)] | dict(cells):
                yield Record(None, cells, checked=False)
            case _:
                message = f"item {number} of the list is {_words(pair)}"
                problems.append(Problem(file=name, message=message, remedy=remedy))


def to_row(domain: Domain, record: Record, file: str, problems: list[Problem]) -> Row:
    """The row with every slot of the table, in form order; what is wrong is None and reported."""
    elsewhere = {SlotKind.NAME} if domain.key_slots else set()
    slots = [slot for slot in domain.slots if slot.kind not in ELSEWHERE | elsewhere]
    entity = _entity(domain, record)

    def report(slot: str, message: str, remedy: str) -> None:
        where = Problem(file=file, line=record.line, entity=entity, slot=slot, message=message)
        problems.append(replace(where, remedy=remedy))

    if record.checked:
        for key in record.cells.keys() - {slot.key for slot in slots}:
            known = ", ".join(slot.key for slot in slots)
            report(key, f"`{key}` is no slot of {domain.key}", f"Its slots are {known}.")
    row: dict[str, Cell] = {}
    for slot in slots:
        given = record.cells.get(slot.key)
        try:
            row[slot.key] = _cell(slot, given)
        except CellError as error:
            report(slot.key, f"{error}, found {_words(given)}", error.remedy)
            row[slot.key] = () if slot.kind in TERMS else None
    return with_composed_name(domain, row)


def _cell(slot: Slot, given: Any) -> Cell:
    """The cell; a list that is not there is empty, and a name has to be there."""
    if given is None and slot.kind in TERMS:
        return ()
    if given is None and slot.kind is SlotKind.NAME:
        raise CellError("a name", 'Give every row a name, as text in quotes: "...".')
    return read_cell(slot, given)


def _entity(domain: Domain, record: Record) -> str:
    if domain.key_slots:
        return ", ".join(str(record.cells.get(key)) for key in domain.key_slots)
    name = domain.name_slot and record.cells.get(domain.name_slot.key)
    return name if isinstance(name, str) else ""


def _words(given: Any) -> str:
    """What was given, named as its writer would name it."""
    text = json.dumps(given, ensure_ascii=False)
    text = text if len(text) <= 40 else text[:37] + "..."
    match given:
        case None:
            return "nothing"
        case bool():
            return text
        case str():
            return f"the text {text}"
        case int() | float():
            return f"the number {text}"
        case list():
            return f"the list {text}"
        case _:
            return f"the object {text}"


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


def changing_rows(folder: Path, manifest: WorldFile, problems: list[Problem]) -> list[TableFile]:
    """The rows that the changing tables begin with; they lie in the world's own folder."""
    return [
        read_table(folder, table.value().domain, table.file, problems)
        if table.file
        else TableFile("", Table(table.value().domain, ()), ())
        for table in manifest.tables
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


def _unique(domain: Domain) -> str:
    if domain.key_slots:
        return f"Rows differ in {', '.join(domain.key_slots)}: add a slot to `key_slots`."
    return "Names are unique in a table: rename or remove one."


def _repeated_names(file: TableFile) -> Iterator[Problem]:
    slot = file.table.domain.name_slot
    slot = None if slot and slot.target else slot  # a name of somewhere else may stand twice
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
                remedy=_unique(file.table.domain),
            )
        first.setdefault(name, line)
