"""The tables of MultiWOZ as the standard evaluation searches them.

Names, foods and stations match in part (ratio of 90 or more), `?` in a table matches everything,
trains leave at the time asked for or later and arrive by then or earlier; all else must be equal.
These searches belong to the published figures: a world's own are in `worlds/queries.py`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from rapidfuzz.distance import Indel, Levenshtein

from crosstalk.errors import FormatError, InputError, Place
from crosstalk.evaluation.multiwoz.spellings import minutes, state_slot, table_value
from crosstalk.files import read_json

TABLES: Final = ("restaurant", "hotel", "attraction", "train")
UNSEARCHED: Final = {
    "attraction": {"location", "openhours"},
    "hotel": {"location", "price", "takesbookings"},
    "restaurant": {"location", "introduction", "signature"},
    "train": set[str](),
}
IN_PART: Final = {
    "attraction": {"name"},
    "hotel": {"name"},
    "restaurant": {"name", "food"},
    "train": {"departure", "destination"},
}
ENOUGH: Final = 90
"""The least ratio of a match in part."""
UNKNOWN: Final = "?"
ANYTHING: Final = frozenset(
    ("dontcare", "not mentioned", "don't care", "dont care", "do n't care", "do not care")
)

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class VenueTables:
    """Restaurants, hotels, attractions and trains."""

    rows: Mapping[str, tuple[Row, ...]]

    def find(self, domain: str, constraints: Mapping[str, str]) -> frozenset[str]:
        """Ids of the rows that meet the constraints; trains by their (ambiguous) number."""
        if domain not in self.rows:
            return frozenset()
        wanted = {
            slot: table_value(slot, value)
            for slot, value in constraints.items()
            if slot in self.rows[domain][0] and value not in ANYTHING
        }
        key = "trainid" if domain == "train" else "id"
        return frozenset(row[key] for row in self.rows[domain] if _meets(domain, row, wanted))


def rows_meet(tables: VenueTables, domain: str, constraints: Mapping[str, str]) -> bool:
    """Whether a row has exactly these values, times apart; for what was booked."""
    return any(
        all(_equals(slot, row.get(slot, ""), value) for slot, value in constraints.items())
        for row in tables.rows[domain]
    )


def _equals(slot: str, cell: str, value: str) -> bool:
    if slot in ("arrive", "leave"):
        return _in_time(slot, cell, value)
    return cell == UNKNOWN or cell.lower() == value.lower()


def read_tables(folder: Path) -> VenueTables:
    """The tables `<domain>_db.json` of a folder."""
    return VenueTables({domain: tuple(_rows(folder, domain)) for domain in TABLES})


def _rows(folder: Path, domain: str) -> Iterator[Row]:
    path = folder / f"{domain}_db.json"
    if not path.is_file():
        raise InputError(
            f"there is no table {path}",
            remedy="Name the folder of corpora with --tables or CROSSTALK_DATA.",
        )
    records = read_json(path)
    if not isinstance(records, list) or not all(isinstance(each, dict) for each in records):
        raise FormatError("expected a list of objects", place=Place(str(path)))
    for record in records:
        yield {slot: value for slot, value in _cells(record) if slot not in UNSEARCHED[domain]}


def _cells(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for column, value in record.items():
        slot = state_slot(column)
        yield slot, table_value("type", value) if slot == "type" else value


def _meets(domain: str, row: Row, wanted: Mapping[str, str]) -> bool:
    return all(_matches(domain, slot, row.get(slot, ""), value) for slot, value in wanted.items())


def _matches(domain: str, slot: str, cell: str, value: str) -> bool:
    if cell == UNKNOWN:
        return True
    if slot in ("arrive", "leave"):
        return _in_time(slot, cell, value)
    if slot in IN_PART[domain]:
        return partial_ratio(cell, value) >= ENOUGH
    return cell == value


def _in_time(slot: str, cell: str, value: str) -> bool:
    time, wanted = minutes(cell), minutes(value)
    return time <= wanted if slot == "arrive" else time >= wanted


@lru_cache(maxsize=1 << 18)
def partial_ratio(one: str, other: str) -> int:
    """How well the shorter text fits somewhere into the longer one, 0 to 100.

    As fuzzywuzzy computes it, which the published figures rest on: only windows that begin where
    an alignment of the whole texts has a common stretch are tried. rapidfuzz tries all windows.
    """
    if one == other:
        return 100
    if not one or not other:
        return 0
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    starts = (
        max(0, block.b - block.a) for block in Levenshtein.editops(short, long).as_matching_blocks()
    )
    windows = {long[start : start + len(short)] for start in starts}
    best = max(Indel.normalized_similarity(short, window) for window in windows)
    return 100 if best > 0.995 else round(100 * best)
