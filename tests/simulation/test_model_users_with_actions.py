"""Language models as users who want something done: what is phrased, read back and counted."""

import json
from pathlib import Path

import pytest
from tests.agents.scripted_endpoint import Answer, Json, endpoint, says

import crosstalk
from crosstalk.agents.build import AgentOptions
from crosstalk.dialogue.acts import AFFIRM, DENY, DO, INFORM, Act
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import Goal, GoalType, Reference, SemanticTuple, WantedAction
from crosstalk.evaluation.agent_scores import AgentScores
from crosstalk.goals.goal_files import StoredGoal, write_goals
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.run_folders import open_run
from crosstalk.simulation.sessions import Plan, sessions, simulated_dialogue
from crosstalk.simulation.user_voice import user_checks
from crosstalk.system.parts import context_of

STAY: Json = {"arrival": "2026-06-08", "nights": 2, "people": 2}
GOAL = Goal(
    (SemanticTuple(1, "hotel", "name", "Laurel Hotel"), SemanticTuple(1, "hotel", "phone", "")),
    GoalType.S,
    ("Ask for the phone number of Laurel Hotel.", "Book a room there: 8 June, 2 nights, 2 people."),
    (WantedAction("book_room", ({"entity": Reference(1, nearby=False), **STAY},)),),
)


def judged(folder: Path, **user: str) -> tuple[AgentScores, Dialogue]:
    """Our own system, judged by one conversation."""
    write_goals(folder / "goals.jsonl", [StoredGoal("one", "harbour", "en", GOAL)])
    scores = crosstalk.judge_agent(
        "system", goals=folder / "goals.jsonl", language="en", actions=True, out=folder / "run",
        **user,  # type: ignore[arg-type]
    )  # fmt: skip
    (dialogue,) = open_run(folder / "run").dialogues()
    return scores, dialogue


def asked(body: Json) -> Json:
    turn: Json = json.loads(body["messages"][1]["content"].partition("\n")[0])
    return turn


# A model that phrases


def phrased(body: Json, number: int) -> Answer:
    """What the simulator means, in other words."""
    turn = asked(body)
    told = {act["slot"]: act["value"] for act in turn["acts"] if act["act"] == "Inform"}
    kinds = {act["act"] for act in turn["acts"]}
    if "Affirm" in kinds and "Do" not in kinds:
        return says("Yes, perfect, do that please!")
    if "Do" not in kinds:
        return says(turn["plainly"])
    said = ["Lovely. Could you book a room"]
    said += ["at Laurel Hotel"] if "hotel" in told else []
    said += ["for the two of us, so 2 people"] if "number of people" in told else []
    said += ["from 8 June"] if "arrival" in told else []
    said += ["and for 2 nights"] if "nights" in told else []
    return says(" ".join(said) + "?")


def test_a_voice_phrases_what_is_to_be_done(tmp_path: Path) -> None:
    with endpoint(phrased) as server:
        scores, dialogue = judged(tmp_path, user_voice=f"openai:m@{server.url}")
    assert scores.success == 100.0 and scores.record()["actions"]["done"] == 1
    assert scores.fidelity.faithful == 1 and scores.fidelity.parts == 3
    wishes = [turn for turn in dialogue.user_turns if "asked_action" in turn.extras]
    assert wishes[0].text.startswith("Lovely. Could you book a room")
    assert {turn.extras["voice"]["how"] for turn in wishes} == {"phrased"}
    prompts = {body["messages"][0]["content"] for body in server.requests}
    assert all("Do asks for that" in each for each in prompts)
    acts = [act for body in server.requests for act in asked(body)["acts"]]
    assert {"act": "Do", "about": "book a room"}.items() <= next(
        act for act in acts if act["act"] == "Do"
    ).items()


def test_another_date_than_the_wanted_one_is_not_said(tmp_path: Path) -> None:
    def script(body: Json, number: int) -> Answer:
        turn = asked(body)
        is_wish = any(act["act"] == "Do" for act in turn["acts"])
        return says(f"{turn['plainly']} From 9 June for 3 nights." if is_wish else turn["plainly"])

    with endpoint(script) as server:
        scores, dialogue = judged(tmp_path, user_voice=f"openai:m@{server.url}")
    wishes = [turn for turn in dialogue.user_turns if "asked_action" in turn.extras]
    assert wishes[0].extras["voice"]["how"] == "template" and scores.success == 100.0
    assert not any("9 June" in turn.text for turn in wishes)


# What a text says of acts about actions

WISH = [
    Act(DO, "book_room"),
    Act(INFORM, "book_room", "entity", "Laurel Hotel"),
    Act(INFORM, "book_room", "arrival", "2026-06-08"),
    Act(INFORM, "book_room", "nights", "2"),
    Act(INFORM, "book_room", "people", "2"),
]
AGAIN = [Act(AFFIRM, "book_room"), *WISH]


