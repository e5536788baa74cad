"""A world with one folder a language is the world with one folder a kind of file."""

import shutil
from pathlib import Path

import pytest

from crosstalk.language.keywords import load_keywords
from crosstalk.language.training_phrases import load_book
from crosstalk.language.world_files import languages_with, values_file, world_file
from crosstalk.system.build import build_system
from crosstalk.system.chat import reply
from crosstalk.worlds.world import find_world, load_world

KINDS = ("assistant", "keywords", "phrases", "templates")


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """harbour, its files put together by language."""
    harbour = tmp_path_factory.mktemp("worlds") / "harbour"
    shutil.copytree(find_world("harbour"), harbour)
    for pack in sorted((harbour / "languages").glob("*.toml")):
        own = harbour / "languages" / pack.stem
        own.mkdir()
        for kind in KINDS:
            (harbour / kind / pack.name).rename(own / f"{kind}.toml")
        values = harbour / "languages" / f"{pack.stem}.values.json"
        if values.exists():
            values.rename(own / "values.json")
        pack.rename(own / "pack.toml")
    return harbour


@pytest.mark.parametrize("code", ["ar", "de", "en", "ru", "zh"])
def test_both_layouts_load_the_same(moved: Path, code: str) -> None:
    harbour = find_world("harbour")
    before, after = load_world(harbour, language=code), load_world(moved, language=code)
    assert (before.language, before.tables) == (after.language, after.tables)
    assert load_keywords(harbour, code) == load_keywords(moved, code)
    assert load_book(harbour, code) == load_book(moved, code)


def test_both_layouts_talk_the_same(moved: Path) -> None:
    said = "A hotel near the zoo for less than 300 crowns, please"
    systems = [build_system(world, language="en") for world in ("harbour", moved)]
    answers = [reply(system, said, system.begin())[0].text for system in systems]
    assert answers[0] == answers[1]


def test_where_files_are_looked_for(moved: Path) -> None:
    harbour = find_world("harbour")
    assert world_file(harbour, "templates", "en") == "templates/en.toml"
    assert world_file(moved, "templates", "en") == "languages/en/templates.toml"
    assert world_file(moved, "templates", "fr") == "templates/fr.toml"
    assert values_file(moved, "fr") == "languages/fr.values.json"
    assert languages_with(moved, "pack") == languages_with(harbour, "pack")
