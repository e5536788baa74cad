"""What trainings share: steps told, early stopping, settings, stages, networks that go on."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.errors import FileProblem
from crosstalk.training.boosting import Rounds, boost
from crosstalk.training.config import read_config, write_config
from crosstalk.training.identity import Identity, digest_of, settings_of
from crosstalk.training.progress import Limits, Progress
from crosstalk.training.stages import Stages
from crosstalk.training.steps import MetricsLog, Step, read_metrics


@dataclass(frozen=True, slots=True)
class Settings:
    hidden: int = 8
    rate: float = 0.1
    epochs: int = 5


# Metrics


def test_every_step_is_a_line(tmp_path: Path) -> None:
    log = MetricsLog(tmp_path / "model" / "metrics.jsonl")
    log(Step(1, 0.5, 60.0, 2.0))
    log(Step(2, 0.4))
    first, second = read_metrics(tmp_path / "model" / "metrics.jsonl")
    assert (first["step"], first["loss"], first["score"], first["seconds"]) == (1, 0.5, 60.0, 2.0)
    assert second["score"] is None


def test_steps_repeated_after_a_kill_are_kept_once_and_torn_lines_dropped(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    before = MetricsLog(file)
    before(Step(7, 0.1, part="reader"))
    for number in (1, 2, 3):
        before(Step(number, 0.5, part="trees"))
    with file.open("a") as lines:
        lines.write('{"step": 4, "lo')
    MetricsLog(file)(Step(3, 0.3, part="trees"))
    told = [(raw["part"], raw["step"], raw["loss"]) for raw in read_metrics(file)]
    assert told == [("reader", 7, 0.1), ("trees", 1, 0.5), ("trees", 2, 0.5), ("trees", 3, 0.3)]


# Early stopping


@given(st.lists(st.integers(0, 20), min_size=1, max_size=30), st.integers(1, 5))
def test_a_training_ends_when_its_patience_does(scores: list[int], patience: int) -> None:
    progress, limits = Progress(), Limits(epochs=100, patience=patience)
    for score in scores:
        if progress.ended(limits):
            break
        progress = progress.after(0.0, score, 1.0)
    seen = scores[: progress.epoch]
    assert progress.best_score == max(seen)
    assert progress.best_epoch == seen.index(max(seen)) + 1
    assert progress.stale <= patience


def test_without_patience_only_the_number_of_epochs_counts() -> None:
    progress = Progress()
    for _ in range(5):
        assert not progress.ended(Limits(epochs=5))
        progress = progress.after(0.0, 1.0, 0.5)
    assert progress.ended(Limits(epochs=5))
    assert (progress.seconds, progress.is_best) == (2.5, False)


def test_a_gain_below_the_least_is_none() -> None:
    progress = Progress().after(0.0, -1.0, 1.0, least_gain=1e-4)
    assert progress.after(0.0, -0.99995, 1.0, least_gain=1e-4).stale == 1
    assert progress.after(0.0, -0.999, 1.0, least_gain=1e-4).is_best


# Settings and identity


def test_settings_come_back_as_they_were(tmp_path: Path) -> None:
    write_config(tmp_path, Settings(hidden=16))
    assert read_config(tmp_path, Settings) == Settings(hidden=16)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"hidden": "many"}', "hidden"),
        ('{"depth": 3}', "unknown field depth"),
        ("[]", "config.json"),
        ("{", "not valid JSON"),
    ],
)
def test_settings_of_another_kind_are_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(FileProblem, match=problem):
        read_config(tmp_path, Settings)


def test_a_refusal_names_what_differs(tmp_path: Path) -> None:
    first = Identity(settings_of(Settings(), without=["epochs"]), digest_of(["a"]), seed=1)
    other = Identity(settings_of(Settings(hidden=9), without=["epochs"]), digest_of(["b"]), seed=2)
    assert first.differences(first.to_json()) == []
    with pytest.raises(FileProblem) as refused:
        other.refuse_other(first.to_json(), tmp_path)
    for words in ("hidden was 8 and is now 9", "other data", "seed was 1 and is now 2"):
        assert words in refused.value.message


@pytest.mark.parametrize("stored", ["", "[]", "{}", '{"settings": 3, "data": "", "seed": 1}'])
def test_an_identity_that_cannot_be_read_is_refused(tmp_path: Path, stored: str) -> None:
    with pytest.raises(FileProblem, match="cannot be read"):
        Identity({"hidden": 8}, "", 1).refuse_other(stored, tmp_path)


# Stages


def test_a_finished_stage_is_not_done_again(tmp_path: Path) -> None:
    made: list[str] = []

    def make(place: Path) -> None:
        made.append(place.name)
        (place / "result").write_text("42")

    for _ in range(2):
        stages = Stages(tmp_path / "stages", Identity({}, "", 1))
        assert (stages.folder("reader", make) / "result").read_text() == "42"
    assert made == ["reader"]


def test_a_stage_that_failed_is_done_again(tmp_path: Path) -> None:
    stages = Stages(tmp_path / "stages", Identity({}, "", 1))

    def fail(place: Path) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        stages.folder("reader", fail)
    assert stages.folder("reader", lambda place: (place / "x").touch()).joinpath("x").exists()


def test_stages_of_another_training_are_refused(tmp_path: Path) -> None:
    Stages(tmp_path / "stages", Identity({}, "", 1))
    with pytest.raises(FileProblem, match="seed was 1 and is now 2"):
        Stages(tmp_path / "stages", Identity({}, "", 2))


# Trees

SETTINGS = {"objective": "binary", "num_leaves": 4, "verbose": -1, "num_threads": 1, "seed": 1}


def question(rows: int) -> tuple[np.ndarray, list[bool], list[int]]:
    """Ten rows a dialogue; the answer is whether the first number is large, mostly."""
    rng = np.random.default_rng(1)
    data = rng.random((rows, 3))
    noisy = data[:, 0] + rng.normal(0, 0.2, rows) > 0.5
    return data, noisy.tolist(), [number // 10 for number in range(rows)]


def test_growing_stops_when_held_out_dialogues_gain_nothing() -> None:
    told: list[Step] = []
    trees = boost(SETTINGS, *question(600), Rounds(200, patience=10, told=told.append))
    assert 1 <= trees.num_trees() < 200
    assert told[-1].step <= trees.num_trees() + 10
    assert all(step.score is not None and step.score > 50 for step in told)


def test_without_patience_all_trees_are_grown_and_still_watched() -> None:
    told: list[Step] = []
    trees = boost(SETTINGS, *question(600), Rounds(30, told=told.append))
    assert trees.num_trees() == 30
    assert [step.step for step in told] == [10, 20, 30]
    assert told[-1].loss < told[0].loss


def test_kept_trees_are_the_same_trees(tmp_path: Path) -> None:
    stages = Stages(tmp_path / "stages", Identity({}, "", 1))
    first, again = (boost(SETTINGS, *question(600), Rounds(20, stages=stages)) for _ in range(2))
    plain = boost(SETTINGS, *question(600), Rounds(20))
    assert first.model_to_string() == again.model_to_string() == plain.model_to_string()
