"""What is made up to learn from: acts and words belong together, in every language."""

from random import Random

import pytest

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.language.training_phrases import TrainingPhrases, load_book
from crosstalk.simulation.synthetic_data import practice_dialogues
from crosstalk.system.nlu.augmentation import Augmenter
from crosstalk.system.nlu.entity_lookup import TextSpan, slot_of
from crosstalk.system.nlu.synthetic_turns import TurnGenerator, TurnSituation, TypingNoise
from crosstalk.system.nlu.synthetic_utterances import (
    UtteranceComposer,
    UtterancePiece,
    fill,
    sample_of_pieces,
)
from crosstalk.system.nlu.value_linking import ValueLinker
from crosstalk.worlds.world import find_world, load_world

LANGUAGES = ("en", "zh", "de", "ar", "ru")


def test_holes_are_filled_and_spaces_single() -> None:
    pieces = fill("a {adj} hotel for {v}", {"v": [UtterancePiece("100", "Inform+hotel+price")]})
    sample = sample_of_pieces(pieces, frozenset({"Inform+hotel+price"}))
    assert sample.text == "a hotel for 100"
    [span] = sample.spans
    assert sample.text[span.start : span.end] == "100"


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_is_made_up_is_understood_again(code: str) -> None:
    """Without typing errors, the words of a value mean it in 95 of 100 cases."""
    world = load_world("harbour", language=code)
    book = load_book(find_world("harbour"), code)
    lookup = ValueLinker(world, book)
    composer = UtteranceComposer(lookup, book)
    improviser = TurnGenerator(lookup, book, composer)
    rng, right, wrong = Random(7), 0, []
    for _ in range(150):
        acts, pieces = improviser.turn(TurnSituation("hotel"), rng)
        values = {act.value or act.slot.partition("-")[2] for act in acts}
        values |= {act.slot.partition("-")[2] for act in acts}
        sample = sample_of_pieces(pieces, frozenset())
        for span in sample.spans:
            _, domain, slot, *fixed = span.key.split("+")
            found = slot_of(world, domain, slot)
            heard = TextSpan(Speaker.USER, sample.text, span.start, span.end)
            only = fixed[0] if fixed and found and str(found[1].kind) != "services" else ""
            meant = lookup.linked_values(domain, found[1] if found else None, heard, only)
            if set(meant) & values:
                right += 1
            else:
                wrong.append((sample.text, heard.said, meant))
    assert right > 19 * len(wrong), wrong


def test_typing_keeps_the_places_of_values() -> None:
    rng = Random(3)
    typist = TypingNoise(("qwertyuiop", "asdfghjkl", "zxcvbnm"))
    for _ in range(50):
        typed = typist.typed(
            [UtterancePiece("I want "), UtterancePiece("Breakfast", "key"), UtterancePiece("!")],
            rng,
        )
        assert [piece.key for piece in typed][1] == "key"
        sample = sample_of_pieces(typed, frozenset())
        [span] = sample.spans
        assert abs(span.end - span.start - len("breakfast")) <= 1


def test_a_world_without_a_phrase_book_is_rehearsed_as_it_stands() -> None:
    world = load_world("harbour", language="en")
    augmenter = Augmenter(ValueLinker(world, TrainingPhrases()), TrainingPhrases())
    dialogues = list(practice_dialogues("harbour", "en", 2, 1))
    assert augmenter.dialogues(dialogues, Random(1)) == dialogues
    samples = augmenter.samples(dialogues, 100, Random(1))
    assert len(samples) == sum(len(dialogue.turns) for dialogue in dialogues)


def test_practice_dialogues_are_complete_and_repeatable() -> None:
    first, second = (list(practice_dialogues("harbour", "de", 3, 5)) for _ in range(2))
    assert first == second
    assert list(practice_dialogues("harbour", "de", 1, 5, start=2)) == first[2:]
    for dialogue in first:
        assert dialogue.goal and dialogue.language == "de"
        assert all(turn.text and turn.acts for turn in dialogue.turns)
        assert all(turn.user_state for turn in dialogue.user_turns)
        assert all(turn.first_query for turn in dialogue.system_turns)
