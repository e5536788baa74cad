"""How BERTNLU finds values in an utterance, and spells them: the published rules."""

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.system.nlu.bert_data import Outputs, is_span
from crosstalk.system.nlu.bert_network import Wordpieces, fresh_encoder
from crosstalk.training.transformer_encoders import EncoderShape
from crosstalk.worlds.world import load_schema

SCHEMA, _ = load_schema("harbour", language="en")
NAME = Act("Inform", "hotel", "name", "Inn 45")
TYPE = Act("Inform", "hotel", "type", "Inn")
PHONE = Act("Request", "hotel", "phone", "")
LETTERS = ["the inn 45 is near."] * 2


@pytest.fixture(scope="module")
def words() -> Wordpieces:
    return fresh_encoder(LETTERS, EncoderShape(1, 8, 1, 8)).words


def test_acts_are_tagged_in_the_words_or_label_the_sentence() -> None:
    services = next(
        f"{slot.key}-wifi" for slot in SCHEMA.domains[2].slots if slot.kind == "services"
    )
    assert is_span(NAME, SCHEMA)
    assert is_span(Act("Recommend", "hotel", "name", "x"), SCHEMA)
    assert not is_span(PHONE, SCHEMA)
    assert not is_span(Act("Inform", SCHEMA.domains[2].key, services, "yes"), SCHEMA)


def test_outputs_are_all_that_occurs_in_order() -> None:
    outputs = Outputs.of([PHONE, TYPE, NAME, PHONE], SCHEMA)
    assert outputs.spans == (("Inform", "hotel", "name"), ("Inform", "hotel", "type"))
    assert outputs.labels == (PHONE,)
    assert outputs.tags == 5
    assert outputs.label(NAME) is None


def test_letters_and_digits_are_wordpieces_of_a_small_encoder(words: Wordpieces) -> None:
    pieces = words.cut("The Inn!")
    assert pieces.tokens == ("t", "##h", "##e", "i", "##n", "##n", "[UNK]")
    assert pieces.places[3] == (4, 5)


def test_a_value_is_tagged_where_it_first_occurs(words: Wordpieces) -> None:
    outputs = Outputs.of([NAME], SCHEMA)
    tags = words.tags("the Inn 45 is near Inn 45", [NAME], outputs)
    assert tags[3:8] == [1, 2, 2, 2, 2]
    assert sum(map(bool, tags)) == 5


def test_of_overlapping_values_the_first_act_in_order_has_the_wordpieces(words: Wordpieces) -> None:
    outputs = Outputs.of([NAME, TYPE], SCHEMA)
    assert words.tags("Inn 45", [TYPE, NAME], outputs) == [1, 2, 2, 2, 2]


def test_a_value_that_is_not_in_the_words_has_no_tag(words: Wordpieces) -> None:
    assert not any(words.tags("the near is", [NAME], Outputs.of([NAME], SCHEMA)))


def test_marks_around_the_context_stand_twice(words: Wordpieces) -> None:
    start, end = words.tokenizer.cls_token_id, words.tokenizer.sep_token_id
    one, two = words.cut("the").numbers, words.cut("inn").numbers
    assert words.context(["the", "inn"]) == [start, start, *one, end, *two, end]
    assert words.context([]) == [start, start, end]


def test_training_cuts_long_utterances_and_the_encoder_ends_somewhere() -> None:
    words = fresh_encoder(LETTERS, EncoderShape(1, 8, 1, 8, positions=12)).words
    assert len(words.utterance("inn inn inn inn", longest=4)) == 4 + 2
    assert len(words.utterance("inn inn inn inn")) == 12 - 2
    assert len(words.context(["inn inn inn inn"] * 3)) == 12 - 2


def test_values_are_spelled_as_wordpieces_or_as_they_stand(words: Wordpieces) -> None:
    assert words.spelled("the Inn 45", 3, 8, "wordpiece") == "inn45"
    assert words.spelled("the Inn 45", 3, 8, "raw") == "Inn 45"


def test_true_acts_are_spelled_alike_where_the_words_hold_the_value(words: Wordpieces) -> None:
    told = words.true_act(NAME, "the Inn 45", SCHEMA, "wordpiece")
    assert told.value == "inn45"
    assert words.true_act(NAME, "the Inn 45", SCHEMA, "raw") == NAME
    assert words.true_act(NAME, "nothing of it", SCHEMA, "wordpiece") == NAME
    assert words.true_act(PHONE, "the Inn 45", SCHEMA, "wordpiece") == PHONE
