"""Offline judging of wishes given up, refused and falsely said to be met; of invented places."""

import pytest

from crosstalk.dialogue.goals import Goal, GoalType, SemanticTuple
from crosstalk.evaluation.offline import judge_transcript
from crosstalk.evaluation.offline_verdicts import OfflineVerdict
from crosstalk.evaluation.transcripts import Transcript
from crosstalk.reading.conversation import SaidExchange

WISHES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "en": (
        ("hotel", "rating", "4.5 points or more"),
        ("hotel", "type", "upscale"),
        ("hotel", "price", "400-500 crowns"),
        ("hotel", "name", ""),
        ("hotel", "phone", ""),
    ),
    "zh": (
        ("hotel", "type", "经济型"),
        ("hotel", "price", "100-200克朗"),
        ("hotel", "name", ""),
        ("hotel", "phone", ""),
    ),
    "de": (
        ("attraction", "duration", "etwa eine halbe Stunde"),
        ("attraction", "fee", "100 bis 150 Kronen"),
        ("attraction", "name", ""),
    ),
    "ru": (
        ("restaurant", "rating", "5 из 5"),
        ("restaurant", "name", ""),
        ("restaurant", "cost", ""),
    ),
}
"""No hotel meets the English goal, no sight the German one."""


def judged(language: str, *said: tuple[str, str]) -> OfflineVerdict:
    goal = Goal(tuple(SemanticTuple(1, *each) for each in WISHES[language]), GoalType.S)
    exchanges = tuple(SaidExchange(*each) for each in said)
    return judge_transcript(Transcript("t", "harbour", language, goal, exchanges))


def flaws(made: OfflineVerdict) -> set[tuple[str, str]]:
    return {(flaw.slot, flaw.kind) for flaw in made.flaws}


SEARCH = "An upscale hotel, 4.5 or above, 400-500 crowns a night."
VARGA = "Captain Varga's House is upscale, rated 4.7 and costs 545 crowns."
PHONE = ("I take it. The phone number?", "0482-3910433 or 0482-5874831.")


def test_a_wish_dropped_before_anything_was_refused_is_the_users_flaw() -> None:
    asked = (SEARCH, "Any part of town you prefer?")
    made = judged("en", asked, ("No. Actually, never mind the price.", VARGA), PHONE)
    assert (made.blame, flaws(made)) == ("user", {("price", "given up without need")})


def test_a_wish_dropped_after_a_true_refusal_is_none() -> None:
    refused = (SEARCH, "Sorry, there is no upscale hotel like that for 400-500 crowns.")
    made = judged("en", refused, ("Then never mind the price.", VARGA), PHONE)
    assert made.success is True


def test_a_wish_that_the_offer_falsely_says_is_met_was_not_given_up() -> None:
    refused = (SEARCH, "Sorry, nothing has all three of these.")
    offer = "Warehouse Nine: upscale, rated 4.5 or more, 530 crowns."
    phone = ("Fine. The phone number?", "0482-4033151.")
    made = judged("en", refused, ("Then never mind the price.", offer), phone)
    assert (made.blame, flaws(made)) == ("agent", {("rating", "wish not met")})


def test_a_refusal_is_held_against_the_wishes_that_were_left() -> None:
    made = judged(
        "de",
        ("Etwas für eine halbe Stunde, 100 bis 150 Kronen?", "Nein, leider nicht."),
        (
            "Der Preis ist mir egal.",
            "Auch unabhängig vom Preis gibt es leider nichts, wofür man nur etwa eine halbe "
            "Stunde braucht.",
        ),
        (
            "Dann ist mir auch die Dauer egal.",
            "Der Anleger der Hafenrundfahrten: 120 Kronen, etwa 2 bis 3 Stunden.",
        ),
    )
    assert (made.blame, flaws(made)) == (
        "agent",
        {("duration", "refused though there was something")},
    )


@pytest.mark.parametrize("mark", ["", "“”"])
def test_an_invented_place_is_called_so_with_and_without_marks(mark: str) -> None:
    name = mark[:1] + "海雾小栈" + mark[1:]
    made = judged(
        "zh",
        ("帮我找个经济型酒店，100到200克朗。", f"您可以住{name}，经济型，每晚150克朗，评分4.6。"),
        ("好的就它。电话多少？", "电话：0482-4459021。"),
    )
    assert (made.blame, flaws(made)) == ("agent", {("name", "no such entity")})


def test_a_rating_said_as_a_school_mark_is_a_wish() -> None:
    made = judged(
        "ru",
        ("Нужен ресторан с пятёркой, сколько там стоит?", "«Перечный склад», 125 крон."),
        ("Хорошо, спасибо.", "Пожалуйста!"),
    )
    assert (made.blame, flaws(made)) == ("agent", {("rating", "wish not met")})
