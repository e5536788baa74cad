"""Two and more annotators of the same dialogues."""

from dataclasses import replace
from importlib import import_module

import pytest

from crosstalk.annotation.adjudication import match
from crosstalk.annotation.annotator import Annotator
from crosstalk.annotation.expert_sample import blind
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.evaluation.agreement import agreement
from crosstalk.evaluation.kappa import Bootstrap

METRICS = import_module("sklearn.metrics")  # it has no types
BY = Bootstrap(samples=50)
A, B, C = (Act("Inform", "hotel", slot, "x") for slot in "abc")


def talk(id: str, *turns: set[Act]) -> Dialogue:
    said = (Turn(Speaker.USER, "words", tuple(sorted(acts))) for acts in turns)
    return Dialogue(id, tuple(said))


def test_equal_annotations_agree(annotator: Annotator, dialogue: Dialogue) -> None:
    derived = annotator.annotate(dialogue)
    found = agreement(match({"a": [derived], "b": [derived]}), bootstrap=BY)
    (pair,) = found.pairs
    assert pair.act_f1.overall.value == pair.state_accuracy.overall.value == 100
    assert pair.act_kappa.value == pair.state_kappa.value == found.act_alpha.value == 1


def test_acts_are_compared_exactly_and_labels_beyond_chance() -> None:
    """Over turns and the three labels: both give 2, one gives another, nobody the other three."""
    left, right = talk("1", {A, B}, {C}), talk("1", {A}, {C})
    (pair,) = agreement(match({"a": [left], "b": [right]}), bootstrap=BY).pairs
    assert pair.act_f1.overall.value == pytest.approx(80)
    assert pair.act_f1.system.value is None
    expected = METRICS.cohen_kappa_score([1, 1, 0, 0, 0, 1], [1, 0, 0, 0, 0, 1])
    assert pair.act_kappa.value == pytest.approx(expected, abs=1e-9)


def test_other_values_of_a_label_miss_f1_and_not_kappa() -> None:
    left, right = talk("1", {A}, {B}), talk("1", {replace(A, value="y")}, {B})
    (pair,) = agreement(match({"a": [left], "b": [right]}), bootstrap=BY).pairs
    assert pair.act_f1.overall.value == pytest.approx(50)
    assert pair.act_kappa.value == 1


def test_states_count_turn_by_turn_whatever_the_order_of_values() -> None:
    def asks(*values: tuple[str, ...]) -> Dialogue:
        forms = (SystemState((DomainState("restaurant", (("dishes", each),)),)) for each in values)
        return Dialogue("1", tuple(Turn(Speaker.SYSTEM, "", first_query=form) for form in forms))

    left, right = asks(("rice", "fish"), ("rice",)), asks(("fish", "rice"), ())
    (pair,) = agreement(match({"a": [left], "b": [right]}), bootstrap=BY).pairs
    assert pair.state_accuracy.system.value == 50
    assert pair.state_accuracy.user.value is None


def test_who_gave_no_state_is_not_compared(annotator: Annotator, dialogue: Dialogue) -> None:
    found = agreement(match({"a": [dialogue], "b": [blind(dialogue)]}), bootstrap=BY)
    (pair,) = found.pairs
    assert pair.state_accuracy.overall.value is pair.state_kappa.value is None


def test_three_annotators_one_of_whom_lacks_a_dialogue() -> None:
    one, two = talk("1", {A}, {B}), talk("2", {C})
    found = agreement(match({"a": [one, two], "b": [one, two], "c": [one]}), bootstrap=BY)
    assert [pair.dialogues for pair in found.pairs] == [2, 1, 1]
    assert found.dialogues == 2
    assert found.act_fleiss.value == found.act_alpha.value == 1


def test_each_against_an_adjudicated_version() -> None:
    gold = talk("1", {A, B})
    matched = match({"a": [talk("1", {A})], "b": [talk("1", {A, B})], "gold": [gold]})
    found = agreement(matched, gold="gold", bootstrap=BY)
    assert [pair.names for pair in found.pairs] == [("a", "b")]
    values = {pair.names[0]: pair.act_f1.overall.value for pair in found.against_gold}
    assert values == {"a": pytest.approx(200 / 3), "b": 100}


def test_intervals_hold_the_figure_and_depend_on_the_seed_alone() -> None:
    left = [talk(str(number), {A, B}) for number in range(30)]
    right = [talk(str(number), {A, B} if number % 3 else {A, C}) for number in range(30)]
    matched = match({"a": left, "b": right})
    (pair,) = agreement(matched, bootstrap=Bootstrap(1)).pairs
    figure = pair.act_f1.overall
    assert figure.low is not None and figure.high is not None and figure.value is not None
    assert figure.low < figure.value < figure.high
    assert agreement(matched, bootstrap=Bootstrap(1)).pairs == (pair,)
    assert agreement(matched, bootstrap=Bootstrap(2)).pairs != (pair,)
