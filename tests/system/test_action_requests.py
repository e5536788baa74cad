"""Bookings as people ask for them: times in words, ranges of days, corrections, several things at
once, in the five languages."""

from typing import Any

import pytest

from crosstalk.dialogue.acts import AFFIRM, CONFIRM, DENY, RECALL, REFUSE, Act
from crosstalk.system.build import build_system
from crosstalk.system.chat import Answer, reply
from crosstalk.system.pipeline import System
from crosstalk.worlds.world import load_world


@pytest.fixture(scope="module")
def systems() -> dict[str, System]:
    return {}


def talk(systems: dict[str, System], code: str, *said: str) -> list[Answer]:
    if code not in systems:
        systems[code] = build_system("harbour", language=code, actions=True)
    answers, session = list[Answer](), systems[code].begin()
    for text in said:
        answer, session = reply(systems[code], text, session)
        answers.append(answer)
    return answers


def read_back(answer: Answer) -> dict[str, str]:
    return {act.slot: act.value for act in answer.acts if act.intent == CONFIRM}


def called(answer: Answer) -> dict[str, str]:
    """The arguments that were read back or, if that was refused, tried."""
    tried = {name: str(each) for event in answer.actions for name, each in event.arguments.items()}
    return tried or read_back(answer)


def done(answers: list[Answer]) -> list[tuple[str, dict[str, Any]]]:
    events = [event for answer in answers for event in answer.actions if event.done]
    return [(event.action, dict(event.arguments)) for event in events]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "I'd like a table at Molasses for 4 on Friday at half past six in the evening"),
        ("de", "Ich hätte gern einen Tisch in der Melasse für vier am Freitag um halb sieben"),
        ("ru", "Хочу столик в «Чёрной патоке» на четверых в пятницу в половине седьмого вечера"),
        ("ar", "أريد طاولة في دبس السكر لأربعة أشخاص يوم الجمعة الساعة السادسة والنصف مساء"),
        ("zh", "我想在糖蜜铺子订一张桌子，四个人，周五晚上六点半"),
    ],
)
def test_times_in_words(systems: dict[str, System], code: str, text: str) -> None:
    (answer,) = talk(systems, code, text)
    told = read_back(answer)
    assert (told["date"], told["time"], told["people"]) == ("2026-06-05", "18:30", "4")


@pytest.mark.parametrize(
    ("code", "search", "booking"),
    [
        ("en", "I need a cheap hotel", "book it for 3 people from 3 to 5 June"),
        ("de", "Ich suche ein günstiges Hotel", "buchen Sie es vom 3. bis 5. Juni für 3 Personen"),
        ("ru", "Мне нужна недорогая гостиница", "забронируйте её с 3 по 5 июня на троих"),
        ("ar", "أبحث عن فندق رخيص", "احجزه من 3 إلى 5 يونيو لثلاثة أشخاص"),
        ("zh", "我想找一家便宜的酒店", "订6月3日到5日，三个人"),
    ],
)
def test_from_one_day_to_another(
    systems: dict[str, System], code: str, search: str, booking: str
) -> None:
    told = read_back(talk(systems, code, search, booking)[-1])
    assert (told["arrival"], told["nights"], told["people"]) == ("2026-06-03", "2", "3")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "find a restaurant near the Maritime Museum and book a table for two tomorrow at 9"),
        ("de", "Suchen Sie ein Restaurant in der Nähe vom Schifffahrtsmuseum und reservieren Sie "
               "einen Tisch für zwei morgen um neun"),
        ("ru", "Найди ресторан рядом с Морским музеем и закажи столик на двоих завтра в девять"),
        ("ar", "ابحث عن مطعم قريب من المتحف البحري واحجز طاولة لشخصين غدا الساعة التاسعة"),
        ("zh", "帮我找航海博物馆附近的餐馆，订个明天晚上九点两个人的位子"),
    ],
)  # fmt: skip
def test_found_and_booked_in_one_turn(systems: dict[str, System], code: str, text: str) -> None:
    (answer,) = talk(systems, code, text)
    (result,) = answer.results
    assert called(answer)["entity"] == result.names[0]
    assert result.names[0] in answer.text


@pytest.mark.parametrize(
    ("code", "booking", "change", "cancel"),
    [
        ("en", "book a table at Molasses for 3 tomorrow at 12:00", "make it 13:00", "cancel"),
        ("de", "einen Tisch reservieren in der Melasse für 3 Personen morgen um 12 Uhr",
         "doch lieber um 13 Uhr", "stornieren"),
        ("ru", "столик на троих в «Чёрной патоке» завтра в 12:00", "лучше в 13:00", "отмена"),
        ("ar", "احجز طاولة في دبس السكر لثلاثة أشخاص غدا الساعة 12:00",
         "لا، الساعة 13:00", "إلغاء"),
        ("zh", "在糖蜜铺子订一张桌子，三个人，明天12:00", "改成13:00", "取消"),
    ],
)  # fmt: skip
def test_changed_and_cancelled_in_a_word(
    systems: dict[str, System], code: str, booking: str, change: str, cancel: str
) -> None:
    yes = load_world("harbour", language=code).language.yes
    answers = talk(systems, code, booking, yes, change, yes, cancel, yes)
    assert [action for action, _ in done(answers)] == ["book_table", "change_table", "cancel_table"]
    assert done(answers)[1][1]["time"] == "13:00"


