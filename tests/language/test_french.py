"""French is added to a world as a folder of data: docs/languages.md, done by a test."""

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Call, caller

from crosstalk.goals.goal_files import read_goals
from crosstalk.language.phrases import load_phrases
from crosstalk.reports.run_summary import summarise
from crosstalk.worlds.world import load_world

RECIPES = Path(__file__).parents[2] / "recipes"


@pytest.fixture
def lakeside(tmp_path: Path) -> Path:
    """The small English world, with the French folder copied over it."""
    world = tmp_path / "lakeside"
    shutil.copytree(RECIPES / "lakeside", world)
    shutil.copytree(RECIPES / "french", world, dirs_exist_ok=True)
    return world


@pytest.fixture
def crosstalk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(monkeypatch, capsys)


def talk(crosstalk: Call, world: Path, *said: str) -> list[dict[str, Any]]:
    options = [word for text in said for word in ("--say", text)]
    code, out, err = crosstalk("chat", "--world", world, "--language", "fr", "--json", *options)
    assert code == 0, err
    return [json.loads(line) for line in out.splitlines()]


def test_the_package_knows_french_by_a_few_words_alone() -> None:
    package = Path(load_phrases.__code__.co_filename).parent
    (folder,) = package.rglob("fr*")
    (file,) = folder.iterdir()
    assert tomllib.loads(file.read_text("utf-8")).keys() == {"script", "everyday"}


def test_the_world_is_whole_in_french(crosstalk: Call, lakeside: Path) -> None:
    code, out, _ = crosstalk("world", "check", lakeside)
    assert code == 0, out


def test_goals_are_told_in_french(crosstalk: Call, lakeside: Path, tmp_path: Path) -> None:
    file = tmp_path / "goals.jsonl"
    code, _, err = crosstalk(
        "goals", "sample", "--world", lakeside, "--language", "fr", "--count", 5, "--out", file
    )
    assert code == 0, err
    told = file.read_text(encoding="utf-8")
    assert len(list(read_goals(file))) == 5
    assert "Vous cherchez un restaurant" in told


def test_simulated_users_talk_french(crosstalk: Call, lakeside: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ("--words", "--count", 10, "--seed", 1, "--out", run)
    code, _, err = crosstalk("simulate", "--world", lakeside, "--language", "fr", *words)
    assert code == 0, err
    judged = summarise(run).judgement.everything
    assert judged.success.right >= 7


def test_an_upper_limit_an_exclusion_a_question_and_a_place_nearby(
    crosstalk: Call, lakeside: Path
) -> None:
    limit, exclusion, question, nearby = talk(
        crosstalk,
        lakeside,
        "Bonjour, je cherche un hôtel, pas plus de 100 francs la nuit",
        "sans spa",
        "Quel est son numéro de téléphone ?",
        "Je cherche un restaurant près de cet hôtel",
    )
    assert limit["state"] == {"hotel": {"price": "au plus 100 francs"}}
    assert limit["results"][0]["count"] == 4
    assert exclusion["state"]["hotel"] == {"price": "au plus 100 francs", "!services": ["spa"]}
    assert "Auberge de la Roseraie" not in exclusion["results"][0]["names"]
    assert question["text"] == "Le numéro de téléphone est le 071-55220."
    assert nearby["state"]["restaurant"] == {"nearby_hotels": "L'Ancre"}
    assert "La Truite Bleue" in nearby["text"] or "Café du Bac" in nearby["text"]


def test_a_yes_or_no_question_is_answered_in_french(crosstalk: Call, lakeside: Path) -> None:
    *_, answer = talk(crosstalk, lakeside, "J'ai choisi L'Ancre", "Est-ce qu'il y a un parking ?")
    assert answer["text"].startswith("Non")


def test_the_file_of_a_world_may_tell_the_grammar_of_a_language(lakeside: Path) -> None:
    file = lakeside / "assistant" / "fr.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("spaced = true", "near_follows = true"), encoding="utf-8")
    world = load_world(str(lakeside), language="fr")
    assert load_phrases(lakeside, world.language, world.schema).grammar.near_follows
