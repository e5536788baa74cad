"""`crosstalk models`, and folders that are not what they should be."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from crosstalk import build_system
from crosstalk.cli.main import app
from crosstalk.errors import CrosstalkError, FileProblem, InputError
from crosstalk.model_folders import (
    CHECKOUT,
    PACKAGED,
    SHIPPED,
    Card,
    Provenance,
    all_model_folders,
    find_model,
    model_folders,
    read_card,
    write_card,
)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A models folder with one small model."""
    folder = tmp_path / "models" / "policy"
    folder.mkdir(parents=True)
    (folder / "model.txt").write_text("trees")
    (folder / "metrics.jsonl").write_text("")
    write_card(
        folder,
        Card(
            what="a policy",
            command="crosstalk train policy",
            data=Provenance("12 simulated dialogues", "0" * 64, 12),
            seed=3,
            figures={"exact_f1": 73.6},
            world="harbour",
            language="en",
            minutes=0.25,
        ),
    )
    return tmp_path / "models"


def run(*command: str | Path) -> Result:
    return CliRunner().invoke(app, ["models", *map(str, command)])


def test_a_card_says_what_the_model_is(models: Path) -> None:
    card = read_card(models / "policy")
    assert (card["name"], card["kind"], card["seed"], card["minutes"]) == (
        "policy",
        "policy",
        3,
        0.25,
    )
    assert {"crosstalk", "python"} <= set(card["versions"])
    assert set(card["files"]) == {"model.txt"}


def test_yours_come_first(models: Path) -> None:
    assert find_model("policy", models) == models / "policy"
    assert find_model("policy") == SHIPPED / "policy"


def test_shipped_models_are_whole() -> None:
    assert run("check").exit_code == 0
    assert {folder.name for folder in model_folders(SHIPPED)} >= {"dst", "policy", "user"}


def test_the_list_is_a_table_or_json(models: Path) -> None:
    assert "shipped" in run("list").stdout
    mine = json.loads(run("list", "--models", models, "--json").stdout)[0]
    assert (mine["name"], mine["world"], mine["state"]) == ("policy", "harbour", "yours")


def test_a_card_is_shown(models: Path) -> None:
    assert "exact_f1: 73.6" in run("show", "policy", "--models", models).stdout
    shown = json.loads(run("show", models / "policy", "--json").stdout)
    assert shown["figures"] == {"exact_f1": 73.6}


def test_names_and_folders_nobody_knows(tmp_path: Path) -> None:
    assert isinstance(run("show", "polyci").exception, InputError)
    assert isinstance(run("check", tmp_path).exception, InputError)
    assert isinstance(run("list", "--models", tmp_path / "none").exception, InputError)


def damage(folder: Path) -> None:
    (folder / "model.txt").write_text("treez")


def lose(folder: Path) -> None:
    (folder / "model.txt").unlink()


def empty(folder: Path) -> None:
    (folder / "model.txt").write_text("")


def age(folder: Path) -> None:
    edit_card(folder, format=99)


def rename(folder: Path) -> None:
    edit_card(folder, name="nlu-harbour-en", what="understanding")


def unlist(folder: Path) -> None:
    edit_card(folder, files=None)


def tear(folder: Path) -> None:
    (folder / "card.json").write_text('{"name": "pol')


def edit_card(folder: Path, **fields: object) -> None:
    card = json.loads((folder / "card.json").read_text())
    (folder / "card.json").write_text(json.dumps({**card, **fields}))


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (damage, "model.txt is damaged"),
        (lose, "model.txt: no such file"),
        (empty, "model.txt: the file is empty"),
        (age, "a model of format 99"),
        (rename, "holds the model 'nlu-harbour-en'"),
        (unlist, "files missing or wrong"),
        (tear, "not valid JSON"),
    ],
)
def test_what_is_not_whole_is_refused_in_words(
    models: Path, harm: Callable[[Path], None], words: str
) -> None:
    harm(models / "policy")
    with pytest.raises(CrosstalkError) as refused:
        find_model("policy", models)
    assert words in refused.value.message
    assert refused.value.remedy
    checked = run("check", "policy", "--models", models)
    assert checked.exit_code == 1
    assert words in checked.stdout
    listed = json.loads(run("list", "--models", models, "--json").stdout)[0]
    assert listed["state"] == "damaged"


def test_a_folder_that_was_never_finished_is_no_model(models: Path) -> None:
    (models / "policy" / "card.json").unlink()
    assert find_model("policy", models) == SHIPPED / "policy"
    with pytest.raises(InputError, match="no trained model called 'nlg-mine'"):
        find_model("nlg-mine", models)


@pytest.mark.parametrize(
    "wrong",
    [{"figures": True}, {"files": {"../secret": ""}}, {"files": {"/dev/zero": ""}}],
    ids=["figures", "a file above", "a file elsewhere"],
)
def test_cards_from_elsewhere(models: Path, wrong: dict[str, object]) -> None:
    edit_card(models / "policy", **wrong)
    with pytest.raises(FileProblem, match=f"{next(iter(wrong))} missing or wrong"):
        read_card(models / "policy")


def test_a_card_that_is_no_card_is_refused(models: Path) -> None:
    (models / "policy" / "card.json").write_text("[]")
    with pytest.raises(FileProblem, match="not the card of a model"):
        read_card(models / "policy")


def test_the_second_package_holds_what_errors_say_it_holds() -> None:
    held = {folder.name for folder in model_folders(CHECKOUT)}
    assert held == PACKAGED
    assert not held & {folder.name for folder in model_folders(SHIPPED)}
    assert {CHECKOUT / name for name in held} <= set(all_model_folders())


def test_without_the_second_package_the_error_says_what_to_install_or_train(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("crosstalk.model_folders._packaged", tuple)
    with pytest.raises(InputError, match="no trained model called 'nlu-harbour-en'") as refused:
        build_system("harbour", nlu="trees")
    assert "crosstalk-dialogue[models]" in refused.value.remedy
    assert "crosstalk train nlu --world harbour --language en" in refused.value.remedy
    with pytest.raises(InputError) as unknown:
        find_model("nlu-mytown-en")
    assert "crosstalk-dialogue[models]" not in unknown.value.remedy


@pytest.mark.parametrize(("world", "needs_data"), [("harbour", False), ("crosswoz", True)])
def test_what_best_stands_for_needs_no_second_package(
    world: str, needs_data: bool, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if needs_data:
        request.getfixturevalue("data_folder")
    complete = best_parts(world)
    monkeypatch.setattr("crosstalk.model_folders._packaged", tuple)
    assert best_parts(world) == complete


def best_parts(world: str) -> dict[str, str]:
    listed = CliRunner().invoke(app, ["system", "parts", "--world", world, "--json"])
    return dict(json.loads(listed.stdout)["best"])
