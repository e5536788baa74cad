from hypothesis import given
from hypothesis import strategies as st

from crosstalk.language.gazetteer import SAID, Gazetteer
from crosstalk.language.normalize import folded
from crosstalk.worlds.tables import World


def found(harbour: World, text: str) -> list[str]:
    return [
        text[match.start : match.end] for match in Gazetteer.of(harbour.columns(*SAID)).find(text)
    ]


def test_the_longest_name_wins(harbour: World) -> None:
    text = "From the Old Lighthouse of Halmora (Lamp Room) to the Ocean Aquarium."
    assert found(harbour, text) == ["Old Lighthouse of Halmora (Lamp Room)", "Ocean Aquarium"]


def test_case_and_width_do_not_matter(harbour: World) -> None:
    assert found(harbour, "to the OCEAN aquarium") == ["OCEAN aquarium"]
    assert found(harbour, "ＯＣＥＡＮ　ＡＱＵＡＲＩＵＭ") == ["ＯＣＥＡＮ　ＡＱＵＡＲＩＵＭ"]


def test_a_name_inside_a_word_is_none(harbour: World) -> None:
    assert found(harbour, "our breakfasts") == []


def test_columns_say_where_a_value_stands(harbour: World) -> None:
    gazetteer = Gazetteer.of(harbour.columns(*SAID))
    [match] = gazetteer.find("Ocean Aquarium")
    assert [gazetteer.columns[kind] for kind in match.kinds] == [("attraction", "name")]


@given(st.text())
def test_folding_keeps_every_character_in_its_place(text: str) -> None:
    assert len(folded(text)) == len(text)
