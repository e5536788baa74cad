"""Parts scored on a corpus from a notebook, as `crosstalk evaluate` does."""

import subprocess
import sys
from pathlib import Path

import pytest

import crosstalk
from crosstalk.errors import InputError
from crosstalk.evaluation.evaluator import Evaluator
from crosstalk.training.reporter import Reporter


class Notices(Reporter):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def notice(self, message: str) -> None:
        self.told.append(message)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("simulated") / "run"
    return crosstalk.simulate(goals=2, seed=1, level="words", out=folder).folder


def test_a_tracker_is_scored_on_a_run(run: Path) -> None:
    found = Evaluator(run).dst("search")
    assert found.part == "search"
    assert found.record["turns"] == found.score.overall.total > 0
    assert (found.record["world"], found.record["language"]) == ("harbour", "en")


def test_one_corpus_serves_several_evaluations_and_is_read_once(run: Path) -> None:
    evaluator = Evaluator(run)
    first = evaluator.corpus
    evaluator.policy("rule")
    assert evaluator.user("rule", seeds=2).record["seeds"] == [1, 2]
    assert evaluator.corpus is first


def test_an_alias_is_a_notice(run: Path) -> None:
    notices = Notices()
    found = Evaluator(run, reporter=notices).nlg("sys", "best")
    assert found.part == "template"
    assert "best stands for template" in notices.told


def test_wrong_options_are_refused_before_anything_is_read() -> None:
    nowhere = Path("nowhere.jsonl")
    with pytest.raises(InputError, match="--values spelt: unknown"):
        Evaluator(nowhere).nlu("trees", values="spelt")
    with pytest.raises(InputError, match="there is no such side"):
        Evaluator(nowhere).nlg("both")
    with pytest.raises(InputError, match="no protocol called 'papers'"):
        Evaluator(nowhere, protocol="papers").user()


def test_parts_that_learned_nothing_need_no_learning_library() -> None:
    code = "import crosstalk.evaluation.evaluator, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
