import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosstalk.dialogue.goals import Goal, GoalType, Reference, SemanticTuple, WantedAction
from crosstalk.errors import FileProblem, FormatError
from crosstalk.goals.goal_files import (
    StoredGoal,
    check_goals,
    read_goals,
    sample_stored_goals,
    to_line,
    write_goals,
)
from crosstalk.goals.sampler import goal_sampler
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

GOOD: dict[str, Any] = {
    "id": "a",
    "world": "town",
    "language": "en",
    "seed": 1,
    "type": "CM",
    "tuples": [
        [1, "sight", "fee", "free", False],
        [1, "sight", "near_inns", [], False],
        [2, "inn", "name", {"near": 1}, False],
    ],
    "description": ["See a sight.", "Find an inn."],
}


def write_lines(folder: Path, *goals: Any) -> Path:
    path = folder / "goals.jsonl"
    path.write_text("".join(json.dumps(goal) + "\n" for goal in goals), encoding="utf-8")
    return path


def test_a_goal_file(tmp_path: Path) -> None:
    [record] = read_goals(write_lines(tmp_path, GOOD))
    assert record == StoredGoal(
        id="a",
        world="town",
        language="en",
        seed=1,
        goal=Goal(
            (
                SemanticTuple(1, "sight", "fee", "free"),
                SemanticTuple(1, "sight", "near_inns", ()),
                SemanticTuple(2, "inn", "name", Reference(1, nearby=True)),
            ),
            GoalType.CM,
            ("See a sight.", "Find an inn."),
        ),
    )


def test_a_goal_written_by_hand_needs_no_seed_and_no_description(tmp_path: Path) -> None:
    short = {key: GOOD[key] for key in ("id", "world", "language", "type", "tuples")}
    [record] = read_goals(write_lines(tmp_path, short))
    assert (record.seed, record.goal.description) == (None, ())
    assert "seed" not in json.loads(to_line(record))


@settings(deadline=None)
@given(seed=st.integers(), count=st.integers(1, 4))
def test_what_is_written_is_read_again(
    town: World, tmp_path_factory: pytest.TempPathFactory, seed: int, count: int
) -> None:
    path = tmp_path_factory.mktemp("goals") / "goals.jsonl"
    records = list(sample_stored_goals(goal_sampler(town), count, seed=seed))
    write_goals(path, records)
    assert list(read_goals(path)) == records
    assert path.read_bytes() == "".join(map(to_line, records)).encode()


def changed(**fields: Any) -> dict[str, Any]:
    return {**GOOD, **fields}


def with_tuple(*tuples: Any) -> dict[str, Any]:
    return changed(tuples=[*GOOD["tuples"], *tuples])


BAD = {
    "an unknown field": (changed(colour="red"), "line 1, colour: no such field"),
    "a missing field": ({"id": "a"}, "line 1, world: the field is missing"),
    "no object": ([1], "line 1: expected a goal"),
    "a number for an id": (changed(id=7), "line 1, id: expected a text, found"),
    "an empty id": (changed(id=""), "line 1, id: expected a text"),
    "a text for a seed": (changed(seed="one"), "line 1, seed: expected a whole number"),
    "true for a seed": (changed(seed=True), "line 1, seed: expected a whole number"),
    "an unknown type": (changed(type="XL"), "line 1, type: unknown goal type 'XL'"),
    "a list for a type": (changed(type=["S"]), "line 1, type: unknown goal type"),
    "a wrong type": (changed(type="M"), "the type is given as M, but the tuples make it CM"),
    "no tuples": (changed(tuples=[]), "line 1, tuples: expected a list of tuples"),
    "an object for tuples": (changed(tuples={}), "line 1, tuples: expected a list of tuples"),
    "a short tuple": (with_tuple([2, "inn", "price"]), r"tuples\[3\]: expected a semantic tuple"),
    "a number for a slot": (with_tuple([2, "inn", 3, "", False]), r"tuples\[3\]: expected a sem"),
    "a text for a flag": (with_tuple([2, "inn", "price", "", "no"]), r"tuples\[3\]: expected a s"),
    "true for a number": (with_tuple([True, "inn", "price", "", False]), r"tuples\[3\]: expected"),
    "a number for a value": (with_tuple([2, "inn", "price", 9, False]), r"\[3\]: expected a value"),
    "numbers in a list": (with_tuple([2, "inn", "x", [9], False]), r"\[3\]: expected a list of te"),
    "two references": (
        with_tuple([3, "cab", "to", {"at": 1, "near": 1}, False]),
        r"tuples\[3\]: expected a value",
    ),
    "a missing sub-goal": (
        with_tuple([3, "cab", "to", {"at": 7}, False]),
        r"tuples\[3\]: sub-goal 3 refers to sub-goal 7, which does not stand before it",
    ),
    "a reference to itself": (
        with_tuple([3, "cab", "to", {"at": 3}, False]),
        "sub-goal 3 refers to sub-goal 3",
    ),
    "a gap": (with_tuple([4, "inn", "price", "", False]), "sub-goal 4 after sub-goal 2"),
    "a step back": (with_tuple([1, "inn", "price", "", False]), "sub-goal 1 after sub-goal 2"),
    "sub-goal 0": (changed(tuples=[[0, "inn", "x", "", False]]), "sub-goal 0 after sub-goal 0"),
    "a text for a description": (changed(description="See."), "description: expected a list"),
}


@pytest.mark.parametrize(("goal", "words"), BAD.values(), ids=BAD.keys())
def test_bad_goals_are_refused_in_words(tmp_path: Path, goal: Any, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        list(read_goals(write_lines(tmp_path, goal)))


def test_an_id_stands_twice(tmp_path: Path) -> None:
    path = write_lines(tmp_path, GOOD, changed(id="b"), GOOD)
    with pytest.raises(FormatError, match="line 3, id: the id 'a' stands in line 1 already"):
        list(read_goals(path))


def test_goals_before_a_bad_one_are_read(tmp_path: Path) -> None:
    goals = read_goals(write_lines(tmp_path, GOOD, changed(id=None)))
    assert next(goals).id == "a"
    with pytest.raises(FormatError, match="line 2, id"):
        next(goals)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"id": "a", ', "line 1: not valid JSON"),
        (b'\n\n{"id"}\n', "line 3: not valid JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"", "empty"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"id": "\\ud800"}', "half a character"),
    ],
)
def test_files_that_are_no_goal_files(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "goals.jsonl"
    path.write_bytes(content)
    with pytest.raises((FormatError, FileProblem), match=words):
        list(read_goals(path))


def test_an_interrupted_write_leaves_what_was_there(tmp_path: Path) -> None:
    path = write_lines(tmp_path, GOOD)
    before = path.read_bytes()
    [record] = read_goals(path)

    def interrupted() -> Any:
        yield record
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_goals(path, interrupted())
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("action", "wish", "message"),
    [
        ("fly", {}, "there is no action 'fly'"),
        ("book_room", {"moons": 2}, "book_room takes no 'moons'"),
    ],
)
def test_actions_that_the_world_has_not(
    tmp_path: Path, action: str, wish: dict[str, int], message: str
) -> None:
    world = load_world("harbour", language="en")
    (stored,) = sample_stored_goals(goal_sampler(world), 1, seed=3)
    file = tmp_path / "goals.jsonl"
    goal = replace(stored.goal, actions=(WantedAction(action, (wish,)),))
    write_goals(file, [replace(stored, goal=goal)])
    with pytest.raises(FormatError, match=message):
        check_goals(file, world)
