"""`crosstalk transfer dst`, end to end on small files."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.transfer import dst_made
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.errors import CrosstalkError, FormatError, InputError
from crosstalk.evaluation.state_transfer import StateTransfer
from crosstalk.training import sentence_encoders
from crosstalk.transfer import dst_transfer
from crosstalk.transfer.states import state_scorers
from crosstalk.transfer.states.state_candidates import ReaderCache
from crosstalk.transfer.states.transfer_tasks import find_task


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No sentence encoder, and a cache of our own: as on a machine with no weights at all."""
    monkeypatch.setattr(sentence_encoders, "is_installed", lambda: False)
    monkeypatch.setenv("CROSSTALK_CACHE", str(tmp_path / "cache"))


def ask(*words: object) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["transfer", "dst", *map(str, words), "--json"])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return dict(json.loads(result.stdout))


def test_english_teaches_chinese(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data")
    test = data / "multiwoz_zh" / "test-a.json"
    found = ask(
        "--model", "best", "--source", "en", "--target", "zh", "--data", data, "--test", test
    )
    assert found["task"] == "MultiWOZ-ZH (ConvLab-2)"
    assert [each["seed"] for each in found["seeds"]] == [1, 2, 3]
    assert found["joint_goal_accuracy"] > 80
    assert found["slot_accuracy"] > 95
    assert found["turns"] == 30


def test_a_trained_model_is_kept_and_used_again(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data")
    test = data / "multiwoz_zh" / "test-a.json"
    order = (
        "--target",
        "zh",
        "--data",
        data,
        "--test",
        test,
        "--seeds",
        1,
        "--out",
        tmp_path / "m",
    )
    first = ask(*order)
    (kept,) = (tmp_path / "m").iterdir()
    trees = (kept / "trees.txt").read_bytes()
    assert ask(*order) == first
    (kept / "trees.txt").write_text("damaged", encoding="utf-8")
    assert ask(*order) == first  # trained anew
    assert (kept / "trees.txt").read_bytes() == trees


def test_shots_add_dialogues_of_the_target(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data")
    task = find_task(data, "zh")
    assert [len(dst_transfer.TransferRun(task, shots).shown(1)) for shots in (0, 1, 100)] == [
        0,
        1,
        40,
    ]
    test = data / "multiwoz_zh" / "test-a.json"
    found = ask("--target", "zh", "--shots", 1, "--data", data, "--test", test, "--seeds", 1)
    assert found["joint_goal_accuracy"] > 80


def test_words_around_values_are_learnt_in_their_language(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=6)
    run = dst_transfer.TransferRun(find_task(data, "zh"), 100)
    readers = ReaderCache(run.ontology)
    taught = [pair for each in run.target for pair in readers.labelled(each)]
    rows = state_scorers.context_rows([moment for moment, _ in taught])
    right = np.array([answer for moment, state in taught for answer in moment.labels(state)])
    scores = state_scorers.fit_contexts(rows, right).of(rows)
    assert scores[right].mean() > scores[~right].mean()


def test_the_leak_of_the_published_protocol_is_a_switch(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=20)
    test = data / "multiwoz_zh" / "test-a.json"
    found = ask(
        "--target", "zh", "--data", data, "--test", test, "--seeds", 1, "--protocol", "paper"
    )
    assert found["protocol"] == "paper"


def test_files_of_multi2woz_load_unchanged(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data")
    dev = [dst_made.trade(w, f"D{n}", "zh") for n, w in enumerate(dst_made.wishes(20))]
    test = [dst_made.trade(w, f"T{n}", "zh") for n, w in enumerate(dst_made.wishes(5, first=9))]
    dst_made.write(data / "multi2woz" / "dev_dials-cn.json", dev)
    file = dst_made.write(data / "multi2woz" / "test_dials-cn.json", test)
    found = ask("--target", "zh", "--data", data, "--test", file, "--seeds", 1)
    assert found["task"] == "Multi2WOZ"
    assert found["joint_goal_accuracy"] > 80


def test_results_are_called_by_the_file_that_was_judged(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=6)
    dev = [dst_made.trade(w, f"D{n}", "zh") for n, w in enumerate(dst_made.wishes(6))]
    dst_made.write(data / "multi2woz" / "dev_dials-cn.json", dev)
    task = find_task(data, "zh")
    moved = dst_made.write(tmp_path / "test.json", dev)
    other = dst_made.write(tmp_path / "log.json", {"D1": dst_made.log(dst_made.wishes(1)[0], "zh")})
    assert task.name_for(moved) == "Multi2WOZ"
    assert task.name_for(data / "multiwoz_zh" / "test-a.json") == "MultiWOZ-ZH (ConvLab-2)"
    assert task.name_for(other) == "log.json"


def test_german_of_woz_2_is_found_beside_multi2woz(tmp_path: Path) -> None:
    data = dst_made.woz2_folder(dst_made.multiwoz_folder(tmp_path / "data", count=6))
    made = [dst_made.trade(w, f"D{n}", "en") for n, w in enumerate(dst_made.wishes(6))]
    real = dst_made.write(data / "multi2woz" / "dev_dials-de.json", made)
    assert find_task(data, "de", real).name == "Multi2WOZ"
    assert find_task(data, "de", data / "woz2" / "woz_validate_de.json").name == "WOZ 2.0 DE"


def test_values_of_multi2woz_are_joined_to_the_english_ones(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=12)
    (data / "multiwoz_zh" / "vocab_dict.json").unlink()
    dev = [dst_made.trade(w, f"D{n}", "zh") for n, w in enumerate(dst_made.wishes(12))]
    dst_made.write(data / "multi2woz" / "dev_dials-cn.json", dev)
    task = find_task(data, "zh")
    assert task.ontology(task.source()).id_of("restaurant-area", "北方", "zh") == "north"


def test_the_published_tracker_needs_no_words_of_the_language(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=10)
    made = [dst_made.trade(w, f"D{n}", "en") for n, w in enumerate(dst_made.wishes(10))]
    for dialogue in made:
        for turn in dialogue["dialogue"]:
            turn |= {"transcript": "Ресторан на севере.", "system_transcript": "Хорошо."}
    file = dst_made.write(data / "multi2woz" / "dev_dials-ru.json", made)
    order = ("--target", "ru", "--data", data, "--test", file, "--seeds", 1)
    assert ask(*order, "--model", "published", "--steps", 6)["task"] == "Multi2WOZ"
    with pytest.raises(InputError, match="no words of the language 'ru'"):
        ask(*order)


def test_the_published_tracker_runs_and_goes_on(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=20)
    test = data / "multiwoz" / "test-a.json"
    order = ("--target", "en", "--data", data, "--test", test, "--seeds", 1, "--steps", 6)
    found = ask("--model", "published", *order)
    assert found["turns"] == 30
    assert ask("--model", "published", *order) == found  # from where it stood: nothing left to do


def test_english_is_learnt_from_train_and_never_from_what_is_judged(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=6)
    train = {f"S{n}": dst_made.log(wish, "en") for n, wish in enumerate(dst_made.wishes(20))}
    dst_made.write(data / "multiwoz" / "train20.json", train)
    val = data / "multiwoz" / "val.json"

    def learnt(model: str, share: float | None = None) -> list[str]:
        asked = StateTransfer("en", data, val, model=model, share=share)
        judged = frozenset({("D0", 3), ("D1", 3)})
        return [each.id for each in asked.run(asked.task(), judged).source]

    assert learnt("published") == [f"S{n}" for n in range(20)] + ["D2", "D3", "D4", "D5"]
    assert len(learnt("best")) == 2 + 4
    assert len(learnt("published", 0.5)) == 10 + 4


def test_shots_teach_the_published_tracker(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=10)
    test = data / "multiwoz_zh" / "test-a.json"
    order = ("--model", "published", "--target", "zh", "--shots", 100, "--protocol", "paper")
    found = ask(*order, "--data", data, "--test", test, "--seeds", 1, "--steps", 6)
    assert found["shots"] == 100


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--target", "fr"), "no dialogues with states are known"),
        (("--target", "xx"), "not a language we know"),
        (("--target", "zh", "--values", "mine"), "--values mine"),
        (("--target", "zh", "--shots", "7"), "not a share we draw"),
        (("--target", "zh", "--source", "zh"), "learnt from English"),
        (("--target", "zh", "--model", "mine"), "no model called"),
        (("--target", "zh", "--protocol", "mine"), "--protocol mine"),
        (("--target", "en", "--shots", "10"), "no dialogues of its own"),
    ],
)
def test_wrong_orders_are_told(tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=6)
    with pytest.raises(InputError, match=told):
        ask(*words, "--data", data, "--test", data / "multiwoz_zh" / "test-a.json")


def test_a_file_of_another_language_is_refused(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=6)
    with pytest.raises(InputError, match="speak en, not zh"):
        ask("--target", "zh", "--data", data, "--test", data / "multiwoz" / "test-a.json")


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("", "T1.*turn 1 is missing"),
        ("transcript", r"T1.*dialogue\[1\]: the field 'transcript' is missing"),
        ("belief_state", r"T1.*dialogue\[1\]: the field 'belief_state' is missing"),
    ],
)
def test_a_missing_turn_or_part_of_it_is_refused(tmp_path: Path, field: str, told: str) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=6)
    holed = [dst_made.trade(w, f"T{n}", "zh") for n, w in enumerate(dst_made.wishes(3))]
    turns = holed[1]["dialogue"]
    del (turns[1] if field else turns)[field or 1]
    with pytest.raises(FormatError, match=told):
        ask("--target", "zh", "--data", data, "--test", dst_made.write(tmp_path / "t.json", holed))


