"""Trees from elsewhere: read as they are, or refused in words, and never the end of the process."""

import random
import re
import subprocess
import sys
from pathlib import Path

import lightgbm
import numpy as np
import pytest

from crosstalk.model_folders import SHIPPED, seal
from crosstalk.training.booster_files import read_booster

MODEL = (SHIPPED / "policy" / "model.txt").read_text()


def small() -> str:
    rows = np.random.default_rng(1).normal(size=(200, 4))
    settings = {"objective": "binary", "verbose": -1, "num_leaves": 5, "num_threads": 1}
    trees = lightgbm.train(settings, lightgbm.Dataset(rows, rows[:, 0] > rows[:, 1]), 3)
    return trees.model_to_string()


def with_line(text: str, key: str, value: str) -> str:
    return re.sub(rf"^{key}=.*$", f"{key}={value}", text, count=1, flags=re.MULTILINE)


def test_predictions_are_those_of_lightgbm() -> None:
    plain, checked = lightgbm.Booster(model_str=MODEL), read_booster(MODEL)
    rows = np.random.default_rng(1).normal(size=(500, plain.num_feature())) * 10
    rows[::7, ::3] = np.nan
    assert (np.asarray(plain.predict(rows)) == np.asarray(checked.predict(rows))).all()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("left_child", "900000 -1 -2 -3"),  # no such node: LightGBM ends the process
        ("left_child", "0 1 2 3"),  # a node that is its own child
        ("right_child", "-2147483648 -1 -2 -3"),
        ("split_feature", "1 2 3 100000"),
        ("split_feature", "-1 0 0 0"),
        ("num_leaves", "2000000000"),
        ("num_leaves", "-5"),
        ("num_leaves", "6"),
        ("num_cat", "1"),
        ("decision_type", "1 1 1 1"),
        ("leaf_value", "nan nan nan nan nan"),
        ("leaf_value", "1 2"),
        ("threshold", "1e999 0 0 0"),
        ("is_linear", "1"),
        ("max_feature_idx", "2000000000"),
        ("num_class", "1000000000"),
        ("objective", "multiclass num_class:1000000000"),
        ("feature_infos", "none"),
        ("version", "v4\nversion=v4"),
    ],
)
def test_what_does_not_fit_is_refused(key: str, value: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_booster(with_line(small(), key, value))


def test_sizes_that_lie_are_not_believed() -> None:
    lied = with_line(small(), "tree_sizes", "1 99999999 7")
    assert read_booster(lied).num_trees() == 3


def test_a_chain_of_nodes_is_too_deep() -> None:
    inner = 1000
    left = " ".join(map(str, [*range(1, inner), -1]))
    right = " ".join(str(-2 - each) for each in range(inner))
    text = small()
    for key, value in {
        "num_leaves": str(inner + 1), "left_child": left, "right_child": right,
        "split_feature": " ".join(["0"] * inner), "decision_type": " ".join(["2"] * inner),
        "threshold": " ".join(["0"] * inner), "split_gain": " ".join(["0"] * inner),
        "leaf_value": " ".join(["0"] * (inner + 1)),
    }.items():  # fmt: skip
        text = with_line(text, key, value)
    with pytest.raises(ValueError, match="deeper"):
        read_booster(text)


@pytest.mark.parametrize("key", ["threshold", "leaf_value", "split_gain"])
def test_a_long_line_is_refused_at_once(key: str) -> None:
    """A pattern that can part digits in two ways takes hours for a million of them."""
    others = "1 " * (4 if key == "leaf_value" else 3)
    with pytest.raises(ValueError, match="no number"):
        read_booster(with_line(small(), key, f"{others}{'1' * 1_000_000}x"))


def test_damage_anywhere_gives_trees_or_words() -> None:
    rng = random.Random(1)
    whole = small()
    rows = np.zeros((2, 4))
    for _ in range(300):
        damaged = list(whole)
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.choice("0123456789-=. \n")
        try:
            trees = read_booster("".join(damaged))
        except ValueError:
            continue
        if trees.num_feature() == 4:
            trees.predict(rows)


def test_a_model_folder_from_elsewhere_is_refused_in_words(tmp_path: Path) -> None:
    """With a card whose digests fit: whoever made the folder made the card too."""
    folder = tmp_path / "policy"
    folder.mkdir()
    for file in (SHIPPED / "policy").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "model.txt").write_text(with_line(MODEL, "left_child", "900000 " + "1 " * 29))
    seal(folder, {"name": "policy", "what": "trees", "kind": "policy"})
    command = [sys.executable, "-m", "crosstalk", "simulate", "-n", "1", "--policy", "trees"]
    more = ["--world", "harbour", "--models", str(tmp_path), "--out", str(tmp_path / "run")]
    done = subprocess.run([*command, *more], capture_output=True, check=False, text=True)
    assert done.returncode == 2, done.stderr
    assert "not a whole model" in done.stderr
