"""The sides of harbour, and a toy corpus in which two people talk about hotels."""

from collections.abc import Callable

import pytest

from crosstalk.cli.main import run
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.worlds.world import load_schema

Crosstalk = Callable[..., int]
"""A command line, given word by word -> its exit code."""


@pytest.fixture
def crosstalk(monkeypatch: pytest.MonkeyPatch) -> Crosstalk:
    def call(*arguments: object) -> int:
        monkeypatch.setattr("sys.argv", ["crosstalk", *map(str, arguments)])
        try:
            run()
        except SystemExit as ended:
            return int(ended.code or 0)
        return 0

    return call


@pytest.fixture(scope="session")
def schema() -> Schema:
    return load_schema("harbour")[0]


@pytest.fixture(scope="session")
def english() -> LanguagePack:
    return load_schema("harbour")[1]


@pytest.fixture(scope="session")
def user(schema: Schema, english: LanguagePack) -> ActKeys:
    return ActKeys.of(schema, english, Speaker.USER)


@pytest.fixture(scope="session")
def system(schema: Schema, english: LanguagePack) -> ActKeys:
    return ActKeys.of(schema, english, Speaker.SYSTEM)


@pytest.fixture(scope="session")
def toy_corpus() -> list[Dialogue]:
    price, rating = "200-300 crowns", "4 points or more"
    wants = (Act("Inform", "hotel", "price", price), Act("Inform", "hotel", "rating", rating))
    offer = (Act("Inform", "hotel", "name", "Blue Anchor Inn"),)
    several = tuple(Act("Recommend", "hotel", "name", name) for name in ("Inn A", "Inn B", "Inn C"))
    first = Dialogue(
        "1",
        (
            Turn(Speaker.USER, f"A hotel for {price}, rated {rating}, please.", wants),
            Turn(Speaker.SYSTEM, "Take Blue Anchor Inn.", offer),
            Turn(Speaker.USER, "Thanks.", (Act("General", "thank"),)),
            Turn(Speaker.SYSTEM, "You are welcome.", (Act("General", "welcome"),)),
        ),
    )
    second = Dialogue(
        "2",
        (
            Turn(Speaker.USER, "Something good for little money?", wants),
            Turn(Speaker.SYSTEM, "There are Inn C, Inn A and Inn B.", several),
        ),
    )
    return [first, second]
