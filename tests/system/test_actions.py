"""Our own system books, changes, cancels and refuses, in harbour and in a world made by hand."""

from pathlib import Path

import pytest
from tests.worlds.lakeside import write_lakeside

from crosstalk.dialogue.acts import AFFIRM, ASK, CONFIRM, DO, DONE, INFORM, REFUSE, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.errors import InputError
from crosstalk.system.build import build_system
from crosstalk.system.chat import Answer, reply
from crosstalk.system.pipeline import System
from crosstalk.worlds.check import check_world
from crosstalk.worlds.policy_rules import actions_of


@pytest.fixture(scope="module")
def system() -> System:
    return build_system("harbour", language="en", actions=True)


def talk(system: System, *said: str) -> list[Answer]:
    answers, session = list[Answer](), system.begin()
    for text in said:
        answer, session = reply(system, text, session)
        answers.append(answer)
    return answers


def test_a_booking_from_the_search_to_the_code(system: System) -> None:
    found, asked, read_back, done = talk(
        system,
        "I need a cheap hotel",
        "book it for two nights from friday",
        "there are three of us",
        "yes please",
    )
    hotel = found.results[0].names[0]
    assert [(act.intent, act.slot) for act in asked.acts] == [(ASK, "people")]
    assert {act.slot: act.value for act in read_back.acts} == {
        "entity": hotel,
        "arrival": "2026-06-05",
        "nights": "2",
        "people": "3",
    }
    assert hotel in read_back.text and "Friday 5 June" in read_back.text
    (event,) = done.actions
    assert event.done and str(event.gives["reference"]) in done.text
    assert str(event.gives["total"]) in done.text


def test_what_was_booked_is_changed_and_cancelled_without_its_code(system: System) -> None:
    answers = talk(
        system,
        "Please reserve a table at Molasses for three tomorrow at 7 pm",
        "yes",
        "could you change the booking to 4 people?",
        "yes",
        "what is the phone number of Molasses?",
        "cancel the booking",
        "ok",
    )
    done = [event for answer in answers for event in answer.actions]
    assert [event.action for event in done] == ["book_table", "change_table", "cancel_table"]
    assert (
        len({event.arguments.get("reference", done[0].gives["reference"]) for event in done}) == 1
    )


def test_corrections_and_a_no(system: System) -> None:
    _, corrected, refused, nothing = talk(
        system,
        "book a table at Molasses for three tomorrow at 7 pm",
        "no, for five people",
        "at 6 in the morning",
        "forget it, thank you",
    )
    assert Act(CONFIRM, "book_table", "people", "5") in corrected.acts
    assert not [event for event in (*corrected.actions, *nothing.actions) if event.done]
    assert refused.acts[0].intent == REFUSE


@pytest.mark.parametrize(
    ("said", "act", "words"),
    [
        (
            "cancel my table booking, code 2MWLESF5",
            Act(REFUSE, "cancel_table", "rule", "table_in_time"),
            "until the day before",
        ),
        (
            "book a table at Molasses for 20 people on friday at 12:00",
            Act(REFUSE, "book_table", "people", "limit"),
            "number of people",
        ),
        (
            "cancel my room booking, the code is AAAA1111",
            Act(REFUSE, "cancel_room", "none", "no_booking"),
            "no booking with this code",
        ),
    ],
    ids=["a rule", "a limit", "a condition"],
)
def test_refusals_give_the_reason(system: System, said: str, act: Act, words: str) -> None:
    (answer,) = talk(system, said)
    assert answer.acts == (act,) and words in answer.text
    assert not [event for event in answer.actions if event.done]


TABLE = {"date": "2026-06-05", "time": "19:00", "people": "3"}
STAY = {"arrival": "2026-06-05", "nights": "2", "people": "2"}


