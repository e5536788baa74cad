"""Places picked by a property, what no slot holds, and rating scales."""

import pytest

from crosstalk.reading.conversation import ConversationReader, SaidExchange
from crosstalk.reading.reader import ProseReader
from crosstalk.reading.readings import ReadingContext

HOSTELS = "Night Train Hostel 155, Campus Hostel 105, Container Hostel 135."
TWO_HOTELS = "Grand Hotel Halmora (2030, 4.6) or Orsena Tower Hotel (1090, 4.2)."
TWO_ARABIC_HOTELS = "فندق هالمورا الكبير (2030)، فندق برج أورسينا (1090)"
TWO_GERMAN_HOTELS = "Grand Hotel Halmora (2030) oder Turmhotel Orsena (1090)."
MARKET = "| Ort | Bewertung | Eintritt |\n|---|---|---|\n| Terrassengärten | 5,0 | 35 Kronen |\n"


@pytest.mark.parametrize(
    ("language", "users", "reply", "picked"),
    [
        ("en", ("a bed for 100-200", "the cheapest one, where?"), HOSTELS, "Campus Hostel"),
        (
            "zh",
            ("500到600克朗的酒店", "要分高的那家，电话"),
            "九号货仓酒店（530克朗，4.4分）和丝绸廊酒店（590克朗，4.5分）都合适。",
            "丝绸廊酒店",
        ),
        (
            "de",
            ("Eine Sehenswürdigkeit, 1 bis 2 Stunden", "Das ohne Eintritt. Wo ist das?"),
            f"{MARKET}| Gewürzbasar | 4,9 | frei |",
            "Gewürzbasar",
        ),
        ("en", ("a bed for 100-200", "Which of the two is the cheapest?"), HOSTELS, ""),
        ("en", ("a bed for 100-200", "The one that's rated lower, then."), TWO_HOTELS, "Orsena"),
        ("en", ("a hotel", "Is there anything cheaper?"), TWO_HOTELS, ""),
        (
            "ar",
            ("فندق", "اللي سعره أقل"),
            "فندق هالمورا الكبير (2030)، فندق برج أورسينا (1090)",
            "أورسينا",
        ),
        ("de", ("ein Hotel", "Das weniger teure von beiden."), TWO_GERMAN_HOTELS, "Orsena"),
    ],
)
def test_a_place_is_picked_by_a_property(
    language: str, users: tuple[str, str], reply: str, picked: str
) -> None:
    reader = ConversationReader.of("harbour", language)
    _, second = reader.read([SaidExchange(users[0], reply), SaidExchange(users[1], "...")])
    name = second.user.picked[1] if second.user.picked else ""
    assert picked in name if picked else not name


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The Mayor's Cellar is rated 4.5 out of 5 stars."),
        ("de", "Ratskeller zum Bürgermeister: Bewertung 4,5 von 5 Sternen."),
        ("ru", "Погребок бургомистра: рейтинг 4,5 из 5 звёзд."),
        ("zh", "市长酒窖评分4.5分（满分5分）。"),
    ],
)
def test_the_scale_of_a_rating_is_no_claim(language: str, text: str) -> None:
    made = ProseReader.of("harbour", language).read(text).claims
    assert [claim.verdict for claim in made if claim.slot == "rating"] in ([], ["true"])
    assert not [claim for claim in made if claim.slot == "type"]


def test_an_address_behind_a_stay_in_brackets() -> None:
    text = "Der Goldsandstrand (4,5 Punkte, 2 bis 3 Stunden), Muschelgasse 55."
    made = ProseReader.of("harbour", "de").read(text, ReadingContext(wanted="attraction")).claims
    assert {
        claim.slot: claim.verdict for claim in made if claim.slot in ("address", "duration")
    } == {
        "address": "true",
        "duration": "true",
    }


def test_a_word_that_leads_to_a_phone_bounds_no_number() -> None:
    text = "Hotel Speicher Neun hat 4,7 Punkte und ist unter 0482-4033151 zu erreichen."
    made = ProseReader.of("harbour", "de").read(text).claims
    assert [claim.verdict for claim in made if claim.slot == "rating"] == ["false"]


def test_what_is_said_of_both_is_claimed_of_both() -> None:
    text = "Nearby you find Warehouse Nine and Captain Varga's House, both rated 5 points."
    context = ReadingContext(topic=("attraction", "Brick Warehouses"))
    made = ProseReader.of("harbour", "en").read(text, context).claims
    rated = {claim.entity: claim.verdict for claim in made if claim.slot == "rating"}
    assert rated == {"Warehouse Nine": "false", "Captain Varga's House": "false"}


def test_a_district_is_a_remark_and_no_answer() -> None:
    text = "Terrace Gardens is in the Market Quarter."
    reading = ProseReader.of("harbour", "en").read(text)
    assert [(each.slot, each.value, each.verdict) for each in reading.remarks] == [
        ("other", "Market Quarter", "false")
    ]
    assert "other" not in {claim.slot for claim in reading.claims}


def test_a_field_of_an_invented_place_is_undecidable() -> None:
    text = "“海豚园”的地址是：海边的海豚园。"
    reading = ProseReader.of("harbour", "zh").read(text, ReadingContext(wanted="attraction"))
    assert [claim.verdict for claim in reading.claims if claim.slot == "address"] == ["undecidable"]


def test_a_cut_list_keeps_what_was_finished() -> None:
    text = "铜勺子菜馆，评分4.1分，招牌菜有杏仁鳟鱼、港湾鱼羹和北京烤"
    reading = ProseReader.of("harbour", "zh").read(text, ReadingContext(is_cut=True))
    assert "杏仁鳟鱼" in {claim.value for claim in reading.claims}
