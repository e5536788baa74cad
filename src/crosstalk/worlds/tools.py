"""A world's database as tools: `search_<domain>`, `get_<domain>`, `nearby`, `ride`.

    tools = WorldTools(database)
    tools.definitions()                       # JSON Schema, for language models and MCP
    tools.run("search_hotel", {"price_max": 900})

The same names serve agents, MCP, saved transcripts and the chat export. Wrong arguments come back
as a result in words, so that the caller can mend them.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, Final

from rapidfuzz import process

from crosstalk.dialogue.actions import Action
from crosstalk.dialogue.goals import Scenario
from crosstalk.dialogue.schema import NUMBERS, Band, Domain, DomainKind, Match, Slot, SlotKind
from crosstalk.errors import InputError
from crosstalk.language.number_forms import forms_of, say_band
from crosstalk.worlds.action_events import ActionEvent, TableState
from crosstalk.worlds.action_tools import (
    WRITTEN,
    action_description,
    action_properties,
    action_result,
)
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.display import say_cell
from crosstalk.worlds.queries import Database, ends_of
from crosstalk.worlds.tables import Row
from crosstalk.worlds.world import refuse_tableless

DEFAULT_LIMIT: Final = 5
MOST_ROWS: Final = 20
MOST_CHOICES: Final = 30
"""Slots with more different values are described without a list of them."""
PLAIN: Final = re.compile(r"[A-Za-z0-9_]{1,40}")

Json = dict[str, Any]


class ToolError(Exception):
    """Wrong arguments; the message says what is wrong and what would be right."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One function that an agent may call."""

    name: str
    description: str
    properties: Mapping[str, Json]
    required: tuple[str, ...]
    call: Callable[[Json], Json]
    action: str = ""
    """The action it performs, which changes the tables of a conversation; empty: it only reads."""

    @property
    def parameters(self) -> Json:
        """JSON Schema of the arguments."""
        return {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.required),
            "additionalProperties": False,
        }

    def definition(self) -> Json:
        """As chat completions take it."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
        }
        return {"type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What came of a call: its result, and the tables of the conversation after it."""

    result: Json
    state: TableState
    event: ActionEvent | None = None
    """What an action did; None for calls that only read."""

    @property
    def text(self) -> str:
        return json.dumps(self.result, ensure_ascii=False)


