"""Places picked by a word of their names."""

import pytest

from crosstalk.evaluation.spoken_picks import picked_by_word

OFFERED = ("Warehouse Nine", "Cathedral View Hotel", "Golden Sands Hotel")


@pytest.mark.parametrize(
    ("names", "text", "name"),
    [
        (OFFERED, "let's take the cathedral one", "Cathedral View Hotel"),
        (OFFERED, "the hotel, please", ""),
        (OFFERED, "the warehouse or the sands... sands!", "Golden Sands Hotel"),
        (("Apothekenmuseum", "Meerstern-Dom"), "das mit den Apothekern", "Apothekenmuseum"),
    ],
)
def test_words_of_names(names: tuple[str, ...], text: str, name: str) -> None:
    said = picked_by_word(names, text, spaced=True, is_common=lambda word: word == "hotel")
    assert said == name


def test_signs_of_names() -> None:
    names = ("夜莺酒店", "缆车青年旅舍")
    picked = picked_by_word(names, "选夜莺吧", spaced=False, is_common=lambda word: False)
    assert picked == "夜莺酒店"
    assert not picked_by_word(names, "都可以", spaced=False, is_common=lambda word: False)
