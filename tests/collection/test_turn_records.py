"""What a collected dialogue keeps of each turn: ticks, seconds, hints shown and insisted on."""

from crosstalk.annotation.annotator import Annotator
from crosstalk.collection.events import (
    Answered,
    Event,
    Filled,
    Hint,
    Hinted,
    Opened,
    Recorded,
    Role,
    Said,
)
from crosstalk.collection.export import dialogue_of
from crosstalk.collection.rooms import replay
from crosstalk.corpora.record_encoding import decode_dialogue, encode_dialogue
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import Goal, SemanticTuple
from crosstalk.system.dst.tracker import empty_form
from crosstalk.worlds.world import find_world, load_world

GOAL = Goal(
    (
        SemanticTuple(1, "hotel", "type", "comfort"),
        SemanticTuple(1, "hotel", "name", ""),
        SemanticTuple(1, "hotel", "phone", ""),
    )
)
WORLD = load_world("harbour")
EVENTS: tuple[Event, ...] = (
    Opened("g", GOAL, "harbour", "en", empty_form(WORLD.schema), user=1, wizard=2),
    Hinted(Role.USER, ("said_not_ticked",)),
    Said("A comfort hotel, please. Which one?", ticks=(0, 1)),
    Answered("How about Pilot House?", hints=(Hint("S6", "not selected"),)),
    Filled(1, "Pilot House"),
    Said("As I said: comfort! What is its phone number?", ticks=(2,)),
    Answered("I shall look."),
)


def dialogue() -> Dialogue:
    events = (Recorded(number, 10.0 * number, event) for number, event in enumerate(EVENTS, 1))
    return dialogue_of(7, replay(events))


def test_turns_keep_their_ticks() -> None:
    assert [turn.ticks for turn in dialogue().turns] == [(0, 1), None, (2,), None]


def test_an_export_has_seconds_and_hints() -> None:
    turns = dialogue().extras["collection"]["turns"]
    assert turns[0] == {"seconds": 20.0, "hints_shown": ["said_not_ticked"]}
    assert turns[1] == {"seconds": 10.0, "hints_overridden": ["S6"]}


def test_an_act_nobody_ticked_never_leaves() -> None:
    """The second turn says *comfort* again, without a tick."""
    derived = Annotator.of(WORLD, find_world("harbour")).annotate(dialogue())
    assert ("Inform", "type") in {(act.intent, act.slot) for act in derived.turns[0].acts}
    assert ("Inform", "type") not in {(act.intent, act.slot) for act in derived.turns[2].acts}
    assert {turn.acts_from for turn in derived.turns} == {"rules"}


def test_records_keep_ticks_and_where_acts_come_from() -> None:
    derived = Annotator.of(WORLD, find_world("harbour")).annotate(dialogue())
    assert decode_dialogue(encode_dialogue(derived)) == derived
