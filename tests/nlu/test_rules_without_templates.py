# ruff: noqa: E501  (what people say is longer than a line)
"""Sentences in which much is said at once, read by the rules with no template known by heart."""

from functools import cache

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.system.nlu.rules.nlu import RulesNLU
from crosstalk.worlds.world import find_world, load_world

ASIDE = ("Refine", "Ignored")


@cache
def rules(code: str) -> RulesNLU:
    return RulesNLU(load_world("harbour", language=code), find_world("harbour"), templates=False)


@cache
def place(code: str, domain: str) -> str:
    rows = list(load_world("harbour", language=code).tables[domain])
    return str(rows[3]["name"])


def read(code: str, context: str, text: str) -> set[str]:
    """The acts of a text after a place of a domain was offered; PLACE is that place."""
    name = place(code, context) if context else ""
    offered = (
        Turn(Speaker.USER, "", (Act("Request", context, "name", ""),)),
        Turn(Speaker.SYSTEM, name, (Act("Inform", context, "name", name),)),
    )
    acts = rules(code).understand(Turn(Speaker.USER, text), offered if context else ())
    values = {act: "PLACE" if act.value and act.value == name else act.value for act in acts}
    return {
        f"{act.intent} {act.domain}.{act.slot} {value}".strip()
        for act, value in values.items()
        if act.intent not in ASIDE
    }