def test_a_question_that_is_open_is_asked_again(systems: dict[str, System]) -> None:
    table = "book a table at Molasses for three tomorrow at 12:00"
    first, unclear, beside, yes = talk(
        systems, "en", table, "hmm", "what is the phone number of Molasses?", "yes"
    )
    assert read_back(unclear) == read_back(beside) == read_back(first)
    assert done([yes])


def test_a_new_search_closes_an_open_question(systems: dict[str, System]) -> None:
    table = "book a table at Molasses for three tomorrow at 12:00"
    answers = talk(systems, "en", table, "I need a cheap hotel", "yes")
    assert not done(answers) and not read_back(answers[1])


def test_the_place_is_the_one_that_was_spoken_of_last(systems: dict[str, System]) -> None:
    _, other, last = talk(
        systems,
        "en",
        "book a table at Molasses for three tomorrow at 12:00",
        "find another restaurant near the City Zoo",
        "book that one",
    )
    told = called(last)
    assert told["entity"] == other.results[0].names[0] != "Molasses"
    assert (told["date"], told["time"], told["people"]) == ("2026-06-02", "12:00", "3")


def test_what_cannot_be_is_refused(systems: dict[str, System]) -> None:
    (few,) = talk(systems, "en", "book a table for -3 people at Molasses tomorrow at 12:00")
    assert few.acts == (Act(REFUSE, "book_table", "people", "limit"),)
    (same,) = talk(systems, "en", "book a taxi from the City Zoo to the City Zoo tomorrow at 17:00")
    assert same.acts == (Act(REFUSE, "book_taxi", "none", "same_place"),)


def test_cancelling_what_is_not_booked_yet_means_no(systems: dict[str, System]) -> None:
    _, answer = talk(
        systems, "en", "book a table at Molasses for 2 tomorrow at noon", "cancel that"
    )
    assert answer.acts == (Act(DENY, "book_table"),) and not answer.actions


def test_a_code_tells_which_booking_is_meant(systems: dict[str, System]) -> None:
    world = load_world("harbour", language="en")
    row = next(r for r in world.changing["ticket_bookings"].rows if r["status"] == "booked")
    _, answer = talk(systems, "en", "cancel my booking", str(row["reference"]))
    assert answer.acts[0].domain == "cancel_tickets"


def test_a_table_without_the_word_for_booking(systems: dict[str, System]) -> None:
    found, _, taxi = talk(
        systems,
        "en",
        "I'd like 3 tickets for the Maritime Museum on Saturday",
        "yes",
        "and a taxi there from Pilot House at ten on saturday",
    )
    assert read_back(found)["people"] == "3"
    assert read_back(taxi)["destination"] == "Maritime Museum"
    assert not any(act.intent == AFFIRM for act in taxi.understood)


@pytest.mark.parametrize(
    "beside",
    [
        "which stop do we get off at for that one?",
        "what about a restaurant near the zoo, rated at least 4 points?",
        "shame. thanks anyway",
    ],
)
def test_what_is_said_beside_an_action_is_answered_as_ever(
    systems: dict[str, System], beside: str
) -> None:
    *_, answer = talk(systems, "en", "book a room at Pilot House", beside)
    assert not any(act.domain == "book_room" for act in answer.understood)


@pytest.mark.parametrize(
    ("code", "book", "yes", "what", "more"),
    [
        ("en", "Book a room at the Pilot House for 2 people from Friday for two nights", "yes",
         "What did I book?", "One more night, please"),
        ("de", "Ein Zimmer im Lotsenhaus ab Freitag für zwei Nächte für zwei Personen, bitte "
         "buchen", "ja", "Was habe ich gebucht?", "Noch eine Nacht länger bitte"),
        ("ru", "Забронируйте номер в гостинице «Дом лоцмана» на двоих с пятницы на две ночи", "да",
         "Что я забронировал?", "Ещё одну ночь, пожалуйста"),
        ("zh", "请预订领航员客栈的房间，两个人，星期五入住，住两晚", "是的", "我订了什么？",
         "再住一晚"),
        ("ar", "احجز غرفة في بيت المرشد البحري لشخصين من يوم الجمعة لمدة ليلتين", "نعم",
         "ماذا حجزت؟", "ليلة أخرى من فضلك"),
    ],
)  # fmt: skip
def test_what_was_booked_is_told_and_extended(
    systems: dict[str, System], code: str, book: str, yes: str, what: str, more: str
) -> None:
    answers = talk(systems, code, what, book, yes, what, more, yes, what)
    nothing, *_, told, _, _, extended = answers
    recalled = [
        {act.slot: act.value for act in each.acts if act.intent == RECALL}
        for each in (nothing, told, extended)
    ]
    assert set(recalled[0]) == {"none"}
    assert (recalled[1]["nights"], recalled[2]["nights"]) == ("2", "3")
    assert recalled[1]["reference"] in told.text