@pytest.mark.parametrize(
    ("code", "text", "action", "told"),
    [
        ("de", "Ich hätte gern einen Tisch für drei am Freitag um 19 Uhr", "book_table", TABLE),
        ("de", "Buchen Sie ein Zimmer ab dem 5. Juni für zwei Nächte, zu zweit", "book_room", STAY),
        ("zh", "帮我订个桌，周五晚上七点，三个人", "book_table", TABLE),
        ("zh", "订一间房，6月5号入住，住两晚，两个人", "book_room", STAY),
        ("ar", "أريد حجز طاولة لثلاثة أشخاص يوم الجمعة الساعة 7 مساء", "book_table", TABLE),
        ("ar", "احجز لي غرفة لليلتين من يوم 5 يونيو لشخصين", "book_room", STAY),
        ("ru", "забронируйте столик на троих на пятницу в 19:00", "book_table", TABLE),
        ("ru", "хочу забронировать номер на две ночи с 5 июня на двоих", "book_room", STAY),
    ],
)  # fmt: skip
def test_requests_in_other_languages(
    code: str, text: str, action: str, told: dict[str, str]
) -> None:
    (answer,) = talk(build_system("harbour", language=code, actions=True), text)
    assert Act(DO, action) in answer.understood
    assert {act.slot: act.value for act in answer.understood if act.intent == INFORM} == told
    assert [act.slot for act in answer.acts] == ["entity"] and answer.text


def test_a_ride_that_is_looked_for_is_not_booked(system: System) -> None:
    (answer,) = talk(system, "I need a taxi from Molasses to Laurel Hotel.")
    assert not {act.intent for act in answer.understood} & {DO, AFFIRM}


def test_without_actions_nothing_is_booked() -> None:
    (answer,) = talk(build_system("harbour", language="en"), "please book a table at Molasses")
    assert "cannot make bookings" in answer.text and not answer.actions


def test_a_world_without_actions() -> None:
    world = Path(__file__).parents[1] / "worlds" / "riverside"
    with pytest.raises(InputError, match="nothing can be done"):
        build_system(world, actions=True)


TEMPLATES = """\
[user]
"Inform+inn+name" = ["I am looking for the {name}."]
[system]
"Inform+inn+name" = ["How about the {name}?"]
"""


def test_a_world_made_by_hand_books_at_once(tmp_path: Path) -> None:
    """Names of actions and arguments are enough; there is no file of sentences about actions."""
    folder = write_lakeside(tmp_path / "lakeside")
    (folder / "templates").mkdir()
    (folder / "templates" / "en.toml").write_text(TEMPLATES)
    asked, read_back, done, again, changed, cancelled = talk(
        build_system(folder, actions=True),
        "book a room for two nights at the Heron from June 5th",
        "3 people",
        "yes",
        "change the booking to 3 nights",
        "yes",
        "cancel the room",
    )
    assert asked.acts == (Act(ASK, "book_room", "people", ""),)
    assert "Heron" in read_back.text and "nights: 2" in read_back.text
    assert Act(DONE, "book_room", "price", "81") in done.acts
    assert Act(CONFIRM, "change_room", "nights", "3") in again.acts
    assert changed.actions[0].done and cancelled.actions[0].action == "cancel_room"


def test_its_own_sentences_are_checked(tmp_path: Path) -> None:
    folder = write_lakeside(tmp_path / "lakeside")
    (folder / "actions").mkdir()
    (folder / "actions" / "en.toml").write_text(
        '[sentences]\n"Done+book_rom" = ["Your room {reference} is booked."]\n'
        '[details]\nguests = "for {value} guests"\n[phrases]\nbook_room = ["stay ... night*"]\n'
    )
    found = [str(problem) for problem in check_world(folder)]
    assert any("Done+book_rom" in each and "Done+book_room" in each for each in found)
    assert any("{reference}" in each for each in found)
    assert any("guests" in each for each in found)
    assert len(found) == 3


def test_in_acts_too() -> None:
    system = build_system("harbour", language="en", level="acts", actions=True)
    cancel = (Act(DO, "cancel_room"), Act(INFORM, "cancel_room", "reference", "Y6YKYC34"))
    asked, session = system.reply(Turn(Speaker.USER, "", cancel), system.begin())
    assert asked.turn.acts == (Act(CONFIRM, "cancel_room", "reference", "Y6YKYC34"),)
    agreed = Turn(Speaker.USER, "", (Act(AFFIRM, "cancel_room"),))
    done, _ = system.reply(agreed, session)
    assert done.turn.acts == (Act(DONE, "cancel_room"),)
    assert actions_of(done.turn)[0].changes
