"""MultiWOZ 2.1: one JSON object, dialogue id -> goal and log; also its Chinese translation.

Even entries of a log are the user's. The `metadata` of a system entry is the state after the
user's turn before it: it becomes both queries of the system turn, booking fields as `book people`.
Entries without acts, as in 2.0, get those of the `dialogue_acts.json` beside the file.
"""

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from crosstalk.corpora import json_types
from crosstalk.corpora.corpus_files import beside
from crosstalk.corpora.formats import Format, Shape, Signature
from crosstalk.corpora.inferred_queries import with_inferred_queries
from crosstalk.corpora.json_stream import JsonStream
from crosstalk.corpora.json_types import Unexpected, within
from crosstalk.corpora.lost_fields import OURS, restore, unknown_fields, with_lost_fields
from crosstalk.corpora.multiwoz_labels import SAID, said_value
from crosstalk.corpora.multiwoz_world import in_world
from crosstalk.corpora.record_encoding import Record, decode_act, encode_dialogue
from crosstalk.dialogue.acts import GENERAL, NOTHING, REQUEST, Act
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.files import Source, read_json, writing_packed

EXTRAS = "multiwoz"
BOOK = "book "
BOOKED = "booked"
UNKNOWN = "?"
"""The value of a request."""
CHINESE = {
    "通知": "Inform",
    "请求": REQUEST,
    "推荐": "Recommend",
    "无结果": "NoOffer",
    "选择": "Select",
    "预定": "Book",
    "无预定": "NoBook",
    "提供预定": "OfferBook",
    "完成预定": "OfferBooked",
    "问好": "greet",
    "谢谢": "thank",
    "欢迎": "welcome",
    "更多请求": "reqmore",
    "再见": "bye",
}
"""Intents of the Chinese files; ours are the English ones in every language."""
OUR_INTENTS = {"zh": CHINESE}
"""By the language of a file: its intents -> ours."""
THEIR_INTENTS = {
    language: {ours: theirs for theirs, ours in intents.items()}
    for language, intents in OUR_INTENTS.items()
}
GENERALS = {"en": "general", "zh": "常规"}
ACTS_FILES = ("dialogue_acts.json", "system_acts.json")
"""Acts of the system, by dialogue and number of the exchange: 2.0, and 2.1 as released."""
GOAL_PARTS = ("info", "book", "reqt")
TURN_FIELDS = {"text", "metadata", "dialog_act", OURS}


def read_multiwoz(path: Source) -> Iterator[Dialogue]:
    acts = _acts_beside(next(filter(None, (beside(path, name) for name in ACTS_FILES)), None))
    for id, raw in JsonStream(path).members():
        with json_types.reading(path, id):
            document = json_types.members(raw)
            if own := acts.get(id.removesuffix(".json")):
                document = _with_acts(document, json_types.members(own, "dialogue_acts"))
            yield restore(from_log(id, document), document, "log", path)


@lru_cache(1)
def _acts_beside(source: Source | None) -> Record:
    return json_types.members(read_json(source)) if source else {}


def _with_acts(document: Record, acts: Record) -> Record:
    """The document with acts in the system's entries that have none."""
    log = json_types.items(json_types.needed(document, "log"), "log")
    return {**document, "log": [_with_own(raw, n, acts) for n, raw in enumerate(log)]}


def _with_own(raw: Any, number: int, acts: Record) -> Any:
    exchange, is_system = divmod(number, 2)
    found = acts.get(str(exchange + 1)) if is_system else None
    if found is None or not isinstance(raw, dict) or "dialog_act" in raw:
        return raw
    return {**raw, "dialog_act": found}


def write_multiwoz(dialogues: Iterable[Dialogue], path: Path) -> None:
    before = "{\n"
    with writing_packed(path) as file:
        for dialogue in dialogues:
            member = {dialogue.id: _document(dialogue)}
            text = json.dumps(member, ensure_ascii=False, indent=4)
            file.write(before + text.removeprefix("{\n").removesuffix("\n}"))
            before = ",\n"
        file.write("{}" if before == "{\n" else "\n}")


def _document(dialogue: Dialogue) -> Record:
    record = encode_dialogue(dialogue)
    return with_lost_fields(record, to_log(record), "log", lambda held: from_log(dialogue.id, held))


# In


def from_log(id: str, document: Record) -> Record:
    log = json_types.items(json_types.needed(document, "log"), "log")
    language = _language(log)
    record: Record = {"id": id, "world": "multiwoz", "language": language}
    others: Record = {}
    if "goal" in document:
        record["goal"], others["goal"] = _goal_in(json_types.members(document["goal"], "goal"))
    record["turns"] = [_turn_in(entry, number, language) for number, entry in enumerate(log)]
    others |= {key: value for key, value in document.items() if key not in ("goal", "log", OURS)}
    return {**record, "extras": {EXTRAS: others}} if others else record


