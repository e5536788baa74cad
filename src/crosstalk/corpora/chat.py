"""Writes chat JSON Lines, for language models: one dialogue per line; chat_reader.py reads them.

User and system turns become `user` and `assistant` messages. What the wizard did before answering
becomes calls of the tools that agents get (`worlds/tools.py`), with the answers of the tables, so
that whatever an `assistant` message tells stands in a `tool` message before it. Calls that an agent
or a service made are written as they were made. Where the tables are not at hand, the calls have
the form as it was sent, and the answers the places that were ticked and a sentence that says so.

`metadata` counts the values that the system states and lists those that stand nowhere before.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, Protocol

from crosstalk.corpora.chat_grounding import Evidence, stated
from crosstalk.corpora.dialogue_parts import CANONICAL, EMPTY, booked_in
from crosstalk.corpora.formats import Format, format_of_world
from crosstalk.corpora.record_encoding import encode_goal
from crosstalk.dialogue.dialogues import ACTIONS, Dialogue, Speaker, Turn
from crosstalk.dialogue.states import DomainState, SlotValue, SystemState
from crosstalk.files import writing_packed

Json = dict[str, Any]
Message = dict[str, Any]
UNKNOWN: Final = (
    "The tables of this dialogue's world are not at hand; only the places that were ticked are "
    "known."
)
UNSENT: Final = (*EMPTY, "dontcare")
"""Values of a state that are no constraint of a query."""
BOOK: Final = "book "
"""Begins the slots of a booking, in MultiWOZ."""
PRICE: Final = re.compile(r"\d+(\.\d+)?")
ENTITIES: Final = ("name", "trainID", "train id")
"""Fields of a booking that say what is booked."""
WEIGHT: Final = "weight"
"""Key of a message of the assistant: 0 if it is not to be learnt, else 1."""
UNPARSED: Final = "unparsed"
"""Key of arguments that an agent or a corpus wrote and that are no JSON object."""
CUT_TURNS: Final = "turns cut"
"""In extras, how many turns were cut off at the end of a dialogue (`chat_trimming.py`)."""
RECORDED: Final = "recorded"
"""Calls and answers are those that an agent or a service made."""
REPLAYED: Final = "replayed"
"""The queries were recorded; the tables answered them again."""
INFERRED: Final = "inferred"
"""The queries were inferred from states and from what was said; the tables answered them."""
UNANSWERED: Final = "unanswered"
"""The queries were recorded, and the tables are not at hand."""
NO_CALLS: Final = "none"
OBJECT: Final = "object"
TEXT: Final = "text"


class LooksUp(Protocol):
    """The tools of a dialogue's world and what its turns looked up (`worlds/turn_lookups.py`)."""

    @property
    def instructions(self) -> str:
        """The system message; empty: none."""
        ...

    @property
    def no(self) -> str:
        """How acts say that a place does not have a service; empty: as CrossWOZ does."""
        ...

    @property
    def nothing(self) -> str:
        """How acts say that a value is not known; empty: as CrossWOZ does."""
        ...

    def definitions(self) -> list[Json]: ...

    def row_of(self, domain: str, known: Json, tab: DomainState) -> Json:
        """The row with these cells that fits a tab best; empty where it is not known."""
        ...

    def of_turn(
        self, turn: Turn, queries: Sequence[DomainState]
    ) -> Sequence[tuple[str, Json, Json]]:
        """Name, arguments and answer of each call before a turn of the system."""
        ...


LookUps = Callable[[Dialogue], LooksUp | None]
"""What a dialogue looked up; None where its tables are not at hand."""


def write_chat(
    dialogues: Iterable[Dialogue],
    path: Path,
    lookups: LookUps | None = None,
    arguments: str = OBJECT,
    *,
    weights: bool = False,
) -> None:
    with writing_packed(path) as file:
        for dialogue in dialogues:
            found = lookups(dialogue) if lookups else None
            record = chat_record(dialogue, found, arguments=arguments, weights=weights)
            json.dump(record, file, ensure_ascii=False)
            file.write("\n")


