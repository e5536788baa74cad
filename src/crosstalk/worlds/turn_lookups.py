"""What the system's side of a dialogue looked up, as calls of the tools of its world.

    lookups = TurnLookUps(WorldTools(database))
    for name, arguments, result in lookups.of_turn(turn, queries): ...

A corpus has the form that was sent and the results that were ticked; here they become calls of
`search_<domain>`, `get_<domain>` and `ride` with the answers of the tables. The wizard saw all
matches, a tool shows 20 at most: matches that were chosen are shown in any case. If a turn tells
about a match that no answer has shown yet, the search is sent again for more rows; any other place
is looked up by its name. Where a corpus has no queries (`inferred`), a domain that is told about
before anything was asked of it is searched without constraints, a value told that no match has
takes the place of the one searched for, a place told about that is no match is searched for without
the wishes that it does not meet, and names are forgiven a slip of spelling. Actions, such as
bookings, become calls with what came of them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any, Final

from crosstalk.dialogue.acts import FACT, INFORM, RECOMMEND, Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import NUMBERS, Domain, DomainKind, Slot, SlotKind
from crosstalk.dialogue.states import DomainState, SlotValue
from crosstalk.language.normalize import tight
from crosstalk.language.number_forms import forms_of, read_bounds
from crosstalk.worlds.action_tools import action_result, tool_arguments
from crosstalk.worlds.conditions import terms
from crosstalk.worlds.policy_rules import actions_of
from crosstalk.worlds.queries import ends_of
from crosstalk.worlds.tables import Row
from crosstalk.worlds.tools import DEFAULT_LIMIT, MOST_ROWS, Json, WorldTools

LookUp = tuple[str, Json, Json]
"""A tool, its arguments, its answer."""
LIMITS: Final = (DEFAULT_LIMIT, 10, MOST_ROWS)
KINDS: Final = (SlotKind.CATEGORY, SlotKind.FLAG)
"""Slots whose values sort the rows."""
CLOCK: Final = re.compile(r"(\d{1,2})\s*[:.]\s*(\d{2})")
SPELT: Final = 6
"""Letters of a name in which a slip of spelling is forgiven."""
ALIKE: Final = 0.85
"""How alike (ratio of `difflib`) a misspelt name is to the one it means."""
TELLING: Final = (INFORM, RECOMMEND, FACT, "OfferBook", "OfferBooked")
"""Intents that tell about a row; the last two are those of MultiWOZ."""


class TurnLookUps:
    """The lookups of one dialogue, turn by turn; knows which rows were shown already."""

    def __init__(
        self, tools: WorldTools, instructions: str = "", *, inferred: bool = False
    ) -> None:
        """`instructions`: what an assistant with these tools is told first.

        `inferred`: queries were inferred from states and words, for the corpus records none.
        """
        self._inferred = inferred
        self.instructions = instructions
        self.no, self.nothing = tools.world.language.no, tools.world.language.nothing
        self._tools = tools
        self._database = tools.database
        self._shown: set[tuple[str, str]] = set()
        self._current: dict[str, tuple[str, ...]] = {}
        """Domain -> the places that were ticked last."""
        self._names: dict[str, dict[str, str]] = {}
        """Domain -> its names without case -> as the table writes them."""
        self._asked: dict[str, Json] = {}
        """Domain -> what was searched for last."""
        self._answers: dict[str, Json] = {}
        """Search -> its answer."""

    def definitions(self) -> list[Json]:
        return self._tools.definitions()

    def row_of(self, domain: str, known: Json, tab: DomainState) -> Json:
        """The row with these cells that has most of the values of a tab; empty if there is none."""
        if self._tools.world.schema.domain(domain) is None:
            return {}
        cells = [(slot, str(value).casefold()) for slot, value in known.items()]
        rows = [
            row
            for row in self._tools.world.tables.get(domain, ())
            if all(str(row.get(slot)).casefold() == value for slot, value in cells)
        ]
        fits = [sum(row.get(slot) == value for slot, value in tab.slots) for row in rows]
        return dict(rows[fits.index(max(fits))]) if rows else {}

    def of_turn(self, turn: Turn, queries: Sequence[DomainState]) -> list[LookUp]:
        """The calls before one turn of the system; `queries` are the tabs of its form sent."""
        wanted = dict(self._wanted(turn))
        found: list[LookUp] = []
        for tab in queries:
            domain = self._tools.world.schema.domain(tab.domain)
            if domain is None:
                continue
            search = self._search if domain.kind is DomainKind.PLACE else self._ride
            found += search(domain, tab, wanted.get(tab.domain, ()))
        if self._inferred:
            found += self._overviews(turn, wanted)
        for key, names in wanted.items():
            domain = self._database.domain(key)
            if self._inferred:
                found += self._instead(domain, turn)
            found += self._more(domain, (*names, *self._examples(domain, turn)))
            if self._inferred:
                found += self._relaxed(domain, names)
            found += self._gets(domain, names)
        return [*found, *self._actions(turn)]

    def _overviews(self, turn: Turn, wanted: Iterable[str]) -> Iterator[LookUp]:
        """A search of everything for each domain told about of which nothing was asked yet."""
        for key in wanted:
            domain = self._database.domain(key)
            acts = [act for act in turn.acts if _same(act.domain, key) and act.intent in TELLING]
            if key not in self._asked and any(act.value for act in acts):
                yield from self._send(domain, {}, ())

    def _actions(self, turn: Turn) -> Iterator[LookUp]:
        """What was done in the turn, such as a booking, with what came of it."""
        executor = self._tools.executor
        for event in actions_of(turn):
            arguments = tool_arguments(executor, event)
            yield event.action, arguments, action_result(executor, event)

    def _wanted(self, turn: Turn) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Domain -> the places that the turn rests on: ticked, named, or told about."""
        for domain in self._tools.world.schema.places:
            tab = turn.last_query.get(domain.key) if turn.last_query else None
            acts = [a for a in turn.acts if _same(a.domain, domain.key) and a.intent in TELLING]
            name = domain.name_slot.key if domain.name_slot else ""
            named = [self._spelt(domain, act.value) for act in acts if _same(act.slot, name)]
            if tab and domain.key_slots:
                named += self._identified(domain, tab, acts)
            elif self._inferred and not named:
                named += self._marked(domain, acts)
            ticked = tab.selected if tab else ()
            if ticked or named:
                self._current[domain.key] = (*ticked, *named)
            if ticked or acts:
                yield domain.key, tuple(dict.fromkeys(self._current.get(domain.key, ())))

    def _identified(self, domain: Domain, tab: DomainState, acts: list[Act]) -> Iterator[str]:
        """The rows whose identifiers or times are told, for a train has no name.

        They have what the form asks for; of several, the one with most of what is told comes first,
        and others follow where they have what it lacks.
        """
        told = {said for act in acts for said in (act.value.casefold(), _clock(act.value)) if said}
        marks = [*domain.of_kind(SlotKind.KEY), *domain.of_kind(SlotKind.TIME)]
        fixed = [(slot, value) for slot, value in tab.slots if not _is_bound(domain, slot)]

        def told_in(row: Row) -> set[str]:
            return {str(row.get(slot.key)).casefold() for slot in marks} & told

        def fits(row: Row) -> tuple[int, int]:
            return len(told_in(row)), sum(row.get(slot) == value for slot, value in fixed)

        rows = self._tools.world.tables[domain.key].rows if told and domain.name_slot else ()
        first = max(rows, key=fits, default=None)
        while first is not None and domain.name_slot and (found := told_in(first)):
            yield str(first[domain.name_slot.key])
            told -= found
            rows = tuple(row for row in rows if fits(row)[1] == fits(first)[1])
            first = max(rows, key=fits, default=None)

    def _marked(self, domain: Domain, acts: list[Act]) -> list[str]:
        """The one place whose phone number, address or other text is told, without its name."""
        told = {tight(act.value) for act in acts if len(tight(act.value)) >= SPELT}
        if not told or not domain.name_slot:
            return []
        texts = [slot.key for slot in domain.of_kind(SlotKind.TEXT)]
        found = [
            str(row[domain.name_slot.key])
            for row in self._tools.world.tables[domain.key].rows
            if any(tight(str(row.get(key))) in told for key in texts)
        ]
        current = self._current.get(domain.key, ())
        return found if len(found) == 1 and not set(found) & set(current) else []

    def _spelt(self, domain: Domain, name: str) -> str:
        """A name as the table writes it; MultiWOZ has names as they were said."""
        if domain.key not in self._names:
            slot = domain.name_slot.key if domain.name_slot else ""
            texts = self._tools.world.texts(domain.key, slot)
            self._names[domain.key] = {_bare(text): text for text in texts}
        names, bare = self._names[domain.key], _bare(name)
        if bare in names or not self._inferred or len(bare) < SPELT:
            return names.get(bare, name)
        close = get_close_matches(bare, names, 1, ALIKE)
        return names[close[0]] if close else name

    def _examples(self, domain: Domain, turn: Turn) -> Iterator[str]:
        """For each kind of match that is told about and that no answer shows, one of it."""
        given = self._asked.get(domain.key)
        if given is None:
            return
        rows: tuple[Row, ...] | None = None
        for act in turn.acts:
            slot = next((each for each in domain.slots if _same(each.key, act.slot)), None)
            if not _same(act.domain, domain.key) or slot is None or slot.kind not in KINDS:
                continue
            told = _bare(act.value).removesuffix("s")
            if rows is None:
                rows = self._tools.matches(domain, given)
            alike = [row for row in rows if told and tight(str(row.get(slot.key))) == told]
            names = [
                str(row.get(domain.name_slot.key if domain.name_slot else "")) for row in alike
            ]
            if not any((domain.key, name) in self._shown for name in names):
                yield from names[:1]

    def _instead(self, domain: Domain, turn: Turn) -> Iterator[LookUp]:
        """Searches for other values than was asked for, where a turn tells them and no match has
        them: nightclubs where no cinema was found.
        """
        for act in turn.acts:
            given = self._asked.get(domain.key)
            slot = next((each for each in domain.slots if _same(each.key, act.slot)), None)
            if not given or slot is None or slot.kind is not SlotKind.CATEGORY:
                continue
            if not _same(act.domain, domain.key) or act.intent not in TELLING:
                continue
            key, told = self._tools.field(domain, slot), _bare(act.value).removesuffix("s")
            texts = self._tools.world.texts(domain.key, slot.key)
            value = next((text for text in texts if tight(text) == told), None)
            if key not in given or value is None or given[key] == value:
                continue
            if self._tools.matches(domain, other := {**given, key: value}):
                yield from self._send(domain, other, ())

    def _relaxed(self, domain: Domain, names: Iterable[str]) -> Iterator[LookUp]:
        """The last search without the wishes that a place told about does not meet."""
        slot = domain.name_slot.key if domain.name_slot else ""
        for name in names:
            given = self._asked.get(domain.key)
            known = self._database.find(domain.key, name)
            if not given or known is None or (domain.key, name) in self._shown:
                continue
            met: Json = {}
            for key in dict.fromkeys(_without_end(key) for key in given):
                wish = {field: v for field, v in given.items() if _without_end(field) == key}
                if any(row.get(slot) == name for row in self._tools.matches(domain, wish)):
                    met |= wish
            if len(met) < len(given):
                yield from self._send(domain, met, (name,))

    def _more(self, domain: Domain, names: Iterable[str]) -> Iterator[LookUp]:
        """The last search with more rows, where it found places that no answer shows yet."""
        given = self._asked.get(domain.key)
        unseen = {name for name in names if (domain.key, name) not in self._shown}
        if given is None or not unseen:
            return
        tool = self._tools.name("search", domain)
        key = domain.name_slot.key if domain.name_slot else ""
        for limit in LIMITS[1:]:
            arguments = {**given, "limit": limit}
            if self._key(domain, arguments) in self._answers:
                continue
            result = self._tools.search(domain, arguments, unseen)
            if unseen & {str(row.get(key)) for row in result["results"]}:
                self._answers[self._key(domain, arguments)] = result
                self._see(domain, result["results"])
                yield tool, arguments, result
                return

    def _search(self, domain: Domain, tab: DomainState, wanted: Iterable[str]) -> Iterator[LookUp]:
        given: Json = {}
        for slot in domain.form:
            if value := tab.get(slot.key):
                given |= self._sound(domain, self._fields(domain, slot, value))
        if not given or self._asked.get(domain.key) == given:
            return  # what changed is no field of the search, such as that of a booking
        yield from self._send(domain, given, wanted)

    def _send(self, domain: Domain, given: Json, wanted: Iterable[str]) -> Iterator[LookUp]:
        self._asked[domain.key] = given
        name = self._tools.name("search", domain)
        limit = self._limit(domain, name, given, set(wanted))
        arguments = {**given, "limit": limit} if limit > DEFAULT_LIMIT else given
        result = self._answer(domain, arguments, set(wanted))
        self._see(domain, result["results"])
        yield name, arguments, result

    def _answer(self, domain: Domain, arguments: Json, wanted: set[str]) -> Json:
        """The same answer whenever the same is asked; shows the places wanted among the matches."""
        key = self._key(domain, arguments)
        if key not in self._answers:
            self._answers[key] = self._tools.search(domain, arguments, wanted)
        return self._answers[key]

    @staticmethod
    def _key(domain: Domain, arguments: Json) -> str:
        return json.dumps([domain.key, arguments], sort_keys=True)

    def _limit(self, domain: Domain, name: str, given: Json, wanted: set[str]) -> int:
        """Enough rows to show the places wanted; in steps, so that they are not always the last."""
        rows = self._tools.run(name, {**given, "limit": MOST_ROWS}).get("results", [])
        key = domain.name_slot.key if domain.name_slot else ""
        places = [number for number, row in enumerate(rows) if row.get(key) in wanted]
        return next(limit for limit in LIMITS if not places or places[-1] < limit)

    def _sound(self, domain: Domain, fields: Json) -> Json:
        """The fields that the tool takes; a value it does not know is left out of the search."""
        name = self._tools.name("search", domain)
        return fields if "error" not in self._tools.run(name, {**fields, "limit": 1}) else {}

    def _fields(self, domain: Domain, slot: Slot, value: SlotValue) -> Json:
        pack, key = self._tools.world.language, self._tools.field(domain, slot)
        if slot.kind in NUMBERS:
            text = value if isinstance(value, str) else " ".join(value)
            bounds = read_bounds(forms_of(pack, domain.key, slot), text)
            ends = (("min", bounds.low), ("max", bounds.high)) if bounds else ()
            return {f"{key}_{end}": number for end, number in ends if number is not None}
        if slot.kind.is_list:
            return {key: list(terms(pack, value))}
        return {key: value if isinstance(value, str) else value[0]}

    def _ride(self, domain: Domain, tab: DomainState, wanted: Iterable[str]) -> Iterator[LookUp]:
        ends = [tab.get(key) for key in ends_of(domain)]
        if not all(isinstance(end, str) and end for end in ends):
            return
        names = ("kind", "departure", "destination")
        arguments = dict(zip(names, (self._tools.key(domain), *ends), strict=True))
        yield "ride", arguments, self._tools.run("ride", arguments)

    def _gets(self, domain: Domain, names: Iterable[str]) -> Iterator[LookUp]:
        for name in names:
            known = self._database.find(domain.key, name) is not None
            if known and (domain.key, name) not in self._shown:
                tool, arguments = self._tools.name("get", domain), {"name": name}
                result = self._tools.run(tool, arguments)
                self._see(domain, [result["result"]])
                yield tool, arguments, result

    def _see(self, domain: Domain, rows: Iterable[dict[str, Any]]) -> None:
        key = domain.name_slot.key if domain.name_slot else ""
        self._shown |= {(domain.key, str(row.get(key))) for row in rows}


def _without_end(field: str) -> str:
    """The slot of a field of a search that bounds numbers: `stars` of `stars_min`."""
    return field.removesuffix("_min").removesuffix("_max")


def _same(one: str, other: str) -> bool:
    """Whether two keys are alike but for capitals, in which acts of MultiWOZ differ from states."""
    return one.casefold() == other.casefold()


def _bare(name: str) -> str:
    """A name without article, spaces and marks: `The Christ 's College`, `christ's college`."""
    return tight(name.casefold().removeprefix("the "))


def _clock(text: str) -> str:
    """A time of day as tables write it; empty for anything else."""
    found = CLOCK.fullmatch(text.strip())
    return f"{int(found[1]):02}:{found[2]}" if found else ""


def _is_bound(domain: Domain, slot: str) -> bool:
    """Whether a field bounds what a row may have, as `leave after` does."""
    known = domain.slot(slot)
    return known is not None and known.kind is SlotKind.TIME
