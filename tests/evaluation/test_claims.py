"""Claims against the tables of harbour."""

from dataclasses import replace

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.evaluation.claims import Claims, check_claims, score_speech, up_to
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.sessions import Plan, SessionRules, hold, sessions
from crosstalk.worlds.queries import Database


@pytest.fixture(scope="module")
def hotel(database: Database) -> dict[str, str]:
    row = database.world.tables["hotel"].rows[0]
    return {"name": str(row["name"]), "phone": str(row["phone"]), "price": f"{row['price']} crowns"}


def checked(database: Database, text: str, *acts: Act) -> Claims:
    turns = (Turn(Speaker.USER, "Well?"), Turn(Speaker.SYSTEM, text, acts))
    return check_claims([Dialogue("d", turns)], database)


def inform(slot: str, value: str) -> Act:
    return Act("Inform", "hotel", slot, value)


def test_what_the_table_says_is_true(database: Database, hotel: dict[str, str]) -> None:
    text = f"{hotel['name']}: {hotel['phone']}, {hotel['price']}."
    found = checked(database, text, *(inform(slot, value) for slot, value in hotel.items()))
    assert (found.turns, found.values, found.false) == (1, 3, ())


@pytest.mark.parametrize(
    ("slot", "value"), [("phone", "112"), ("price", "1 crown"), ("services-helipad", "yes")]
)
def test_what_it_does_not_say_is_false(
    database: Database, hotel: dict[str, str], slot: str, value: str
) -> None:
    acts = (inform("name", hotel["name"]), inform(slot, value))
    text = f"{hotel['name']}, {value}, helipad."
    assert [each.claim for each in checked(database, text, *acts).false] == [str(acts[1])]


def test_a_place_that_does_not_exist(database: Database) -> None:
    found = checked(database, "Nowhere Inn.", inform("name", "Nowhere Inn"))
    assert len(found.false) == 1


@pytest.mark.parametrize("more", ["It has 3 stars.", "{other} is better."])
def test_words_that_tell_more_than_the_acts(
    database: Database, hotel: dict[str, str], more: str
) -> None:
    other = str(database.world.tables["hotel"].rows[1]["name"])
    text = f"{hotel['name']}. " + more.format(other=other)
    turns = [Turn(Speaker.SYSTEM, text, (inform("name", hotel["name"]),))]
    silent = [Turn(Speaker.SYSTEM, "Hm.")] * 1100  # said once in so many turns, it is no usual word
    assert len(check_claims([Dialogue("d", (*turns, *silent))], database).false) == 1


def test_simulated_words_claim_nothing_false_and_say_every_value_once(database: Database) -> None:
    stage = build(Setup("harbour", words=True))
    held = [
        hold(session, stage, SessionRules(1))
        for session in sessions(Plan(1, count=20), stage.world)
    ]
    score = score_speech(held, database)
    assert score.all_errors.rate == 0 and score.all_errors.values > 100
    assert score.claims.false == () and score.claims.values > 100
    lying = replace(held[0], turns=tuple(_renamed(turn) for turn in held[0].turns))
    assert score_speech([lying], database).claims.false


def _renamed(turn: Turn) -> Turn:
    acts = (replace(act, value="1") if act.intent == "Inform" else act for act in turn.acts)
    return replace(turn, acts=tuple(acts))


def test_the_first_so_many_turns() -> None:
    dialogues = [Dialogue(str(number), (Turn(Speaker.USER, ""),) * 4) for number in range(5)]
    assert [each.id for each in up_to(dialogues, 5)] == ["0", "1"]
