"""Judging policies on dialogues between people."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.evaluation.policy_scores import (
    PolicySample,
    PolicyScore,
    answers_of_sl,
    hits,
    samples,
    score_answers,
    score_policy,
)
from crosstalk.evaluation.scores import Hits
from crosstalk.model_folders import find_model
from crosstalk.system.dst.tracker import DialogueState
from crosstalk.system.policy.delexicalised_acts import (
    delexicalise,
    lexicalise_as_published,
    read_vocabulary,
)
from crosstalk.system.policy.policy import Decision
from crosstalk.system.policy.sl_input import Lookup, StatefulLookup, StatelessLookup
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

ASK = Act("Request", "hotel", "price", "")
NEAR = Act("Select", "hotel", "from", "attraction")
OFFER = Act("Inform", "hotel", "name", "Pilot House")
PRICE = Act("Inform", "hotel", "price", "80 crowns")
BYE = Act("General", "bye")
FORM = SystemState((DomainState("hotel", (("name", ""), ("price", "")), ("Pilot House",)),))


def user(*acts: Act) -> Turn:
    return Turn(Speaker.USER, "", acts)


def system(*acts: Act) -> Turn:
    return Turn(Speaker.SYSTEM, "", acts, first_query=FORM, last_query=FORM)


TALK = Dialogue(
    "1",
    (user(NEAR), system(OFFER), user(ASK), system(PRICE), user(Act("General", "bye")), system(BYE)),
    goal=Goal((), GoalType.CM),
)


@pytest.fixture(scope="module")
def val(data_folder: Path) -> list[Dialogue]:
    return list(read_corpus(data_folder / "crosswoz" / "val.json.zip"))


class Parrot:
    """Says the same whatever it hears."""

    def __init__(self, *acts: Act) -> None:
        self.acts = acts

    def decide(self, belief: DialogueState, history: tuple[Turn, ...]) -> Decision:
        return Decision(self.acts, belief.form)


def test_a_policy_sees_the_form_without_ticks_and_the_turns_before() -> None:
    first, second, last = samples(TALK)
    assert first.belief == DialogueState(
        SystemState((DomainState("hotel", (("name", ""), ("price", ""))),)), "hotel"
    )
    assert second.history == TALK.turns[:3]
    assert second.acts == (PRICE,)
    assert [each.is_last for each in (first, second, last)] == [False, False, True]


def test_the_published_flag_is_raised_at_the_third_user_turn_and_stays() -> None:
    longer = Dialogue("2", (*TALK.turns, user(ASK), system(PRICE)))
    flags = [sample.ended_as_published for sample in samples(longer)]
    assert flags == [False, False, True, True]
    assert [sample.is_last for sample in samples(longer)] == [False, False, False, True]


def test_exact_wants_the_value_and_delexicalised_does_not() -> None:
    scores = score_policy(Parrot(Act("Inform", "hotel", "name", "Old Mint Hotel")), [TALK])
    assert scores.overall == PolicyScore(Hits(0, 3, 3), Hits(1, 2, 2), turns=3)
    assert scores.select == PolicyScore(Hits(0, 1, 1), Hits(1, 0, 0), turns=1)
    assert scores.by_type == {GoalType.CM: scores.overall}


def test_the_wizard_scores_a_hundred() -> None:
    scores = score_answers(lambda sample: sample.acts, [TALK])
    assert (scores.overall.exact.f1, scores.overall.delexicalised.f1) == (100, 100)


def test_acts_said_twice_count_twice() -> None:
    assert hits([BYE, BYE, ASK], [BYE, PRICE]) == Hits(right=2, wrong=1, missed=1)


def test_silence_on_both_sides_has_no_f1() -> None:
    assert Hits().f1 is None
    assert hits([], [BYE]).f1 == 0


def test_turns_without_a_form_are_left_out() -> None:
    talk = Dialogue("3", (user(ASK), Turn(Speaker.SYSTEM, "", (PRICE,))))
    assert score_policy(Parrot(PRICE), [talk]).overall.turns == 0


@pytest.mark.parametrize(
    ("lookup", "exact", "delexicalised"),
    [(StatefulLookup, 60.2, 92.0), (StatelessLookup, 61.3, 94.3)],
)
def test_the_published_lexicaliser_caps_every_policy(
    data_folder: Path,
    val: list[Dialogue],
    lookup: Callable[[World], Lookup],
    exact: float,
    delexicalised: float,
) -> None:
    """The wizard's own acts, delexicalised and lexicalised again; on test 59.4/91.9, 61.0/94.1."""
    world = load_world("crosswoz", data=data_folder)
    known = set(read_vocabulary(data_folder / "crosswoz").system)
    found = lookup(world)

    def wizard(sample: PolicySample) -> Sequence[Act]:
        acts = [act for act in delexicalise(sample.acts) if act in known]
        form, domain = sample.belief.form, sample.belief.domain
        rows = found.find(form, domain)
        return lexicalise_as_published(world, acts, domain, lambda _: rows)

    score = score_answers(wizard, val).overall
    assert score.exact.f1 == pytest.approx(exact, abs=0.2)
    assert score.delexicalised.f1 == pytest.approx(delexicalised, abs=0.2)


@pytest.mark.parametrize("protocol", ["paper", "corrected"])
def test_the_shipped_policy_scores_as_its_card_says(
    data_folder: Path, val: list[Dialogue], protocol: str
) -> None:
    sl = pytest.importorskip("crosstalk.system.policy.sl_policy")
    folder = find_model("policy-sl")
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))["figures"]["held out"]
    policy = sl.SLPolicy.load(folder, load_world("crosswoz", data=data_folder), protocol=protocol)
    score = score_answers(answers_of_sl(policy, published=protocol == "paper"), val[9::10]).overall
    assert score.exact.f1 == pytest.approx(card[protocol]["exact_f1"], abs=0.1)
    assert score.delexicalised.f1 == pytest.approx(card[protocol]["delex_f1"], abs=0.1)
