"""`crosstalk world new NAME --empty`: every kind of file, commented, all of it ready to use."""

from pathlib import Path

import pytest

import crosstalk
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.schema import FORMAT_1
from crosstalk.errors import InputError, OutputError
from crosstalk.language.world_files import ACTIONS, PACK, WORDS, languages_with
from crosstalk.system.chat import reply
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.queries import Database
from crosstalk.worlds.scaffold import new_world
from crosstalk.worlds.world import built_in_worlds, load_world


@pytest.fixture
def town(tmp_path: Path) -> Path:
    new_world(tmp_path / "town")
    return tmp_path / "town"


def lines(folder: Path) -> int:
    return sum(len(file.read_text("utf-8").splitlines()) for file in files(folder))


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_it_has_every_kind_of_file_and_every_kind_of_slot(town: Path) -> None:
    kinds = {PACK, *WORDS} - {ACTIONS}  # nothing can be done in it
    assert all(languages_with(town, kind) == ["en"] for kind in kinds)
    world = load_world(town)
    assert world.name == "town"
    assert {slot.kind for domain in world.schema for slot in domain.slots} == FORMAT_1


def test_it_is_small_and_each_file_says_what_it_is_for(town: Path) -> None:
    assert len(files(town)) == 8
    assert lines(town) < 500
    for file in files(town):
        first = file.read_text("utf-8").splitlines()[0]
        assert first.startswith("# "), f"{file} begins with {first!r}"
        assert "@" not in file.read_text("utf-8"), f"{file}: something was not filled in"


@pytest.mark.parametrize("code", ["en", "de", "fr", "he", "pt-BR"])
def test_nothing_is_wrong_with_it(tmp_path: Path, code: str) -> None:
    new_world(tmp_path / "town", language=code)
    assert [str(problem) for problem in crosstalk.check_world(tmp_path / "town")] == []
    pack = load_world(tmp_path / "town").language
    assert (pack.code, pack.direction) == (code, "rtl" if code == "he" else "ltr")


def test_goals_and_the_website_for_collecting(town: Path) -> None:
    goals = crosstalk.sample_goals(town, 20, seed=1)
    assert all(goal.description for goal in goals)
    assert WorldContext(load_world(town)).world.name == "town"


@pytest.mark.parametrize("code", ["en", "fr"])
@pytest.mark.parametrize("level", ["acts", "words"])
def test_simulation(tmp_path: Path, code: str, level: str) -> None:
    new_world(tmp_path / "town", language=code)
    run = crosstalk.simulate(world=tmp_path / "town", goals=5, seed=1, level=level)
    assert crosstalk.judge(run).success["overall"] == 100.0


def test_chat(town: Path) -> None:
    system = crosstalk.build_system(town)
    answer, session = reply(system, "A cosy cafe with outdoor seats, please.", system.begin())
    assert "Blue Door" in answer.text
    answer, session = reply(system, "how much does it cost?", session)
    assert "8 euros" in answer.text
    answer, _ = reply(system, "Do they have sushi?", session)
    assert answer.text.startswith("No")


def test_it_is_no_world_that_ships() -> None:
    assert "new_world" not in built_in_worlds() and "files" not in built_in_worlds()


def test_a_name_with_quotes(tmp_path: Path) -> None:
    new_world(tmp_path / 'the "new" town')
    assert load_world(tmp_path / 'the "new" town').name == 'the "new" town'


def test_what_is_refused(tmp_path: Path, town: Path) -> None:
    with pytest.raises(OutputError, match="exists already; nothing was changed"):
        new_world(town)
    with pytest.raises(InputError, match="'English' is no code of a language"):
        new_world(tmp_path / "other", language="English")
    assert not (tmp_path / "other").exists()


def test_the_action_that_is_shown_works(town: Path) -> None:
    """Without its comment signs it can be done at once; only words are missing."""
    file = town / "world.toml"
    text = file.read_text("utf-8").replace("format = 1", "format = 2", 1)
    before, shown = text.split("# [[tables]] # a table", 1)
    lines = f"# [[tables]] # a table{shown}".splitlines()
    uncommented = "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines)
    file.write_text(before + uncommented, "utf-8")
    assert not any(problem.fatal for problem in crosstalk.check_world(town))
    executor = Executor(Database(load_world(town)))
    state, event = executor.perform(
        executor.begin(), "book_table", {"entity": "Blue Door", "people": 2}
    )
    assert event.done and state.tables["bookings"][0]["entity"] == "Blue Door"
