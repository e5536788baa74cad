"""`crosstalk evaluate nlg` and `crosstalk train nlg`, as a person calls them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from crosstalk.corpora.corpus import write_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn

Crosstalk = Callable[..., int]


@pytest.fixture
def corpus(toy_corpus: list[Dialogue], tmp_path: Path) -> Path:
    write_corpus(toy_corpus, tmp_path / "toy.jsonl", to="native")
    return tmp_path / "toy.jsonl"


def test_a_world_s_own_templates(
    corpus: Path, crosstalk: Crosstalk, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["evaluate", "nlg", "--world", "harbour", "--side", "sys", "--data", corpus]
    assert crosstalk(*command, "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert 0 < result["bleu"] < 1 and result["turns"] == 3 and len(result["sha256"]) == 64
    assert crosstalk(*command) == 0
    assert "brevity_penalty" in capsys.readouterr().out


@pytest.mark.parametrize("model", ["best", "template-random"])
def test_templates_taken_from_a_corpus_say_it_again(
    corpus: Path,
    tmp_path: Path,
    model: str,
    crosstalk: Crosstalk,
    capsys: pytest.CaptureFixture[str],
) -> None:
    world = ["--world", "harbour", "--data", corpus]
    assert crosstalk("train", "nlg", *world, "--out", tmp_path) == 0
    assert {path.name for path in (tmp_path / "nlg").iterdir()} == {
        "auto_user_template_nlg.json",
        "auto_system_template_nlg.json",
        "card.json",
    }
    capsys.readouterr()
    scored = ["evaluate", "nlg", *world, "--templates", tmp_path / "nlg", "--model", model]
    assert crosstalk(*scored, "--side", "sys", "--json") == 0
    score = json.loads(capsys.readouterr().out)["bleu"]
    assert score == 1 if model == "best" else score < 1  # published values are in lower case


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (["--side", "left"], "--side left: there is no such side\nGive usr or sys."),
        (
            ["--side", "usr", "--model", "x"],
            "no generator called 'x'\nKnown: template, ranked-templates, sclstm, best",
        ),
        (["--side", "usr", "--templates", "nowhere"], "nowhere/auto_user_template_nlg.json"),
        (["--side", "usr", "--world", "crosswoz"], "does not fit the world crosswoz in zh"),
    ],
)
def test_wrong_input_is_answered_in_words(
    corpus: Path,
    extra: list[str],
    words: str,
    crosstalk: Crosstalk,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("CROSSTALK_DATA", raising=False)
    command = ["evaluate", "nlg", "--world", "harbour", "--data", corpus, *extra]
    assert crosstalk(*command) == 2
    assert words in capsys.readouterr().err


def test_missing_tables_are_asked_for(
    tmp_path: Path,
    crosstalk: Crosstalk,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("CROSSTALK_DATA", raising=False)
    greeting = Turn(Speaker.USER, "你好", (Act("General", "greet"),))
    talk = Dialogue("1", (greeting,), world="crosswoz", language="zh")
    write_corpus([talk], tmp_path / "talk.jsonl", to="native")
    assert crosstalk("evaluate", "nlg", "--side", "usr", "--data", tmp_path / "talk.jsonl") == 2
    assert "then name the folder with --tables or CROSSTALK_DATA." in capsys.readouterr().err


@pytest.mark.parametrize("body", ["[]", '{"Inform+hotel+price": "x"}', '{"a": [1]}', "{"])
def test_broken_template_files(
    corpus: Path,
    tmp_path: Path,
    body: str,
    crosstalk: Crosstalk,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "auto_user_template_nlg.json").write_text(body)
    command = ["--world", "harbour", "--data", corpus, "--templates", tmp_path, "--side", "usr"]
    assert crosstalk("evaluate", "nlg", *command) == 2
    assert "auto_user_template_nlg.json" in capsys.readouterr().err
