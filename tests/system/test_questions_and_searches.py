"""A question about the place under discussion, or a search for one: the words tell them apart."""

from functools import cache

import pytest

from crosstalk.dialogue.acts import CONFIRM, INFORM, REQUEST, SORT, Act
from crosstalk.system.build import build_system
from crosstalk.system.chat import Answer, reply
from crosstalk.system.pipeline import System

BEFORE = {"en": "a hotel near the zoo", "de": "ein Hotel am Zoo"}
QUESTIONS = [
    ("en", "is there a bar there?"),
    ("en", "any parking?"),
    ("en", "is that less than 300 crowns?"),
    ("en", "is it a luxury hotel?"),
    ("en", "is that one near any beach?"),
    ("en", "what does it cost? not more than 400 I hope"),
    ("de", "gibt es da eine Bar?"),
    ("de", "ist das ein Luxushotel?"),
    ("de", "kostet das mehr als 500?"),
    ("de", "der Preis, hoffentlich unter 400?"),
]
SEARCHES = [
    ("en", "is there a hotel with a bar there?", "hotel"),
    ("en", "is there one with breakfast under 300?", "hotel"),
    ("en", "any good museums under 40?", "attraction"),
    ("en", "what's to eat close to the hotel? nothing over a hundred", "restaurant"),
    ("en", "whats near there to look at, nothing over 50", "attraction"),
    ("en", "the dearest hotel under 500", "hotel"),
    ("de", "gibt es da auch ein Hotel mit Bar?", "hotel"),
    ("de", "hast du auch eins mit Bar?", "hotel"),
    ("de", "gibt es was unter 200?", "hotel"),
    ("de", "was gibt's beim Hotel zu essen? nichts über hundert", "restaurant"),
]


@cache
def system(language: str) -> System:
    return build_system("harbour", language=language)


def talk(language: str, *utterances: str) -> Answer:
    session = system(language).begin()
    for utterance in utterances:
        answer, session = reply(system(language), utterance, session)
    return answer


def asks(act: Act) -> bool:
    return act.intent == CONFIRM or (act.intent == REQUEST and act.slot != "name")


def searches(act: Act) -> bool:
    return act.intent in (INFORM, SORT) and act.slot != "name"


@pytest.mark.parametrize(("language", "text"), QUESTIONS)
def test_questions(language: str, text: str) -> None:
    understood = talk(language, BEFORE[language], text).understood
    assert any(map(asks, understood)) and not any(map(searches, understood))


@pytest.mark.parametrize(("language", "text", "domain"), SEARCHES)
def test_searches(language: str, text: str, domain: str) -> None:
    understood = talk(language, BEFORE[language], text).understood
    assert {act.domain for act in understood if searches(act)} == {domain}
    assert not any(map(asks, understood))


def test_going_on_asking() -> None:
    understood = talk("en", BEFORE["en"], "does it have a gym?", "and a sauna").understood
    assert [act.slot for act in understood] == ["services-sauna facilities"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "a hotel up to 200 and a restaurant up to 60, both near the Governor's Palace"),
        ("en", "near the Governor's Palace I need a hotel up to 200 and a restaurant up to 60"),
        ("de", "ein Hotel bis 200 und ein Lokal bis 60, beides am Gouverneurspalast"),
    ],
)
def test_what_two_searches_share(language: str, text: str) -> None:
    form = talk(language, text).form
    assert {key for key in ("hotel", "restaurant") if form.get(key).get("nearby_attractions")} == {
        "hotel",
        "restaurant",
    }


def test_a_place_named_as_the_end_of_a_ride_can_be_asked_about() -> None:
    ride = "taxi from the Maritime Museum to the Compass Rose Hotel"
    assert "365" in talk("en", ride, "what does the hotel cost?").text


def test_open_until_an_hour_is_open_up_to_it() -> None:
    answer = talk("en", "tell me about Golden Pleat", "is it open until 11pm?")
    assert Act(CONFIRM, "restaurant", "hours", "22:59") in answer.understood


@pytest.mark.parametrize(
    ("language", "utterances", "kind"),
    [
        ("en", ("list some museums", "the address of the first one?", "the best rated?"), "museum"),
        ("zh", ("列出几个博物馆", "第一个的地址", "哪个评分最高"), "博物馆"),
    ],
)
def test_the_best_of_a_kind_after_one_of_it_was_spoken_of(
    language: str, utterances: tuple[str, ...], kind: str
) -> None:
    answer = talk(language, *utterances)
    assert answer.form.get("attraction").constraints["name"] == kind
