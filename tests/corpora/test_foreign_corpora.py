"""Corpora of others in their own layouts: small files written by hand, and the real samples."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crosstalk.corpora.corpus import read_corpus, recognise
from crosstalk.corpora.corpus_check import check
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Goal, SemanticTuple
from crosstalk.errors import FormatError


def read(tmp_path: Path, value: Any, format: str) -> Dialogue:
    path = tmp_path / "corpus.json"
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    assert recognise(path) == format
    (dialogue,) = read_corpus(path)
    return dialogue


def texts(dialogue: Dialogue) -> list[tuple[str, str]]:
    return [(turn.speaker.value, turn.text) for turn in dialogue.turns]


def constraints(dialogue: Dialogue, turn: int, domain: str) -> dict[str, Any]:
    """What the state before a system turn asks for."""
    state = dialogue.turns[turn].first_query
    assert state is not None
    assert state == dialogue.turns[turn].last_query
    return state.get(domain).constraints


def sgd(**changed: Any) -> list[dict[str, Any]]:
    user = {
        "speaker": "USER",
        "utterance": "A table at half past 11, please. Thanks",
        "frames": [
            {
                "service": "Restaurants_2",
                "slots": [{"slot": "time", "start": 11, "exclusive_end": 23}],
                "actions": [
                    {
                        "act": "INFORM",
                        "slot": "time",
                        "values": ["half past 11"],
                        "canonical_values": ["11:30"],
                    },
                    {"act": "REQUEST", "slot": "rating", "values": [], "canonical_values": []},
                    {"act": "THANK_YOU", "slot": "", "values": [], "canonical_values": []},
                ],
                "state": {
                    "active_intent": "ReserveRestaurant",
                    "requested_slots": ["rating"],
                    "slot_values": {"time": ["half past 11", "11:30"]},
                },
            }
        ],
    }
    system = {
        "speaker": "SYSTEM",
        "utterance": "Done.",
        "frames": [
            {
                "service": "Restaurants_2",
                "slots": [],
                "actions": [{"act": "NOTIFY_SUCCESS", "slot": "", "values": []}],
                "service_call": {"method": "ReserveRestaurant", "parameters": {"time": "11:30"}},
                "service_results": [{"time": "11:30", "rating": "4.1"}],
            }
        ],
    }
    dialogue = {"dialogue_id": "1_00000", "services": ["Restaurants_2"], "turns": [user, system]}
    return [{**dialogue, **changed}]


def test_sgd(tmp_path: Path) -> None:
    dialogue = read(tmp_path, sgd(), "sgd")
    assert (dialogue.id, dialogue.world, dialogue.language) == ("1_00000", "sgd", "en")
    user, system = dialogue.turns
    assert user.acts == (
        Act("General", "thank"),
        Act("Inform", "Restaurants_2", "time", "half past 11"),
        Act("Request", "Restaurants_2", "rating", ""),
    )
    assert constraints(dialogue, 1, "Restaurants_2") == {"time": "half past 11"}
    assert system.acts == (Act("NOTIFY_SUCCESS", "Restaurants_2"),)
    (call,) = system.extras["agent"]["tool_calls"]
    assert call["name"] == "ReserveRestaurant"
    assert json.loads(call["arguments"]) == {"time": "11:30"}
    assert json.loads(call["result"]) == [{"time": "11:30", "rating": "4.1"}]
    (frame,) = user.extras["sgd"]["frames"]
    assert frame["slots"] == [{"slot": "time", "start": 11, "exclusive_end": 23}]


def test_sgd_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "corpus.json"
    broken = sgd()
    broken[0]["turns"][1]["speaker"] = "user"
    path.write_text(json.dumps(broken))
    with pytest.raises(FormatError, match="dialogue 1_00000, turn 1, speaker: expected USER or"):
        list(read_corpus(path))
    broken[0]["turns"][1]["speaker"] = ["SYSTEM"]
    path.write_text(json.dumps(broken))
    with pytest.raises(FormatError, match="speaker: expected USER or SYSTEM, found a list"):
        list(read_corpus(path))
    broken = sgd()
    broken[0]["turns"][0]["frames"][0]["actions"][1]["values"] = "x"
    path.write_text(json.dumps(broken))
    with pytest.raises(FormatError, match=r"turn 0, frames\[0\].*values: expected a list"):
        list(read_corpus(path))


def test_splits_with_the_same_ids(tmp_path: Path) -> None:
    for split in ("dev", "train"):
        (tmp_path / split).mkdir()
        (tmp_path / split / "dialogues_001.json").write_text(json.dumps(sgd()))
        (tmp_path / split / "schema.json").write_text('[{"service_name": "Restaurants_2"}]')
    found = list(read_corpus(tmp_path))
    assert [each.id for each in found] == ["1_00000", "train-1_00000"]
    assert [each.extras["split"] for each in found] == ["validation", "train"]


@pytest.mark.parametrize("services", [["hotel"], []])
def test_multiwoz_22(services: list[str], tmp_path: Path) -> None:
    """Some dialogues name no service of their own: those of the police, for instance."""
    empty = {"active_intent": "NONE", "requested_slots": [], "slot_values": {}}
    state = {
        "active_intent": "book_hotel",
        "requested_slots": ["hotel-ref"],
        "slot_values": {"hotel-bookday": ["friday"], "hotel-pricerange": ["cheap", "cheaply"]},
    }
    turns = [
        {
            "speaker": "USER",
            "turn_id": "0",
            "utterance": "a cheap hotel for friday",
            "frames": [
                {"service": "hotel", "slots": [], "actions": [], "state": state},
                {"service": "taxi", "slots": [], "actions": [], "state": empty},
            ],
        },
        {"speaker": "SYSTEM", "turn_id": "1", "utterance": "Which area?", "frames": []},
    ]
    document = [{"dialogue_id": "MUL1.json", "services": services, "turns": turns}]
    acts = {"1": {"dialog_act": {"Hotel-Request": [["area", "?"]]}, "span_info": []}}
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "dialogues_001.json").write_text(json.dumps(document))
    (tmp_path / "dialog_acts.json").write_text(json.dumps({"MUL1.json": acts}))
    (dialogue,) = read_corpus(tmp_path)
    assert dialogue.world == "multiwoz"
    assert constraints(dialogue, 1, "hotel") == {"book day": "friday", "pricerange": "cheap"}
    assert dialogue.turns[1].acts == (Act("Request", "Hotel", "area", ""),)
    assert [frame["service"] for frame in dialogue.turns[0].extras["sgd"]["frames"]] == ["hotel"]


def test_woz(tmp_path: Path) -> None:
    document = {
        "dialogue_idx": 600,
        "dialogue": [
            {
                "turn_idx": 0,
                "system_transcript": "",
                "system_acts": [],
                "transcript": "A cheap place. What food?",
                "asr": [],
                "turn_label": [["price range", "cheap"], ["request", "food"]],
                "belief_state": [{"act": "inform", "slots": [["price range", "cheap"]]}],
            },
            {
                "turn_idx": 1,
                "system_transcript": "Chinese. Which area?",
                "system_acts": ["area", ["food", "chinese"]],
                "transcript": "North, and the phone number",
                "turn_label": [["area", "north"], ["slot", "phone"]],
                "belief_state": [
                    {"act": "inform", "slots": [["area", "north"]]},
                    {"act": "inform", "slots": [["price range", "cheap"]]},
                    {"act": "request", "slots": [["slot", "phone"]]},
                ],
            },
        ],
    }
    dialogue = read(tmp_path, [document], "woz")
    assert dialogue.id == "600"
    assert [turn.speaker.value for turn in dialogue.turns] == ["user", "system", "user"]
    assert Act("Request", "restaurant", "food", "") in dialogue.turns[0].acts
    assert constraints(dialogue, 1, "restaurant") == {"price range": "cheap"}
    assert dialogue.turns[1].acts == (
        Act("Inform", "restaurant", "food", "chinese"),
        Act("Request", "restaurant", "area", ""),
    )
    assert dialogue.turns[2].acts == (
        Act("Inform", "restaurant", "area", "north"),
        Act("Request", "restaurant", "phone", ""),
    )
    (tab,) = dialogue.turns[2].extras["state"]
    assert tab["slots"] == {"area": "north", "price range": "cheap"}


def test_multi2woz_names_domains_and_its_turns_are_put_in_order(tmp_path: Path) -> None:
    turns = [
        {
            "turn_idx": 1,
            "system_transcript": "哪个区域？",
            "transcript": "北边",
            "belief_state": [{"act": "inform", "slots": [["hotel-area", "北"]]}],
        },
        {"turn_idx": 0, "system_transcript": "", "transcript": "我要酒店", "belief_state": []},
    ]
    document = {"dialogue_idx": "MUL1.json", "domains": ["hotel"], "dialogue": turns}
    dialogue = read(tmp_path, [document], "woz")
    assert dialogue.world == "multiwoz"
    assert [turn.text for turn in dialogue.turns] == ["我要酒店", "哪个区域？", "北边"]
    (tab,) = dialogue.turns[2].extras["state"]
    assert (tab["domain"], tab["slots"]) == ("hotel", {"area": "北"})


@pytest.mark.parametrize("labelled", [True, False])
def test_camrest(labelled: bool, tmp_path: Path) -> None:
    user: dict[str, Any] = {
        "transcript": "Cheap food in the north. The phone?",
        "slu": [
            {"act": "inform", "slots": [["area", "north"]]},
            {"act": "request", "slots": [["slot", "phone"]]},
        ],
    }
    system: dict[str, Any] = {"sent": "Which food?", "DA": ["food"]}
    if labelled:
        user["dialog_act"] = {"inform": [["area", "north"]], "request": [["phone", "?"]]}
        system["dialog_act"] = {"request": [["food", "?"]]}
    document = {
        "dialogue_id": 3,
        "finished": True,
        "goal": {"text": "Task 1", "info": {"area": "north"}, "reqt": ["phone"]},
        "dial": [{"turn": 0, "usr": user, "sys": system}],
    }
    dialogue = read(tmp_path, [document], "camrest")
    assert dialogue.id == "3"
    assert dialogue.turns[0].acts == (
        Act("Inform", "restaurant", "area", "north"),
        Act("Request", "restaurant", "phone", ""),
    )
    assert dialogue.turns[1].acts == (Act("Request", "restaurant", "food", ""),)
    assert constraints(dialogue, 1, "restaurant") == {"area": "north"}
    assert dialogue.goal is not None
    assert dialogue.goal.tuples == (
        SemanticTuple(1, "restaurant", "area", "north"),
        SemanticTuple(1, "restaurant", "phone", ""),
    )


def test_taskmaster_1(tmp_path: Path) -> None:
    name = "restaurant_reservation.time.reservation"
    document = {
        "conversation_id": "dlg-1",
        "instruction_id": "restaurant-table-2",
        "utterances": [
            {"index": 0, "speaker": "USER", "text": "Hello."},
            {
                "index": 1,
                "speaker": "USER",
                "text": "At 7 pm.",
                "segments": [
                    {
                        "start_index": 3,
                        "end_index": 7,
                        "text": "7 pm",
                        "annotations": [{"name": f"{name}.accept"}, {"name": f"{name}.accept"}],
                    },
                    {
                        "start_index": 3,
                        "end_index": 8,
                        "text": "7 pm.",
                        "annotations": [{"name": f"{name}.accept"}],
                    },
                ],
            },
            {"index": 2, "speaker": "ASSISTANT", "text": "Fine."},
        ],
    }
    dialogue = read(tmp_path, document, "taskmaster")  # one object, as in the sample
    assert texts(dialogue) == [("user", "Hello.\nAt 7 pm."), ("system", "Fine.")]
    expected = Act("Accept", "restaurant_reservation", "time.reservation", "7 pm.")
    assert dialogue.turns[0].acts == (expected,)


def test_taskmaster_3(tmp_path: Path) -> None:
    label = {"start_index": "0", "end_index": "9", "text": "Shuttered"}  # in 4: as text
    api = {
        "name": "book_tickets",
        "index": 1,
        "args": [{"arg_name": "name.movie", "arg_value": "Shuttered"}],
        "response": [{"response_name": "status", "response_value": "success"}],
    }
    document = {
        "conversation_id": "dlg-3",
        "vertical": "Movie Tickets",
        "scenario": "one",
        "instructions": "Book.",
        "utterances": [
            {"index": 0, "speaker": "assistant", "text": "Hi."},
            {
                "index": 1,
                "speaker": "user",
                "text": "Shuttered",
                "segments": [{**label, "annotations": [{"name": "name.movie"}]}],
                "apis": [api],
            },
            {"index": 2, "speaker": "assistant", "text": "One moment."},
            {"index": 3, "speaker": "assistant", "text": "Booked."},
        ],
    }
    dialogue = read(tmp_path, [document], "taskmaster")
    assert [turn.speaker.value for turn in dialogue.turns] == ["system", "user", "system"]
    assert dialogue.turns[1].acts == (Act("Inform", "movie_tickets", "name.movie", "Shuttered"),)
    (call,) = dialogue.turns[2].extras["agent"]["tool_calls"]
    assert call["name"] == "book_tickets"
    assert json.loads(call["arguments"]) == {"name.movie": "Shuttered"}
    assert json.loads(call["result"]) == {"status": "success"}


def test_taskmaster_4(tmp_path: Path) -> None:
    labels = [
        {"name": "api_call", "value": "get_menu", "context": "api_call_0"},
        {"name": "request", "value": '{"query": "Mocha"}', "context": "api_call_0"},
        {"name": "api_response", "value": "get_menu", "context": "api_response_0"},
        {"name": "response", "value": '{"items": []}', "context": "api_response_0"},
    ]
    document = {
        "conversation_id": "dlg-4",
        "vertical": "Coffee",
        "scenario": "",
        "instructions": "",
        "utterances": [
            {
                "index": 0,
                "speaker": "user",
                "text": "A mocha",
                "segments": [],
                "annotations": labels,
            },
            {"index": 1, "speaker": "assistant", "text": "No.", "segments": [], "annotations": []},
        ],
    }
    dialogue = read(tmp_path, [document], "taskmaster")
    (call,) = dialogue.turns[1].extras["agent"]["tool_calls"]
    assert call == {
        "name": "get_menu",
        "arguments": '{"query": "Mocha"}',
        "result": '{"items": []}',
    }


@pytest.mark.parametrize("spans", [True, False])
def test_risawoz(spans: bool, tmp_path: Path) -> None:
    user: Any = "推荐一部2010年代的日剧"
    system: Any = "四重奏"
    document = {
        "dialogue_id": "movie_tv_goal_4-21###6617",
        "domains": ["电影", "电视剧"],
        "goal": "看电视剧",
        "dialogue": [
            {
                "turn_id": 0,
                "turn_domain": ["电视剧"],
                "user_utterance": [user, {"电视剧-年代": {}}] if spans else user,
                "system_utterance": [system, {}] if spans else system,
                "belief_state": {
                    "inform slot-values": {"电视剧-年代": "2010年代"},
                    "turn_inform": {"电视剧-年代": "2010年代"},
                    "turn request": ["片名"],
                },
                "user_actions": [
                    ["Inform", "电视剧", "年代", "2010年代"],
                    ["Request", "电视剧", "片名", ""],
                    ["Greeting", "电视剧", "", ""],
                ],
                "system_actions": [["Recommend", "电视剧", "片名", "四重奏"]],
                "db_results": ["数据库检索结果：成功匹配个数= 1", {"片名": "四重奏"}],
            }
        ],
    }
    dialogue = read(tmp_path, [document], "risawoz")
    assert (dialogue.language, texts(dialogue)) == ("zh", [("user", user), ("system", system)])
    assert dialogue.turns[0].acts == (
        Act("General", "greet"),
        Act("Inform", "电视剧", "年代", "2010年代"),
        Act("Request", "电视剧", "片名", ""),
    )
    assert constraints(dialogue, 1, "电视剧") == {"年代": "2010年代"}
    assert dialogue.turns[1].extras["risawoz"]["db_results"][1] == {"片名": "四重奏"}


@pytest.mark.parametrize("domain", [{"domain": "restaurant"}, {}])
def test_x_risawoz_and_bitod_as_events(domain: dict[str, str], tmp_path: Path) -> None:
    """Prepared for training: look-ups are events, and acts of BiTOD name no domain."""
    area = {"act": "Inform", "slot": "area", "relation": "equal_to", "value": ["north"]}
    food = {"act": "Inform", "slot": "cuisine", "relation": "not", "value": ["hot pot"]}
    state = {
        each["slot"]: {"relation": each["relation"], "value": each["value"]}
        for each in (area, food)
    }
    events = [
        {"Agent": "User", "Actions": [{**area, **domain}, {**food, **domain}],
         "active_intent": ["restaurant"], "state": {"restaurant": state},
         "Text": "I need a place in the north, please, but no hot pot.", "turn_id": 0},
        {"Agent": "Wizard", "Actions": "query", "API": ["restaurant"],
         "Constraints": {"restaurant": {"area": "north"}}, "turn_id": 0},
        {"Agent": "KnowledgeBase", "TotalItems": 8, "Item": {"name": "Oak"}},
        {"Agent": "Wizard", "Text": "The Oak.", "turn_id": 0, "Actions": [
            {"act": "Recommend", "slot": "name", "value": ["Oak"], **domain}
        ]},
    ]  # fmt: skip
    document = {"Dialogue_id": "a#1", "Scenario": {"UserTask": "Find it."}, "Events": events}
    dialogue = read(tmp_path, {"a#1": document}, "risawoz")
    assert (dialogue.id, dialogue.language) == ("a#1", "en")
    assert dialogue.world == ("risawoz" if domain else "bitod")
    assert dialogue.goal == Goal((), description=("Find it.",))
    user, system = dialogue.turns
    assert user.acts == (
        Act("Exclude", "restaurant", "cuisine", "hot pot"),
        Act("Inform", "restaurant", "area", "north"),
    )
    assert system.acts == (Act("Recommend", "restaurant", "name", "Oak"),)
    assert constraints(dialogue, 1, "restaurant") == {"area": "north", "!cuisine": ("hot pot",)}
    (call,) = system.extras["agent"]["tool_calls"]
    assert call["name"] == "restaurant"
    assert json.loads(call["result"]) == {"TotalItems": 8, "Item": {"name": "Oak"}}


def test_x_risawoz_is_in_one_language_a_file(tmp_path: Path) -> None:
    """Some turns have more English words than Hindi ones."""
    said = ["क्या आप मुझे कोई अच्छा restaurant बता सकते हैं?", "Good, what is उसका number?"]
    document = [
        {"dialogue_id": str(id), "domains": ["Restaurant"], "dialogue": [
            {"user_utterance": [text, {}], "system_utterance": ["Haidilao", {}]}
        ]}
        for id, text in enumerate(said)
    ]  # fmt: skip
    (tmp_path / "enhi_fewshot.json").write_text(json.dumps(document))
    dialogues = list(read_corpus(tmp_path / "enhi_fewshot.json"))
    assert [each.language for each in dialogues] == ["hi", "hi"]


def test_kddres(tmp_path: Path) -> None:
    form = {"評分": "none", "位置": "長洲", "桌位": {"小桌": "none", "大桌": "8人"}}
    document = {
        "goal": [["餐館", "位置", {"all": "none"}, False], ["餐館", "菜品", "none", False]],
        "final_goal": [["餐館", "位置", "長洲", True], ["餐館", "菜品", {"燒鷄": "hk$50"}, True]],
        "messages": [
            {
                "role": "sys",
                "content": "你好",
                "dialog_act": [["General", "餐館", "greet", "none"]],
                "sys_state": form,
            },
            {
                "role": "user",
                "content": "地址?",
                "dialog_act": [["Request", "餐館", "位置", "none"]],
                "user_state": [["餐館", "位置", "none", True], ["餐館", "菜品", "none", False]],
            },
            {
                "role": "sys",
                "content": "長洲。燒鷄",
                "dialog_act": [["Inform", "餐館", "菜品", {"燒鷄": "hk$50"}]],
                "sys_state": {**form, "菜品": {"燒鷄": "hk$50"}},
            },
        ],
        "task": ["問位置"],
        "index": "9",
        "domain": "餐館",
        "room": "777",
        "check": -1,
        "num": "274",
    }
    dialogue = read(tmp_path, {"600": document}, "kddres")
    assert dialogue.final_goal != dialogue.turns[1].user_state  # which only CrossWOZ forbids
    assert not list(check([dialogue]))
    assert dialogue.turns[0].speaker is Speaker.SYSTEM
    assert dialogue.turns[0].acts == (Act("General", "greet"),)
    assert dialogue.turns[1].acts == (Act("Request", "餐館", "位置", ""),)
    assert dialogue.turns[2].acts == (Act("Inform", "餐館", "菜品", '{"燒鷄": "hk$50"}'),)
    assert constraints(dialogue, 0, "餐館") == {"位置": "長洲", "桌位-大桌": "8人"}
    dishes = '{"燒鷄": "hk$50"}'  # what the first form has no parts for is one value
    assert constraints(dialogue, 2, "餐館") == {
        "位置": "長洲", "桌位-大桌": "8人", "菜品": dishes
    }  # fmt: skip
    assert dialogue.goal is not None
    assert dialogue.goal.tuples[0] == SemanticTuple(1, "餐館", "位置", "")
    assert dialogue.final_goal is not None
    assert dialogue.final_goal[0].value == "長洲"


def test_goals_of_others_have_any_order(tmp_path: Path) -> None:
    goal = [["餐館", "位置", "none", False], ["餐館", "菜品", "燒鷄", False]]
    said = {"role": "user", "content": "地址?", "dialog_act": []}
    dialogue = read(tmp_path, {"600": {"goal": goal, "messages": [said]}}, "kddres")
    assert not list(check([dialogue]))
    ours = replace(dialogue, extras={}, world="harbour")
    assert "goal order" in {found.rule for found in check([ours])}


def test_frames(tmp_path: Path) -> None:
    info = {
        "budget": [{"val": 1700, "negated": False}],
        "dst_city": [{"val": "Atlantis", "negated": False}, {"val": "Rome", "negated": True}],
    }
    labels = {
        "active_frame": 2,
        "acts": [
            {
                "name": "inform",
                "args": [{"key": "budget", "val": 1700}, {"key": "ref", "val": [{}]}],
            },
            {"name": "greeting", "args": []},
        ],
        "acts_without_refs": [],
        "frames": [
            {"frame_id": 1, "frame_parent_id": None, "info": {}, "requests": []},
            {"frame_id": 2, "frame_parent_id": 1, "info": info, "requests": []},
        ],
    }
    document = {
        "id": "e2c0fc6c",
        "user_id": "U22HTHYNP",
        "wizard_id": "U21DKG18C",
        "labels": {"userSurveyRating": 4.0, "wizardSurveyTaskSuccessful": True},
        "turns": [
            {"author": "user", "text": "Hi", "labels": labels, "timestamp": 1471272019730.0},
            {
                "author": "wizard",
                "text": "Nothing.",
                "labels": {"acts": [{"name": "no_result", "args": []}], "frames": []},
                "db": {"search": [{"BUDGET": "1700"}], "result": [[]]},
                "timestamp": 1471272019730.0,
            },
        ],
    }
    dialogue = read(tmp_path, [document], "frames")
    assert dialogue.workers == ("U21DKG18C", "U22HTHYNP")
    assert dialogue.turns[0].acts == (
        Act("General", "greet"),
        Act("Inform", "trip", "budget", "1700"),
    )
    assert constraints(dialogue, 1, "trip") == {
        "budget": "1700",
        "dst_city": "Atlantis",
        "!dst_city": ("Rome",),
    }
    assert dialogue.turns[1].acts == (Act("NoOffer", "trip"),)
    assert dialogue.extras["frames"]["labels"]["userSurveyRating"] == 4.0


@pytest.mark.parametrize(
    ("file", "format", "dialogues", "turns"),
    [
        ("sgd/dev.zip", "sgd", 100, 2038),
        ("multiwoz22/train_excerpt.zip", "sgd", 1, 12),
        ("camrest/val.json.zip", "camrest", 135, 1076),
        ("taskmaster/tm1.zip", "taskmaster", 1, 20),
        ("taskmaster/tm4.zip", "taskmaster", 60, 225),
        ("taskmaster/tm3.unified.zip", "convlab", 6, 100),
        ("convlab/camrest.data.zip", "convlab", 541, 4418),
        ("convlab/woz.data.zip", "convlab", 200, 1460),
    ],
)
def test_real_samples(
    file: str, format: str, dialogues: int, turns: int, data_folder: Path
) -> None:
    path = data_folder / "corpora" / file
    if not path.exists():
        pytest.skip(f"real data: {path} is not there")
    assert recognise(path) == format
    found = list(read_corpus(path))
    assert (len(found), sum(len(each.turns) for each in found)) == (dialogues, turns)
