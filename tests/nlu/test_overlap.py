"""Utterances that the system has learnt from are found by their words, whatever their values."""

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.trainers.nlu_user import UtterancesOfOthers
from crosstalk.worlds.tables import World

THANKS = Turn(Speaker.USER, "Thanks", (Act("General", "thank"),))


def asks_for(name: str) -> Turn:
    text = f"Could you please tell me more about {name}?"
    return Turn(Speaker.USER, text, (Act("Inform", "hotel", "name", name),))


def others(world: World, *turns: Turn) -> UtterancesOfOthers:
    found = UtterancesOfOthers(world.schema, world.language)
    found.add_corpus([Dialogue("theirs", turns)])
    return found


def test_the_same_words_with_another_value_are_the_same_utterance(harbour: World) -> None:
    system = others(harbour, asks_for("Grand Hotel Halmora"))
    assert system.forbids(asks_for("Golden Pleat"))
    assert not system.knows(Turn(Speaker.USER, "Something else altogether"))


def test_what_the_other_side_said_is_another_utterance(harbour: World) -> None:
    said = asks_for("Golden Pleat")
    assert not others(harbour, said).knows(Turn(Speaker.SYSTEM, said.text, said.acts))


def test_short_utterances_stay(harbour: World) -> None:
    system = others(harbour, THANKS, asks_for("Golden Pleat"))
    ours = Dialogue("ours", (asks_for("Grand Hotel Halmora"), THANKS, Turn(Speaker.USER, "New")))
    overlap = system.overlap([ours])
    assert (overlap.turns, overlap.short, overlap.long, overlap.learnt) == (3, 1, 1, 2)
