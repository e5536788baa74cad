"""`crosstalk annotate`, as a person calls it."""

import json
from pathlib import Path

import pytest
from tests.commands import Call, caller

from crosstalk.annotation.annotator import Annotator
from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.dialogue.dialogues import Dialogue


@pytest.fixture
def files(
    annotator: Annotator, dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A folder with the dialogue annotated (`a.jsonl`) and with its states only (`b.jsonl`)."""
    write_corpus([annotator.annotate(dialogue)], tmp_path / "a.jsonl", to="native")
    write_corpus([dialogue], tmp_path / "b.jsonl", to="native")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def annotate(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    return caller(monkeypatch, capsys, "annotate")


def test_acts_are_written_in_the_format_of_the_file(annotate: Call, files: Path) -> None:
    code, out, _ = annotate("acts", "b.jsonl", "c.jsonl")
    assert code == 0 and "1 dialogues" in out
    assert list(read_corpus(files / "c.jsonl")) == list(read_corpus(files / "a.jsonl"))


@pytest.fixture
def by_person(files: Path) -> None:
    """The acts of `a.jsonl` as if a person had given them."""
    text = (files / "a.jsonl").read_text(encoding="utf-8")
    (files / "a.jsonl").write_text(text.replace('"rules"', '"person"'), encoding="utf-8")


def test_acts_that_the_rules_made_measure_nothing(annotate: Call) -> None:
    code, out, _ = annotate("evaluate", "a.jsonl")
    assert code == 1 and "these rules made: nothing is measured" in out
    code, out, _ = annotate("evaluate", "a.jsonl", "--json")
    assert code == 1 and json.loads(out)["measured"] is False


@pytest.mark.usefixtures("by_person")
def test_evaluate_says_what_checks_ask_for(annotate: Call) -> None:
    code, out, _ = annotate("evaluate", "a.jsonl", "--json")
    told = json.loads(out)
    assert code == 0 and told["f1"] == told["usr_f1"] == told["sys_f1"] == 100
    assert set(told["by_intent"]) == {"General", "Inform", "NoOffer", "Request"}


@pytest.mark.usefixtures("by_person")
def test_evaluate_shows_rules(annotate: Call) -> None:
    _, out, _ = annotate("evaluate", "a.jsonl", "--rules", "--json")
    rules = {each["rule"]: each for each in json.loads(out)["rules"]}
    assert rules["user: asked"]["found"] == 2 and rules["user: asked"]["precision"] == 100
    assert rules["user: near"]["found"] == 0 and rules["user: near"]["precision"] is None
    assert "refused" in annotate("evaluate", "a.jsonl", "--rules")[1]


def test_a_file_without_acts_cannot_be_judged(annotate: Call) -> None:
    code, _, told = annotate("evaluate", "b.jsonl")
    assert code == 2 and "no turn has an act" in told


def test_an_unknown_world_is_told_how_to_override(annotate: Call, files: Path) -> None:
    text = (files / "b.jsonl").read_text(encoding="utf-8").replace('"harbour"', '"nowhere"')
    (files / "b.jsonl").write_text(text, encoding="utf-8")
    code, _, told = annotate("acts", "b.jsonl", "c.jsonl")
    assert code == 2 and "nowhere" in told and "--world" in told
    assert not (files / "c.jsonl").exists()
    assert annotate("acts", "b.jsonl", "c.jsonl", "--world", "harbour")[0] == 0


def test_agreement(annotate: Call) -> None:
    code, out, _ = annotate("agreement", "a.jsonl", "b.jsonl", "--json", "--samples", "20")
    told = json.loads(out)
    assert code == 0 and told["dialogues"] == 1 and told["left_out"] == []
    (pair,) = told["pairs"]
    assert pair["act_f1"]["overall"]["value"] == 0
    assert pair["state_accuracy"]["overall"] == {"value": 100, "interval": [100, 100]}
    assert pair["cohen"]["acts"]["value"] == 0
    assert "Krippendorff" in annotate("agreement", "a.jsonl", "b.jsonl", "--samples", "20")[1]


def test_agreement_per_label(annotate: Call) -> None:
    """In `b.jsonl` nobody has derived the acts; the states of the two are the same."""
    asked = ("agreement", "a.jsonl", "b.jsonl", "--labels", "--samples", "20")
    (table,) = json.loads(annotate(*asked, "--json")[1])["by_label"]
    labels = {(each["part"], *each["label"]): each for each in table["labels"]}
    rating = labels["states", "hotel", "rating"]
    assert rating["agreement"]["value"] == 100 and rating["cohen"] == rating["alpha"] == 1
    thanks = labels["acts", "General", "thank", "none"]
    assert (thanks["units"], thanks["used"], thanks["cohen"]) == (3, 1, 0)
    assert thanks["pabak"] == pytest.approx(1 / 3, abs=1e-4)
    assert table["operations"]["tick"] == {"both": 3, "only_a": 0, "only_b": 0, "f1": 100}
    assert "rating" in annotate(*asked)[1]


def test_agreement_against_gold(annotate: Call) -> None:
    _, out, _ = annotate("agreement", "b.jsonl", "--gold", "a.jsonl", "--json", "--samples", "20")
    assert json.loads(out)["against_gold"][0]["b"] == "a.jsonl"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["agreement", "a.jsonl"], "one annotation alone"),
        (["agreement", "a.jsonl", "a.jsonl"], "given twice"),
        (["agreement", "a.jsonl", "missing.jsonl"], "no such file"),
        (["sample", "a.jsonl", "s.jsonl", "--share", "7"], "a share of 7"),
    ],
)
def test_wrong_input_is_answered_in_words(words: list[str], message: str, annotate: Call) -> None:
    code, _, told = annotate(*words)
    assert code == 2 and message in told


def test_sample_compare_adjudicate(annotate: Call, files: Path) -> None:
    """Blind dialogues, two annotations, and one version made of both."""
    assert annotate("sample", "a.jsonl", "blind.jsonl", "--share", "1")[0] == 0
    assert all(
        turn.acts == () for each in read_corpus(files / "blind.jsonl") for turn in each.turns
    )

    code, out, _ = annotate("compare", "a.jsonl", "b.jsonl")
    assert code == 1 and "act General thank" in out
    assert annotate("compare", "a.jsonl", "b.jsonl", "--out", "d.jsonl")[0] == 0

    adjudicate = ("adjudicate", "a.jsonl", "b.jsonl", "c.jsonl", "--choices", "d.jsonl")
    code, _, told = annotate(*adjudicate)
    assert code == 2 and "not decided" in told and not (files / "c.jsonl").exists()
    lines = (files / "d.jsonl").read_text(encoding="utf-8")
    first = lines.replace('"choice": ""', '"choice": "b"', 1)
    (files / "d.jsonl").write_text(first, encoding="utf-8")
    assert annotate(*adjudicate, "--otherwise", "a")[0] == 0
    assert annotate("compare", "a.jsonl", "c.jsonl", "--json")[1].count('"choice"') == 1


def test_choices_about_nothing_are_refused(annotate: Call, files: Path) -> None:
    annotate("compare", "a.jsonl", "b.jsonl", "--out", "d.jsonl")
    decided = (
        (files / "d.jsonl").read_text(encoding="utf-8").replace('"choice": ""', '"choice": "a"')
    )
    (files / "d.jsonl").write_text(decided, encoding="utf-8")
    annotate("acts", "b.jsonl", "same.jsonl")
    code, _, told = annotate(
        "adjudicate", "a.jsonl", "same.jsonl", "c.jsonl", "--choices", "d.jsonl"
    )
    assert code == 2 and "about no difference" in told
