"""Corpora as their authors release them: zips with lists of splits, databases and notes beside.

Written by hand after the corpora's documentation. Every file is recognised, counted, checked,
and converted by the commands; splits come from lists and folders.
"""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.corpora.corpus import read_corpus, recognise
from crosstalk.dialogue.dialogues import Dialogue

Files = dict[str, Any]


def log_entry(text: str, acts: Any, state: Any = None, **more: Any) -> Files:
    return {"text": text, "metadata": state or {}, "dialog_act": acts, "span_info": [], **more}


def conversation(area: str, **more: Any) -> Files:
    """One exchange of MultiWOZ, with all domains in its state as the releases have it."""
    hotel = {
        "book": {"booked": [], "people": "", "day": "", "stay": ""},
        "semi": {"name": "", "area": area, "parking": "", "pricerange": "cheap"},
    }
    police: Files = {"book": {"booked": []}, "semi": {}}
    goal = {"hotel": {"info": {"area": area}, "reqt": ["phone"], "fail_info": {}}, "police": {}}
    asked = {"Hotel-Inform": [["Area", area], ["Price", "cheap"]]}
    log = [
        log_entry(f"A cheap hotel in the {area}, please.", asked, **more),
        log_entry(
            "Which day?", {"Booking-Request": [["Day", "?"]]}, {"hotel": hotel, "police": police}
        ),
    ]
    return {"goal": {**goal, "message": ["Find a hotel."], "topic": {}}, "log": log}


NAMES = ("SNG0001.json", "MUL0002.json", "PMUL0003.json")
AREAS = ("north", "east", "west")
TALKS = {"train": "dlg-1", "dev": "dlg-2", "test": "dlg-3"}
COREFERENCE = {"Hotel-Inform": [["Area", "there", "north", 0, "4-4"]]}
TABLES: Files = {"hotel_db.json": [{"name": "the ship", "area": "north"}], "README": "Notes."}


def multiwoz_23() -> Files:
    """Coreference beside the acts; lists of splits as text."""
    logs = {
        name: conversation(area, coreference=COREFERENCE)
        for name, area in zip(NAMES, AREAS, strict=True)
    }
    lists = {"valListFile.txt": f"{NAMES[1]}\n", "testListFile.txt": f"{NAMES[2]}\n"}
    return {"data.json": logs, "ontology.json": {"hotel-semi-area": ["north"]}, **lists, **TABLES}


def multiwoz_24() -> Files:
    """Lists of splits that end in `.json` and are text; acts in a file beside."""
    logs = {name: conversation(area) for name, area in zip(NAMES, AREAS, strict=True)}
    for log in logs.values():
        for entry in log["log"]:
            del entry["dialog_act"], entry["span_info"]
    acts = {
        name.removesuffix(".json"): {"1": {"Booking-Request": [["Day", "?"]]}} for name in NAMES
    }
    lists = {"valListFile.json": f"{NAMES[1]}\n", "testListFile.json": f"{NAMES[2]}\n"}
    more = {"dialogue_acts.json": acts, "slot_descriptions.json": {"hotel-area": ["area"]}}
    return {
        "data.json": logs,
        "ontology.json": {"hotel-semi-area": ["north"]},
        **more,
        **lists,
        **TABLES,
    }


def frames_22(area: str, id: str) -> Files:
    silent = {"active_intent": "NONE", "requested_slots": [], "slot_values": {}}
    wanted = {
        "active_intent": "find_hotel",
        "requested_slots": [],
        "slot_values": {"hotel-area": [area]},
    }
    frames: list[Files] = [
        {
            "service": name,
            "actions": [],
            "slots": [],
            "state": wanted if name == "hotel" else silent,
        }
        for name in (
            "restaurant",
            "taxi",
            "bus",
            "hotel",
            "train",
            "attraction",
            "police",
            "hospital",
        )
    ]
    said = f"A hotel in the {area}, please."
    turns = [
        {"speaker": "USER", "turn_id": "0", "utterance": said, "frames": frames},
        {"speaker": "SYSTEM", "turn_id": "1", "utterance": "Which day?", "frames": []},
    ]
    return {"dialogue_id": id, "services": ["hotel"], "turns": turns}


def multiwoz_22() -> Files:
    """One folder a split, schema and acts above them."""
    slot = {
        "name": "hotel-area",
        "description": "area",
        "is_categorical": True,
        "possible_values": [*AREAS],
    }
    intent = {
        "name": "find_hotel",
        "description": "",
        "is_transactional": False,
        "required_slots": [],
        "optional_slots": {},
    }
    schema = [{"service_name": "hotel", "description": "", "slots": [slot], "intents": [intent]}]
    span = [["Hotel-Inform", "area", "north", 15, 20]]
    acts = {
        id: {
            "0": {"dialog_act": {"Hotel-Inform": [["area", area]]}, "span_info": span},
            "1": {"dialog_act": {"Booking-Request": [["bookday", "?"]]}, "span_info": []},
        }
        for id, area in zip(NAMES, AREAS, strict=True)
    }
    splits = {
        f"{split}/dialogues_001.json": [frames_22(area, id)]
        for split, id, area in zip(("train", "dev", "test"), NAMES, AREAS, strict=True)
    }
    return {"schema.json": schema, "dialog_acts.json": acts, "README.md": "Notes.", **splits}


