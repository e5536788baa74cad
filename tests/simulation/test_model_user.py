"""A language model as the user: its words become acts and a state, and its slips are counted."""

from pathlib import Path

import pytest
from tests.agents.scripted_endpoint import endpoint, says

from crosstalk.dialogue.conversation import Ending
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import Goal, GoalType, SemanticTuple
from crosstalk.evaluation.outcomes import Judge, Outcome
from crosstalk.evaluation.user_fidelity import UserFidelity, user_fidelity
from crosstalk.reports.run_summary import summarise, summary_record
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.runner import simulate
from crosstalk.simulation.sessions import Plan, SessionRules, simulated_dialogue

GOAL = Goal(
    (
        SemanticTuple(1, "hotel", "type", "budget"),
        SemanticTuple(1, "hotel", "rating", "4 points or more"),
        SemanticTuple(1, "hotel", "name", ""),
        SemanticTuple(1, "hotel", "phone", ""),
    ),
    GoalType.S,
)
BYE = "Thanks, bye! ###DONE###"


def talked(*lines: str) -> tuple[Dialogue, Outcome, UserFidelity]:
    """A conversation whose user says these lines, the last one for ever."""

    def script(body: object, number: int) -> object:
        return says(lines[min(number, len(lines) - 1)])

    with endpoint(script) as server:  # type: ignore[arg-type]
        simulation = build(Setup(language="en", user=f"openai:scripted@{server.url}"))
        dialogue = simulated_dialogue(simulation, GOAL, seed="s", id="x", exchanges=6)
    return dialogue, Judge(simulation.database).judge(dialogue), user_fidelity(dialogue)


def test_a_faithful_model_is_judged_as_usual() -> None:
    dialogue, outcome, fidelity = talked(
        "Hi, I need a budget hotel.", "At least 4 points, please.", "What is its phone number?", BYE
    )
    assert outcome.success and fidelity.faithful == 1
    said = list(dialogue.user_turns)
    assert said[1].acts[0].value == "4 points or more", "as the goal spells it"
    assert said[-1].text == "Thanks, bye!"
    assert dialogue.extras["ending"] == Ending.FINISHED


def test_what_is_left_out_contradicted_and_ended_too_early_is_counted() -> None:
    _, outcome, fidelity = talked("Hi, I need a luxury hotel with 4 points or more.", BYE)
    assert outcome.reason == "user fault"
    assert (fidelity.omitted, fidelity.contradicted, fidelity.stopped_early) == (2, 1, 1)


def test_a_wish_put_right_contradicts_nothing() -> None:
    lines = ("A luxury hotel with 4 points or more.", "Sorry, a budget hotel.")
    _, _, fidelity = talked(*lines, "What is its phone number?", BYE)
    assert fidelity.contradicted == 0


def test_what_is_not_in_the_goal_is_invented() -> None:
    lines = ("A budget hotel with 4 points or more for 200-300 crowns.", "Its phone number?")
    _, _, fidelity = talked(*lines, BYE)
    assert fidelity.invented == 1


def test_a_model_that_plays_the_agent_is_asked_again() -> None:
    dialogue, _, fidelity = talked("How can I help you?", "I need a budget hotel.", BYE)
    first = next(iter(dialogue.user_turns))
    assert first.text == "I need a budget hotel."
    assert first.extras["voice"]["rejected"] == [["agent"]]
    assert fidelity.phrasing["rephrased"] == 1


def test_one_that_goes_on_so_is_counted_and_one_that_says_nothing_is_at_fault() -> None:
    _, _, fidelity = talked("How can I help you?")
    assert fidelity.phrasing["unchecked"] == 6
    dialogue, _, _ = talked("")
    assert dialogue.extras["ending"] == Ending.USER_FAULT
    assert "said nothing" in dialogue.extras["fault"]


def test_a_user_may_end_without_words() -> None:
    dialogue, _, _ = talked("I need a budget hotel.", "###DONE###")
    assert list(dialogue.user_turns)[-1].text == "Thank you, goodbye."


def test_a_run_says_who_the_user_was(tmp_path: Path) -> None:
    with endpoint(lambda body, number: says(BYE)) as server:
        setup = Setup(language="en", user=f"openai:scripted@{server.url}")
        simulate(Plan(1, count=2), setup, SessionRules(1, exchanges=3), tmp_path / "run")
    summary = summarise(tmp_path / "run")
    assert summary.run.card.setup["user"] == f"openai:scripted@{server.url}"
    assert "user's prompt" in summary.run.card.digests and not summary.broken
    assert summary_record(summary)["user_fidelity"]["stopped_early"] == 2


@pytest.mark.parametrize("language", ["en", "de", "zh", "ru", "ar"])
def test_rule_users_with_templates_are_faithful(tmp_path: Path, language: str) -> None:
    setup = Setup(language=language, level="words")
    simulate(Plan(2, count=6), setup, SessionRules(2), tmp_path / "run")
    found = summary_record(summarise(tmp_path / "run"))["user_fidelity"]
    assert found["faithful"] == 100.0 and found["values"] and found["dialogues"] == 6
    assert "phrasing" not in found