def chat_record(
    dialogue: Dialogue,
    lookups: LooksUp | None = None,
    *,
    arguments: str = OBJECT,
    weights: bool = False,
) -> Json:
    """One line of the file.

    `arguments`: those of calls as an `object`, which chat templates expect, or as JSON `text`,
    which the OpenAI interface expects. `weights`: each message of the assistant gets a `weight`, 0
    for an answer that states an ungrounded value, else 1; fine-tuning leaves out what weighs 0.
    """
    corpus = format_of_world(dialogue.world)
    if lookups and corpus and corpus.infer_queries and not has_own_calls(dialogue):
        dialogue = corpus.infer_queries(dialogue)
    writer = _Writer(dialogue, lookups, corpus, arguments == TEXT)
    kept = dialogue.extras.get("chat")
    read = kept if isinstance(kept, dict) else {}
    for text in read.get("instructions") or filter(None, [writer.lookups.instructions]):
        writer.messages.append({"role": "system", "content": text})
    for turn in dialogue.turns:
        writer.add(turn)
    if weights:
        writer.weigh()
    record: Json = {"messages": writer.messages}
    known = read.get("tools") or (writer.definitions() if lookups or writer.made else [])
    tools = [*known, *_undefined(writer.made, known)]
    if tools or arguments == OBJECT:  # OpenAI refuses an empty list, data sets want the column
        record["tools"] = tools
    source = {"source": _source(dialogue, lookups, corpus) if writer.made else NO_CALLS}
    return {**record, "metadata": {**_metadata(dialogue), **source, **writer.grounding()}}


def _source(dialogue: Dialogue, lookups: LooksUp | None, corpus: Format | None) -> str:
    """Where the calls of a record come from, and their answers."""
    if has_own_calls(dialogue):
        return RECORDED
    if lookups is None:
        return UNANSWERED
    return INFERRED if corpus and corpus.infer_queries else REPLAYED


def _metadata(dialogue: Dialogue) -> Json:
    """The same fields of the same types for every corpus; a goal, whose values vary, as text."""
    return {
        "id": dialogue.id,
        "language": dialogue.language,
        "world": dialogue.world,
        "goal": _text(encode_goal(dialogue.goal)) if dialogue.goal else "",
        "cut": dialogue.extras.get(CUT_TURNS, 0),
    }


Call = tuple[str, Any, str]
"""A tool, its arguments (an object; text where an agent wrote no object) and its answer as text."""


