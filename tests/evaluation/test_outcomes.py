"""How dialogues went, and whose doing it was."""

from dataclasses import replace
from pathlib import Path

from crosstalk.dialogue.acts import GENERAL, INFORM, NO_OFFER, RECOMMEND, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import Goal, Reference
from crosstalk.evaluation.outcomes import Cause, Judge, Outcome, Reason, worst_reason
from crosstalk.reports.agent_report import why
from crosstalk.simulation.build import Setup
from crosstalk.simulation.runner import simulate
from crosstalk.simulation.sessions import Plan, SessionRules
from crosstalk.worlds.queries import Database

from .conftest import Story, want

THANK = Act(GENERAL, "thank")
WELCOME = Act(GENERAL, "welcome")
FREE = "free"
BEACH = "Golden Sands Beach"  # free of charge
AQUARIUM = "Ocean Aquarium"  # 180 crowns, rating 5


def ask(slot: str, domain: str = "attraction") -> Act:
    return Act(REQUEST, domain, slot, "")


def tell(slot: str, value: str, domain: str = "attraction") -> Act:
    return Act(INFORM, domain, slot, value)


NOTHING = Act(NO_OFFER, "attraction")


def reason(judge: Judge, story: Story) -> Reason | None:
    return judge.judge(story.dialogue).reason


def the_fee_of_the_aquarium(told: str) -> Story:
    goal = (want("rating", "5 points"), want("name"), want("fee"))
    return (
        Story(goal)
        .exchange(
            [tell("rating", "5 points"), ask("name")],
            [tell("name", AQUARIUM)],
            rating="5 points",
            name="",
        )
        .exchange([ask("fee")], [tell("fee", told)], name=AQUARIUM, fee="")
        .exchange([THANK], [WELCOME], fee=told)
    )


def test_a_success(judge: Judge) -> None:
    outcome = judge.judge(the_fee_of_the_aquarium("180 crowns").dialogue)

    assert outcome == Outcome(
        type=outcome.type,
        finished=True,
        success=True,
        turns=6,
        repeated=0,
        refusals=0,
        false_refusals=0,
        goal_changed=False,
    )


def test_a_wrong_answer_finishes_and_is_no_success(judge: Judge) -> None:
    outcome = judge.judge(the_fee_of_the_aquarium("20 crowns").dialogue)

    assert outcome.finished and not outcome.success
    assert outcome.reason is Reason.SYSTEM


def test_an_answer_nobody_gave_is_the_users_fault(judge: Judge) -> None:
    goal = (want("name", AQUARIUM), want("fee"))
    story = Story(goal).exchange([ask("fee")], [tell("rating", "5 points")], name=AQUARIUM, fee="")
    story = story.exchange([THANK], [WELCOME], fee="20 crowns")

    assert reason(judge, story) is Reason.USER


def test_who_offers_what_was_not_wanted_is_at_fault(judge: Judge) -> None:
    goal = (want("fee", FREE), want("name"))
    story = Story(goal).exchange(
        [tell("fee", FREE), ask("name")], [tell("name", AQUARIUM)], fee=FREE, name=""
    )
    story = story.exchange([THANK], [WELCOME], name=AQUARIUM)

    assert reason(judge, story) is Reason.SYSTEM


IMPOSSIBLE = (want("fee", FREE), want("duration", "about a century"), want("name"))
REFUSED = Story(IMPOSSIBLE).exchange(
    [tell("fee", FREE), tell("duration", "about a century")],
    [NOTHING],
    fee=FREE,
    duration="about a century",
)


def test_a_wish_that_cannot_be_had_may_be_given_up(judge: Judge, database: Database) -> None:
    row = database.find("attraction", BEACH)
    assert row is not None
    duration = str(row["duration"])
    story = REFUSED.exchange(
        [ask("duration"), ask("name")],
        [tell("name", BEACH), tell("duration", duration)],
        duration="",
        name="",
    ).exchange([THANK], [WELCOME], duration=duration, name=BEACH)
    outcome = judge.judge(story.dialogue)

    assert outcome.success and outcome.goal_changed
    assert (outcome.refusals, outcome.false_refusals) == (1, 0)


def test_who_refuses_what_there_is_is_at_fault(judge: Judge) -> None:
    goal = (want("fee", FREE), want("name"))
    story = (
        Story(goal)
        .exchange([tell("fee", FREE)], [NOTHING], fee=FREE)
        .exchange(
            [ask("fee"), ask("name")],
            [tell("name", AQUARIUM), tell("fee", "180 crowns")],
            fee="",
            name="",
        )
        .exchange([THANK], [WELCOME], fee="180 crowns", name=AQUARIUM)
    )
    outcome = judge.judge(story.dialogue)

    assert outcome.finished and not outcome.success, "talked out of a wish that could be had"
    assert outcome.reason is Reason.SYSTEM
    assert outcome.false_refusals == 1


def test_who_gives_up_without_need_is_at_fault(judge: Judge) -> None:
    goal = (want("fee", FREE), want("name"))
    story = (
        Story(goal)
        .exchange(
            [tell("fee", FREE), ask("name")],
            [tell("name", AQUARIUM), tell("fee", "180 crowns")],
            fee=FREE,
            name="",
        )
        .exchange([THANK], [WELCOME], fee="180 crowns", name=AQUARIUM)
    )

    assert reason(judge, story) is Reason.USER


def test_a_question_never_answered_is_the_systems_fault(judge: Judge) -> None:
    story = Story((want("name", AQUARIUM), want("fee")), ending="limit")
    for _ in range(3):
        story = story.exchange([ask("fee")], [WELCOME], name=AQUARIUM, fee="")
    outcome = judge.judge(story.dialogue)

    assert outcome.reason is Reason.SYSTEM
    assert outcome.repeated == 2