def _language(log: list[Any]) -> str:
    """By the names of domains and acts: the Chinese files translate them."""
    entries = [entry for entry in log if isinstance(entry, dict)]
    keys = [key for entry in entries for key in (entry.get("metadata"), entry.get("dialog_act"))]
    names = "".join(name for key in keys if isinstance(key, dict) for name in key)
    return "zh" if any("一" <= letter <= "鿿" for letter in names) else "en"


def _goal_in(goal: Record) -> tuple[Record, Record]:
    """Constraints and requests as tuples, and all the rest."""
    tuples: list[Record] = []
    rest: Record = {}
    subgoal = 0
    for domain, parts in goal.items():
        if domain == "message":
            continue
        if not isinstance(parts, dict) or not any(parts.get(part) for part in GOAL_PARTS):
            rest[domain] = parts
            continue
        subgoal += 1
        with within(f"goal.{domain}"):
            found, rest[domain] = _parts_in(parts)
        tuples += [{"subgoal": subgoal, "domain": domain, **each} for each in found]
    message = goal.get("message", [])
    told = (
        [message] if isinstance(message, str) else list(json_types.texts(message, "goal.message"))
    )
    record: Record = {"tuples": tuples}
    return {"description": told, **record} if told else record, rest


def _parts_in(parts: Record) -> tuple[list[Record], Record]:
    info = json_types.members(parts.get("info", {}), "info")
    book = json_types.members(parts.get("book", {}), "book")
    found = [{"slot": slot, "value": value} for slot, value in info.items() if _is_text(value)]
    found += [
        {"slot": BOOK + slot, "value": value} for slot, value in book.items() if _is_text(value)
    ]
    found += [
        {"slot": slot, "value": ""} for slot in json_types.texts(parts.get("reqt", []), "reqt")
    ]
    rest = {part: value for part, value in parts.items() if part not in GOAL_PARTS}
    for part, slots in (("info", info), ("book", book)):
        if part in parts:
            rest[part] = {slot: value for slot, value in slots.items() if not _is_text(value)}
    if "reqt" in parts and not parts["reqt"]:
        rest["reqt"] = []
    return found, rest


def _is_text(value: object) -> bool:
    """Whether a value is a text; an empty one would be read as a request."""
    return isinstance(value, str) and value != ""


def _turn_in(raw: object, number: int, language: str) -> Record:
    try:
        entry = json_types.members(raw)
        record: Record = {
            "speaker": "system" if number % 2 else "user",
            "text": json_types.text(json_types.needed(entry, "text"), "text"),
        }
        others = {key: value for key, value in entry.items() if key not in TURN_FIELDS}
        acts = entry.get("dialog_act", {})
        if isinstance(acts, dict):
            record["acts"] = _acts_in(acts, language)
        else:
            others["dialog_act"] = json_types.text(acts, "dialog_act")
        with within("metadata"):
            tabs, booked = _state_in(json_types.members(entry.get("metadata", {})))
    except Unexpected as error:
        raise Unexpected(error.message, field=error.field, turn=number) from error
    if tabs:
        record |= {"first_query": tabs, "last_query": tabs}
        others[BOOKED] = booked
    record = {field: value for field, value in record.items() if value != []}
    return {**record, "extras": {EXTRAS: others}} if others else record


def _acts_in(acts: Record, language: str) -> list[Record]:
    """Acts without slots, as `general-bye`, are lists of `[none, none]` in the files."""
    found = []
    for name, slots in acts.items():
        domain, _, intent = name.partition("-")
        intent = OUR_INTENTS.get(language, {}).get(intent, intent)
        with within(f"dialog_act.{name}"):
            for slot, value in json_types.each(slots, json_types.pair):
                found.append(_act_in(domain, intent, slot, value))
    return found


def acts_of(acts: Record) -> Iterator[Act]:
    """The acts of an English entry, as MultiWOZ 2.2 keeps them in a file of their own."""
    return map(decode_act, _acts_in(acts, "en"))


def _act_in(domain: str, intent: str, slot: str, value: str) -> Record:
    if domain in GENERALS.values():
        intent, domain = GENERAL, intent
    if intent == REQUEST and value == UNKNOWN:
        value = ""
    record = {"intent": intent, "domain": domain, "slot": slot, "value": value}
    return {
        field: text
        for field, text in record.items()
        if text != NOTHING or field in ("intent", "domain")
    }