@pytest.mark.parametrize(
    ("acts", "text", "problems"),
    [
        (WISH, "Please book a room at Laurel Hotel for 2 people, 8 June, two nights.", []),
        (WISH, "I'd like a room at Laurel Hotel, 2 nights from 8 June, for 2 people.", []),
        (WISH, "Please book a room at Laurel Hotel for 2 people, 8 June.", ["missing"]),
        (
            WISH,
            "Please book a room at Laurel Hotel for 2 people, 9 June, 2 nights.",
            ["missing", "added"],
        ),
        (
            WISH,
            "Please book a room at Pilot House for 2 people, 8 June, 2 nights.",
            ["missing", "added"],
        ),
        (WISH, "Laurel Hotel, 8 June, 2 nights, 2 people: what a nice place.", ["missing"]),
        (WISH[:1], "Could you book a room for me?", []),
        (WISH[:1], "Could you book a room for 2 people?", ["added"]),
        (WISH[:1], "Could you book a room below 300 crowns?", ["added"]),
        (AGAIN, "Yes, a room at Laurel Hotel for 2 people, 8 June, 2 nights.", []),
        (AGAIN, "A room at Laurel Hotel for 2 people, 8 June, 2 nights.", ["missing"]),
        (
            [
                Act(DO, "book_table"),
                Act(INFORM, "book_table", "entity", "Three Lanterns (Station)"),
            ],
            "Please book a table at Three Lanterns (Station) for me.",
            [],
        ),
        ([Act(AFFIRM, "book_room")], "Yes please, go ahead.", []),
        ([Act(AFFIRM, "book_room")], "No, thank you.", ["missing"]),
        (
            [Act(DENY, "book_room"), Act(INFORM, "book_room", "nights", "2")],
            "No, for 2 nights.",
            [],
        ),
    ],
)
def test_what_is_read_back(acts: list[Act], text: str, problems: list[str]) -> None:
    checks = user_checks(context_of("harbour", language="en"), "--user-voice", actions=True)
    assert checks.as_acts(text, tuple(acts), (), frozenset()) == problems


@pytest.mark.parametrize("language", ["en", "de", "zh", "ru", "ar"])
def test_our_own_sentences_are_read_back(language: str) -> None:
    """Every sentence of the templates for actions passes the checks that models are held to."""
    setup = Setup(language=language, level="words", agent_options=AgentOptions(actions=True))
    simulation = build(setup)
    checks = user_checks(context_of("harbour", language=language), "--user-voice", actions=True)
    failed, seen = [], 0
    for session in sessions(Plan(5, count=12, actions=True), simulation.world):
        dialogue = simulated_dialogue(
            simulation, session.goal, seed=session.id, id=session.id, exchanges=25
        )
        for turn in dialogue.user_turns:
            if "asked_action" in turn.extras:
                seen += 1
                if checks.as_acts(turn.text, turn.acts, (), frozenset()):
                    failed.append(turn.text)
    assert seen > 10 and not failed


# A model that talks freely


def talked(folder: Path, *lines: str) -> tuple[AgentScores, Dialogue, list[Json]]:
    def script(body: Json, number: int) -> Answer:
        return says(lines[min(number, len(lines) - 1)])

    with endpoint(script) as server:
        scores, dialogue = judged(folder, user=f"openai:m@{server.url}")
    return scores, dialogue, server.requests


BOOK = "Please book a room at Laurel Hotel for 2 people, from 8 June for 2 nights."
BYE = "Thanks, bye! ###DONE###"


def test_a_free_user_has_it_done(tmp_path: Path) -> None:
    scores, dialogue, requests = talked(
        tmp_path, "What is the phone number of Laurel Hotel?", BOOK, "Yes, please.", BYE
    )
    assert "Book a room there" in requests[0]["messages"][0]["content"]
    assert scores.success == 100.0 and scores.fidelity.faithful == 1
    wish = [turn for turn in dialogue.user_turns if "asked_action" in turn.extras]
    assert [turn.text for turn in wish] == [BOOK]
    told = {act.slot: act.value for act in wish[0].acts if act.intent == INFORM}
    assert told == {"entity": "Laurel Hotel", "arrival": "2026-06-08", "nights": "2", "people": "2"}


def test_a_free_user_who_never_asks_is_at_fault(tmp_path: Path) -> None:
    scores, _, _ = talked(tmp_path, "What is the phone number of Laurel Hotel?", BYE)
    assert scores.blame["user"] == 1 and scores.blame["agent"] == 0
    assert scores.reasons() == {"the user did not ask for it": 1}
    assert (scores.fidelity.omitted, scores.fidelity.stopped_early) == (1, 1)


def test_details_that_follow_are_read_and_other_ones_contradict(tmp_path: Path) -> None:
    scores, _, _ = talked(
        tmp_path, "What is the phone number of Laurel Hotel?", "Please book a room there.",
        "For 3 people, from 8 June, 2 nights.", "Yes.", BYE,
    )  # fmt: skip
    assert scores.fidelity.contradicted == 1
    assert scores.record()["actions"]["wrong"] == 1
