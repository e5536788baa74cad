"""ConvLab's unified format, written by us and by others."""

import json
from pathlib import Path
from typing import Any

from crosstalk.corpora.convlab import read_convlab, write_convlab
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue


def test_what_others_read(talk: Dialogue, tmp_path: Path) -> None:
    write_convlab([talk], tmp_path / "dialogues.json")
    (document,) = json.loads((tmp_path / "dialogues.json").read_text(encoding="utf-8"))
    assert (document["dataset"], document["data_split"]) == ("crosswoz", "train")
    assert (document["dialogue_id"], document["original_id"]) == ("crosswoz-train-0", "7")
    assert document["domains"] == ["酒店", "餐馆"]
    assert document["goal"]["inform"] == {"酒店": {"评分": "4.5分以上"}, "餐馆": {"推荐菜": "面"}}
    assert document["goal"]["request"] == {"酒店": {"名称": "", "周边餐馆": ""}}
    user, system, nearby, *_ = document["turns"]
    assert user["utt_idx"] == 0
    assert user["dialogue_acts"] == {
        "categorical": [],
        "non-categorical": [
            {
                "intent": "Inform",
                "domain": "酒店",
                "slot": "评分",
                "value": "4.5分以上",
                "start": 2,
                "end": 8,
            }
        ],
        "binary": [{"intent": "Request", "domain": "酒店", "slot": "名称"}],
    }
    assert user["state"]["酒店"]["评分"] == "4.5分以上"
    assert system["db_query"]["酒店"]["评分"] == "4分以上"
    assert system["db_results"] == {"酒店": [{"名称": "甲"}]}
    binary = nearby["dialogue_acts"]["binary"]
    assert {"intent": "Select", "domain": "餐馆", "slot": "源领域-酒店"} in binary


def test_an_edited_text_is_the_text_we_get(talk: Dialogue, tmp_path: Path) -> None:
    path = tmp_path / "dialogues.json"
    write_convlab([talk], path)
    path.write_text(path.read_text(encoding="utf-8").replace("不客气", "再见"), encoding="utf-8")
    (back,) = read_convlab(path)
    assert back.turns[5].text == "再见"
    assert back.turns[:5] == talk.turns[:5]


def test_a_file_without_our_key(tmp_path: Path) -> None:
    document: dict[str, Any] = {
        "dataset": "multiwoz21",
        "data_split": "validation",
        "dialogue_id": "multiwoz21-validation-0",
        "domains": ["hotel"],
        "goal": {"description": "a hotel", "inform": {"hotel": {"area": "east"}}, "request": {}},
        "turns": [
            {
                "speaker": "user",
                "utterance": "hi, a hotel in the east",
                "utt_idx": 0,
                "dialogue_acts": {
                    "categorical": [
                        {"intent": "inform", "domain": "hotel", "slot": "area", "value": "east"}
                    ],
                    "non-categorical": [],
                    "binary": [
                        {"intent": "greet", "domain": "", "slot": ""},
                        {"intent": "request", "domain": "hotel", "slot": "phone"},
                    ],
                },
                "state": {"hotel": {"area": "east", "name": ""}},
                "emotion": 3,
            },
            {"speaker": "system", "utterance": "none", "utt_idx": 1, "db_results": {}},
        ],
    }
    (tmp_path / "theirs.json").write_text(json.dumps([document]))
    (dialogue,) = read_convlab(tmp_path / "theirs.json")
    assert (dialogue.id, dialogue.world) == ("multiwoz21-validation-0", "multiwoz21")
    assert dialogue.turns[0].acts == (
        Act("General", "greet"),
        Act("inform", "hotel", "area", "east"),
        Act("request", "hotel", "phone", ""),
    )
    state = dialogue.turns[1].first_query
    assert state is not None
    assert state.get("hotel").constraints == {"area": "east"}
    kept = dialogue.turns[0].extras["convlab"]
    assert kept == {"emotion": 3, "dialogue_acts": document["turns"][0]["dialogue_acts"]}
    assert dialogue.goal is not None
    assert [(each.slot, each.value) for each in dialogue.goal.tuples] == [("area", "east")]
    write_convlab([dialogue], tmp_path / "again.json")
    (again,) = json.loads((tmp_path / "again.json").read_text())
    assert (again["data_split"], again["dialogue_id"]) == ("validation", "multiwoz21-validation-0")
    assert list(read_convlab(tmp_path / "again.json")) == [dialogue]