def test_a_file_in_place_of_the_models_folder_is_refused(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=6)
    test = data / "multiwoz_zh" / "test-a.json"
    with pytest.raises(InputError, match="is a file; a folder is expected"):
        ask("--target", "zh", "--data", data, "--test", test, "--out", test)


def test_unknown_slots_and_values_are_counted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data")
    strange = [dst_made.trade(w, f"T{n}", "zh") for n, w in enumerate(dst_made.wishes(2))]
    beliefs = strange[0]["dialogue"][0]["belief_state"]
    beliefs.append({"slots": [["restaurant-mood", "好"]], "act": "inform"})
    beliefs.append({"slots": [["hotel-area", "月球"]], "act": "inform"})
    test = dst_made.write(tmp_path / "t.json", strange)
    result = CliRunner().invoke(
        app, ["transfer", "dst", "--target", "zh", "--data", str(data), "--test", str(test)]
    )
    assert "1 times slots that are not known: restaurant-mood" in result.stderr
    assert "1 times values that are not known: hotel-area=月球" in result.stderr


def test_an_encoder_folder_of_another_kind_is_refused(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=6)
    folder = tmp_path / "encoder"
    dst_made.write(folder / "config.json", {"model_type": "gpt2"})
    with pytest.raises(CrosstalkError, match="cannot be used"):
        ask(
            "--model", "published", "--encoder", folder, "--target", "zh",
            "--data", data, "--test", data / "multiwoz_zh" / "test-a.json",
        )  # fmt: skip


def test_a_folder_without_the_files_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        ask("--target", "de", "--data", tmp_path, "--test", tmp_path / "t.json")