class WorldTools:
    """Search, details, places nearby, rides and actions of one world in one language."""

    def __init__(self, database: Database, *, offered: bool = True, actions: bool = False) -> None:
        """`offered`: False for somebody who must not look anything up, such as a user.

        `actions`: whether the world's actions are offered too.
        """
        self.database = database
        self.world = database.world
        if offered:
            refuse_tableless(self.world, "there are no tools to search them with")
        self.executor = Executor(database)
        self.acts = actions
        self.tools = {tool.name: tool for tool in self._all()} if offered else {}

    def within(self, scenario: Scenario) -> "WorldTools":
        """The same in the conversation of a goal."""
        tools = copy(self)
        tools.executor = self.executor.within(scenario)
        return tools

    def definitions(self) -> list[Json]:
        return [tool.definition() for tool in self.tools.values()]

    def run(self, name: str, arguments: Mapping[str, Any]) -> Json:
        """The result of a call, as JSON; `{"error": ...}` where the call is wrong."""
        return self.call(name, arguments, self.executor.begin()).result

    def call(self, name: str, arguments: Mapping[str, Any], state: TableState) -> ToolOutcome:
        """The same in a conversation: an action changes its tables."""
        tool = self.tools.get(name)
        try:
            if tool is None:
                raise ToolError(f"there is no tool {name!r}; there are {', '.join(self.tools)}")
            checked = _checked(tool, arguments)
            if not tool.action:
                return ToolOutcome(tool.call(checked), state)
            after, event = self.executor.perform(state, tool.action, checked)
            return ToolOutcome(action_result(self.executor, event), after, event)
        except (ToolError, InputError) as error:
            return ToolOutcome({"error": str(error)}, state)

    def run_text(self, name: str, arguments: str) -> str:
        """The result for arguments that came as text, as language models write them."""
        return self.call_text(name, arguments, self.executor.begin()).text

    def call_text(self, name: str, arguments: str, state: TableState) -> ToolOutcome:
        """The same in a conversation."""
        try:
            value = json.loads(arguments or "{}")
        except ValueError:
            value = None
        if not isinstance(value, dict):
            return ToolOutcome({"error": "the arguments are no JSON object"}, state)
        return self.call(name, value, state)

    # Tools

    def _all(self) -> list[Tool]:
        places, rides = self.world.schema.places, self.world.schema.rides
        tools = [tool for domain in places for tool in (self._search(domain), self._get(domain))]
        if any(domain.of_kind(SlotKind.NEARBY) for domain in places):
            tools.append(self._nearby())
        tools += [self._ride()] if rides else []
        acts = self.world.schema.actions if self.acts else ()
        return [*tools, *map(self._action, acts)]

    def _action(self, action: Action) -> Tool:
        return Tool(
            action.key,
            action_description(self.executor, action),
            action_properties(self.executor, action),
            action.needs,
            lambda given: self.run(action.key, given),
            action.key,
        )

    def _search(self, domain: Domain) -> Tool:
        properties: dict[str, Json] = {}
        for slot in domain.form:
            properties |= self._search_fields(domain, slot)
        properties["limit"] = {
            "type": "integer",
            "description": f"How many results to show, at most {MOST_ROWS}.",
        }
        title = self.world.language.domain_name(domain.key)
        return Tool(
            self.name("search", domain),
            f"Search the table of {title}. All fields given must be met. "
            "Gives the number of matches and the first of them with everything known.",
            properties,
            (),
            lambda given: self.search(domain, given),
        )

    def _search_fields(self, domain: Domain, slot: Slot) -> dict[str, Json]:
        key, title = _field(domain, slot), self.world.language.slot_name(domain.key, slot.key)
        if slot.kind in NUMBERS:
            return {
                f"{key}_min": {"type": "number", "description": f"{title}, at least"},
                f"{key}_max": {"type": "number", "description": f"{title}, at most"},
            }
        values = self.world.texts(domain.key, slot.key)
        item: Json = {"type": "string"}
        if slot.kind in (SlotKind.CATEGORY, SlotKind.DURATION, SlotKind.SERVICES):
            item |= {"enum": values} if 0 < len(values) <= MOST_CHOICES else {}
        if slot.kind.is_list:
            return {key: {"type": "array", "items": item, "description": f"{title}, all of them"}}
        return {key: {**item, "description": f"{title}{self._hint(slot)}"}}

    def _hint(self, slot: Slot) -> str:
        """How a time, a day or a yes or no is written, and which rows a time finds."""
        pack = self.world.language
        found = {Match.FROM: ", this or later", Match.UNTIL: ", this or earlier"}
        match slot.kind:
            case SlotKind.TIME | SlotKind.DATE:
                written = WRITTEN[slot.kind]
                return f" ({written}{found.get(slot.match or Match.EXACT, '')})"
            case SlotKind.DAY:
                return f" ({', '.join(pack.days)})"
            case SlotKind.FLAG:
                return f" ({pack.yes} or {pack.no})"
            case SlotKind.HOURS:
                first = pack.days[0] if pack.days else ""
                return f" (open on a day, at a time or both: {first} 09:00)" if first else ""
        return ""

    def _get(self, domain: Domain) -> Tool:
        title = self.world.language.domain_name(domain.key)
        return Tool(
            self.name("get", domain),
            f"Everything known about one {title}, by its name.",
            {"name": {"type": "string", "description": "Its name."}},
            ("name",),
            lambda given: {"result": self._shown(domain, self._row(domain, given["name"]))},
        )

    def _nearby(self) -> Tool:
        keys = [self.key(domain) for domain in self.world.schema.places]
        kind = {"type": "string", "enum": keys}
        return Tool(
            "nearby",
            "The places of one kind that are close to a named place.",
            {
                "domain": {**kind, "description": "Kind of the named place."},
                "name": {"type": "string", "description": "Its name."},
                "target": {**kind, "description": "Kind of places to look for."},
            },
            ("domain", "name", "target"),
            self._near,
        )

    def _ride(self) -> Tool:
        kinds = [self.key(domain) for domain in self.world.schema.rides]
        return Tool(
            "ride",
            "A ride between two named places: the stations, or the car.",
            {
                "kind": {"type": "string", "enum": kinds},
                "departure": {"type": "string", "description": "Name of the place it begins at."},
                "destination": {"type": "string", "description": "Name of the place it ends at."},
            },
            ("kind", "departure", "destination"),
            self._ridden,
        )

    # Answers

    def search(self, domain: Domain, given: Json, wanted: Collection[str] = ()) -> Json:
        """The answer of `search_<domain>`; shows matches with a `wanted` name in any case."""
        limit = max(1, min(MOST_ROWS, int(given.get("limit") or DEFAULT_LIMIT)))
        rows = self.matches(domain, given)
        name = domain.name_slot.key if wanted and domain.name_slot else ""
        also = [row for row in rows[limit:] if name and row.get(name) in wanted][:limit]
        visible = [*rows[: limit - len(also)], *also]
        return {"count": len(rows), "results": [self._shown(domain, row) for row in visible]}

    def matches(self, domain: Domain, given: Json) -> tuple[Row, ...]:
        """All rows that meet the arguments of `search_<domain>`."""
        constraints: dict[str, Any] = {}
        for slot in domain.form:
            if (value := self._wish(domain, slot, given)) is not None:
                constraints[slot.key] = value
        return self.database.search(domain.key, constraints)

    def _wish(self, domain: Domain, slot: Slot, given: Json) -> Any:
        key = _field(domain, slot)
        if slot.kind in NUMBERS:
            low, high = given.get(f"{key}_min"), given.get(f"{key}_max")
            if low is None and high is None:
                return None
            return say_band(forms_of(self.world.language, domain.key, slot), Band(low, high))
        value = given.get(key)
        if isinstance(value, str) and value:
            self._check_name(domain, slot, key, value)
        return tuple(value) if isinstance(value, list) else value or None

    def _check_name(self, domain: Domain, slot: Slot, key: str, value: str) -> None:
        """Refuse a search by a name that no place has: small models fill every field, `None`."""
        searched = {SlotKind.NAME: domain.key, SlotKind.NEARBY: slot.target}.get(slot.kind, "")
        if searched and self.database.find(searched, value) is None:
            names = self._names(self.world.schema.domain(searched) or domain)
            raise ToolError(
                f"{key}: no place is called {value!r}{_meant(value, names)};"
                " leave the field out to search without it"
            )

    def _near(self, given: Json) -> Json:
        domain, target = self._domain(given["domain"]), self._domain(given["target"])
        self._row(domain, given["name"])
        rows = self.database.nearby(domain.key, given["name"], target.key)
        shown = [self._shown(target, row) for row in rows[:MOST_ROWS]]
        return {"count": len(rows), "results": shown}

    def _ridden(self, given: Json) -> Json:
        domain = self._domain(given["kind"])
        ends = ends_of(domain)
        places = (given["departure"], given["destination"])
        for place in places:
            self._known_place(place)
        rows = self.database.search(domain.key, dict(zip(ends, places, strict=True)))
        return {"results": [self._shown(domain, row) for row in rows]}

    def _known_place(self, name: str) -> None:
        domains = self.world.schema.places
        if not any(self.database.find(domain.key, name) for domain in domains):
            names = [each for domain in domains for each in self._names(domain)]
            raise ToolError(f"no place is called {name!r}{_meant(name, names)}")

    def _row(self, domain: Domain, name: str) -> Row:
        row = self.database.find(domain.key, name)
        if row is None:
            title = self.world.language.domain_name(domain.key)
            raise ToolError(f"no {title} is called {name!r}{_meant(name, self._names(domain))}")
        return row

    def _names(self, domain: Domain) -> list[str]:
        return self.world.texts(domain.key, domain.name_slot.key) if domain.name_slot else []

    def _shown(self, domain: Domain, row: Row) -> Json:
        """A row as the language says it; unknown cells are left out."""
        pack, shown = self.world.language, {}
        for slot in domain.slots:
            cell = row.get(slot.key)
            if cell is not None:
                texts = say_cell(pack, domain, slot, cell)
                shown[slot.key] = list(texts) if isinstance(cell, tuple) else texts[0]
        return shown

    # Names that every provider takes: letters A to Z, digits, underscores

    def name(self, does: str, domain: Domain) -> str:
        """`search_<domain>` or `get_<domain>`."""
        return f"{does}_{self.key(domain)}"

    def field(self, domain: Domain, slot: Slot) -> str:
        """The argument of a slot; that of numbers is followed by `_min` or `_max`."""
        return _field(domain, slot)

    def key(self, domain: Domain) -> str:
        """A domain in the names and arguments of tools."""
        if PLAIN.fullmatch(domain.key):
            return domain.key
        alike = [each for each in self.world.schema if each.kind is domain.kind]
        number = f"_{alike.index(domain) + 1}" if domain.kind is DomainKind.PLACE else ""
        return f"{domain.kind.value}{number}"

    def _domain(self, key: str) -> Domain:
        return next(domain for domain in self.world.schema if self.key(domain) == key)


