"""Files of both releases."""

import csv
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosstalk.errors import FileProblem
from crosstalk.retrieval.response_files import (
    TRAIN_HEADER,
    read_groups,
    read_pairs,
    write_groups,
    write_pairs,
)
from crosstalk.retrieval.response_sampling import ResponseGroup

GROUP = ResponseGroup('say "hi", twice', "one\ttab", ("two\nlines", "three"))
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=20)


def rows_of(path: Path, rows: Sequence[tuple[object, ...]]) -> Path:
    with path.open("w", newline="") as out:
        csv.writer(out).writerows(rows)
    return path


def test_files_of_both_releases_are_read(tmp_path: Path) -> None:
    write_groups(tmp_path / "v2.csv", [GROUP], 2)
    first = [(GROUP.context, GROUP.response, 1), *((GROUP.context, x, 0) for x in GROUP.false)]
    rows_of(tmp_path / "v1.csv", first)
    for name in ("v1.csv", "v2.csv"):
        assert list(read_groups(tmp_path / name)) == [GROUP]
        assert [right for _, _, right in read_pairs(tmp_path / name)] == [True, False, False]


def test_the_first_releases_rows_may_name_the_two_people(tmp_path: Path) -> None:
    rows = [("c", "yes", 1, "ann", "bob"), ("c", "no", "0.0", "ann", "eve")]
    assert list(read_groups(rows_of(tmp_path / "v1.csv", rows))) == [
        ResponseGroup("c", "yes", ("no",))
    ]


def test_an_empty_context_is_a_context(tmp_path: Path) -> None:
    rows = [("", "yes", 1), ("", "no", 0)]
    assert list(read_groups(rows_of(tmp_path / "v1.csv", rows))) == [
        ResponseGroup("", "yes", ("no",))
    ]


@settings(deadline=None, max_examples=25)  # each writes a file to the disk
@given(st.lists(st.tuples(TEXT, TEXT, st.booleans()), max_size=5))
def test_pairs_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str, bool]]
) -> None:
    path = tmp_path_factory.mktemp("pairs") / "train.csv"
    assert write_pairs(path, pairs) == len(pairs)
    assert list(read_pairs(path)) == pairs


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Context,Utterance,Label\na,b,1\na,b,maybe\n", r"line 3: expected context, response"),
        ("a,b\n", r"line 1: expected context, response"),
        ("Context,Ground Truth Utterance,Distractor_0\na,b\n", r"line 2: expected 3 columns"),
        ("Context,Ground Truth Utterance\na,b\n", r"columns of false responses"),
        ('a,"b\n', r"label of 0 or 1"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(FileProblem, match=problem):
        list(read_pairs(tmp_path / "bad.csv"))


def test_a_false_response_before_its_true_one_is_named(tmp_path: Path) -> None:
    path = rows_of(tmp_path / "v1.csv", [("c", "yes", 1), ("other", "no", 0)])
    with pytest.raises(FileProblem, match="line 2: expected a true response before"):
        list(read_groups(path))


def test_a_field_may_be_long(tmp_path: Path) -> None:
    write_pairs(tmp_path / "long.csv", [("word " * 100_000, "yes", True)])
    [(context, _, _)] = read_pairs(tmp_path / "long.csv")
    assert len(context) == 500_000


def test_the_first_releases_rows_may_have_a_header(tmp_path: Path) -> None:
    path = tmp_path / "valset.csv"
    path.write_text("context,response,flag\na,b,1\na,c,0\n")
    assert list(read_groups(path)) == [ResponseGroup("a", "b", ("c",))]


@settings(deadline=None, max_examples=25)  # each writes a file to the disk
@given(st.lists(st.tuples(TEXT, TEXT, st.booleans()), max_size=5))
def test_pairs_are_written_as_the_standard_library_writes_them(
    pairs: list[tuple[str, str, bool]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.csv"
        assert write_pairs(path, pairs) == len(pairs)
        expected = io.StringIO()
        rows = [(context, response, int(right)) for context, response, right in pairs]
        csv.writer(expected).writerows([TRAIN_HEADER, *rows])
        assert path.read_bytes() == expected.getvalue().encode()
