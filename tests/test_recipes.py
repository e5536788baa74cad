"""Every recipe runs from an empty folder and tells what its story promises."""

import runpy
from pathlib import Path

import pytest

RECIPES = Path(__file__).parent.parent / "recipes"
PROMISES = {
    "own_world": "10 conversations about hilltown succeed",
    "tracker_row": "literal, yours",
    "agent_over_http": "verified success: ",
    "train_and_talk": "system: ",
    "reproduce_table8": "user      best",
    "translate_corpus": "utterances edited, 0 problems",
}


@pytest.mark.parametrize("name", PROMISES)
def test_a_recipe_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [f"{name}.py"])
    runpy.run_path(str(RECIPES / f"{name}.py"), run_name="__main__")
    assert PROMISES[name] in capsys.readouterr().out


def test_every_recipe_is_listed_and_tried() -> None:
    told = (RECIPES / "README.md").read_text(encoding="utf-8")
    scripts = {script.stem for script in RECIPES.glob("*.py")}
    assert scripts == set(PROMISES)
    assert all(f"`{name}.py`" in told for name in scripts)