def test_what_was_cancelled_is_told_no_more(systems: dict[str, System]) -> None:
    room = "Book a room at the Pilot House for 2 people from Friday for two nights"
    table = "Book a table at Molasses for 4 on Friday at 18:30"
    *_, both, _, _, left = talk(
        systems, "en", room, "yes", table, "yes", "which bookings do I have?",
        "cancel the room", "yes", "what did I book?",
    )  # fmt: skip
    kept = [{act.domain for act in each.acts if act.intent == RECALL} for each in (both, left)]
    assert kept == [{"book_room", "book_table"}, {"book_table"}]


@pytest.mark.parametrize("said", ["Is there anything more?", "Tell me more", "longer"])
def test_more_alone_changes_nothing(systems: dict[str, System], said: str) -> None:
    room = "Book a room at the Pilot House for 2 people from Friday for two nights"
    *_, answer = talk(systems, "en", room, "yes", said)
    assert not read_back(answer) and not answer.actions


BOOKED = {
    "en": "Book a table at The Glass Orangery for two tomorrow at 19:30",
    "de": "Reservier einen Tisch in der Gläsernen Orangerie für zwei morgen um 19:30",
    "zh": "帮我订玻璃橙园明晚七点半的位子，两个人",
    "ru": "Забронируй столик в «Стеклянной оранжерее» на двоих завтра в 19:30",
    "ar": "احجز لي طاولة في الدفيئة الزجاجية غدا الساعة 19:30 لشخصين",
}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "hmm make it 8 instead"),
        ("de", "lieber um acht"),
        ("zh", "还是八点吧"),
        ("ru", "лучше на восемь"),
        ("ar", "خليها الثامنة"),
    ],
)
def test_a_bare_number_near_the_time_is_a_time(
    systems: dict[str, System], code: str, text: str
) -> None:
    told = read_back(talk(systems, code, BOOKED[code], text)[-1])
    assert (told["time"], told["people"]) == ("20:00", "2")


def test_a_number_of_people_stays_one(systems: dict[str, System]) -> None:
    told = read_back(talk(systems, "en", BOOKED["en"], "make it 4 instead")[-1])
    assert (told["time"], told["people"]) == ("19:30", "4")


@pytest.mark.parametrize(
    ("code", "agreed", "text", "changed"),
    [
        ("de", "ja", "wir sind doch zu dritt", {"people": "3"}),
        ("ar", "نعم", "غير الموعد إلى يوم الجمعة", {"date": "2026-06-05"}),
    ],
)
def test_what_was_booked_is_put_otherwise(
    systems: dict[str, System], code: str, agreed: str, text: str, changed: dict[str, str]
) -> None:
    told = read_back(talk(systems, code, BOOKED[code], agreed, text)[-1])
    assert changed.items() <= told.items() and "reference" in told


def test_a_ride_at_a_time_is_ordered_in_chinese_too(systems: dict[str, System]) -> None:
    (answer,) = talk(systems, "zh", "叫辆车从海莫拉大饭店去海洋水族馆，明天上午九点")
    told = called(answer)
    assert (told["date"], told["time"]) == ("2026-06-02", "09:00")
    assert told["departure"] == "海莫拉大饭店" and told["destination"] == "海洋水族馆"


def test_a_booking_code_in_a_turn_of_its_own(systems: dict[str, System]) -> None:
    """Its name has the word for booking in it, which asks for nothing here."""
    *_, answer = talk(
        systems, "zh", "我订过门票，想改一下。", "预订号P8PQAT66。", "日期改为6月8日星期一。"
    )
    assert read_back(answer) == {"reference": "P8PQAT66", "date": "2026-06-08"}


def test_the_code_is_kept_when_a_change_is_put_otherwise(systems: dict[str, System]) -> None:
    first, second = talk(
        systems,
        "zh",
        "我订过门票，想改一下：预订号P8PQAT66，日期改为6月28日星期日。",
        "这样行不行：日期改为6月8日星期一？",
    )
    assert first.acts[0].intent == REFUSE
    assert read_back(second) == {"reference": "P8PQAT66", "date": "2026-06-08"}