# Others


def taskmaster_1() -> Files:
    def talk(id: str) -> Files:
        label = {"name": "restaurant_reservation.time.reservation"}
        said = {"index": 0, "speaker": "USER", "text": "A table at 7 pm."}
        segment = {"start_index": 11, "end_index": 15, "text": "7 pm", "annotations": [label]}
        reply = {"index": 1, "speaker": "ASSISTANT", "text": "Done."}
        utterances = [{**said, "segments": [segment]}, reply]
        return {
            "conversation_id": id,
            "instruction_id": "restaurant-table-1",
            "utterances": utterances,
        }

    lists = {f"train-dev-test/{split}.csv": f"{id},\n" for split, id in TALKS.items()}
    ontology = {"restaurant_reservation": [{"group": "time", "annotations": ["reservation"]}]}
    first, *others = map(talk, TALKS.values())
    return {
        "self-dialogs.json": [first],
        "woz-dialogs.json": others,
        "ontology.json": ontology,
        **lists,
    }


def taskmaster_2() -> Files:
    """Seven domains, a file each; segments of several words, speakers who go on."""

    def talk(id: str) -> Files:
        segment = {"start_index": 5, "end_index": 11, "text": "Boston"}
        label = {"annotations": [{"name": "flight_search.destination1"}]}
        lines = [
            ("USER", "Hello.", []),
            ("USER", "From Boston.", [{**segment, **label}]),
            ("ASSISTANT", "When?", []),
        ]
        said = [
            {"index": n, "speaker": who, "text": text, "segments": segments}
            for n, (who, text, segments) in enumerate(lines)
        ]
        return {"conversation_id": id, "instruction_id": "flight-1", "utterances": said}

    first, *others = map(talk, TALKS.values())
    ontology = {"flights": [{"prefix": "flight_search", "annotations": ["destination1"]}]}
    return {
        "data/flights.json": [first],
        "data/hotels.json": others,
        "ontology/flights.json": ontology,
    }


def taskmaster_4() -> Files:
    def talk(id: str) -> Files:
        names = (("api_call", "get_menu"), ("request", '{"query": "Mocha"}'))
        call = [{"name": name, "value": value, "context": "api_call_0"} for name, value in names]
        said = {
            "index": 0,
            "speaker": "user",
            "text": "A mocha.",
            "segments": [],
            "annotations": call,
        }
        reply = {
            "index": 1,
            "speaker": "assistant",
            "text": "Hot?",
            "segments": [],
            "annotations": [],
        }
        more = {"vertical": "Coffee Ordering", "scenario": "", "instructions": ""}
        return {"conversation_id": id, **more, "utterances": [said, reply]}

    first, *others = map(talk, TALKS.values())
    return {"data/data_00.json": [first], "data/data_01.json": others, "README.md": "Notes."}


def frames() -> Files:
    def talk(id: str) -> Files:
        budget = {"budget": [{"val": "1700", "negated": False}]}
        frame: Files = {"frame_id": 1, "frame_parent_id": None, "info": budget, "requests": []}
        act = {"name": "inform", "args": [{"key": "budget", "val": "1700"}]}
        labels = {"acts": [act], "acts_without_refs": [act], "active_frame": 1, "frames": [frame]}
        asked = {"author": "user", "text": "1700 dollars.", "labels": labels, "timestamp": 1.0}
        none = {"acts": [{"name": "no_result", "args": []}], "active_frame": 1, "frames": [frame]}
        db = {"search": [{"BUDGET": "1700"}], "result": [[]]}
        reply = {"author": "wizard", "text": "Nothing.", "labels": none, "db": db, "timestamp": 2.0}
        rated = {"userSurveyRating": 4.0, "wizardSurveyTaskSuccessful": True}
        return {
            "id": id,
            "user_id": "U1",
            "wizard_id": "U2",
            "labels": rated,
            "turns": [asked, reply],
        }

    return {"frames.json": [*map(talk, TALKS.values())], "LICENSE.txt": "Terms."}