class _Writer:
    """The messages of one dialogue so far, and what the system's side could know from them."""

    def __init__(
        self, dialogue: Dialogue, lookups: LooksUp | None, corpus: Format | None, as_text: bool
    ) -> None:
        self._recorded = has_own_calls(dialogue)
        """The dialogue has its real calls; nothing is looked up beside them."""
        self.lookups = lookups or FormLookUps(dialogue)
        self.messages: list[Message] = []
        self.made: list[Call] = []
        self._as_text = as_text
        self._before = SystemState()
        self._booked: set[tuple[str, str]] = set()
        self._said = corpus.said if corpus else None
        self._evidence = Evidence(self.lookups.no, dialogue.language, self._said)
        self._stated = 0
        self._ungrounded: list[Json] = []

    def add(self, turn: Turn) -> None:
        if turn.speaker is Speaker.USER:
            self.messages.append({"role": "user", "content": turn.text})
            self._evidence.heard(turn.text)
            return
        for call in _own_calls(turn) if self._recorded else self._looked_up(turn):
            self._call(*call)
        for call in () if self._recorded else self._bookings(turn):
            self._call(*call)
        self._before = turn.last_query or self._before
        self._ground(turn)
        self.messages.append({"role": "assistant", "content": turn.text})

    def _looked_up(self, turn: Turn) -> Iterator[Call]:
        queries = list(_queries(turn, self._before))
        for name, arguments, result in self.lookups.of_turn(turn, queries):
            yield name, arguments, _text(result)

    def _bookings(self, turn: Turn) -> Iterator[Call]:
        """A call for each booking that a corpus has since this turn: its slots and its result."""
        for domain, entries in booked_in(turn).items():
            for entry in entries:
                if (domain, _text(entry)) in self._booked:
                    continue
                self._booked.add((domain, _text(entry)))
                tab = _sent((turn.last_query or SystemState()).get(domain))
                form = tab.constraints
                wanted = {slot: value for slot, value in form.items() if slot.startswith(BOOK)}
                named = {slot: value for slot, value in entry.items() if slot in ENTITIES}
                given = wanted or form
                booked = {slot.removeprefix(BOOK): value for slot, value in given.items()}
                row = self.lookups.row_of(domain, named, tab) if named else {}
                price = _price_of_all(row, booked.get("people", ""))
                yield f"book_{domain}", {**named, **given}, _text({**entry, **booked, **price})

    def _call(self, name: str, arguments: Any, result: str) -> None:
        """One message for each call: the next may rest on its answer."""
        id = f"call_{len(self.made)}"
        given = self._written(arguments)
        function = {"name": name, "arguments": given}
        call = {"id": id, "type": "function", "function": function}
        self.messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        answer = {"role": "tool", "tool_call_id": id, "name": name, "content": result}
        self.messages.append(answer)
        self.made.append((name, arguments, result))
        named = arguments.get("name") if isinstance(arguments, dict) else None
        self._evidence.found(result, named if isinstance(named, str) else "")

    def _written(self, arguments: Any) -> Any:
        """As text, or as an object, which every chat template needs: also for what is none."""
        if self._as_text:
            return arguments if isinstance(arguments, str) else _text(arguments)
        return {UNPARSED: arguments} if isinstance(arguments, str) else arguments

    def _ground(self, turn: Turn) -> None:
        for act in stated(turn, self.lookups.nothing, self._said):
            self._stated += 1
            written = turn.extras.get(CANONICAL, {}).get(act.value, act.value)
            spellings = (act, replace(act, value=written))
            if not any(self._evidence.supports(each, turn.acts) for each in spellings):
                told = [act.intent, act.domain, act.slot, act.value]
                self._ungrounded.append({"message": len(self.messages), "act": told})

    def weigh(self) -> None:
        """Weights of the assistant's messages: 0 for those that state an ungrounded value."""
        false = {each["message"] for each in self._ungrounded}
        for number, message in enumerate(self.messages):
            if message["role"] == "assistant":
                message[WEIGHT] = int(number not in false)

    def definitions(self) -> list[Json]:
        """Those of the tools; forms are none where the real calls are known."""
        forms = isinstance(self.lookups, FormLookUps)
        return [] if forms and self._recorded else self.lookups.definitions()

    def grounding(self) -> Json:
        return {"stated": self._stated, "ungrounded": self._ungrounded}


def _price_of_all(row: Json, people: SlotValue) -> Json:
    """What all tickets of a booking cost, where the tables tell."""
    found = PRICE.search(str(row.get("price", "")))
    if not found or not isinstance(people, str) or not people.isdecimal():
        return {}
    total = Decimal(found[0]) * int(people)
    return {"total price": PRICE.sub(str(total), str(row["price"]), count=1)}


def _text(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False)


def has_own_calls(dialogue: Dialogue) -> bool:
    """Whether a dialogue has the calls that an agent or a service made."""
    return any(map(_own_calls, dialogue.turns))


def _own_calls(turn: Turn) -> list[Call]:
    """The calls of an agent or a service, as it made them."""
    kept = turn.extras.get("agent")
    made = kept.get("tool_calls", ()) if isinstance(kept, dict) else ()
    return [(call["name"], _object(call["arguments"]), call["result"]) for call in made]


def _object(arguments: str) -> Any:
    """Arguments as an object; as they are if an agent wrote something else."""
    try:
        given = json.loads(arguments or "{}")
    except ValueError:
        return arguments
    return given if isinstance(given, dict) else arguments


