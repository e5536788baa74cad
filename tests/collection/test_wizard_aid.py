"""What the wizard is offered: wishes of the user's message, drafts from what is selected."""

import pytest
from tests.collection.playing import play, refusal

from crosstalk.collection.commands import Say, Search, Select
from crosstalk.collection.events import Role
from crosstalk.collection.export import EXTRAS, dialogue_of
from crosstalk.collection.rooms import Room
from crosstalk.collection.wizard_aid import WizardAid
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.system.nlg.world_templates import written_generator
from crosstalk.system.nlu.rules.nlu import RulesNLU
from crosstalk.worlds.world import find_world, load_world

USER, WIZARD = Role.USER, Role.WIZARD


def aid_in(language: str) -> WizardAid:
    world, place = load_world("harbour", language=language), find_world("harbour")
    voice = written_generator(place, world.schema, world.language, Speaker.SYSTEM)
    return WizardAid(WorldContext(world), RulesNLU(world, place), voice)


@pytest.fixture(scope="module")
def aid() -> WizardAid:
    return aid_in("en")


def heard(aid: WizardAid, room: Room, text: str) -> Room:
    return play(aid.context, room, USER, Say(text, sure=True))


def found(aid: WizardAid, room: Room) -> dict[str, object]:
    return {f"{wish['domain']}-{wish['slot']}": wish["value"] for wish in aid.wishes(room)}


def test_wishes_of_the_last_message_are_offered_as_the_form_takes_them(
    aid: WizardAid, room: Room
) -> None:
    text = "A hotel near the Maritime Museum with breakfast, 200 to 300 crowns, at least 4.5."
    assert found(aid, heard(aid, room, text)) == {
        "hotel-nearby_attractions": "Maritime Museum",
        "hotel-price": {"low": 200, "high": 300},
        "hotel-rating": {"low": 4.5},
        "hotel-services": ["breakfast"],
    }


def test_what_the_form_has_is_not_offered_again(aid: WizardAid, room: Room) -> None:
    room = heard(aid, room, "A restaurant with harbour chowder, 100 to 200 crowns per person.")
    room = play(aid.context, room, WIZARD, Search("restaurant", {"dishes": ["harbour chowder"]}))
    assert set(found(aid, room)) == {"restaurant-cost"}


def test_a_draft_names_what_is_selected_and_answers_what_is_asked(
    aid: WizardAid, room: Room
) -> None:
    room = heard(aid, room, "I need a hotel with breakfast, please.")
    assert aid.draft(room) == ""
    room = play(aid.context, room, WIZARD, Search("hotel", {"services": ["breakfast"]}))
    name = aid.context.search("hotel", room.queries[-1].slots).names[0]
    room = play(aid.context, room, WIZARD, Select("hotel", (name,)))
    assert name in aid.draft(room)
    room = play(aid.context, room, WIZARD, Say(f"How about {name}?", sure=True))
    room = heard(aid, room, "What is its phone number?")
    row = aid.context.database.find("hotel", name)
    assert row and str(row["phone"]) in aid.draft(room)


def test_a_search_without_results_is_said(aid: WizardAid, room: Room) -> None:
    room = heard(aid, room, "A hotel for 1 to 2 crowns.")
    room = play(aid.context, room, WIZARD, Search("hotel", {"price": {"low": 1, "high": 2}}))
    assert "no hotel fits" in aid.draft(room)


def test_what_was_taken_over_is_exported(aid: WizardAid, room: Room) -> None:
    room = heard(aid, room, "A hotel rated at least 4.")
    search = Search("hotel", {"rating": {"low": 4}}, suggested=("rating", "name"))
    say = Say("How about the Blue Anchor Inn?", sure=True, draft="How about Blue Anchor Inn?")
    room = play(aid.context, room, WIZARD, search, say)
    answer = dialogue_of(1, room).turns[-1]
    assert answer.extras["draft"] == "How about Blue Anchor Inn?"
    assert answer.extras[EXTRAS]["suggested"] == ["hotel-rating"]


def test_users_have_no_drafts(aid: WizardAid, room: Room) -> None:
    assert refusal(aid.context, room, USER, Say("Hello", draft="Hello")).code == "not_your_role"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Ich suche ein Hotel mit mindestens 4 Punkten."),
        ("zh", "我想找一家评分4分以上的酒店。"),
        ("ru", "Мне нужна гостиница с рейтингом не ниже 4 баллов."),
        ("ar", "أبحث عن فندق بتقييم 4 نقاط على الأقل."),
    ],
)
def test_every_language_of_the_world_is_read(room: Room, language: str, text: str) -> None:
    aid = aid_in(language)
    assert found(aid, heard(aid, room, text)) == {"hotel-rating": {"low": 4}}
