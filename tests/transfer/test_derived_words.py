"""States of a language without a hand-written word of it: words derived from texts."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.transfer import dst_made
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.errors import InputError
from crosstalk.language.dates import weekday_words
from crosstalk.training import sentence_encoders
from crosstalk.transfer.dst_transfer import TransferRun, identity
from crosstalk.transfer.states import derived_words, transfer_tasks
from crosstalk.transfer.states.concepts import ConceptFinder
from crosstalk.transfer.states.inflected_forms import inflected
from crosstalk.transfer.states.ontology import build
from crosstalk.transfer.states.state_slots import multiwoz_slots
from crosstalk.transfer.states.target_texts import TargetTexts
from crosstalk.transfer.states.transfer_tasks import find_task

PLACES = {"north": "北方", "south": "南方", "centre": "中心"}
PRICES = {"cheap": "便宜", "expensive": "昂贵"}
THINGS = {"sea": "海", "dog": "狗", "wine": "酒", "tree": "树", "cat": "猫", "bird": "鸟"}
FOODS = {"italian": "意大利", "indian": "印度"}


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No sentence encoder, and a cache of our own: translations are the only evidence."""
    monkeypatch.setattr(sentence_encoders, "is_installed", lambda: False)
    monkeypatch.setenv("CROSSTALK_CACHE", str(tmp_path / "cache"))


def sentences() -> list[tuple[str, str]]:
    """Sentences in translation that are about other things than restaurants."""
    pairs = []
    for english, foreign in {**PLACES, **PRICES, **FOODS}.items():
        for thing, same in THINGS.items():
            pairs.append((f"the {thing} is {english} now", f"现在{same}很{foreign}"))
    for thing, same in THINGS.items():
        pairs.append((f"a restaurant, a {thing}", f"餐厅，{same}"))
        pairs.append((f"book it, a {thing}", f"预订，{same}"))
        pairs.append((f"people, a {thing}", f"人，{same}"))
        pairs.append((f"see the {thing}", f"看见，{same}"))
    return pairs


def folder_with_sentences(folder: Path) -> Path:
    data = dst_made.multiwoz_folder(folder)
    rows = [f"eng\tcmn_Hans\t{english}\t{foreign}" for english, foreign in sentences()]
    file = data / "tatoeba" / "eng-zho.zip"  # the name of the catalogue; text is read as it is
    file.parent.mkdir()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("eng-zho", "\n".join(rows) + "\n")
    return data


def ask(data: Path, out: Path) -> dict[str, Any]:
    words = ["transfer", "dst", "--model", "best", "--no-tables", "--source", "en", "--target",
             "zh", "--shots", "0", "--data", str(data), "--seeds", "1", "--out", str(out),
             "--test", str(data / "multiwoz_zh" / "test-a.json"), "--json"]  # fmt: skip
    result = CliRunner().invoke(app, words)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return dict(json.loads(result.stdout))


def test_translated_sentences_give_the_words_of_values_and_cues() -> None:
    english = {"restaurant-area": ["north", "south"], "restaurant-food": ["italian", "indian"]}
    texts = TargetTexts("zh", ["我想在北方找一家意大利餐厅"] * 3, [], pairs=sentences())
    words = derived_words.derive_words(texts, build(multiwoz_slots(), english), [], None)
    assert words.values["area"]["north"] == ("北方",)
    assert words.values["food"]["italian"] == ("意大利",)
    assert "餐厅" in words.cues["restaurant"]


def test_stems_stop_where_another_value_begins_alike() -> None:
    vocabulary = ["teueren", "teueres", "teures", "tourist"]
    assert inflected(["teueres"], vocabulary, vocabulary) == ["teueren", "teures", "teuer*"]
    assert inflected(["westen"], ["westen"], ["westen", "western"]) == []


def test_days_are_those_of_the_reader_of_dates() -> None:
    texts = TargetTexts("ru", [], [])
    words = derived_words.derive_words(texts, build(multiwoz_slots(), {}), [], None)
    assert words.values["day"]["monday"] == weekday_words("ru")[0]
    assert weekday_words("it") == ()


def test_a_concept_is_a_value_of_a_topic_or_a_cue() -> None:
    finder = ConceptFinder(build(multiwoz_slots(), {"hotel-pricerange": ["cheap"]}))
    assert {("price", "cheap"), ("cue", "hotel")} <= finder.of("a cheap hotel")


def test_states_are_tracked_without_a_table(tmp_path: Path) -> None:
    data = folder_with_sentences(tmp_path / "data")
    found = ask(data, tmp_path / "out")
    assert (found["tables"], found["hand_written_forms"]) == (False, 0)
    assert found["joint_goal_accuracy"] > 60


def test_no_label_of_the_target_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: dev states that are wrong, and a translated list that fails when it is opened."""
    data = folder_with_sentences(tmp_path / "data")
    run = TransferRun(find_task(data, "zh"), seeds=(1,), tables=False)
    words = derived_words.derive_words(run.texts, run.task.english_ontology(run.source), [], None)
    reading = run.task.reading_ontology(run.source, words, None)
    whole = ask(data, tmp_path / "out")

    dev = data / "multiwoz_zh" / "val.json"
    planted = dev.read_text(encoding="utf-8")
    for value in ("北方", "南方", "中心"):
        planted = planted.replace(f'"区域": "{value}"', '"区域": "错误"')
    assert planted.count("错误") > 20
    dev.write_text(planted, encoding="utf-8")
    assert ask(data, tmp_path / "other") == whole

    def opened(file: Path) -> Any:
        raise AssertionError(f"{file} was opened")

    monkeypatch.setattr(transfer_tasks, "_pairs", opened)
    monkeypatch.setattr(transfer_tasks.TransferTask, "target_dialogues", opened)
    blind = TransferRun(find_task(data, "zh"), seeds=(1,), tables=False)
    assert blind.task.reading_ontology(blind.source, words, None).forms == reading.forms
    assert blind.texts == run.texts
    assert blind.digest == run.digest


def test_shots_and_a_choice_on_the_target_are_refused(tmp_path: Path) -> None:
    task = find_task(dst_made.multiwoz_folder(tmp_path / "data", count=4), "zh")
    with pytest.raises(InputError, match="--no-tables"):
        TransferRun(task, 10, tables=False)
    with pytest.raises(InputError, match="--no-tables"):
        TransferRun(task, protocol="paper", tables=False)


def test_originals_of_judged_dialogues_are_not_learnt_from(tmp_path: Path) -> None:
    task = find_task(dst_made.multiwoz_folder(tmp_path / "data", count=4), "zh")
    first, *others = task.source()
    run = TransferRun(task, judged=frozenset({identity(first)}), tables=False)
    assert [each.id for each in run.source] == [each.id for each in others]


def test_named_dialogues_may_be_learnt_from_without_tables(tmp_path: Path) -> None:
    """Shots come from the file of `--learn`, less what is judged."""
    data = dst_made.multiwoz_folder(tmp_path / "data", count=6)
    file = data / "multiwoz_zh" / "val.json"
    task = find_task(data, "zh", learn=file)
    first, *others = task.target_dialogues()
    run = TransferRun(task, 100, judged=frozenset({identity(first)}), tables=False)
    assert [each.id for each in run.target] == [each.id for each in others]
    assert (
        run.words_digest
        == TransferRun(find_task(data, "zh"), judged=run.judged, tables=False).digest
    )
    assert run.digest != run.words_digest
