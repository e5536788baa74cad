"""From source and translation to a corpus: texts, acts, states, goals, in every language."""

from dataclasses import replace
from pathlib import Path

import pytest

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.errors import FormatError, InputError
from crosstalk.translation.appendix_files import read_segments
from crosstalk.translation.finished_corpus import finisher
from crosstalk.translation.glossary import Glossary, read_glossary
from crosstalk.translation.parallel_corpora import WorldTranslator, with_edits, with_translations
from crosstalk.translation.translation_segments import (
    Segment,
    segments_of,
    services,
    utterance_values,
)
from crosstalk.worlds.world import load_world


def state(**slots: str) -> SystemState:
    return SystemState(
        (DomainState("hotel", tuple((k.replace("_", " "), v) for k, v in slots.items())),)
    )


EMPTY = "not mentioned"
DIALOGUE = Dialogue(
    "MUL1",
    (
        Turn(Speaker.USER, "A cheap hotel."),
        Turn(
            Speaker.SYSTEM,
            "Which day?",
            (Act("Request", "Hotel", "Day", ""),),
            first_query=state(pricerange="cheap", book_day=EMPTY),
            last_query=state(pricerange="cheap", book_day=EMPTY),
        ),
        Turn(Speaker.USER, "On friday."),
        Turn(
            Speaker.SYSTEM,
            "Done, at the Avalon.",
            (Act("Inform", "Hotel", "Name", "avalon"), Act("Inform", "Hotel", "Price", "cheap")),
            first_query=state(pricerange="cheap", book_day="friday"),
            last_query=state(pricerange="cheap", book_day="friday"),
        ),
    ),
    language="en",
    world="multiwoz",
)


def german() -> list[Segment]:
    texts = ["Ein billiges Hotel.", "Welcher Tag?", "Am Freitag.", "Erledigt, im Avalon."]
    forms = {"cheap": "billig", "friday": "Freitag", "avalon": "Avalon"}
    return [
        segment.with_edit(text, tuple((slot, forms[value]) for slot, value in segment.values))
        for segment, text in zip(
            segments_of([DIALOGUE], source="en", target="de"), texts, strict=True
        )
    ]


def test_values_of_utterances() -> None:
    assert utterance_values(DIALOGUE) == [
        (("hotel-pricerange", "cheap"),),
        (),
        (("hotel-day", "friday"),),
        (("hotel-name", "avalon"), ("hotel-pricerange", "cheap")),
    ]
    assert services(DIALOGUE) == ("hotel",)


def test_a_source_corpus_is_translated_throughout() -> None:
    finishing = finisher(german(), Glossary(), "en", "de")
    (found,) = finishing.finish([DIALOGUE])
    assert [turn.text for turn in found.turns][2] == "Am Freitag."
    assert found.turns[1].first_query == state(pricerange="billig", book_day=EMPTY)
    assert found.turns[3].last_query == state(pricerange="billig", book_day="Freitag")
    assert found.turns[3].acts == (
        Act("Inform", "Hotel", "Name", "Avalon"),
        Act("Inform", "Hotel", "Price", "billig"),
    )
    assert found.language == "de" and not finishing.untranslated


def test_what_nobody_translated_stays_and_is_counted() -> None:
    unlabelled = [replace(s, values=(), edited_values=()) for s in german()]
    finishing = finisher(unlabelled, Glossary({("", "friday"): "Freitag"}), "en", "de")
    (found,) = finishing.finish([DIALOGUE])
    assert found.turns[3].last_query == state(pricerange="cheap", book_day="Freitag")
    assert finishing.untranslated[("hotel-pricerange", "cheap")] == 5


def test_turns_that_are_missing_are_refused() -> None:
    with pytest.raises(FormatError, match="dialogue MUL1, turn 3: this turn has no translation"):
        list(finisher(german()[:3], Glossary(), "en", "de").finish([DIALOGUE]))
    short = replace(DIALOGUE, turns=DIALOGUE.turns[:3])
    with pytest.raises(FormatError, match="the dialogue ends before"):
        list(finisher(german(), Glossary(), "en", "de").finish([short]))
    segments = segments_of([DIALOGUE], source="en", target="de")
    with pytest.raises(FormatError, match="the source has 4 turns, the translation 3"):
        with_translations(segments, {"MUL1": short}, file="de.json")
    with pytest.raises(FormatError, match="no translation"):
        with_translations(segments, {}, file="de.json")
    other = replace(DIALOGUE, turns=(DIALOGUE.turns[0], *DIALOGUE.turns[1:3], DIALOGUE.turns[1]))
    with pytest.raises(FormatError, match="1 values in the source, 0 in"):
        with_translations(segments, {"MUL1": other}, file="de.json")


@pytest.mark.parametrize("language", ["zh", "de", "ru", "ar"])
def test_the_town_comes_out_as_it_was_spoken(town: Path, language: str) -> None:
    """The source and a finished translation give the very dialogues that were spoken."""
    segments = read_segments(town / f"en-{language}.json")
    glossary = read_glossary(town / f"en-{language}.glossary.json")
    source = list(read_corpus(town / "en.jsonl"))
    spoken = list(read_corpus(town / f"{language}.jsonl"))
    found = list(finisher(segments, glossary, "en", language).finish(source))
    assert [dialogue.turns for dialogue in found] == [dialogue.turns for dialogue in spoken]
    assert [each.final_goal for each in found] == [each.final_goal for each in spoken]


def test_edits_from_a_corpus_are_taken_over_in_its_order(town: Path) -> None:
    source = list(read_corpus(town / "en.jsonl"))
    german = {dialogue.id: dialogue for dialogue in read_corpus(town / "de.jsonl")}
    segments = segments_of(source, source="en", target="de")
    some = dict(list(german.items())[3:1:-1])
    taken = with_edits(with_translations(segments, german, file="de.jsonl"), some)
    assert list(dict.fromkeys(segment.dialogue for segment in taken)) == list(some)
    assert all(segment.finished and not segment.changed_utterance for segment in taken)


def test_a_dialogue_of_another_world() -> None:
    translator = WorldTranslator(load_world("harbour"), load_world("harbour", language="de"))
    foreign = Dialogue("x", (Turn(Speaker.USER, "", (Act("Inform", "train", "day", "friday"),)),))
    with pytest.raises(InputError, match="has no domain 'train'"):
        translator.translate(foreign, {})
