"""The sentences of a world's own templates, read back."""

from pathlib import Path

import pytest
from tests.worlds.lakeside import write_lakeside

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.system.nlu.rules.written import WrittenSentences
from crosstalk.worlds.world import load_world

TEMPLATES = """\
[user]
"Inform+inn+name" = ["I am looking for the {name}."]
[system]
"Inform+inn+price" = ["The price is {price}."]
"Inform+inn+hours" = ["It is open {hours}."]
"Inform+inn+stars" = ["It has {stars}."]
"""
FORMS = """
[forms.stars]
exact = "{value} stars"
"""


@pytest.fixture
def said(tmp_path: Path) -> WrittenSentences:
    folder = write_lakeside(tmp_path / "lakeside")
    (folder / "templates").mkdir()
    (folder / "templates" / "en.toml").write_text(TEMPLATES)
    return WrittenSentences(load_world(folder), folder, Speaker.SYSTEM)


@pytest.mark.parametrize("price", ["40.50 crowns", "27 crowns"])
def test_money_is_read_whole(said: WrittenSentences, price: str) -> None:
    reading = said.read(f"The price is {price}.", ())
    assert (reading.acts, reading.rest) == ((Act("Inform", "inn", "price", price),), "")


def test_a_full_stop_in_a_number_ends_no_sentence(said: WrittenSentences) -> None:
    reading = said.read("That is 2.50 more. The price is 27 crowns.", ())
    assert reading.acts == (Act("Inform", "inn", "price", "27 crowns"),)
    assert reading.rest == "That is 2.50 more."


@pytest.mark.parametrize("stars", ["3 stars", "3"])
def test_counts_are_read_with_their_unit(tmp_path: Path, stars: str) -> None:
    folder = write_lakeside(tmp_path / "lakeside")
    (folder / "templates").mkdir()
    (folder / "templates" / "en.toml").write_text(TEMPLATES)
    pack = folder / "languages" / "en.toml"
    pack.write_text(pack.read_text() + FORMS)
    said = WrittenSentences(load_world(folder), folder, Speaker.SYSTEM)
    assert said.read(f"It has {stars}.", ()).acts == (Act("Inform", "inn", "stars", stars),)
