"""From extracted dialogues to a ranker and its scores."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.errors import FileProblem
from crosstalk.evaluation.ranking import Ranking, rank
from crosstalk.retrieval.draws import draws
from crosstalk.retrieval.files import read_groups, read_pairs, write_groups
from crosstalk.retrieval.sampling import (
    Group,
    Sampling,
    evaluation_groups,
    training_pairs,
    v1_context_turns,
    v2_context_turns,
    v2_false_turn,
)
from crosstalk.retrieval.turns import TurnTable, merged

THINGS = ("disk", "sound", "screen", "printer", "kernel", "network", "mouse", "fan", "boot", "usb")


def table(dialogues: int = 40) -> TurnTable:
    turns = tuple(
        tuple(f"{THINGS[at % 10]} line {at} {turn} __eou__" for turn in range(3 + at % 5))
        for at in range(dialogues)
    )
    return TurnTable(turns, tuple(map(str, range(dialogues))), ("2010-01",) * dialogues)


def run(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_lines_of_one_sender_are_one_turn() -> None:
    assert merged(["a", "a", "b"], ["x", "y", "z"]) == ("x __eou__ y __eou__", "z __eou__")


def test_context_lengths_of_the_first_release_follow_the_inverse_law() -> None:
    sizes = Counter(v1_context_turns((at + 0.5) / 10_000, 100) for at in range(10_000))
    assert (min(sizes), max(sizes)) == (2, 20)
    assert sizes[2] / 10_000 == pytest.approx(0.526, abs=0.01)
    assert sizes[3] / 10_000 == pytest.approx(0.175, abs=0.01)


@pytest.mark.parametrize(("turns", "sizes"), [(3, {2}), (4, {2, 3}), (30, set(range(2, 19)))])
def test_context_lengths_of_the_second_release(turns: int, sizes: set[int]) -> None:
    assert {v2_context_turns(at / 1000, turns) for at in range(1000)} == sizes


@given(st.floats(0, 1, exclude_max=True), st.integers(3, 60))
def test_every_cut_is_inside_the_dialogue(draw: float, turns: int) -> None:
    for size in (v1_context_turns(draw, turns), v2_context_turns(draw, turns)):
        assert 2 <= size < turns
    assert 2 <= v2_false_turn(draw, turns) < turns


def test_any_row_can_be_made_alone() -> None:
    whole = [row.tolist() for row in draws(7, range(3000), 3)]
    assert [row.tolist() for row in draws(7, range(1500, 1502), 3)] == whole[1500:1502]
    groups = list(evaluation_groups(table(), Sampling.V2, 9, seed=5))
    assert list(evaluation_groups(table(), Sampling.V2, 9, 5, range(17, 18))) == groups[17:18]


def test_training_pairs_of_the_first_release_use_every_turn_from_the_third_on() -> None:
    pairs = list(training_pairs(table(5), Sampling.V1, 1, seed=1))
    assert sum(right for _, _, right in pairs) == sum(len(turns) - 2 for turns in table(5).turns)
    assert len(pairs) == 2 * sum(right for _, _, right in pairs)


def test_files_of_both_releases_are_read(tmp_path: Path) -> None:
    group = Group('say "hi", twice', "one\ttab", ("two\nlines", "three"))
    write_groups(tmp_path / "v2.csv", [group], 2)
    assert list(read_groups(tmp_path / "v2.csv")) == [group]
    with (tmp_path / "v1.csv").open("w", newline="") as out:
        csv.writer(out).writerows(
            [
                (group.context, group.response, 1),
                *((group.context, text, 0) for text in group.false),
            ]
        )
    assert list(read_groups(tmp_path / "v1.csv")) == [group]
    assert [right for _, _, right in read_pairs(tmp_path / "v1.csv")] == [True, False, False]


def test_a_bad_row_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("Context,Utterance,Label\na,b,1\na,b,maybe\n")
    with pytest.raises(FileProblem, match=r"bad\.csv, line 3"):
        list(read_pairs(tmp_path / "bad.csv"))


def test_ties_count_as_chance() -> None:
    everything_tied = sum((rank([0.0] * 10) for _ in range(3)), Ranking())
    assert everything_tied.recall(1) == pytest.approx(10)
    assert everything_tied.recall(5) == pytest.approx(50)
    assert rank([1.0, 0.5, 2.0]).recall(1) == 0
    assert rank([1.0, 0.5, 2.0]).recall(2) == 100
    assert rank([1.0, 0.5, 2.0]).reciprocal_rank == 50


@pytest.mark.parametrize("model", ["tfidf", "char"])
def test_the_whole_path(tmp_path: Path, model: str) -> None:
    (tmp_path / "logs").mkdir()
    lines = [
        f"[{at // 40:02}:{at % 40:02}] <{'ann' if at % 2 else 'bob'}{at // 10}> "
        f"{'bob' if at % 2 else 'ann'}{at // 10}: about the {THINGS[at // 10 % 10]} again {at}"
        for at in range(400)
    ]
    (tmp_path / "logs/2010-01-01.txt").write_text("\n".join(lines) + "\n")
    run("logs", "extract", tmp_path / "logs", "--method", "paper", "--out", tmp_path / "out")
    triples = ("retrieve", "triples", tmp_path / "out", "--seed", 3)
    run(*triples, "--sampling", "v1", "--out", tmp_path / "train.csv")
    run(*triples, "--negatives", 9, "--out", tmp_path / "test.csv")
    run(
        "retrieve",
        "train",
        "--model",
        model,
        "--data",
        tmp_path / "train.csv",
        "--out",
        tmp_path / "m",
    )
    scores = json.loads(
        run(
            "retrieve",
            "evaluate",
            "--model",
            tmp_path / "m",
            "--data",
            tmp_path / "test.csv",
            "--json",
        )
    )
    assert scores["r10@1"] > 50 > scores["baselines"]["chance"]["r10@1"] == pytest.approx(10)
    assert scores["r10@1"] <= scores["r10@2"] <= scores["r10@5"] <= 100
