"""MultiWOZ 2.1 in English and Chinese."""

import json
from pathlib import Path
from typing import Any

import pytest

from crosstalk.corpora.multiwoz import read_multiwoz, write_multiwoz
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.goals import SemanticTuple
from crosstalk.files import read_json

DOCUMENT: dict[str, Any] = {
    "goal": {
        "taxi": {},
        "hotel": {
            "info": {"area": "east"},
            "fail_info": {"area": "west"},
            "book": {"people": "3", "invalid": False},
            "reqt": ["phone"],
        },
        "message": ["You want a <span>hotel</span>"],
    },
    "log": [
        {
            "text": "a hotel",
            "metadata": {},
            "dialog_act": {"Hotel-Inform": [["Area", "east"]], "general-greet": [["none", "none"]]},
            "span_info": [["Hotel-Inform", "Area", "east", 1, 1]],
        },
        {
            "text": "which price?",
            "metadata": {
                "hotel": {
                    "book": {"booked": [{"name": "a"}], "people": "3"},
                    "semi": {"area": "east", "name": "not mentioned"},
                },
                "taxi": {"book": {"booked": []}, "semi": {}},
            },
            "dialog_act": {"Hotel-Request": [["Price", "?"]]},
        },
    ],
}


def test_acts_states_and_goals(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps({"MUL1": DOCUMENT}))
    (dialogue,) = read_multiwoz(tmp_path / "one.json")
    assert (dialogue.id, dialogue.world, dialogue.language) == ("MUL1", "multiwoz", "en")
    assert dialogue.goal is not None
    assert dialogue.goal.tuples == (
        SemanticTuple(1, "hotel", "area", "east"),
        SemanticTuple(1, "hotel", "book people", "3"),
        SemanticTuple(1, "hotel", "phone", ""),
    )
    user, system = dialogue.turns
    assert user.acts == (Act("Inform", "Hotel", "Area", "east"), Act("General", "greet"))
    assert system.acts == (Act("Request", "Hotel", "Price", ""),)
    assert system.first_query == system.last_query
    assert system.first_query is not None
    assert system.first_query.get("hotel").slots == (
        ("area", "east"),
        ("name", "not mentioned"),
        ("book people", "3"),
    )
    write_multiwoz([dialogue], tmp_path / "again.json")
    assert read_json(tmp_path / "again.json") == {"MUL1": DOCUMENT}


def test_chinese_intents_become_ours(tmp_path: Path) -> None:
    entry = {
        "text": "好",
        "metadata": {},
        "dialog_act": {"旅馆-通知": [["区域", "东方"]], "常规-谢谢": [["none", "none"]]},
    }
    (tmp_path / "zh.json").write_text(json.dumps({"MUL1": {"log": [entry]}}), encoding="utf-8")
    (dialogue,) = read_multiwoz(tmp_path / "zh.json")
    assert dialogue.language == "zh"
    assert dialogue.turns[0].acts == (
        Act("Inform", "旅馆", "区域", "东方"),
        Act("General", "thank"),
    )
    write_multiwoz([dialogue], tmp_path / "again.json")
    assert read_json(tmp_path / "again.json") == {"MUL1": {"log": [entry]}}


@pytest.mark.parametrize("name", ["multiwoz/test-a", "multiwoz_zh/human_val"])
def test_real_files_come_back_the_same(name: str, data_folder: Path, tmp_path: Path) -> None:
    source = data_folder / f"{name}.json.zip"
    write_multiwoz(read_multiwoz(source), tmp_path / "copy.json")
    assert read_json(tmp_path / "copy.json") == read_json(source)
    assert '"crosstalk"' not in (tmp_path / "copy.json").read_text(encoding="utf-8")
