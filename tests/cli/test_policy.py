"""`crosstalk evaluate policy` and `crosstalk train policy`."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from crosstalk.cli.evaluate import evaluate_policy
from crosstalk.cli.train import train_policy
from crosstalk.corpora.corpus import write_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import InputError, WorldError
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.dialogue_loop import talk

app = typer.Typer()
app.command("evaluate")(evaluate_policy)
app.command("train")(train_policy)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty dialogues in harbour."""
    stage = build(Setup(world="harbour", user="rule", policy="rule"))
    sampler = goal_sampler(stage.world)
    held = []
    for number in range(30):
        goal = sampler.sample(goal_rng(2, number))
        user, system = stage.cast(goal, f"talk {number}")
        turns = talk(user, system, schema=stage.world.schema, goal=goal, patience=0).turns
        held.append(Dialogue(str(number), turns, goal, world="harbour"))
    file = tmp_path_factory.mktemp("corpus") / "talks.jsonl"
    write_corpus(held, file, to="native")
    return file


def run(*command: str | Path) -> Result:
    ended = CliRunner().invoke(app, [str(word) for word in command])
    if ended.exception and not isinstance(ended.exception, SystemExit):
        raise ended.exception
    return ended


def test_figures_for_programs(corpus: Path) -> None:
    command = ("evaluate", "--model", "rule", "--world", "harbour", "--data", corpus, "--json")
    said = json.loads(run(*command).stdout)
    assert 10 < said["exact_f1"] <= said["delex_f1"] <= 100
    assert set(said["select"]) == {"exact_f1", "delex_f1", "turns"}
    assert set(said["by_type"]) <= {"S", "M", "M+T", "CM", "CM+T"}
    assert len(said["sha256"]) == 64


def test_a_table_for_people(corpus: Path) -> None:
    said = run("evaluate", "--model", "rule", "--world", "harbour", "--data", corpus).stdout
    assert "overall" in said
    assert "Select turns" in said


def test_a_policy_is_trained_and_then_judged(corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra `neural`")
    common = ("--model", "sl", "--world", "harbour", "--data", corpus)
    assert run("train", *common, "--out", tmp_path).exit_code == 0
    card = json.loads((tmp_path / "policy-sl" / "card.json").read_text(encoding="utf-8"))
    assert (card["corpus"], card["dialogues"]) == ("talks.jsonl", 30)
    for protocol, bounds in (("paper", "lingering"), ("corrected", "fresh")):
        judge = ("--models", tmp_path, "--protocol", protocol, "--json")
        said = json.loads(run("evaluate", *common, *judge).stdout)
        assert (said["bounds"], said["lexicaliser"]) == (bounds, "published")


def test_names_nobody_knows_are_refused(corpus: Path, tmp_path: Path) -> None:
    where = ("--world", "harbour", "--data", corpus)
    with pytest.raises(InputError, match="no policy called 'slx'"):
        run("evaluate", "--model", "slx", *where)
    with pytest.raises(InputError, match="no protocol called 'papers'"):
        run("evaluate", "--protocol", "papers", *where)
    with pytest.raises(InputError, match="no policy called 'rule' to train"):
        run("train", "--model", "rule", "--out", tmp_path, *where)


def test_missing_tables_are_asked_for_by_the_right_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CROSSTALK_DATA", raising=False)
    talk = Dialogue("1", (Turn(Speaker.USER, "你好"),), world="crosswoz", language="zh")
    write_corpus([talk], tmp_path / "talk.jsonl", to="native")
    with pytest.raises(WorldError, match="--tables"):
        run("evaluate", "--model", "rule", "--data", tmp_path / "talk.jsonl", "--tables", tmp_path)


def test_a_corpus_of_another_world_is_refused(corpus: Path, data_folder: Path) -> None:
    val = data_folder / "crosswoz" / "val.json.zip"
    with pytest.raises(InputError, match="the corpus does not fit the world harbour"):
        run("evaluate", "--model", "rule", "--world", "harbour", "--data", val)


def test_a_corpus_without_forms_is_refused(tmp_path: Path) -> None:
    greet = (Act("General", "greet"),)
    turns = (Turn(Speaker.USER, "hello", greet), Turn(Speaker.SYSTEM, "hello", greet))
    bare = Dialogue("1", turns)
    write_corpus([bare], tmp_path / "bare.jsonl", to="native")
    with pytest.raises(InputError, match="no system turn has a query form"):
        run("evaluate", "--model", "rule", "--world", "harbour", "--data", tmp_path / "bare.jsonl")


def test_folds_are_on_the_card(corpus: Path, tmp_path: Path) -> None:
    where = ("--world", "harbour", "--data", corpus, "--out", tmp_path)
    assert run("train", "--folds", "2", *where).exit_code == 0
    card = json.loads((tmp_path / "policy" / "card.json").read_text(encoding="utf-8"))
    assert 50 < card["figures"]["cross-validation"]["exact_f1"] <= 100
    assert "--folds 2" in card["command"]
    with pytest.raises(InputError, match="--folds goes with --model best only"):
        run("train", "--model", "sl", "--folds", "2", *where)