def _field(domain: Domain, slot: Slot) -> str:
    if PLAIN.fullmatch(slot.key):
        return slot.key
    return f"{slot.kind.value}_{domain.slots.index(slot) + 1}"


def _meant(name: str, names: list[str]) -> str:
    close = [found for found, _, _ in process.extract(name, names, limit=3, score_cutoff=60)]
    return f"; did you mean {' or '.join(close)}?" if close else ""


_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "boolean": (bool,),
}


def _checked(tool: Tool, given: Mapping[str, Any]) -> Json:
    """The arguments, nulls left out; raises for what the schema does not allow."""
    given = {key: value for key, value in given.items() if value is not None}
    for key in tool.required:
        if key not in given:
            raise ToolError(f"{tool.name} needs {key}")
    for key, value in given.items():
        known = tool.properties.get(key)
        if known is None:
            fields = ", ".join(tool.properties)
            raise ToolError(f"{tool.name} has no field {key!r}; it has {fields}")
        _check_type(f"{tool.name}: {key}", known, value)
    return given


def _check_type(where: str, known: Json, value: Any) -> None:
    kind: str = known["type"]
    if isinstance(value, list) and kind == "array":
        for item in value:
            _check_type(where, known["items"], item)
        return
    is_other = isinstance(value, bool) and kind != "boolean"
    if is_other or not isinstance(value, _TYPES[kind]):
        raise ToolError(f"{where} should be of type {kind}, not {json.dumps(value, default=str)}")
    if "enum" in known and value not in known["enum"]:
        raise ToolError(f"{where} should be one of {', '.join(known['enum'])}, not {value!r}")
