"""The clerk at work, on harbour."""

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.system.dst.search_tracker import SearchTracker
from crosstalk.system.dst.tracker import DialogueState, empty_form
from crosstalk.system.policy.policy import MOST_IN_A_LIST, Decision
from crosstalk.system.policy.rule_policy import RulePolicy
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row
from crosstalk.worlds.world import load_world

WORLD = load_world("harbour")
DATABASE = Database(WORLD)
TRACKER = SearchTracker(WORLD.schema, WORLD.language)


def asks(*acts: Act) -> Turn:
    return Turn(Speaker.USER, "", tuple(sorted(acts)))


def answers(*user_turns: Turn, offers: int = 1) -> list[Decision]:
    """What the clerk says to each of these turns."""
    policy = RulePolicy(DATABASE, offers=offers)
    belief, decisions = DialogueState(empty_form(WORLD.schema)), []
    history: tuple[Turn, ...] = ()
    for turn in user_turns:
        history = (*history, turn)
        belief = TRACKER.update(belief, history)
        decision = policy.decide(belief, history)
        answer = Turn(
            Speaker.SYSTEM, "", decision.acts, first_query=belief.form, last_query=decision.form
        )
        history = (*history, answer)
        decisions.append(decision)
    return decisions


LUXURY = asks(Act("Inform", "hotel", "type", "luxury"))


def first_luxury_hotel() -> Row:
    return DATABASE.search("hotel", {"type": "luxury"})[0]


def test_the_best_known_match_is_offered() -> None:
    (offer,) = answers(LUXURY)
    name = str(first_luxury_hotel()["name"])
    assert offer.acts == (Act("Inform", "hotel", "name", name),)
    assert offer.form.get("hotel").selected == (name,)


def test_several_matches_can_be_recommended() -> None:
    (offer,) = answers(LUXURY, offers=3)
    assert [act.intent for act in offer.acts] == ["Recommend"] * 3


def test_questions_are_about_the_entity_offered() -> None:
    _, told = answers(LUXURY, asks(Act("Request", "hotel", "phone", "")))
    assert told.acts == (Act("Inform", "hotel", "phone", str(first_luxury_hotel()["phone"])),)


def test_services_are_answered_with_yes_or_no() -> None:
    _, told = answers(LUXURY, asks(Act("Request", "hotel", "services-board games", "")))
    services = first_luxury_hotel()["services"]
    assert isinstance(services, tuple)
    right = "yes" if "board games" in services else "no"
    assert told.acts == (Act("Inform", "hotel", "services-board games", right),)


def test_what_does_not_exist_is_said_to_be_nothing() -> None:
    lonely = next(row for row in WORLD.tables["hotel"] if row["nearby_attractions"] == ())
    (told,) = answers(
        asks(
            Act("Inform", "hotel", "name", str(lonely["name"])),
            Act("Request", "hotel", "nearby_attractions", ""),
        )
    )
    assert Act("Inform", "hotel", "nearby_attractions", "none") in told.acts


def test_long_lists_are_cut() -> None:
    busy = max(WORLD.tables["attraction"], key=lambda row: len(str(row["nearby_restaurants"])))
    (told,) = answers(
        asks(
            Act("Inform", "attraction", "name", str(busy["name"])),
            Act("Request", "attraction", "nearby_restaurants", ""),
        )
    )
    named = [act for act in told.acts if act.slot == "nearby_restaurants"]
    assert len(named) == MOST_IN_A_LIST


def test_when_nothing_matches_the_nearest_thing_is_offered_with_its_difference() -> None:
    (offer,) = answers(
        asks(
            Act("Inform", "hotel", "type", "luxury"),
            Act("Inform", "hotel", "price", "100-200 crowns"),
        )
    )
    intents = [(act.intent, act.slot) for act in offer.acts]
    assert ("NoOffer", "none") in intents
    assert ("Inform", "name") in intents
    assert ("Inform", "price") in intents
    name = next(act.value for act in offer.acts if act.slot == "name")
    row = DATABASE.find("hotel", name)
    assert row and row["type"] == "luxury"


def test_a_place_near_another() -> None:
    hotel = next(row for row in WORLD.tables["hotel"] if row["nearby_restaurants"])
    (offer,) = answers(
        asks(
            Act("Select", "restaurant", "source", "hotel"),
            Act("Inform", "hotel", "name", str(hotel["name"])),
        )
    )
    name = next(act.value for act in offer.acts if act.slot == "name")
    near = hotel["nearby_restaurants"]
    assert isinstance(near, tuple) and name in near


def test_rides_are_answered_when_both_ends_are_known() -> None:
    start = asks(
        Act("Inform", "taxi", "departure", "Ocean Aquarium"), Act("Request", "taxi", "plate", "")
    )
    end = asks(Act("Inform", "taxi", "destination", "Cloud Deck"))
    question, car = answers(start, end)
    assert question.acts == (Act("Ask", "taxi", "destination", ""),)
    assert [act.slot for act in car.acts] == ["departure", "destination", "plate"]


def test_thanks_are_returned() -> None:
    (reply,) = answers(asks(Act("General", "thank"), Act("General", "bye")))
    assert reply.acts == (Act("General", "bye"), Act("General", "welcome"))


def test_services_that_are_not_to_be_had_are_said_to_be_missing() -> None:
    (offer,) = answers(
        asks(
            Act("Inform", "hotel", "type", "budget"),
            Act("Inform", "hotel", "services-outdoor pool", "yes"),
            Act("Inform", "hotel", "services-hot springs", "yes"),
        )
    )
    told = {act.slot: act.value for act in offer.acts if act.slot.startswith("services-")}
    assert set(told) == {"services-outdoor pool", "services-hot springs"}
    assert "no" in told.values()
