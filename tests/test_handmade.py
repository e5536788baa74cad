"""Tables that people wrote by hand are listed with their sizes, wherever figures rest on them."""

from pathlib import Path

import pytest
from benchmarks import handmade

from crosstalk.language.state_words import words_of

ROOT = Path(__file__).parent.parent
COUNT = "run `python -m benchmarks.handmade`"


def test_every_folder_of_tables_is_described() -> None:
    strange = set(handmade.folders()) ^ set(handmade.TABLES)
    assert not strange, f"{', '.join(strange)}: describe it in TABLES of benchmarks/handmade.py"


def test_the_page_has_the_sizes_of_the_files() -> None:
    assert handmade.PAGE.read_text(encoding="utf-8") == handmade.page(), COUNT


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "benchmarks/RESULTS.md",
        "design/HANDMADE.md",
        "docs/transfer.md",
        "docs/transfer-states.md",
    ],
)
def test_chinese_states_are_told_with_the_size_of_their_table(page: str) -> None:
    forms = words_of("zh").forms
    assert f"{forms}" in (ROOT / page).read_text(encoding="utf-8"), f"{page}: {forms} forms"
