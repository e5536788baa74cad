"""Offline judging: verdicts on transcripts, and every way a file can be wrong."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import CrosstalkError
from crosstalk.evaluation.offline import judge_offline, judge_transcript
from crosstalk.evaluation.offline_verdicts import OfflineVerdict
from crosstalk.evaluation.transcripts import Transcript
from crosstalk.reading.conversation import SaidExchange
from crosstalk.simulation.build import Setup
from crosstalk.simulation.sessions import Plan, simulated_dialogues
from crosstalk.system.build import WORDS
from crosstalk.worlds.world import load_world

TUPLES: list[list[Any]] = [
    [1, "hotel", "type", "comfort", False],
    [1, "hotel", "rating", "4.5 points or more", False],
    [1, "hotel", "name", "", False],
    [1, "hotel", "phone", "", False],
]
GOAL = {"id": "g", "world": "harbour", "language": "en", "type": "S", "tuples": TUPLES}
ASKED = "A comfort hotel, please, rated 4.5 or better. And the phone number?"
TRUE = "How about the **Tamsin Hotel**? Comfort class, rated 4.5. Phone: 0482-3833724."


def record(*replies: str, users: tuple[str, ...] = (ASKED,), **more: Any) -> dict[str, Any]:
    messages = []
    for number, reply in enumerate(replies):
        user = users[number] if number < len(users) else "And?"
        messages += [{"role": "user", "content": user}, {"role": "assistant", "content": reply}]
    return {
        "id": "t",
        "world": "harbour",
        "language": "en",
        "goal": GOAL,
        "messages": messages,
    } | more


def written(folder: Path, *records: Any) -> Path:
    path = folder / "transcripts.jsonl"
    lines = [each if isinstance(each, str) else json.dumps(each) for each in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def verdict(folder: Path, *replies: str, **more: Any) -> OfflineVerdict:
    return next(judge_offline(written(folder, record(*replies, **more))))


def kinds(made: OfflineVerdict) -> set[tuple[str, str]]:
    return {(flaw.slot, flaw.kind) for flaw in made.flaws}


def test_a_true_answer_succeeds(tmp_path: Path) -> None:
    made = verdict(tmp_path, TRUE)
    assert (made.success, made.blame, made.flaws) == (True, None, ())


@pytest.mark.parametrize(
    ("reply", "flaw"),
    [
        (TRUE.replace("3833724", "3833742"), ("phone", "wrong answer")),
        (TRUE.split(" Phone")[0], ("phone", "unsettled")),
        (
            "Take the **Hotel Blue Parrot**, rated 4.6. Phone 0482-1112223.",
            ("name", "no such entity"),
        ),
        ("Pilot House is comfort class: 0482-5466892.", ("rating", "wish not met")),
    ],
)
def test_faults_of_the_agent_are_found_and_quoted(
    tmp_path: Path, reply: str, flaw: tuple[str, str]
) -> None:
    made = verdict(tmp_path, reply)
    assert (made.success, made.blame) == (False, "agent")
    assert flaw in kinds(made)


def test_a_false_refusal_is_the_agents_fault(tmp_path: Path) -> None:
    refusal = "Sorry, there is no comfort hotel with such a rating. Pilot House has 4.0 points."
    made = verdict(
        tmp_path, refusal, "Its number is 0482-5466892.", users=(ASKED, "ok, Pilot House. Phone?")
    )
    assert ("rating", "refused though there was something") in kinds(made)
    assert made.blame == "agent"


def test_a_wish_given_up_without_need_is_the_users_fault(tmp_path: Path) -> None:
    users = (ASKED, "forget the rating, what else is there in comfort?")
    other = "Then Pilot House, 4.0 points. Phone: 0482-5466892."
    made = verdict(tmp_path, "Tamsin Hotel is rated 4.5.", other, users=users)
    assert (made.success, made.blame) == (False, "user")


def test_a_language_nobody_reads_is_undecided(tmp_path: Path) -> None:
    text = "Suosittelen lämpimästi hyvää hotellia vanhassa kaupungissa, puhelin löytyy sieltä."
    made = verdict(tmp_path, text)
    assert (made.success, made.blame) == (None, "reader")


def test_broken_lines_do_not_keep_others_from_being_judged(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        record(TRUE),
        "{broken",
        {"id": "x", "messages": "none"},
        record(TRUE, world="nowhere"),
        record(TRUE, language="fi"),
        record(TRUE, goal=None),
        record(TRUE, goal={"id": "only"}),
    )
    made = list(judge_offline(path))
    assert made[0].success is True
    assert [bool(each.error) for each in made[1:]] == [True] * 6


def test_binary_and_missing_files_are_refused(tmp_path: Path) -> None:
    binary = tmp_path / "b.jsonl"
    binary.write_bytes(b"\x00\x01\xff")
    for path in (binary, tmp_path / "none.jsonl"):
        with pytest.raises(CrosstalkError):
            list(judge_offline(path))


def test_tau2_results_have_claims_and_no_success(tmp_path: Path) -> None:
    messages = record(TRUE.replace("3833724", "3833742"))["messages"]
    simulation = {"id": "s", "messages": messages, "termination_reason": "user_stop"}
    broken = {"id": "i", "messages": messages, "termination_reason": "infrastructure_error"}
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"simulations": [simulation, broken]}), encoding="utf-8")
    folder = tmp_path / "folder"
    (folder / "simulations").mkdir(parents=True)
    for each in (broken, simulation):
        file = folder / "simulations" / f"{each['id']}.json"
        file.write_text(json.dumps(each), encoding="utf-8")
    (folder / "results.json").write_text('{"simulation_index": [{"id": "i"}, {"id": "s"}]}')
    for form in (path, folder, folder / "results.json"):
        made = {each.id: each for each in judge_offline(form, world="harbour", language="en")}
        assert made["s"].success is None
        assert made["s"].false_claims[0]["slot"] == "phone"
        assert made["i"].blame == "infrastructure"


def test_the_command_writes_a_verdict_a_line(tmp_path: Path) -> None:
    path, out = written(tmp_path, record(TRUE)), tmp_path / "verdicts.jsonl"
    done = CliRunner().invoke(app, ["judge", "--offline", str(path), "--json", "--out", str(out)])
    assert done.exit_code == 0
    assert json.loads(out.read_text(encoding="utf-8"))["success"] is True
    assert json.loads(done.stdout)["counts"]["succeeded"] == 1
    path = written(tmp_path, record(TRUE), "{broken")
    assert CliRunner().invoke(app, ["judge", "--offline", str(path)]).exit_code == 2


@pytest.fixture(scope="module")
def dialogues() -> list[Dialogue]:
    setup = Setup("harbour", "en", None, level=WORDS)
    return list(simulated_dialogues(Plan(seed=3, count=6), setup))


def judged(dialogue: Dialogue, replies: list[str]) -> OfflineVerdict:
    users = [turn.text for turn in dialogue.user_turns]
    said = tuple(SaidExchange(user, reply) for user, reply in zip(users, replies, strict=False))
    return judge_transcript(Transcript("t", "harbour", "en", dialogue.goal, said))


def test_a_silent_agent_and_a_parrot_never_succeed(dialogues: list[Dialogue]) -> None:
    for dialogue in dialogues:
        users = [turn.text for turn in dialogue.user_turns]
        assert judged(dialogue, [""] * len(users)).success is not True
        assert judged(dialogue, users).success is not True


def test_an_agent_that_answers_from_another_row_never_succeeds(dialogues: list[Dialogue]) -> None:
    world = load_world("harbour", language="en")
    other = {
        str(row["name"]): str(table.rows[(at + 1) % len(table.rows)]["name"])
        for key in ("hotel", "restaurant", "attraction")
        for table in (world.tables[key],)
        for at, row in enumerate(table.rows)
    }
    names = sorted(other, key=len, reverse=True)
    for dialogue in dialogues:
        replies = [turn.text for turn in dialogue.system_turns]
        swapped = []
        for reply in replies:
            found = next((name for name in names if name in reply), "")
            swapped.append(reply.replace(found, other[found]) if found else reply)
        if swapped != replies:
            assert judged(dialogue, swapped).success is not True


def test_a_transcript_is_judged_by_itself(dialogues: list[Dialogue]) -> None:
    first = judged(dialogues[0], [turn.text for turn in dialogues[0].system_turns])
    for dialogue in dialogues[1:]:
        judged(dialogue, [turn.text for turn in dialogue.system_turns])
    again = judged(dialogues[0], [turn.text for turn in dialogues[0].system_turns])
    assert replace(again, id="") == replace(first, id="")


NEAR: list[list[Any]] = [
    [1, "restaurant", "name", "Inkwell Noodles", False],
    [2, "restaurant", "name", {"near": 1}, False],
    [2, "restaurant", "cost", "500-1000 crowns", False],
    [2, "restaurant", "dishes", ["duck in cinnamon sauce"], False],
    [2, "restaurant", "phone", "", False],
]


def test_nearness_untruly_said_is_no_wish_given_up(tmp_path: Path) -> None:
    users = (
        "Near Inkwell Noodles, is there duck in cinnamon sauce for 500-1000 crowns?",
        "Cheaper it is! Phone number of Lemon Crate?",
    )
    made = verdict(
        tmp_path,
        "Nobody does duck in cinnamon sauce at that price. Lemon Crate, just around the corner from"
        " Inkwell Noodles, makes it for about 145 crowns.",
        "0482-7463554.",
        users=users,
        goal=GOAL | {"type": "CM", "tuples": NEAR},
    )
    assert ("name", "not near") in kinds(made)
    assert made.blame == "agent"


def test_the_user_who_asks_for_something_else_than_its_goal(tmp_path: Path) -> None:
    tuples = [
        [1, "attraction", "rating", "5 points", False],
        [1, "attraction", "duration", "3 to 4 hours", False],
        [1, "attraction", "fee", "50-100 crowns", False],
        [1, "attraction", "name", "", False],
    ]
    users = ("An attraction to fill most of a day, 4 to 6 hours. 5 points, 50 to 100 crowns.",)
    goal = GOAL | {"tuples": tuples}
    made = verdict(tmp_path, "City Zoo: 4 to 6 hours, 5.0, 100 crowns.", users=users, goal=goal)
    assert (made.blame, kinds(made)) == ("user", {("duration", "wish not met")})


def test_the_user_who_never_asks(tmp_path: Path) -> None:
    users = ("A comfort hotel, please, rated 4.5 or better.", "Lovely, bye.")
    made = verdict(tmp_path, "The Tamsin Hotel: comfort, 4.5.", "Goodbye!", users=users)
    assert (made.blame, kinds(made)) == ("user", {("phone", "unsettled")})


def test_a_place_is_picked_while_the_next_search_begins(tmp_path: Path) -> None:
    tuples = [
        [1, "restaurant", "cost", "100-150 crowns", False],
        [1, "restaurant", "name", "", False],
        [2, "hotel", "type", "comfort", False],
        [2, "hotel", "rating", "4.5 points or more", False],
        [2, "hotel", "name", "", False],
        [3, "taxi", "departure", {"at": 1}, False],
        [3, "taxi", "destination", {"at": 2}, False],
        [3, "taxi", "plate", "", False],
    ]
    users = (
        "Somewhere to eat for 100 to 150 crowns?",
        "Pepper Warehouse then. And a comfort hotel rated 4.5 or better.",
        "A taxi from the restaurant to the hotel, what is its plate?",
    )
    made = verdict(
        tmp_path,
        "Fishwives' Hall, 140 crowns, or Pepper Warehouse, 125 crowns.",
        "The Tamsin Hotel: comfort, 4.5.",
        "From Fishwives' Hall to the Tamsin Hotel: HM 5448.",
        users=users,
        goal=GOAL | {"type": "M+T", "tuples": tuples},
    )
    assert ("departure", "wrong end") in kinds(made)


NOODLES: list[list[Any]] = [
    [1, "restaurant", "cost", "50-100 crowns", False],
    [1, "restaurant", "dishes", ["scallion oil noodles"], False],
    [1, "restaurant", "name", "", False],
    [1, "restaurant", "rating", "", False],
]


def test_the_user_who_never_says_a_wish(tmp_path: Path) -> None:
    users = ("Which restaurants have scallion oil noodles?", "Let's take Inkwell. Rating?")
    made = verdict(
        tmp_path,
        "Two serve them: Inkwell Noodles (35 crowns) and Cargo Noodles (50 crowns).",
        "Inkwell Noodles has 4.5 points.",
        users=users,
        goal=GOAL | {"tuples": NOODLES},
    )
    assert (made.blame, kinds(made)) == ("user", {("cost", "wish not met")})


HOTELS: list[list[Any]] = [
    [1, "hotel", "services-international calls", "yes", False],
    [1, "hotel", "type", "upscale", False],
    [1, "hotel", "name", "", False],
    [1, "hotel", "phone", "", False],
]


def test_a_place_is_picked_by_a_word_of_its_name(tmp_path: Path) -> None:
    users = (
        "An upscale hotel where I can make international calls?",
        "Let's go with the cathedral one. The number?",
    )
    offers = "Warehouse Nine, 530 crowns a night, or Cathedral View Hotel, 570 crowns a night."
    goal = GOAL | {"tuples": HOTELS}
    made = verdict(tmp_path, offers, "0482-4443735.", users=users, goal=goal)
    assert made.success is True
    other = verdict(tmp_path, offers, "0482-4443753.", users=users, goal=goal)
    assert other.success is False


def test_two_places_asked_for_in_one_breath_find_their_wishes(tmp_path: Path) -> None:
    tuples = [
        [1, "attraction", "duration", "about an hour", False],
        [1, "attraction", "fee", "free", False],
        [1, "attraction", "name", "", False],
        [1, "attraction", "rating", "", False],
        [2, "attraction", "duration", "about 2 hours", False],
        [2, "attraction", "fee", "200 crowns or more", False],
        [2, "attraction", "name", "", False],
        [2, "attraction", "phone", "", False],
    ]
    users = (
        "Two things to see: one that is free and takes about an hour, and one for 200 crowns or "
        "more, about two hours. The rating of the first and the phone number of the second?",
    )
    made = verdict(
        tmp_path,
        "For 200 crowns there are Dolphin Bay Cruises, about two hours, phone 0482-4304956. "
        "Free of charge is the Fish Auction Hall, about an hour, rated 4.5.",
        users=users,
        goal=GOAL | {"type": "M", "tuples": tuples},
    )
    assert made.success is True


def test_the_second_of_two_refusals_may_be_the_untrue_one(tmp_path: Path) -> None:
    tuples = [
        [1, "hotel", "services-free breakfast", "yes", False],
        [1, "hotel", "type", "budget", False],
        [1, "hotel", "rating", "4.5 points or more", False],
        [1, "hotel", "services-luggage storage", "yes", False],
        [1, "hotel", "name", "", False],
    ]
    users = (
        "A budget hotel rated 4.5 or better, with free breakfast and luggage storage.",
        "Then without free breakfast.",
        "Then without luggage storage. That will do.",
    )
    made = verdict(
        tmp_path,
        "I am sorry, there is no budget hotel with free breakfast.",
        "Even so, there is no budget hotel rated 4.5 or better with luggage storage. "
        "Container Hostel is a budget hotel rated 4.5.",
        "Good, Container Hostel.",
        users=users,
        goal=GOAL | {"tuples": tuples},
    )
    assert made.blame == "agent"
    assert ("services-luggage storage", "refused though there was something") in kinds(made)


def test_something_untrue_that_the_goal_does_not_ask_for_is_a_false_claim_only(
    tmp_path: Path,
) -> None:
    made = verdict(tmp_path, TRUE + " The Tamsin Hotel costs 640 crowns a night.")
    assert made.success is True
    assert [claim["slot"] for claim in made.false_claims] == ["price"]


def test_of_several_places_the_one_the_user_speaks_of_later(tmp_path: Path) -> None:
    tuples = [
        [1, "hotel", "services-international calls", "yes", False],
        [1, "hotel", "name", "", False],
        [2, "attraction", "fee", "free", False],
        [2, "attraction", "name", "", False],
        [3, "taxi", "departure", {"at": 1}, False],
        [3, "taxi", "destination", {"at": 2}, False],
        [3, "taxi", "car", "", False],
        [3, "taxi", "plate", "", False],
    ]
    users = (
        "A hotel where I can make international calls?",
        "Hm. Which of them is quieter?",
        "The cathedral one then. And something to see that is free?",
        "And a taxi there from the hotel: which car, which plate?",
    )
    made = verdict(
        tmp_path,
        "Warehouse Nine, 530 crowns a night, or Cathedral View Hotel, 570 crowns a night.",
        "I do not know how quiet they are.",
        "Golden Sands Beach is free.",
        "A white Marlin saloon, plate HM 2741, takes you from Cathedral View Hotel to Golden Sands "
        "Beach.",
        users=users,
        goal=GOAL | {"type": "M+T", "tuples": tuples},
    )
    assert made.success is True


def test_a_place_that_fits_gives_way_because_the_user_wants_another_kind(tmp_path: Path) -> None:
    users = (
        "A budget hotel rated 4.5 or better.",
        "Oh well, we are on holiday. Something with more style, in the Old Town?",
        "Lovely.",
    )
    tuples = [[1, "hotel", "type", "budget", False], *TUPLES[1:3]]
    made = verdict(
        tmp_path,
        "Container Hostel is a budget hotel rated 4.5.",
        "Then the Tamsin Hotel, comfort class, rated 4.5 as well.",
        "Enjoy your stay.",
        users=users,
        goal=GOAL | {"tuples": tuples},
    )
    assert made.blame == "user"
    assert kinds(made) == {("type", "given up without need")}


def test_a_wish_said_again_with_patience_is_not_given_up(tmp_path: Path) -> None:
    tuples = [
        [1, "attraction", "fee", "200 crowns or more", False],
        [1, "attraction", "name", "", False],
        [1, "attraction", "rating", "", False],
    ]
    made = verdict(
        tmp_path,
        "Then the Ocean Aquarium, rated 5.0.",
        users=("Something grand to see, we don't mind paying 200 crowns or upwards. Its rating?",),
        goal=GOAL | {"tuples": tuples},
    )
    assert (made.success, made.blame) == (False, "agent")


def test_the_exit_of_another_station_is_no_true_answer(tmp_path: Path) -> None:
    tuples = [
        [1, "metro", "departure", "Golden Pleat", False],
        [1, "metro", "destination", "Nutmeg Rooms", False],
        [1, "metro", "departure_station", "", False],
        [1, "metro", "destination_station", "", False],
    ]
    users = ("By metro from Golden Pleat to Nutmeg Rooms, which stations?",)
    told = "From Golden Pleat, Grand Market station, exit B. Get off at {} station, exit D."
    goal = GOAL | {"tuples": tuples}
    right = verdict(tmp_path, told.format("Grand Market"), users=users, goal=goal)
    wrong = verdict(tmp_path, told.format("Customs House"), users=users, goal=goal)
    assert (right.success, wrong.success) == (True, False)


def test_one_wrong_neighbour_among_right_ones_is_wrong(tmp_path: Path) -> None:
    tuples = [*TUPLES[:3], [1, "hotel", "nearby_attractions", [], False]]
    users = ("A comfort hotel, please, rated 4.5 or better. What can I see near it?",)
    told = "The **Tamsin Hotel**, comfort class, rated 4.5. Sights nearby: {}."
    right = "Cathedral of the Sea Star, Harbour Tour Pier"
    goal = GOAL | {"tuples": tuples}
    made = verdict(tmp_path, told.format(right), users=users, goal=goal)
    other = verdict(tmp_path, told.format(f"{right}, Ocean Aquarium"), users=users, goal=goal)
    assert (made.success, other.success) == (True, False)
    assert kinds(other) == {("nearby_attractions", "wrong answer")}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (5, "a message is an object"),
        ({"role": "assistant", "tool_calls": 5}, "`tool_calls` is a list of objects"),
        ({"role": "assistant", "tool_calls": ["x"]}, "`tool_calls` is a list of objects"),
        ({"role": "usr", "content": "hi"}, 'messages[0] has the role "usr"; roles are system'),
        ({"content": "hi"}, "messages[0] has no `role`"),
    ],
)
def test_messages_of_another_form_are_named(tmp_path: Path, message: object, told: str) -> None:
    path = written(tmp_path, record(TRUE, messages=[message]))
    result = CliRunner().invoke(app, ["judge", "--offline", str(path)])
    assert result.exit_code == 2
    assert told in result.output


def test_a_place_said_to_be_near_instead_of_what_was_refused(tmp_path: Path) -> None:
    tuples = [
        [1, "attraction", "name", "Opera House on the Water", False],
        [1, "attraction", "rating", "", False],
        [2, "attraction", "name", {"near": 1}, False],
        [2, "attraction", "fee", "150-200 crowns", False],
        [2, "attraction", "duration", "1 to 2 hours", False],
        [2, "attraction", "rating", "4.5 points or more", False],
        [2, "attraction", "phone", "", False],
    ]
    made = verdict(
        tmp_path,
        "Opera House on the Water is rated 5.0.",
        "Nothing near the opera matches all of that, sorry. Terrace Gardens is right around the "
        "corner though: 1 to 2 hours, rated 5.0, only 35 crowns.",
        "Terrace Gardens: 0482-3761537.",
        users=(
            "How is the Opera House on the Water rated?",
            "Another sight near it: 150-200 crowns, 1 to 2 hours, 4.5 or better",
            "Fine, Terrace Gardens. The phone number?",
        ),
        goal=GOAL | {"type": "CM", "tuples": tuples},
    )
    assert kinds(made) == {("name", "not near")} and made.blame == "agent"


def test_a_budget_given_up_for_the_second_place_is_none_of_the_first(tmp_path: Path) -> None:
    tuples = [
        [1, "restaurant", "cost", "50-100 crowns", False],
        [1, "restaurant", "name", "", False],
        [1, "restaurant", "address", "", False],
        [2, "attraction", "fee", "150-200 crowns", False],
        [2, "attraction", "duration", "about an hour", False],
        [2, "attraction", "name", "", False],
    ]
    made = verdict(
        tmp_path,
        "Cinnamon Thesis is at 41 Observatory Road.",
        "Nothing costs 150 to 200 crowns and takes about an hour, I'm afraid. For an hour there "
        "is the Hill Funicular (30 crowns).",
        "Have fun at the Hill Funicular!",
        users=(
            "A restaurant for 50 to 100 crowns per person, please. Address?",
            "Great. A sight that takes about an hour, entry 150-200 crowns",
            "Forget the budget then, that one.",
        ),
        goal=GOAL | {"type": "M", "tuples": tuples},
    )
    assert kinds(made) == {("cost", "wish not met")} and made.blame == "agent"
