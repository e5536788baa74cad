"""MultiWOZ-ZH: the checker against a hand-checked sample, and human_val reproduced byte by byte."""

import json
import zipfile
from pathlib import Path

import pytest

from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.translation.alignment import ValueState, align_segment
from crosstalk.translation.finished_corpus import finisher
from crosstalk.translation.glossary import Glossary
from crosstalk.translation.parallel_corpora import with_edits, with_translations
from crosstalk.translation.translation_segments import Segment, segments_of

VERDICTS = Path(__file__).parent / "data" / "alignment_verdicts.json"


@pytest.fixture(scope="module")
def human(data_folder: Path) -> dict[str, Dialogue]:
    return by_id(data_folder / "multiwoz_zh" / "human_val.json.zip")


@pytest.fixture(scope="module")
def some(
    data_folder: Path, human: dict[str, Dialogue], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Val in both languages, cut to the dialogues that people edited: reading all takes long."""
    folder = tmp_path_factory.mktemp("val")
    for name in ("multiwoz", "multiwoz_zh"):
        with zipfile.ZipFile(data_folder / name / "val.json.zip") as packed:
            read = json.loads(packed.read(packed.namelist()[0]))
        kept = {id: dialogue for id, dialogue in read.items() if id in human}
        (folder / f"{name}.json").write_text(json.dumps(kept), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def machine(some: Path) -> dict[str, Dialogue]:
    return by_id(some / "multiwoz_zh.json")


@pytest.fixture(scope="module")
def segments(some: Path, machine: dict[str, Dialogue]) -> list[Segment]:
    """English with the machine's Chinese."""
    source = read_corpus(some / "multiwoz.json")
    return with_translations(
        segments_of(source, source="en", target="zh"), machine, file="multiwoz_zh.json"
    )


def by_id(path: Path) -> dict[str, Dialogue]:
    return {dialogue.id: dialogue for dialogue in read_corpus(path)}


def test_machine_and_edits_give_the_human_corpus(
    data_folder: Path,
    segments: list[Segment],
    machine: dict[str, Dialogue],
    human: dict[str, Dialogue],
    tmp_path: Path,
) -> None:
    edited = with_edits(segments, human)
    assert len(edited) == 3646 and sum(each.changed_utterance for each in edited) == 3505
    assert not any(each.changed_values for each in edited)
    finished = finisher(edited, Glossary(), "en", "zh").finish(machine.values())
    write_corpus(finished, tmp_path / "human.json", to="multiwoz")
    with zipfile.ZipFile(data_folder / "multiwoz_zh" / "human_val.json.zip") as packed:
        published = packed.read(packed.namelist()[0])
    assert (tmp_path / "human.json").read_bytes() == published


def test_the_checker_finds_what_a_reader_found(segments: list[Segment]) -> None:
    by_key = {segment.key: segment for segment in segments}
    verdicts = json.loads(VERDICTS.read_text(encoding="utf-8"))["values"]
    flagged, wrong = [], []
    for each in verdicts:
        segment = by_key[each["dialogID"], each["turnID"]]
        alignment = align_segment(segment, "en", "zh")[each["value"]]
        assert alignment.slot == each["slot"]
        flagged.append(alignment.found is ValueState.MISSING)
        wrong.append(each["verdict"] in ("differs", "absent"))
    right = sum(flag and bad for flag, bad in zip(flagged, wrong, strict=True))
    assert len(verdicts) == 100 and sum(wrong) == 50
    assert right / sum(flagged) >= 0.95  # precision; 50 of 50 when the sample was made
    assert right / sum(wrong) >= 0.95  # recall on the sample