def _state_in(metadata: Record) -> tuple[list[Record], Record]:
    """One tab per domain, and the bookings of each domain."""
    tabs, booked = [], {}
    for domain, raw in metadata.items():
        with within(domain):
            parts = json_types.members(raw)
            semi = json_types.members(json_types.needed(parts, "semi"), "semi")
            book = json_types.members(json_types.needed(parts, "book"), "book")
            slots = {slot: _value(value, f"semi.{slot}") for slot, value in semi.items()}
            for slot, value in book.items():
                if slot != BOOKED:
                    slots[BOOK + slot] = _value(value, f"book.{slot}")
        if BOOKED in book:
            booked[domain] = book[BOOKED]
        tabs.append({"domain": domain, "slots": slots} if slots else {"domain": domain})
    return tabs, booked


def _value(value: object, field: str) -> str | list[str]:
    found = json_types.text_or_texts(value, field)
    return found if isinstance(found, str) else list(found)


# Out


def to_log(record: Record) -> Record:
    others = unknown_fields(record, EXTRAS, ("log", OURS))
    rest = others.pop("goal", {})
    document: Record = {}
    if "goal" in record:
        document["goal"] = _goal_out(record["goal"], rest if _is_rest(rest) else {})
    document["log"] = [_turn_out(turn, record.get("language", "en")) for turn in record["turns"]]
    return {**document, **others}


def _goal_out(goal: Record, rest: Record) -> Record:
    document: Record = {
        domain: {part: _copied(value) for part, value in parts.items()}
        if isinstance(parts, dict)
        else parts
        for domain, parts in rest.items()
    }
    for each in goal["tuples"]:
        parts = document.setdefault(each["domain"], {})
        if not isinstance(parts, dict):
            parts = document[each["domain"]] = {}
        slot, value = each["slot"], each["value"]
        if value in ("", []):
            parts.setdefault("reqt", []).append(slot)
        elif slot.startswith(BOOK):
            parts.setdefault("book", {})[slot.removeprefix(BOOK)] = value
        else:
            parts.setdefault("info", {})[slot] = value
    if "description" in goal:
        document["message"] = goal["description"]
    return document


def _is_rest(rest: object) -> bool:
    """Whether tuples can be put back into the parts of a goal."""
    if not isinstance(rest, dict) or "message" in rest:
        return False
    domains = [parts for parts in rest.values() if isinstance(parts, dict)]
    return all(
        isinstance(parts.get("info", {}), dict)
        and isinstance(parts.get("book", {}), dict)
        and isinstance(parts.get("reqt", []), list)
        for parts in domains
    )


def _copied(value: Any) -> Any:
    """Copies of the parts, to which tuples are added without changing the extras."""
    return value.copy() if isinstance(value, dict | list) else value


def _turn_out(turn: Record, language: str) -> Record:
    others = unknown_fields(turn, EXTRAS, TURN_FIELDS - {"dialog_act"})
    booked = others.pop(BOOKED, None)
    return {
        "text": turn["text"],
        "metadata": _state_out(
            turn.get("first_query", []), booked if isinstance(booked, dict) else None
        ),
        "dialog_act": _acts_out(turn.get("acts", []), language),
        **others,
    }


def _acts_out(acts: list[Record], language: str) -> Record:
    document: dict[str, list[list[str]]] = {}
    for act in acts:
        intent, domain = act["intent"], act["domain"]
        slot, value = act.get("slot", NOTHING), act.get("value", NOTHING)
        if intent == REQUEST and value == "":
            value = UNKNOWN
        if intent == GENERAL:
            intent, domain = domain, GENERALS.get(language, GENERALS["en"])
        intent = THEIR_INTENTS.get(language, {}).get(intent, intent)
        document.setdefault(f"{domain}-{intent}", []).append([slot, value])
    return document


def _state_out(state: list[Record], booked: Record | None) -> Record:
    """The bookings of a state; empty unless it came from a MultiWOZ file."""
    document: Record = {}
    for tab in state:
        book: Record = {}
        if booked is None or tab["domain"] in booked:
            book[BOOKED] = (booked or {}).get(tab["domain"], [])
        semi = {}
        for slot, value in tab.get("slots", {}).items():
            if slot.startswith(BOOK):
                book[slot.removeprefix(BOOK)] = value
            else:
                semi[slot] = value
        document[tab["domain"]] = {"book": book, "semi": semi}
    return document


FORMAT = Format(
    name="multiwoz",
    title="MultiWOZ 2.0, 2.1, 2.3 and 2.4, English and Chinese",
    signature=Signature((Shape.BY_ID,), needs=("log",), usual=("log.text", "log.metadata", "goal")),
    read=read_multiwoz,
    write=write_multiwoz,
    in_world=in_world,
    said=SAID,
    infer_queries=partial(with_inferred_queries, meant=said_value),
)