AMOUNTS = [
    ("ru", "Ищу ресторан с рейтингом 4,5 из 5 и выше", "Inform restaurant.rating 4,5 из 5 и выше"),
    ("ru", "Хочу сходить куда-нибудь, осмотр — от часа до двух часов", "Inform attraction.duration от часа до двух часов"),
    ("ru", "Нужна достопримечательность , от двух до трёх часов", "Inform attraction.duration от двух до трёх часов"),
    ("ar", "أبحث عن مطعم تقييمه 4.5 من 5 فأكثر", "Inform restaurant.rating 4.5 من 5 فأكثر"),
    ("ar", "أبحث عن معلم سياحي مدة زيارته من ساعة إلى ساعتين", "Inform attraction.duration من ساعة إلى ساعتين"),
    ("en", "an attraction rated 4 out of 5 or more", "Inform attraction.rating 4 points or more"),
    ("de", "ein Restaurant mit mindestens 4,5 von 5 Punkten", "Inform restaurant.rating mindestens 4,5 Punkte"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text", "wish"), AMOUNTS)
def test_a_rating_out_of_five_and_a_span_of_hours_are_one_amount(
    code: str, text: str, wish: str
) -> None:
    domain, slot = wish.split()[1].split(".")
    found = {act for act in read(code, "", text) if act.startswith(f"Inform {domain}.{slot}")}
    assert found == {wish}


TWO_QUESTIONS = [
    ("en", "When is the restaurant open? And are there hotels around it?"),
    ("zh", "这家餐馆几点开门？附近有哪些酒店？"),
    ("de", "Wann hat das Restaurant geöffnet? Und gibt es Hotels in der Nähe?"),
    ("ar", "متى يفتح المطعم؟ وما الفنادق القريبة؟"),
    ("ru", "Во сколько ресторан открывается? И где рядом можно остановиться?"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text"), TWO_QUESTIONS)
def test_a_second_question_leaves_the_first_its_domain(code: str, text: str) -> None:
    assert {"Request restaurant.hours", "Inform hotel.nearby_restaurants PLACE"} <= read(
        code, "restaurant", text
    )


TWO_DOMAINS = [
    ("en", "Which attractions and hotels are near the restaurant?"),
    ("zh", "这家餐馆附近有哪些景点和酒店？"),
    ("de", "Welche Sehenswürdigkeiten und Hotels gibt es in der Nähe des Restaurants?"),
    ("ar", "ما المعالم والفنادق القريبة من المطعم؟"),
    ("ru", "Какие достопримечательности и отели есть рядом с рестораном?"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text"), TWO_DOMAINS)
def test_one_word_for_near_is_said_of_both_domains(code: str, text: str) -> None:
    assert {
        "Inform attraction.nearby_restaurants PLACE",
        "Inform hotel.nearby_restaurants PLACE",
    } <= read(code, "restaurant", text)


AROUND_WHAT_IS_SOUGHT = [
    ("en", "I am looking for a restaurant rated 4 points or more. And please tell me the address. Which hotels are nearby?"),
    ("zh", "我想找一家评分4分以上的餐馆。地址也告诉我一下吧。附近有哪些酒店？"),
    ("de", "Ich suche ein Restaurant, das mindestens 4 Punkte hat. Wie lautet die Adresse? Welche Hotels gibt es in der Nähe?"),
    ("ar", "أبحث عن مطعم تقييمه 4 من 5 فأكثر. وأين يقع؟ وما الفنادق القريبة؟"),
    ("ru", "Ищу ресторан с рейтингом 4 из 5 и выше. А где это? А какие отели есть поблизости?"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text"), AROUND_WHAT_IS_SOUGHT)
def test_what_is_around_is_asked_of_the_place_sought(code: str, text: str) -> None:
    found = read(code, "attraction", text)
    assert {"Request restaurant.address", "Request restaurant.nearby_hotels"} <= found
    assert not any("hotel." in act for act in found)


SERVICES = [
    ("en", "What is there to see near the hotel? And is there free breakfast?", "free breakfast"),
    ("zh", "这家酒店周边有什么景点？提供免费早餐吗？", "免费早餐"),
    ("de", "Welche Sehenswürdigkeiten gibt es in der Nähe des Hotels? Gibt es dort kostenloses Frühstück?", "kostenloses Frühstück"),
    ("ru", "Что можно посмотреть рядом с отелем? А бесплатный завтрак там есть?", "бесплатный завтрак"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text", "service"), SERVICES)
def test_a_service_is_asked_of_the_hotel_beside_what_is_around_it(
    code: str, text: str, service: str
) -> None:
    assert {f"Request hotel.services-{service}", "Inform attraction.nearby_hotels PLACE"} <= read(
        code, "hotel", text
    )


def test_a_service_is_asked_of_the_hotel_sought() -> None:
    text = "I am looking for a hotel rated 4.5 points or more. Does it offer airport pick-up?"
    assert {"Inform hotel.rating 4.5 points or more", "Request hotel.services-airport pick-up"} <= (
        read("en", "hotel", text)
    )


def test_a_dish_said_whole_wins_over_a_word_for_its_kind() -> None:
    assert "Inform restaurant.dishes Rinderkofta" in read("de", "", "Ich möchte Rinderkofta essen.")
    assert "Inform restaurant.dishes لاسي المانجو" in read("ar", "", "أبحث عن مطعم فيه أسياخ ضأن بالكمون، ولاسي المانجو.")  # fmt: skip


RIDES = [
    ("en", "I need a taxi. Pickup: {one}. Drop off: {other}."),
    ("de", "Ich hätte gern ein Taxi. Start: {one}, Ziel: {other}."),
    ("ru", "Нужно такси. Откуда: {one}. Куда: {other}."),
    ("ru", "Нужно такси. Выезжаю отсюда: {one}. Еду сюда: {other}."),
    ("ar", "أحتاج إلى تاكسي. نقطة الانطلاق: {one}. الوجهة: {other}."),
    ("zh", "我要打车。起点：{one}，终点：{other}。"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text"), RIDES)
def test_labels_say_where_a_ride_begins_and_ends(code: str, text: str) -> None:
    one, other = place(code, "hotel"), place(code, "attraction")
    found = read(code, "", text.format(one=one, other=other))
    assert {f"Inform taxi.departure {one}", f"Inform taxi.destination {other}"} <= found


GOOD = [
    ("en", "I want a hotel with good reviews", "Inform hotel.rating 4 points or more"),
    ("de", "Ich möchte ein Hotel mit guten Bewertungen", "Inform hotel.rating mindestens 4 Punkte"),
    ("de", "Ich suche ein gut bewertetes Hotel, mindestens 4,5 Punkte", "Inform hotel.rating mindestens 4,5 Punkte"),
    ("en", "a hotel rated about 5", "Inform hotel.rating 5 points"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text", "wish"), GOOD)
def test_a_good_rating_is_one_wish(code: str, text: str, wish: str) -> None:
    found = read(code, "", text)
    assert {act for act in found if "rating" in act} == {wish}
    assert not any("price" in act for act in found)


def test_a_class_before_a_range_of_prices_is_a_wish() -> None:
    assert {"Inform hotel.type budget", "Inform hotel.price 500-600 crowns"} <= read(
        "en", "", "I am looking for a hotel in the budget class for 500-600 crowns a night."
    )


def test_a_bound_belongs_to_the_number_that_it_stands_before() -> None:
    assert {"Inform hotel.rating 5 из 5", "Inform hotel.price от 200 до 300 крон"} <= read(
        "ru", "", "Хочу остановиться в отеле с рейтингом 5 из 5 и ценой от 200 до 300 крон за ночь."
    )


def test_services_are_read_whole() -> None:
    found = read(
        "de", "", "Ich suche ein Hotel, das Barservice und WLAN in einigen Zimmern bietet."
    )
    assert "Inform hotel.services-Barservice ja" in found
    assert "Inform hotel.services-WLAN in einigen Zimmern ja" in found
    assert "Inform hotel.services-камера хранения да" in read(
        "ru", "", "Ищу отель, где есть камера хранения и круглосуточная горячая вода."
    )


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Which attractions are near the hotel? How much is a night there?"),
        ("zh", "这家酒店附近有哪些景点？一晚多少钱？"),
        ("de", "Was kann man in der Nähe des Hotels besichtigen? Was kostet dort eine Nacht?"),
    ],
)
def test_nights_are_asked_of_the_hotel(code: str, text: str) -> None:
    assert "Request hotel.price" in read(code, "hotel", text)
