"""`crosstalk evaluate user` and `crosstalk train user` with what a newcomer may give them."""

import json
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner, Result

from crosstalk.cli.main import app
from crosstalk.corpora.corpus import write_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import InputError
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.users.rule_user import RuleUser
from crosstalk.worlds.tables import World


@pytest.fixture
def corpus(harbour: World, tmp_path: Path) -> Path:
    user, sampler, rng = (
        RuleUser(harbour.schema, harbour.language),
        goal_sampler(harbour),
        Random(1),
    )
    talks = []
    for number in range(25):
        goal = sampler.sample(goal_rng(1, number))
        first = user.open(goal, rng)
        second = user.respond(first.goal, first.tuples, first.acts, (), rng)
        turns = []
        for move in (first, second):
            turns.append(Turn(Speaker.USER, "", move.acts, user_state=move.tuples))
            turns.append(Turn(Speaker.SYSTEM, "", (Act("General", "greet"),)))
        talks.append(Dialogue(str(number), tuple(turns), goal, world="harbour", language="en"))
    write_corpus(talks, tmp_path / "talks.jsonl", to="native")
    return tmp_path / "talks.jsonl"


def crosstalk(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_train_then_judge(corpus: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"
    trained = crosstalk(
        "train", "user", "--world", "harbour", "--data", corpus, "--out", models, "--folds", 2
    )
    assert trained.exit_code == 0, trained.output
    card = json.loads((models / "user" / "card.json").read_text())
    assert card["dialogues"] == 25
    assert 0 <= card["figures"]["state_accuracy"] <= 100
    judged = crosstalk(
        "evaluate", "user", "--world", "harbour", "--data", corpus, "--models", models, "--json"
    )
    result = json.loads(judged.stdout)
    assert result["states"] == 25
    assert result["seeds"] == [1]
    assert result["inputs"].startswith("goal, gold state")


def test_a_corpus_of_another_world_is_refused(corpus: Path) -> None:
    result = crosstalk("evaluate", "user", "--world", "crosswoz", "--data", corpus)
    assert isinstance(result.exception, InputError)
    assert "the corpus does not fit the world crosswoz in zh" in str(result.exception)


def test_a_model_of_another_world_is_refused(corpus: Path) -> None:
    result = crosstalk("evaluate", "user", "--data", corpus)  # in harbour, as the corpus says
    assert isinstance(result.exception, InputError)
    assert "trained for the world crosswoz, not for harbour" in str(result.exception)


@pytest.mark.parametrize(("option", "value"), [("--model", "clever"), ("--protocol", "loose")])
def test_unknown_names_are_answered_with_the_known_ones(
    corpus: Path, option: str, value: str
) -> None:
    result = crosstalk("evaluate", "user", "--world", "harbour", "--data", corpus, option, value)
    assert isinstance(result.exception, InputError)
    assert "Known: " in result.exception.remedy


def test_one_fold_is_no_cross_validation(corpus: Path, tmp_path: Path) -> None:
    result = crosstalk("train", "user", "--data", corpus, "--out", tmp_path, "--folds", 1)
    assert result.exit_code == 2