def risawoz() -> Files:
    def talk(id: str) -> Files:
        state = {
            "inform slot-values": {"餐厅-菜系": "川菜"},
            "turn_inform": {"餐厅-菜系": "川菜"},
            "turn request": [],
        }
        turn = {
            "turn_id": 0,
            "turn_domain": ["餐厅"],
            "user_utterance": "我想吃川菜。",
            "system_utterance": "推荐蜀香阁。",
            "belief_state": state,
            "user_actions": [["Inform", "餐厅", "菜系", "川菜"]],
            "system_actions": [["Recommend", "餐厅", "名称", "蜀香阁"]],
            "db_results": ["数据库检索结果：成功匹配个数= 1", "{'名称': '蜀香阁'}"],
            "segmented_user_utterance": "我 想 吃 川菜 。",
            "segmented_system_utterance": "推荐 蜀香阁 。",
        }
        return {"dialogue_id": id, "goal": "找餐厅。", "domains": ["餐厅"], "dialogue": [turn]}

    ids = {split: f"restaurant_goal_1-{n}###{n}" for n, split in enumerate(TALKS)}
    return {f"{split}.json": [talk(id)] for split, id in ids.items()}


def kddres() -> Files:
    def talk() -> Files:
        wish = [["餐館", "位置", "長洲", False], ["餐館", "電話", "none", False]]
        form = {"位置": "長洲", "電話": "none", "桌位": {"小桌": "none", "大桌": "none"}}
        greet = [["General", "餐館", "greet", "none"]]
        ask, tell = [["Inform", "餐館", "位置", "長洲"]], [["Inform", "餐館", "名稱", "海邊"]]
        said = [
            {"role": "sys", "content": "你好", "dialog_act": greet, "sys_state": form},
            {"role": "user", "content": "長洲的餐館", "dialog_act": ask, "user_state": wish},
            {"role": "sys", "content": "有一間", "dialog_act": tell, "sys_state": form},
        ]
        kept = {"task": ["問電話"], "domain": "餐館", "room": "7", "check": -1, "num": "2"}
        return {"goal": wish, "final_goal": wish, "messages": said, "index": "9", **kept}

    return {f"{split}.json": {str(n): talk()} for n, split in enumerate(TALKS)}


def zipped(files: Files, folder: str, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            archive.writestr(f"{folder}/{name}", text)
    return path


RELEASES = {
    "MULTIWOZ2.3": (multiwoz_23, "multiwoz"),
    "MULTIWOZ2.4": (multiwoz_24, "multiwoz"),
    "MultiWOZ_2.2": (multiwoz_22, "sgd"),
    "TM-1-2019": (taskmaster_1, "taskmaster"),
    "TM-2-2020": (taskmaster_2, "taskmaster"),
    "TM-4-2024": (taskmaster_4, "taskmaster"),
    "Frames-dataset": (frames, "frames"),
    "RiSAWOZ-data": (risawoz, "risawoz"),
    "KddRES": (kddres, "kddres"),
}
MULTIWOZ = tuple(RELEASES)[:3]
WITH_SPLITS = (*MULTIWOZ, "TM-1-2019", "RiSAWOZ-data", "KddRES")


def released(name: str, folder: Path) -> Path:
    return zipped(RELEASES[name][0](), name, folder / f"{name}.zip")


@pytest.mark.parametrize("name", WITH_SPLITS)
def test_splits(name: str, tmp_path: Path) -> None:
    found = sorted(each.extras["split"] for each in read_corpus(released(name, tmp_path)))
    assert found == ["test", "train", "validation"]


@pytest.mark.parametrize("name", MULTIWOZ)
def test_states_and_acts_of_multiwoz(name: str, tmp_path: Path) -> None:
    dialogues = read_corpus(released(name, tmp_path))
    found: dict[str, Dialogue] = {each.extras["split"]: each for each in dialogues}
    for split, area in zip(("train", "validation", "test"), AREAS, strict=True):
        dialogue = found[split]
        assert dialogue.world == "multiwoz"
        (asked,) = dialogue.turns[1].acts
        assert (asked.intent, asked.domain) == ("Request", "Booking")
        state = dialogue.turns[1].first_query
        assert state is not None and state.get("hotel").constraints["area"] == area


@pytest.mark.parametrize("name", RELEASES)
def test_commands(name: str, tmp_path: Path) -> None:
    path = released(name, tmp_path)
    assert recognise(path) == RELEASES[name][1]
    counted = CliRunner().invoke(app, ["data", "stats", str(path), "--json"])
    assert counted.exit_code == 0 and json.loads(counted.stdout)["dialogues"] == 3
    checked = CliRunner().invoke(app, ["data", "check", str(path)])
    assert checked.exit_code == 0, checked.output
    for to in ("native", "convlab", "parquet", "chat"):
        out = tmp_path / {"native": "a.jsonl", "convlab": "b.zip", "parquet": "c.parquet"}.get(
            to, "d.jsonl"
        )
        made = CliRunner().invoke(
            app, ["data", "convert", str(path), str(out), "--to", to, "--json"]
        )
        assert made.exit_code == 0, made.output
        assert json.loads(made.stdout)["dialogues"] == 3
        assert len(list(read_corpus(out))) == 3
