"""Success once more, from the saved JSON and the raw tables alone; shares no code with Crosstalk.

    python -m benchmarks.recheck RUN WORLD_FOLDER TABLES_FOLDER

Says of every dialogue whether the user ended up with what is true: written apart from
`crosstalk.evaluation.success`, so that two people's mistakes would have to be the same. Knows the
Chinese words of CrossWOZ and the English ones of harbour.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

YES = {"是", "yes"}
NO = {"否", "no"}
NONE = {"无", "none"}
MORE = ("以上", "or more")
LESS = ("以下", "or less")
FREE = {"免费", "free"}
NOT_FREE = {"不免费", "not free"}

Item = dict[str, Any]


class Tables:
    """The raw rows of a world."""

    def __init__(self, world: Path, tables: Path) -> None:
        described = tomllib.loads((world / "world.toml").read_text(encoding="utf-8"))
        self.domains = {domain["key"]: domain for domain in described["domains"]}
        self.rows: dict[str, list[Item]] = {
            key: list(_rows(tables / domain["table"]))
            for key, domain in self.domains.items()
            if "table" in domain
        }
        places = [key for key, domain in self.domains.items() if domain["kind"] == "place"]
        self.places: dict[str, Item] = {}
        for key in places:
            for row in self.rows[key]:
                station = row.get(self.first(key, "station"))
                self.places.setdefault(row[self.first(key, "name")], {"station": station})
        self.order = {name: number for number, name in enumerate(self.places)}

    def slots(self, domain: str, kind: str) -> list[Item]:
        return [slot for slot in self.domains[domain]["slots"] if slot["kind"] == kind]

    def first(self, domain: str, kind: str) -> str:
        found = self.slots(domain, kind)
        return found[0]["key"] if found else ""

    def kind(self, domain: str, slot: str) -> tuple[str, str]:
        """(kind, key) of a slot; a service is known by the slot before its dash."""
        for each in self.domains[domain]["slots"]:
            if each["key"] == slot:
                return each["kind"], each["key"]
            if each["kind"] == "services" and slot.startswith(each["key"] + "-"):
                return "service", each["key"]
        raise KeyError(slot)

    def named(self, domain: str, name: str) -> Item | None:
        key = self.first(domain, "name")
        return next((row for row in self.rows[domain] if row[key] == name), None)


def _rows(path: Path) -> Iterator[Item]:
    if path.suffix == ".json":
        yield from (record for _, record in json.loads(path.read_text(encoding="utf-8")))
    else:
        lines = path.read_text(encoding="utf-8").splitlines()
        yield from (json.loads(line) for line in lines if line.strip())


def holds(tables: Tables, domain: str, row: Item, slot: str, wish: str | list[str]) -> bool:
    """Whether a row is as a wish says."""
    kind, key = tables.kind(domain, slot)
    cell = row.get(key)
    if kind == "service":
        has = any(slot[len(key) + 1 :] in each for each in cell or [])
        return slot[len(key) + 1 :] not in (cell or []) if wish in NO else has
    if kind in ("number", "rating"):
        low, high = limits(str(wish), kind)
        return cell is not None and (low, high) != (None, None) and _inside(cell, low, high)
    wishes = [wish] if isinstance(wish, str) else wish
    if kind == "list":
        return all(any(term in each for each in cell or []) for term in wishes)
    if kind == "nearby":
        return all(_has_name(tables, domain, key, cell or [], name) for name in wishes)
    if kind == "name":
        exact = tables.named(domain, wishes[0]) is not None
        return cell == wishes[0] if exact else wishes[0] in str(cell)
    return cell is not None and wishes[0] in cell


def _has_name(tables: Tables, domain: str, slot: str, names: list[str], name: str) -> bool:
    target = next(s["target"] for s in tables.slots(domain, "nearby") if s["key"] == slot)
    if tables.named(target, name) is not None:
        return name in names
    return any(name in each for each in names)


def limits(text: str, kind: str) -> tuple[float | None, float | None]:
    if text in FREE:
        return 0, 0
    if text in NOT_FREE:
        return 1, None
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]
    if not numbers:
        return None, None
    if len(numbers) > 1:
        return numbers[0], numbers[1]
    if any(word in text for word in MORE):
        return numbers[0], None
    if any(word in text for word in LESS):
        return None, numbers[0]
    return numbers[0], None if kind == "rating" else numbers[0]


def _inside(number: float, low: float | None, high: float | None) -> bool:
    return (low is None or number >= low) and (high is None or number <= high)


def says(tables: Tables, domain: str, row: Item, slot: str, told: str | list[str]) -> bool:
    """Whether what was told is what the row says."""
    kind, key = tables.kind(domain, slot)
    cell = row.get(key)
    if kind == "service":
        has = slot[len(key) + 1 :] in (cell or [])
        return told in (YES if has else NO)
    if kind in ("list", "nearby"):
        given = [told] if isinstance(told, str) else told
        return bool(given) and (set(given) <= set(cell) if cell else set(given) <= NONE)
    if cell is None or cell == "":
        return told in NONE
    if kind in ("number", "rating"):
        numbers = re.findall(r"\d+(?:\.\d+)?", str(told))
        is_bare = not any(word in str(told) for word in (*MORE, *LESS))
        said = [0.0] if told in FREE else [float(number) for number in numbers]
        return is_bare and len(said) == 1 and said[0] == cell
    return bool(told == cell)


def near(tables: Tables, domain: str, name: str, other: str, other_name: str) -> bool:
    for here, one, there, two in (
        (domain, name, other, other_name),
        (other, other_name, domain, name),
    ):
        row = tables.named(here, one)
        for slot in tables.slots(here, "nearby"):
            if row is not None and slot["target"] == there and two in row.get(slot["key"], []):
                return True
    return False


def ride_says(tables: Tables, domain: str, ends: dict[str, str], slot: str, told: Any) -> bool:
    described = next(s for s in tables.domains[domain]["slots"] if s["key"] == slot)
    if tables.domains[domain]["kind"] == "metro":
        station = tables.places.get(ends[described["target"]], {}).get("station")
        return bool(told == station) if station else told in NONE
    places = [ends[each["key"]] for each in tables.slots(domain, "endpoint")]
    ride = "\n".join(str(tables.order[place]) for place in places)
    cars = tables.rows[domain]
    return bool(told == cars[crc32(ride.encode()) % len(cars)][slot])


class Check:
    """One dialogue."""

    def __init__(self, tables: Tables, dialogue: Item) -> None:
        self.tables = tables
        self.dialogue = dialogue
        self.wanted: list[Item] = dialogue["goal"]["tuples"]
        self.final: list[Item] = dialogue["final_goal"]
        self.released: set[int] = set()

    def is_success(self) -> bool:
        if self.dialogue["extras"]["ending"] not in ("finished", "limit"):
            return False
        if not all(_is_done(each) for each in self.final):
            return False
        return self._changes_were_needed() and all(map(self._is_true, range(len(self.final))))

    def _name(self, subgoal: int, state: list[Item]) -> tuple[str, str]:
        for each in state:
            domain = each["domain"]
            if each["subgoal"] == subgoal and each["slot"] == self.tables.first(domain, "name"):
                return domain, each["value"] if isinstance(each["value"], str) else ""
        return "", ""

    def _is_true(self, at: int) -> bool:
        wish, each = self.wanted[at], self.final[at]
        domain, slot, value = each["domain"], each["slot"], each["value"]
        if self.tables.domains[domain]["kind"] != "place":
            return self._ride_is_true(wish, each)
        row = self.tables.named(domain, self._name(each["subgoal"], self.final)[1])
        if row is None:
            return False
        if slot == self.tables.first(domain, "name"):
            source = self._source(wish)
            if source is None or at in self.released:
                return True
            other, other_name = self._name(source, self.final)
            return near(self.tables, domain, value, other, other_name)
        if wish["value"] in ("", []):
            return says(self.tables, domain, row, slot, value)
        if wish["value"] == value:
            return holds(self.tables, domain, row, slot, value)
        return holds(self.tables, domain, row, slot, value) or says(
            self.tables, domain, row, slot, value
        )

    def _ride_is_true(self, wish: Item, each: Item) -> bool:
        domain = each["domain"]
        ends = {slot["key"] for slot in self.tables.slots(domain, "endpoint")}
        if each["slot"] in ends:
            if isinstance(wish["value"], dict):
                return bool(each["value"] == self._name(wish["value"]["at"], self.final)[1])
            return bool(each["value"] == wish["value"])
        known = {
            other["slot"]: other["value"]
            for other in self.final
            if other["subgoal"] == each["subgoal"] and other["slot"] in ends
        }
        return ride_says(self.tables, domain, known, each["slot"], each["value"])

    def _source(self, wish: Item) -> int | None:
        return wish["value"].get("near") if isinstance(wish["value"], dict) else None

    def _changes_were_needed(self) -> bool:
        """Whether each wish that was given up had been refused, and rightly."""
        state, refused = self.wanted, dict[int, bool]()
        said: set[int] = set()
        for turn in self.dialogue["turns"]:
            if turn["speaker"] == "system":
                refused = dict(self._refused(turn, state, said))
                continue
            after = turn["user_state"]
            for at, (wish, old, new) in enumerate(zip(self.wanted, state, after, strict=True)):
                if self._gave_up(at, wish, old, new, after, refused):
                    if not refused.get(new["subgoal"], False):
                        return False
                    self.released.add(at)
            said |= {at for at, each in enumerate(after) if each.get("expressed")}
            said -= {at for at, each in enumerate(after) if each["value"] in ("", [])}
            state, refused = after, {}
        return True

    def _gave_up(
        self,
        at: int,
        wish: Item,
        old: Item,
        new: Item,
        after: list[Item],
        refused: dict[int, bool],
    ) -> bool:
        if wish["value"] in ("", []) or at in self.released or old["value"] == new["value"]:
            return False
        if not isinstance(wish["value"], dict) or new["value"] in ("", []):
            return True
        source = self._source(wish)
        if source is None or new["subgoal"] not in refused or not isinstance(new["value"], str):
            return False
        other, name = self._name(source, after)
        return bool(name) and not near(self.tables, new["domain"], new["value"], other, name)

    def _refused(self, turn: Item, state: list[Item], said: set[int]) -> Iterator[tuple[int, bool]]:
        """(sub-goal, whether truly nothing matched) of every NoOffer in a turn."""
        for act in turn.get("acts", []):
            if act["intent"] != "NoOffer":
                continue
            here = [each for each in state if each["domain"] == act["domain"]]
            left = [each["subgoal"] for each in here if not _is_done(each)]
            last = max((each["subgoal"] for each in here), default=0)
            subgoal = left[0] if left else last
            if subgoal:
                wishes = list(self._wishes(subgoal, state, said))
                rows = self.tables.rows[act["domain"]]
                yield subgoal, not any(self._fits(act["domain"], row, wishes) for row in rows)

    def _wishes(
        self, subgoal: int, state: list[Item], said: set[int]
    ) -> Iterator[tuple[str, str | list[str]]]:
        for at in said:
            wish = self.wanted[at]
            if wish["subgoal"] != subgoal or wish["value"] in ("", []):
                continue
            source = self._source(wish)
            if source is None:
                yield wish["slot"], wish["value"]
                continue
            other, name = self._name(source, state)
            for slot in self.tables.slots(wish["domain"], "nearby"):
                if slot["target"] == other and name:
                    yield slot["key"], name

    def _fits(self, domain: str, row: Item, wishes: list[tuple[str, str | list[str]]]) -> bool:
        return all(holds(self.tables, domain, row, slot, wish) for slot, wish in wishes)


def _is_done(each: Item) -> bool:
    value = each["value"]
    return bool(each.get("expressed")) and value not in ("", []) and not isinstance(value, dict)


def verdicts(run: Path, world: Path, tables: Path) -> dict[str, bool]:
    """Dialogue id -> whether it was a success."""
    raw = Tables(world, tables)
    found = {}
    for file in sorted((run / "dialogues").glob("*.jsonl")):
        with file.open(encoding="utf-8") as lines:
            for dialogue in map(json.loads, lines):
                found[dialogue["id"]] = Check(raw, dialogue).is_success()
    return found


if __name__ == "__main__":
    counted = verdicts(*map(Path, sys.argv[1:4]))
    print(json.dumps({"dialogues": len(counted), "success": sum(counted.values())}))
