"""Marks of errors: kept with an annotator's answers, counted as points, compared as spans."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.translation.test_control import SEGMENT, sample

from crosstalk.errors import FormatError, Rejection
from crosstalk.evaluation.quality_control import Pair, judge_marks
from crosstalk.translation.appendix_files import (
    blind,
    judgement_record,
    read_judgements,
    write_judgements,
)
from crosstalk.translation.control import ControlAnswer, ControlQueue, read_answers
from crosstalk.translation.error_marks import ErrorMark, exact_f1, letters_f1, penalty


def marks(*spans: tuple[int, int, str]) -> tuple[ErrorMark, ...]:
    return tuple(ErrorMark(start, end, kind, "minor") for start, end, kind in spans)


def test_two_annotators_are_compared_mark_by_mark_and_letter_by_letter() -> None:
    one = marks((0, 4, "style"), (6, 9, "grammar"), (12, 15, "style"))
    other = marks((0, 4, "style"), (6, 10, "grammar"))
    assert exact_f1([(one, other)]) == pytest.approx(0.4)
    assert letters_f1([(one, other)]) == pytest.approx(0.7778, abs=1e-4)  # 7 of 10 and of 8
    assert exact_f1([((), ())]) is None
    assert exact_f1([(one, ()), ((), one)]) == 0  # each utterance is compared with itself


def test_points_follow_severity_and_count_what_both_have_answered() -> None:
    bad = (ErrorMark(0, 2, "terminology", "major"), ErrorMark(4, 4, "omission", "critical"))
    assert penalty(bad) == 30
    pairs = [
        Pair("D", "de", "", (True, True), (None, None), False, (bad, ())),
        Pair("D", "de", "", (True, True), (None, None), False, (marks((0, 1, "style")), bad)),
        Pair("D", "de", "", (None, True), (None, None), False, (bad, bad)),
    ]
    found = judge_marks(pairs)
    assert (found.utterances, found.marked, found.marks) == (2, (2, 1), (3, 2))
    assert found.points == (15.5, 15.0)


def test_marks_are_kept_in_the_file_and_in_the_journal(tmp_path: Path) -> None:
    folder = sample(tmp_path / "control")
    queue = ControlQueue(folder, marks=True)
    (first, *_) = queue.judgements("cleo", queue.dialogues[0])
    mark = ErrorMark(0, 2, "terminology", "major")
    answer = ControlAnswer(first.dialogue, first.turn, True, True, marks=(mark,))
    assert queue.answer(answer, "cleo").marks == (mark,)
    in_journal = {each.key: each for each in read_answers(folder / "cleo.json")}
    assert in_journal[first.key].marks == (mark,)
    outside = replace(answer, marks=(replace(mark, end=9999),))
    with pytest.raises(Rejection, match="not within"):
        queue.answer(outside, "cleo")
    queue.close()
    in_file = {each.key: each for each in read_judgements(folder / "cleo.json")}
    assert in_file[first.key].marks == (mark,)


def test_files_without_marks_stay_as_they_are_and_wrong_ones_are_named(tmp_path: Path) -> None:
    judged = blind(SEGMENT).answered(True, True, "")
    assert "MARKS" not in judgement_record(judged)
    path = tmp_path / "b.json"
    write_judgements([replace(judged, marks=marks((0, 2, "style")))], path)
    (read,) = read_judgements(path)
    assert read.marks == marks((0, 2, "style"))
    record = json.loads(path.read_text("utf-8"))
    record[0]["MARKS"][0]["category"] = "stile"
    path.write_text(json.dumps(record), "utf-8")
    with pytest.raises(FormatError, match="none of mistranslation"):
        read_judgements(path)
