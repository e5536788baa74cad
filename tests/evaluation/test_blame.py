"""Which module broke first, from dialogues written by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crosstalk.corpora.record_encoding import encode_act
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.evaluation.blame import Blamer, Component, blame
from crosstalk.simulation.build import Setup, Simulation, build
from crosstalk.simulation.run_folders import Run, RunCard
from crosstalk.simulation.sessions import Plan, Session, SessionRules, hold, sessions
from crosstalk.system.text_adapters import UNDERSTOOD


@pytest.fixture(scope="module")
def run() -> Run:
    setup = {
        "world": "harbour",
        "language": "en",
        "user": "rule",
        "policy": "best",
        "tracker": "search",
        "protocol": "corrected",
        "level": "words",
    }
    plan: dict[str, Any] = {"seed": 3, "count": 1, "repeat": 1}
    return Run(Path("run"), RunCard(setup, plan, {"exchanges": 15}, {}, 1))


@pytest.fixture(scope="module")
def dialogue() -> Dialogue:
    """In words and in acts: everything was understood as it was meant."""
    stage: Simulation = build(Setup("harbour", words=True))
    session: Session = next(iter(sessions(Plan(3, count=1), stage.world)))
    held = hold(session, stage, SessionRules(3))
    first, *others = held.turns
    noted = [
        replace(turn, extras={UNDERSTOOD: [encode_act(act) for act in before.acts]})
        for before, turn in zip(held.turns, others, strict=False)
    ]
    return replace(held, turns=(first, *noted))


def with_turn(dialogue: Dialogue, number: int, **changes: Any) -> Dialogue:
    turns = list(dialogue.turns)
    turns[number] = replace(turns[number], **changes)
    return replace(dialogue, turns=tuple(turns))


def heard(*acts: Act) -> dict[str, Any]:
    return {UNDERSTOOD: [encode_act(act) for act in acts]}


def test_nobody_broke_where_all_was_understood(run: Run, dialogue: Dialogue) -> None:
    assert Blamer(run).first_break(dialogue).part is Component.NOBODY


def test_the_system_misunderstood(run: Run, dialogue: Dialogue) -> None:
    other = heard(Act("Request", "taxi", "plate", ""))
    broken = Blamer(run).first_break(with_turn(dialogue, 1, extras=other))
    assert (broken.part, broken.turn) == (Component.UNDERSTANDING, 0)


def test_what_changes_nothing_is_no_break(run: Run, dialogue: Dialogue) -> None:
    also = heard(*dialogue.turns[0].acts, Act("General", "thank"))
    greeted = with_turn(dialogue, 1, extras=also)
    assert Blamer(run).first_break(greeted).part is not Component.TRACKING


def test_the_user_misunderstood(run: Run, dialogue: Dialogue) -> None:
    broken = Blamer(run).first_break(with_turn(dialogue, 2, extras=heard()))
    assert (broken.part, broken.turn) == (Component.USER_UNDERSTANDING, 1)


@pytest.mark.parametrize(
    ("number", "part"), [(0, Component.USER_WORDS), (1, Component.WORDS)], ids=["user", "system"]
)
def test_words_that_lose_a_value(
    run: Run, dialogue: Dialogue, number: int, part: Component
) -> None:
    broken = Blamer(run).first_break(with_turn(dialogue, number, text="Hm."))
    assert (broken.part, broken.turn) == (part, number)


def test_another_form_than_the_acts_would_give(run: Run, dialogue: Dialogue) -> None:
    form = dialogue.turns[1].first_query
    assert form is not None
    tab = next(iter(form)).with_slot("name", "Nowhere Inn")
    broken = Blamer(run).first_break(with_turn(dialogue, 1, first_query=form.with_domain(tab)))
    assert broken.part is Component.TRACKING


def test_a_question_nobody_answered(run: Run, dialogue: Dialogue) -> None:
    number = next(
        at
        for at, turn in enumerate(dialogue.turns)
        if any(act.intent == "Request" for act in turn.acts)
    )
    silent = with_turn(dialogue, number + 1, acts=(Act("General", "welcome"),))
    assert Blamer(run).first_break(silent).part is Component.POLICY


def test_runs_in_acts_have_nobody_to_blame(run: Run, dialogue: Dialogue) -> None:
    in_acts = replace(run, card=replace(run.card, setup={**run.card.setup, "level": "acts"}))
    assert blame(in_acts, [dialogue]) == {}
    assert blame(run, [dialogue])[dialogue.goal.type].total() == 1  # type: ignore[union-attr]
