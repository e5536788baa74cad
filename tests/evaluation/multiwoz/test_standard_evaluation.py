import json
from pathlib import Path
from typing import Any

import pytest
from tests.commands import caller
from tests.evaluation.multiwoz.handmade import tables, write_corpus, write_tables

from crosstalk.corpora.multiwoz import read_multiwoz
from crosstalk.corpora.multiwoz_labels import trade_spelling
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.errors import FormatError, InputError
from crosstalk.evaluation.multiwoz.booking_success import booking_success
from crosstalk.evaluation.multiwoz.joint_goals import state_labels
from crosstalk.evaluation.multiwoz.responses import (
    booked_domains,
    delexicalised,
    human_responses,
    read_responses,
    with_act_domains,
)
from crosstalk.evaluation.multiwoz.standard_evaluation import MultiwozTask, evaluate_responses
from crosstalk.evaluation.multiwoz.system_responses import predicted_responses
from crosstalk.evaluation.scores import Share

STATE = {"hotel": {"area": "north"}}
GOOD = [
    {"response": "[hotel_name] , phone [hotel_phone] .", "state": STATE},
    {"response": "done , [ref] .", "state": STATE},
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write_tables(tmp_path)
    return write_corpus(tmp_path / "corpus.json")


def scored(corpus: Path, predictions: Any, **options: Any) -> dict[str, Any]:
    file = corpus.parent / "predictions.json"
    file.write_text(json.dumps(predictions), encoding="utf-8")
    return evaluate_responses(MultiwozTask(corpus, str(file), corpus.parent, **options))


def test_what_people_said(corpus: Path) -> None:
    found = evaluate_responses(MultiwozTask(corpus, "gold", corpus.parent))
    assert (found["inform"], found["success"], found["bleu"]) == (100.0, 100.0, 100.0)
    assert found["combined"] == 200.0
    assert found["joint_goal_accuracy"] == 100.0
    assert found["booking_success"] == {"right": 1, "total": 1, "percent": 100.0}
    assert found["dialogues"] == 1
    assert len(found["oracles"]) == 2


def test_predictions(corpus: Path) -> None:
    found = scored(corpus, {"mul0001": GOOD, "mul9999": GOOD})
    assert (found["inform"], found["success"], found["bleu"]) == (100.0, 100.0, 100.0)
    assert found["joint_goal_accuracy"] == 50.0  # people and stay are missing in the second turn
    assert found["states"] == "predicted" and len(found["oracles"]) == 1
    assert found["booking_success"] is None


def test_one_turn_without_a_state_brings_in_the_gold_states(corpus: Path) -> None:
    bare = {"response": "done , [ref] ."}
    found = scored(corpus, {"mul0001": [GOOD[0], bare]})
    assert found["states"] == "gold" and "gold states" in found["oracles"]
    assert found["joint_goal_accuracy"] is None


def test_a_dialogue_without_a_reference_fails(corpus: Path) -> None:
    found = scored(corpus, {"mul0001": [GOOD[0], {"response": "done .", "state": STATE}]})
    assert (found["inform"], found["success"]) == (100.0, 0.0)
    assert found["by_domain"]["hotel"] == {"inform": 100.0, "success": 0.0, "dialogues": 1}


def test_fewer_dialogues_are_refused(corpus: Path) -> None:
    with pytest.raises(InputError, match="1 responses for 2 system turns"):
        scored(corpus, {"mul0001": GOOD[:1]})
    with pytest.raises(InputError, match="--domains words"):
        scored(corpus, {"mul0001": GOOD}, domains="words")
    with pytest.raises(InputError, match="1 of 2 dialogues have no responses, mul0002 for one"):
        scored(_with_another(corpus), {"mul0001": GOOD})


def test_some_dialogues_if_asked_for(corpus: Path) -> None:
    found = scored(_with_another(corpus), {"mul0001": GOOD}, partial=True)
    assert (found["dialogues"], found["missing_dialogues"]) == (1, 1)


def _with_another(corpus: Path) -> Path:
    both = json.loads(corpus.read_text(encoding="utf-8"))
    both["MUL0002.json"] = both["MUL0001.json"]
    corpus.write_text(json.dumps(both), encoding="utf-8")
    return corpus


@pytest.mark.parametrize("partial", [True, False])
def test_responses_to_other_dialogues_are_told(corpus: Path, partial: bool) -> None:
    with pytest.raises(InputError, match="it has sng0001, the file mul0001"):
        scored(corpus, {"sng0001": GOOD}, partial=partial)


def test_a_file_without_acts_is_refused(corpus: Path) -> None:
    document = json.loads(corpus.read_text(encoding="utf-8"))
    for entry in document["MUL0001.json"]["log"]:
        del entry["dialog_act"]
    corpus.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match="it has no dialogue acts"):
        scored(corpus, {"mul0001": GOOD})


