"""Appendix A goes in and out with every field, in either spelling; flags follow from the texts."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosstalk.errors import FileProblem, FormatError
from crosstalk.translation.appendix_files import (
    EDITING_FIELDS,
    read_segments,
    segment_record,
    write_segments,
)
from crosstalk.translation.translation_segments import Segment, Spelling

RECORD: dict[str, Any] = {
    "dialogID": "MUL0484.json",
    "turnID": 6,
    "services": "attraction, train",
    "utterance": "I also need a train to Ely on Friday.",
    "slotValues": {"train-destination": "ely", "train-day": "friday"},
    "transUtterance": "Ich brauche auch einen Zug nach Ely am Freitag.",
    "transSlotValues": {"train-destination": "Ely", "train-day": "Freitag"},
    "fixTransUtterance": "Ich brauche auch einen Zug nach Ely, am Freitag.",
    "fixTransSlotValues": {"train-destination": "Ely", "train-day": "Freitag"},
    "changedUtterance": 1,
    "changedSlotValues": 0,
}


def written(tmp_path: Path, *records: object) -> Path:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(list(records)), encoding="utf-8")
    return path


def test_a_record_comes_back_with_every_field(tmp_path: Path) -> None:
    (segment,) = read_segments(written(tmp_path, RECORD))
    assert segment_record(segment) == RECORD
    assert list(segment_record(segment)) == list(EDITING_FIELDS)


def test_the_spelling_of_the_table_is_kept_too(tmp_path: Path) -> None:
    other = {"SlotValues" if name == "slotValues" else name: v for name, v in RECORD.items()}
    other["SlotValues"] = [{slot: value} for slot, value in RECORD["slotValues"].items()]
    other["transSlotValues"] = other["fixTransSlotValues"] = [
        {"train-destination": "Ely"},
        {"train-day": "Freitag"},
    ]
    other["services"] = ["attraction", "train"]
    (segment,) = read_segments(written(tmp_path, other))
    assert segment.values == (("train-destination", "ely"), ("train-day", "friday"))
    assert segment_record(segment) == other


def test_each_field_keeps_its_own_shape(tmp_path: Path) -> None:
    """A list of the source's values beside objects of the translated ones."""
    other = {**RECORD, "slotValues": [{"train-destination": "ely"}, {"train-day": "friday"}]}
    (segment,) = read_segments(written(tmp_path, other))
    assert segment_record(segment) == other


@pytest.mark.parametrize(
    "change", [{"turnID": "6"}, {"services": "attraction,train"}, {"services": "train"}]
)
def test_numbers_and_services_stay_as_they_are_written(
    tmp_path: Path, change: dict[str, object]
) -> None:
    (segment,) = read_segments(written(tmp_path, {**RECORD, **change}))
    assert segment.turn == 6 and segment.services[-1] == "train"
    assert segment_record(segment) == {**RECORD, **change}


def test_slots_in_another_order_are_not_edited(tmp_path: Path) -> None:
    turned = {"train-day": "Freitag", "train-destination": "Ely"}
    (segment,) = read_segments(written(tmp_path, {**RECORD, "fixTransSlotValues": turned}))
    assert not segment.changed_values
    assert list(segment_record(segment)["fixTransSlotValues"]) == list(turned)


def test_a_field_that_is_nearly_ours_is_not_passed_over(tmp_path: Path) -> None:
    wrong = {**RECORD, "fixTransUtterence": "Ein Zug."}
    del wrong["fixTransUtterance"]
    words = "turn 6, fixTransUtterence: unknown field; is fixTransUtterance meant"
    with pytest.raises(FormatError, match=words):
        read_segments(written(tmp_path, wrong))
    (segment,) = read_segments(written(tmp_path, {**RECORD, "fixTransUtterence": "kept"}))
    assert segment_record(segment)["fixTransUtterence"] == "kept"


