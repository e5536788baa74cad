"""Quality control: a stratified blind sample, two annotators, answers that are never lost."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from crosstalk.errors import FormatError, InputError, Rejection
from crosstalk.translation.appendix_files import (
    blind,
    judgement_record,
    read_judgements,
    write_judgements,
)
from crosstalk.translation.control import ControlAnswer, ControlQueue, draw_sample, read_answers
from crosstalk.translation.translation_segments import Segment


def corpus() -> list[Segment]:
    """A hundred dialogues of two splits and three kinds, two turns each."""
    kinds = (("hotel",), ("hotel", "taxi"), ("train",))
    return [
        Segment(
            f"D{n:03}",
            turn,
            "x",
            services=kinds[n % 3],
            extras={"split": ("dev", "test")[n % 2]},
        )
        for n in range(100)
        for turn in (0, 1)
    ]


def test_a_tenth_of_every_stratum() -> None:
    drawn = draw_sample(corpus(), 0.1, 7)
    dialogues = {segment.dialogue: segment for segment in drawn}
    assert len(dialogues) == 10 and len(drawn) == 20
    splits = [segment.split for segment in dialogues.values()]
    assert splits.count("dev") == splits.count("test") == 5
    assert {segment.services for segment in dialogues.values()} == {
        ("hotel",),
        ("hotel", "taxi"),
        ("train",),
    }


def test_every_split_gives_its_share_whatever_its_domains() -> None:
    """Sixty-one combinations of domains in one split, one in the other."""
    segments = [
        Segment(f"D{n:04}", 0, "x", services=(f"s{n % 61}",) * (n < 500), extras={"split": split})
        for n, split in enumerate(["dev"] * 500 + ["test"] * 500)
    ]
    splits = [segment.split for segment in draw_sample(segments, 0.1, 0)]
    assert splits.count("dev") == splits.count("test") == 50


def test_the_seed_decides_between_strata_of_one_size() -> None:
    segments = [Segment(f"D{n}", 0, "x", services=(f"domain {n}",)) for n in range(10)]
    assert len({draw_sample(segments, 0.1, seed)[0].dialogue for seed in range(20)}) > 3


def test_a_seed_draws_the_same_in_every_language_and_order() -> None:
    one = {s.dialogue for s in draw_sample(corpus(), 0.1, 7)}
    other = {
        s.dialogue for s in draw_sample([replace(s, machine="y") for s in corpus()[::-1]], 0.1, 7)
    }
    assert one == other != {s.dialogue for s in draw_sample(corpus(), 0.1, 8)}
    assert len({s.dialogue for s in draw_sample(corpus()[:2], 0.1, 0)}) == 1
    for share in (0, 1.5):
        with pytest.raises(InputError, match="share"):
            draw_sample(corpus(), share, 0)


SEGMENT = Segment(
    "D",
    3,
    "In the north, any price.",
    (("hotel-area", "north"), ("hotel-pricerange", "dontcare"), ("hotel-name", "none")),
    ("hotel",),
    "machine",
    (),
    "Im Norden, Preis egal.",
    (("hotel-area", "Norden"), ("hotel-pricerange", "egal"), ("hotel-name", "none")),
    {"language": "de", "provenance": {"translator": "m"}, "speaker": "user"},
)


def test_annotators_are_blind_and_labels_are_left_out() -> None:
    record = judgement_record(blind(SEGMENT))
    assert record == {
        "dialogID": "D",
        "turnID": 3,
        "utterance": "In the north, any price.",
        "SlotValues": {"hotel-area": "north"},
        "fixTransUtterance": "Im Norden, Preis egal.",
        "fixTransSlotValues": {"hotel-area": "Norden"},
        "UtteranceAcceptable": None,
        "SlotValuesMatchAcceptable": None,
        "NOTE": "",
        "language": "de",
        "speaker": "user",
    }


def test_a_slot_with_a_label_and_a_value_keeps_the_value() -> None:
    values = (("hotel-area", "dontcare"), ("hotel-area", "north"))
    forms = (("hotel-area", "egal"), ("hotel-area", "Norden"))
    seen = blind(replace(SEGMENT, values=values, edited_values=forms))
    assert seen.values == (("hotel-area", "north"),)
    assert seen.text_values == (("hotel-area", "Norden"),)


def test_a_label_of_a_file_made_elsewhere_is_no_value_to_judge(tmp_path: Path) -> None:
    record = {**judgement_record(blind(SEGMENT)), "SlotValues": {"hotel-area": "dontcare"}}
    path = tmp_path / "b.json"
    path.write_text(json.dumps([{**record, "UtteranceAcceptable": 1}]))
    (judgement,) = read_judgements(path)
    assert judgement.finished and not judgement.has_values


def test_appendix_b_comes_back(tmp_path: Path) -> None:
    record = {**judgement_record(blind(SEGMENT)), "UtteranceAcceptable": 1, "NOTE": "fine"}
    record["slotValues"] = record.pop("SlotValues")
    path = tmp_path / "b.json"
    path.write_text(json.dumps([record]))
    (judgement,) = read_judgements(path)
    assert judgement.acceptable is True and judgement.values_match is None
    write_judgements([judgement], path)
    assert json.loads(path.read_text()) == [record]
    path.write_text(json.dumps([{**record, "UtteranceAcceptable": "maybe"}]))
    with pytest.raises(FormatError, match="UtteranceAcceptable: expected 0, 1 or nothing"):
        read_judgements(path)


def sample(folder: Path) -> Path:
    folder.mkdir()
    for name in ("cleo", "dan"):
        write_judgements(
            [blind(SEGMENT), blind(replace(SEGMENT, turn=4, values=()))], folder / f"{name}.json"
        )
    return folder


def test_answers_survive_and_reach_the_files(tmp_path: Path) -> None:
    folder = sample(tmp_path / "control")
    queue = ControlQueue(folder)
    assert queue.annotators == ("cleo", "dan")
    queue.answer(ControlAnswer("D", 3, True, False, "north is wrong"), "cleo")
    queue.answer(ControlAnswer("D", 4, True, None), "cleo")
    queue._journal.close()  # killed before it settles
    assert [each.finished for each in read_answers(folder / "cleo.json")] == [True, True]
    queue = ControlQueue(folder)
    assert queue.progress("cleo") == {"D": (2, 2)} and queue.progress("dan") == {"D": (0, 2)}
    queue.answer(ControlAnswer("D", 3, False, False, "no"), "cleo")
    queue.close()
    (first, second) = read_judgements(folder / "cleo.json")
    assert (first.acceptable, first.values_match, first.note) == (False, False, "no")
    assert second.finished
    assert not read_judgements(folder / "dan.json")[0].finished


def test_answers_typed_into_a_file_while_the_pages_are_open_stay(tmp_path: Path) -> None:
    folder = sample(tmp_path / "control")
    queue = ControlQueue(folder)
    queue.answer(ControlAnswer("D", 3, True, False), "cleo")
    first, second = read_judgements(folder / "cleo.json")
    write_judgements([first, second.answered(False, None, "by hand")], folder / "cleo.json")
    queue.close()
    first, second = read_judgements(folder / "cleo.json")
    assert (first.acceptable, first.values_match) == (True, False)
    assert (second.acceptable, second.note) == (False, "by hand")


def test_what_cannot_be_answered(tmp_path: Path) -> None:
    queue = ControlQueue(sample(tmp_path / "control"))
    for wrong in (ControlAnswer("D", 9, True, True), ControlAnswer("D", 3, True, None)):
        with pytest.raises(Rejection):
            queue.answer(wrong, "cleo")
    with pytest.raises(Rejection):
        queue.answer(ControlAnswer("D", 3, True, True), "nobody")
    queue.close()
    with pytest.raises(InputError, match="no file to judge"):
        ControlQueue(tmp_path / "nothing")