def _queries(turn: Turn, before: SystemState) -> Iterator[DomainState]:
    """The forms submitted in this turn: the first, and the last if it differs.

    The corpus has the form, not the click; a tab counts as submitted if what it asks for changed
    since the turn before.
    """
    sent = {tab.domain: _sent(tab).constraints for tab in before}
    for form in (turn.first_query, turn.last_query):
        for tab in map(_sent, form or ()):
            if tab.constraints and tab.constraints != sent.get(tab.domain):
                yield tab
            sent[tab.domain] = tab.constraints


def _sent(tab: DomainState) -> DomainState:
    """The tab without values that ask for nothing, such as `not mentioned`."""
    slots = tuple((slot, "" if value in UNSENT else value) for slot, value in tab.slots)
    return replace(tab, slots=slots)


_JSON_TYPES: Final[Mapping[type, str]] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}


def _undefined(made: Iterable[Call], known: Iterable[Json]) -> Iterator[Json]:
    """Definitions of functions that were called but that nobody defines, from their calls."""
    defined = {tool.get("function", {}).get("name") for tool in known}
    functions: dict[str, dict[str, Json]] = {}
    for name, arguments, _ in made:
        fields = functions.setdefault(name, {})
        for key, value in arguments.items() if isinstance(arguments, dict) else ():
            fields.setdefault(key, {"type": _JSON_TYPES.get(type(value), "string")})
    for name, fields in functions.items():
        if name not in defined:
            yield _definition(name, "A service, with the arguments used in this dialogue.", fields)


def _definition(name: str, description: str, fields: Mapping[str, Json]) -> Json:
    parameters = {"type": "object", "properties": dict(fields)}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


class FormLookUps:
    """What is known without tables: the fields of the forms, and the places that were ticked."""

    instructions: Final = ""
    no: Final = ""
    nothing: Final = ""

    def __init__(self, dialogue: Dialogue) -> None:
        turns = list(dialogue.system_turns)
        forms = [form for turn in turns for form in (turn.first_query, turn.last_query)]
        self._fields: dict[str, dict[str, None]] = {}
        self._ticked: dict[tuple[str, str], dict[str, None]] = {}
        """Query -> all places that were ever ticked in its results."""
        for tab in (_sent(tab) for form in forms if form for tab in form):
            self._fields.setdefault(tab.domain, {}).update(dict.fromkeys(tab.fields))
            self._ticked.setdefault(_key(tab), {}).update(dict.fromkeys(tab.selected))

    def definitions(self) -> list[Json]:
        return [self._tool(domain) for domain in self._fields]

    def row_of(self, domain: str, known: Json, tab: DomainState) -> Json:
        return {}

    def of_turn(
        self, turn: Turn, queries: Sequence[DomainState]
    ) -> Sequence[tuple[str, Json, Json]]:
        found: list[tuple[str, Json, Json]] = [
            (
                f"search_{tab.domain}",
                dict(tab.constraints),
                {"note": UNKNOWN, "selected": list(self._ticked.get(_key(tab), ()))},
            )
            for tab in queries
        ]
        return [*found, *map(_acted, turn.extras.get(ACTIONS, ()))]

    def _tool(self, domain: str) -> Json:
        properties = {field: {"type": "string"} for field in self._fields[domain]}
        return _definition(
            f"search_{domain}", f"Search the table of {domain}. {UNKNOWN}", properties
        )


def _acted(record: Json) -> tuple[str, Json, Json]:
    """What was done in a turn as a call, and what came of it, without a world to say it in."""
    came = {"refused": record["refused"]["reason"]} if "refused" in record else {}
    done = {"done": record["action"], **record.get("gives", {})}
    return record["action"], record["arguments"], came or done


def _key(tab: DomainState) -> tuple[str, str]:
    return tab.domain, json.dumps(tab.constraints, sort_keys=True)
