"""What people mean, language by language; `«...»` marks the words in question."""

import pytest

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.language.training_phrases import load_book
from crosstalk.system.nlu.entity_lookup import TextSpan
from crosstalk.system.nlu.value_linking import ValueLinker
from crosstalk.worlds.world import find_world, load_world

FACTS: dict[str, ValueLinker] = {}


def lookup(code: str) -> ValueLinker:
    if code not in FACTS:
        book = load_book(find_world("harbour"), code)
        FACTS[code] = ValueLinker(load_world("harbour", language=code), book)
    return FACTS[code]


def meant(code: str, slot: str, marked: str) -> list[str]:
    before, said, after = marked.replace("»", "«").split("«")
    domain, key = slot.split(".")
    found = lookup(code).world.schema.domain(domain)
    assert found
    end = len(before) + len(said)
    heard = TextSpan(Speaker.USER, before + said + after, len(before), end)
    return lookup(code).linked_values(domain, found.slot(key), heard)


@pytest.mark.parametrize(
    ("code", "slot", "marked", "value"),
    [
        ("en", "hotel.price", "nothing over «300 crowns» please", "300 crowns or less"),
        ("en", "hotel.price", "a room for «300»", "300 crowns or less"),
        ("en", "restaurant.rating", "rated «at least four»", "4 points or more"),
        ("en", "restaurant.cost", "somewhere «cheap» to eat", "80 crowns or less"),
        ("en", "attraction.fee", "«no charge» for kids", "free"),
        ("en", "attraction.name", "near the «old lighthouse»", "Old Lighthouse of Halmora"),
        ("en", "attraction.name", "the «citty zoo»", "City Zoo"),
        ("en", "taxi.departure", "from the «aquarium»", "Ocean Aquarium"),
        ("en", "restaurant.dishes", "some «dumplings»", "dumplings"),
        ("en", "attraction.duration", "we have «a couple of hours»", "about 2 hours"),
        ("de", "attraction.name", "beim «alten leuchtturm»", "Alter Leuchtturm von Halmora"),
        ("de", "hotel.services", "gibt es «wlan»", "WLAN im ganzen Haus"),
        ("ru", "attraction.name", "у «старого маяка»", "Старый маяк Хальморы"),
        ("ru", "restaurant.dishes", "хочется «голубцов»", "голубцы"),
        ("zh", "attraction.name", "«老灯塔»附近", "海莫拉老灯塔"),
        ("zh", "hotel.type", "«五星级»酒店", "豪华型"),
        ("ar", "attraction.name", "قريب من «المنارة القديمة»", "منارة هالمورا القديمة"),
        ("ar", "hotel.services", "عندهم «فطور»", "إفطار"),
    ],
)
def test_words_mean_a_value_of_the_tables(code: str, slot: str, marked: str, value: str) -> None:
    assert meant(code, slot, marked) == [value]


def test_a_place_nobody_knows_means_nothing() -> None:
    assert meant("en", "hotel.name", "I want to stay at «the Hilton»") == []


def test_the_system_tells_numbers_as_they_are() -> None:
    text = "A room costs 590 crowns a night."
    heard = TextSpan(Speaker.SYSTEM, text, text.index("590"), text.index(" a night"))
    hotel = lookup("en").world.schema.domain("hotel")
    assert hotel
    assert lookup("en").linked_values("hotel", hotel.slot("price"), heard) == ["590 crowns"]