def test_who_says_nothing_with_more_to_say_is_at_fault(judge: Judge) -> None:
    story = Story((want("name", AQUARIUM), want("fee")), ending="limit")
    for _ in range(3):
        story = story.exchange([], [WELCOME], name=AQUARIUM)

    assert reason(judge, story) is Reason.USER


def test_turns_run_out_with_nobody_at_fault(judge: Judge) -> None:
    goal = (want("name", AQUARIUM), want("fee"), want("phone"))
    story = Story(goal, ending="limit").exchange(
        [ask("fee")], [tell("fee", "180 crowns")], name=AQUARIUM, fee=""
    )

    assert reason(judge, story) is Reason.LIMIT


def test_turns_run_out_over_a_goal_that_cannot_be_met(judge: Judge) -> None:
    story = Story(IMPOSSIBLE, REFUSED.turns, ending="limit")

    assert reason(judge, story) is Reason.GOAL


def test_an_entity_that_vanished_from_the_table(judge: Judge) -> None:
    story = (
        Story((want("name", "Atlantis"), want("fee")))
        .exchange(
            [tell("name", "Atlantis"), ask("fee")], [tell("fee", "free")], name="Atlantis", fee=""
        )
        .exchange([THANK], [WELCOME], fee="free")
    )

    assert reason(judge, story) is Reason.GOAL


def test_a_goal_that_contradicts_itself(judge: Judge) -> None:
    two_fees = Goal((want("fee", FREE), want("fee", "150-200 crowns"), want("name")))
    impossible = Goal((want("name", AQUARIUM), want("fee", FREE)))

    assert not judge.is_satisfiable(two_fees)
    assert not judge.is_satisfiable(impossible), "a name is a wish among others"
    assert judge.is_satisfiable(Goal((want("fee", FREE), want("name"))))


def test_a_silent_choice_among_several_is_the_users_fault(judge: Judge) -> None:
    goal = (want("rating", "4 points or more"), want("name"), want("fee"))
    offers = [Act(RECOMMEND, "attraction", "name", name) for name in (AQUARIUM, BEACH)]
    story = (
        Story(goal)
        .exchange(
            [tell("rating", "4 points or more"), ask("name")],
            offers,
            rating="4 points or more",
            name="",
        )
        .exchange([ask("fee")], [tell("fee", "180 crowns")], name=BEACH, fee="")
        .exchange([THANK], [WELCOME], fee="180 crowns")
    )

    assert reason(judge, story) is Reason.USER


def test_a_participant_that_raised_is_at_fault(judge: Judge) -> None:
    story = the_fee_of_the_aquarium("180 crowns").dialogue
    for ending, expected in (("user fault", Reason.USER), ("system fault", Reason.SYSTEM)):
        broken = Dialogue(
            "x",
            story.turns,
            story.goal,
            story.final_goal,
            extras={"ending": ending, "fault": "raised KeyError"},
        )
        outcome = judge.judge(broken)
        assert outcome.reason is expected
        assert outcome.causes[0].words == "raised KeyError"


def near_the_aquarium(hotel: str) -> Story:
    goal = (
        want("name", AQUARIUM),
        want("rating"),
        want("name", Reference(1, nearby=True), domain="hotel", subgoal=2),
    )
    select = [Act(SELECT, "hotel", "source", "attraction"), tell("name", AQUARIUM)]
    return (
        Story(goal)
        .exchange(
            [tell("name", AQUARIUM), ask("rating")],
            [tell("rating", "5 points")],
            name=AQUARIUM,
            rating="",
        )
        .exchange(
            select,
            [tell("name", hotel, "hotel")],
            rating="5 points",
            name_of_2=Reference(1, nearby=True),
        )
        .exchange([THANK], [WELCOME], name_of_2=hotel)
    )


def test_references_are_resolved_to_entities_really_near(judge: Judge) -> None:
    assert judge.judge(near_the_aquarium("Orsena Tower Hotel").dialogue).success
    assert reason(judge, near_the_aquarium("Grand Hotel Halmora")) is Reason.SYSTEM


def test_no_lie_goes_unnoticed(judge: Judge, tmp_path: Path) -> None:
    """Every answer of every success, with one sign added, is found out."""
    run = simulate(Plan(6, per_type=3), Setup(policy="rule"), SessionRules(6), tmp_path / "run")
    lies = unnoticed = 0
    for dialogue in run.dialogues():
        goal, final = dialogue.goal, dialogue.final_goal
        assert goal and final and judge.judge(dialogue).success
        for position, (wish, each) in enumerate(zip(goal.tuples, final, strict=True)):
            if wish.is_open and wish.slot in ("phone", "address", "rating", "price", "cost"):
                lie = replace(each, value=f"{each.value}1")
                lied = replace(
                    dialogue, final_goal=(*final[:position], lie, *final[position + 1 :])
                )
                lies += 1
                unnoticed += judge.judge(lied).success
    assert lies > 10
    assert unnoticed == 0


def test_a_failure_is_named_after_what_it_is_booked_for() -> None:
    """The user gave up a wish, too, but the agent is to blame: for what it told wrongly."""
    causes = (Cause(Reason.USER, None, "given up"), Cause(Reason.SYSTEM, None, "told wrongly"))
    failed = Outcome(None, False, False, 4, 0, 0, 0, True, worst_reason(causes), causes)
    assert failed.blame == "agent"
    assert [cause.words for cause in failed.decisive] == ["told wrongly"]
    assert why(failed) == "told wrongly"
