"""A small town that is understood in English, learned from a few sentences in two seconds."""

from dataclasses import replace

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.system.nlu.augmentation import FROM_TEMPLATES, NLUTrainingData
from crosstalk.system.nlu.ranked import RankedNLU
from crosstalk.system.nlu.ranked_training import train_ranked_nlu
from crosstalk.system.nlu.reader_training import ReaderTraining
from crosstalk.system.nlu.training_samples import TemplateGroup, groups_of
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

USER = {
    "Inform+hotel+type": [
        "I want a [Inform+hotel+type] hotel.",
        "A [Inform+hotel+type] one please.",
    ],
    "Request+hotel+phone": ["What is the phone number?", "Its phone, please?"],
    "Request+restaurant+phone": ["What is the phone number?", "Its phone, please?"],
    "Inform+restaurant+dishes": ["I would like to eat [Inform+restaurant+dishes]."],
    "General+thank+none": ["Thank you!", "Thanks a lot."],
    "Inform+hotel+name*Request+hotel+phone": ["What is the phone of [Inform+hotel+name]?"],
}
SYSTEM = {
    "Inform+hotel+name": ["How about [Inform+hotel+name]?", "I found [Inform+hotel+name]."],
    "Inform+restaurant+name": [
        "How about [Inform+restaurant+name]?",
        "Try [Inform+restaurant+name].",
    ],
    "Recommend+hotel+name*Recommend+hotel+name": [
        "There are [Recommend+hotel+name1] and [Recommend+hotel+name2]."
    ],
    "Inform+hotel+phone": ["It is [Inform+hotel+phone]."],
    "Inform+restaurant+phone": ["It is [Inform+restaurant+phone]."],
    "General+welcome+none": ["You are welcome."],
}


@pytest.fixture(scope="session")
def harbour() -> World:
    return load_world("harbour", language="en")


@pytest.fixture(scope="session")
def groups() -> list[TemplateGroup]:
    many = {Speaker.USER: USER, Speaker.SYSTEM: SYSTEM}
    return [group for side, texts in many.items() for group in groups_of(texts, side)]


@pytest.fixture(scope="session")
def dialogues(harbour: World) -> list[Dialogue]:
    """In half of them a hotel is looked for, in half a restaurant; the question is the same."""
    talks = []
    for number in range(40):
        hotel = harbour.tables["hotel"].rows[number]
        restaurant = harbour.tables["restaurant"].rows[number]
        dish = str(restaurant["dishes"][-1])  # type: ignore[index]
        first = (
            (f"I want a {hotel['type']} hotel.", Act("Inform", "hotel", "type", str(hotel["type"])))
            if number % 2
            else (f"I would like to eat {dish}.", Act("Inform", "restaurant", "dishes", dish))
        )
        domain, row = ("hotel", hotel) if number % 2 else ("restaurant", restaurant)
        name, phone = str(row["name"]), str(row["phone"])
        turns = (
            Turn(Speaker.USER, first[0], (first[1],)),
            Turn(Speaker.SYSTEM, f"How about {name}?", (Act("Inform", domain, "name", name),)),
            Turn(Speaker.USER, "What is the phone number?", (Act("Request", domain, "phone", ""),)),
            Turn(Speaker.SYSTEM, f"It is {phone}.", (Act("Inform", domain, "phone", phone),)),
            Turn(Speaker.USER, "Thank you!", (Act("General", "thank"),)),
            Turn(Speaker.SYSTEM, "You are welcome.", (Act("General", "welcome"),)),
        )
        talks.append(Dialogue(str(number), turns))
    return talks


@pytest.fixture(scope="session")
def understanding(
    harbour: World, groups: list[TemplateGroup], dialogues: list[Dialogue]
) -> RankedNLU:
    """Few trees: enough for six kinds of turns, and quick on a busy machine."""
    quick = ReaderTraining(passes=25, batch=8, rate=5e-3)
    config = replace(FROM_TEMPLATES, training=quick, rounds=30)
    return train_ranked_nlu(harbour, NLUTrainingData(dialogues, groups), config)