def test_flags_are_computed_and_not_believed(tmp_path: Path) -> None:
    (segment,) = read_segments(
        written(tmp_path, {**RECORD, "changedUtterance": 0, "changedSlotValues": "1"})
    )
    assert segment.changed_utterance and not segment.changed_values
    assert segment_record(segment)["changedUtterance"] == 1
    assert segment_record(segment)["changedSlotValues"] == 0


def test_an_empty_translation_is_work_to_be_done(tmp_path: Path) -> None:
    waiting = {**RECORD, "fixTransUtterance": "", "fixTransSlotValues": {}}
    (segment,) = read_segments(written(tmp_path, waiting))
    assert not segment.finished and not segment.changed_utterance
    assert segment.text == RECORD["transUtterance"]


def test_our_own_fields_survive_and_can_be_left_out(tmp_path: Path) -> None:
    (segment,) = read_segments(written(tmp_path, {**RECORD, "provenance": {"translator": "x"}}))
    assert segment_record(segment)["provenance"] == {"translator": "x"}
    write_segments([segment], tmp_path / "plain.json", plain=True)
    assert json.loads((tmp_path / "plain.json").read_text()) == [RECORD]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"turnID": "first"}, "turnID: expected a whole number"),
        ({"turnID": -1}, "no position"),
        ({"slotValues": ["x"]}, "slotValues[0]: expected an object"),
        ({"slotValues": {"a": None}}, "slotValues.a: expected text"),
        ({"changedUtterance": 2}, "expected 0 or 1"),
        ({"utterance": 7}, "utterance: expected text"),
        ({"SlotValues": {}}, "two spellings"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    tmp_path: Path, change: dict[str, object], words: str
) -> None:
    with pytest.raises(FormatError) as caught:
        read_segments(written(tmp_path, {**RECORD, **change}))
    assert words in str(caught.value) and "a.json" in str(caught.value)


def test_a_turn_twice_and_a_file_of_another_kind(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="been there before"):
        read_segments(written(tmp_path, RECORD, RECORD))
    (tmp_path / "b.json").write_text("{}")
    with pytest.raises(FormatError, match="a list of records"):
        read_segments(tmp_path / "b.json")
    (tmp_path / "c.json").write_text("[")
    with pytest.raises(FileProblem, match="not valid JSON"):
        read_segments(tmp_path / "c.json")


def finished_or_not(segment: Segment) -> Segment:
    """Somebody edits the text and its values, or neither."""
    if segment.edited is None:
        return segment
    return segment.with_edit(segment.edited, tuple((s, f"{v}x") for s, v in segment.values))


texts = st.text(st.characters(codec="utf-8"), max_size=20)
pairs = st.lists(st.tuples(texts, texts), max_size=3).map(tuple)
segments = st.builds(
    Segment,
    dialogue=texts,
    turn=st.integers(0, 40),
    utterance=texts.filter(bool),
    values=pairs,
    services=st.lists(texts, max_size=2).map(tuple),
    machine=texts,
    machine_values=pairs,
    edited=st.none() | texts.filter(bool),
    extras=st.just({}),
).map(finished_or_not)


@settings(max_examples=30, deadline=None)
@given(st.lists(segments, max_size=4, unique_by=lambda segment: segment.key))
def test_whatever_is_in_it(tmp_path_factory: pytest.TempPathFactory, given: list[Segment]) -> None:
    path = tmp_path_factory.mktemp("a") / "work.json"
    write_segments(given, path)
    found = read_segments(path)
    assert [each.key for each in found] == [each.key for each in given]
    for mine, theirs in zip(found, given, strict=True):
        assert (mine.utterance, mine.values, mine.machine, mine.machine_values, mine.edited) == (
            theirs.utterance,
            theirs.values,
            theirs.machine,
            theirs.machine_values,
            theirs.edited,
        )
        assert mine.services == theirs.services
    write_segments(found, path)
    assert read_segments(path) == found


def test_spelling_is_part_of_the_segment() -> None:
    assert Segment("a", 0, "x").spelling == Spelling()
