"""RiSAWOZ and X-RiSAWOZ: lists of dialogues; a turn is a user's and a system's utterance.

Slots of a state are `domain-slot`. Utterances are texts in RiSAWOZ, and in X-RiSAWOZ [text, spans].
Spans, alignments and the rows found stay in the extras. A file is in one language; where sentences
mix two (English and Hindi), it is the one that most letters belong to. Files prepared for training
have another layout (`risawoz_events.py`).
"""

from collections.abc import Iterator
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.dialogue_parts import Utterance, act_of, form, identifier, turns_of
from crosstalk.corpora.file_head import head_of
from crosstalk.corpora.formats import (
    DOCUMENTS,
    Format,
    Record,
    Signature,
    documents_reader,
    in_one_language,
)
from crosstalk.corpora.risawoz_events import EVENTS, read_events
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Goal
from crosstalk.dialogue.states import SystemState
from crosstalk.files import Source

EXTRAS: Final = "risawoz"
STATE: Final = "inform slot-values"
USED: Final = ("user_utterance", "system_utterance", "user_actions", "system_actions")


def _dialogue(document: Record) -> Dialogue:
    pairs = json_types.items(json_types.needed(document, "dialogue"), "dialogue")
    domains = json_types.items(document.get("domains", []), "domains")
    said: list[Utterance] = []
    for number, raw in enumerate(pairs):
        with json_types.within(f"dialogue[{number}]"):
            said += _pair(json_types.members(raw), [d for d in domains if isinstance(d, str)])
    told = document.get("goal", "")
    others = {key: value for key, value in document.items() if key not in ("dialogue",)}
    return Dialogue(
        id=identifier(document, "dialogue_id"),
        turns=turns_of(said),
        goal=Goal((), description=(told,)) if isinstance(told, str) and told else None,
        world="risawoz",
        extras={EXTRAS: others},
    )


def _pair(turn: Record, domains: list[str]) -> Iterator[Utterance]:
    state = _state(turn.get("belief_state", {}), domains)
    others = {key: value for key, value in turn.items() if key not in USED}
    text, spans = _text(json_types.needed(turn, "user_utterance"), "user_utterance")
    acts = json_types.each(turn.get("user_actions", []), _act, "user_actions")
    extras = {EXTRAS: {"spans": spans}} if spans else {}
    yield Utterance(Speaker.USER, text, acts, state, extras=extras)
    text, spans = _text(turn.get("system_utterance", ""), "system_utterance")
    acts = json_types.each(turn.get("system_actions", []), _act, "system_actions")
    if text or acts:
        kept = {**others, "spans": spans} if spans else others
        yield Utterance(Speaker.SYSTEM, text, acts, extras={EXTRAS: kept} if kept else {})


def _text(raw: Any, field: str) -> tuple[str, Any]:
    if isinstance(raw, list) and raw:
        return json_types.text(raw[0], f"{field}[0]"), raw[1] if len(raw) > 1 else None
    return json_types.text(raw, field), None


def _act(raw: Any) -> Act:
    """[intent, domain, slot, value]; the value may be missing."""
    parts = json_types.items(raw)
    if not 1 <= len(parts) <= 4:
        raise json_types.wrong("[intent, domain, slot, value]", raw)
    intent, domain, slot, value = (*parts, "", "", "")[:4]
    return act_of(json_types.text(intent, "intent"), _domain(domain), slot, value)


def _domain(raw: Any) -> str:
    """A domain; some acts name several."""
    return raw if isinstance(raw, str) else "|".join(json_types.texts(raw, "domain"))


def _state(raw: Any, domains: list[str]) -> SystemState | None:
    belief = json_types.members(raw, "belief_state")
    tabs: dict[str, dict[str, Any]] = {}
    for key, value in json_types.members(belief.get(STATE, {}), f"belief_state.{STATE}").items():
        known = next((each for each in domains if key.startswith(f"{each}-")), "")
        domain, slot = (known, key[len(known) + 1 :]) if known else _parted(key)
        tabs.setdefault(domain, {})[slot] = value
    return form(tabs) if tabs else None


def _parted(key: str) -> tuple[str, str]:
    domain, mark, slot = key.partition("-")
    return (domain, slot) if mark else ("", key)


def _read(source: Source) -> Iterator[Dialogue]:
    views = head_of(source).views
    if any("Events" in view for view in views.values()):
        return read_events(source)
    return READ_TURNS(source)


READ_TURNS: Final = documents_reader(_dialogue, "dialogue_id")
FORMAT = Format(
    name="risawoz",
    title="RiSAWOZ, X-RiSAWOZ and BiTOD",
    signature=Signature(
        DOCUMENTS,
        needs=("dialogue_id", "dialogue.user_utterance", "dialogue.system_utterance"),
        usual=("domains", "dialogue.belief_state", "dialogue.turn_domain"),
    ),
    read=in_one_language(_read),
    others=(EVENTS,),
)