def test_responses_of_our_system(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = corpus.parent / "predictions.json"
    given = ("--tracker", "gold", "--train", corpus, "--data", corpus, "--tables", corpus.parent)
    code, _, _ = caller(monkeypatch, capsys, "system", "responses")(*given, "--out", out)
    assert code == 0
    found = evaluate_responses(MultiwozTask(corpus, str(out), corpus.parent))
    assert (found["dialogues"], found["turns"]) == (1, 2)


def test_a_file_of_another_corpus_is_named(corpus: Path, tmp_path: Path) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"messages": [{"role": "user", "content": "hello"}]}\n', encoding="utf-8")
    with pytest.raises(InputError, match="in the format chat"):
        predicted_responses("gold", corpus, MultiwozTask(chat, "", corpus.parent))
    with pytest.raises(InputError, match="in the format chat"):
        predicted_responses("gold", chat, MultiwozTask(corpus, "", corpus.parent))


def test_a_broken_file_of_predictions(tmp_path: Path) -> None:
    file = tmp_path / "predictions.json"
    file.write_text('{"mul0001": [{"text": "hello"}]}', encoding="utf-8")
    with pytest.raises(FormatError, match="response"):
        read_responses(file)


def test_spans_become_slots_all_of_them_where_they_overlap() -> None:
    spans = [
        ["Attraction-Inform", "Addr", "cafe jello gallery", 0, 2],
        ["Attraction-Inform", "Name", "cafe jello gallery", 0, 2],
        ["Attraction-Inform", "Fee", "free", 4, 4],
    ]
    extras = {"multiwoz": {"span_info": spans}}
    turn = Turn(Speaker.SYSTEM, "cafe jello gallery is free .", extras=extras)
    assert delexicalised(turn) == "[address] [name] is [entrancefee] ."


def test_values_of_acts_become_slots_where_nothing_is_annotated() -> None:
    acts = (Act("Inform", "hotel", "name", "Allenbell"), Act("Inform", "hotel", "stars", "4"))
    turn = Turn(Speaker.SYSTEM, "The allenbell has 4 stars and 14 rooms.", acts)
    assert delexicalised(turn) == "The [name] has [stars] stars and 14 rooms."


def test_a_booking_is_about_what_was_booked(corpus: Path) -> None:
    (dialogue,) = read_multiwoz(corpus)
    assert booked_domains(dialogue) == [frozenset(), frozenset({"hotel"})]
    turns = with_act_domains(human_responses(dialogue), dialogue)
    assert [turn.domains for turn in turns] == [("hotel",), ("hotel",)]


def test_a_booking_for_others_is_no_success(corpus: Path, tmp_path: Path) -> None:
    log = json.loads(corpus.read_text(encoding="utf-8"))
    log["MUL0001.json"]["goal"]["hotel"]["book"]["people"] = "5"
    corpus.write_text(json.dumps(log), encoding="utf-8")
    (dialogue,) = read_multiwoz(corpus)
    assert booking_success(dialogue, tables(tmp_path / "again")) == Share(0, 1)


def test_labels_of_a_predicted_state() -> None:
    state = {"restaurant": {"people": "6", "price range": "dont care", "time": "18 : 45"}}
    assert state_labels(state) == {
        "restaurant-book people": "6",
        "restaurant-pricerange": "dontcare",
        "restaurant-book time": "18:45",
    }
    assert trade_spelling("King 's B&B") == "king's bed and breakfast"


def test_the_command(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(monkeypatch, capsys, "evaluate", "multiwoz", "--data", str(corpus))
    code, out, _ = call("--responses", "gold", "--tables", corpus.parent, "--json")
    assert code == 0
    assert {"inform", "success", "bleu", "combined", "joint_goal_accuracy"} <= set(json.loads(out))
    code, out, _ = call("--responses", "gold", "--tables", corpus.parent)
    assert code == 0 and "booked_domains" in out


@pytest.mark.parametrize(
    ("file", "domains", "inform", "success"),
    [
        ("val", "states", 93.3, 90.2),
        ("test-a", "states", 93.2, 89.2),
        ("test-a", "acts", 93.8, 91.2),
    ],
)
def test_published_procedure_on_what_people_said(
    data_folder: Path, file: str, domains: str, inform: float, success: float
) -> None:
    path = data_folder / "multiwoz" / f"{file}.json.zip"
    if not path.exists():
        pytest.skip(f"no {path}")
    found = evaluate_responses(MultiwozTask(path, "gold", data_folder, domains))
    assert (found["inform"], found["success"]) == (inform, success)
    assert (found["bleu"], found["joint_goal_accuracy"]) == (100.0, 100.0)
    if file == "val":
        assert found["booking_success"] == {"right": 757, "total": 789, "percent": 95.9}
        assert found["dialogues"] == 999
