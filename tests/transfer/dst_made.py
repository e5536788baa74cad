"""Small files with states, in the formats of MultiWOZ, Multi2WOZ and WOZ 2.0."""

import json
from pathlib import Path
from random import Random
from typing import Any

AREAS = {"north": ("北方", "norden"), "south": ("南方", "süden"), "centre": ("中心", "zentrum")}
PRICES = {"cheap": ("便宜的", "billig"), "expensive": ("昂贵的", "teuer")}
FOODS = {"italian": ("意大利的", "italienisch"), "indian": ("印度的", "indisch")}
EMPTY = {"restaurant": {"book": {"people": ""}, "semi": {"food": "", "pricerange": "", "area": ""}}}
NAMES = {
    "restaurant": "餐厅", "food": "食物", "pricerange": "价格范围", "area": "区域",
    "people": "人数",
}  # fmt: skip


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def wishes(count: int, *, first: int = 0) -> list[dict[str, str]]:
    rng = Random(first)
    return [
        {
            "area": rng.choice(sorted(AREAS)),
            "price": rng.choice(sorted(PRICES)),
            "food": rng.choice(sorted(FOODS)),
            "people": str(rng.randint(2, 8)),
        }
        for _ in range(count)
    ]


# MultiWOZ logs


def log(wish: dict[str, str], language: str) -> dict[str, Any]:
    area, price, food, people = (wish[name] for name in ("area", "price", "food", "people"))
    if language == "zh":
        area, price, food = AREAS[area][0], PRICES[price][0], FOODS[food][0]
        said = [
            f"我想在{area}找一家{price}餐厅。",
            "您想吃什么食物？",
            f"请找{food}美食。",
            "我可以为您预订吗？",
            f"好的，请预订{people}个人的桌子。",
            "已预订。",
        ]
    else:
        said = [
            f"I want a {price} restaurant in the {area} .",
            "What kind of food would you like ?",
            f"Please find {food} food .",
            "May I book a table for you ?",
            f"Yes , please book a table for {people} people .",
            "It is booked .",
        ]
    states = [
        {"area": area, "pricerange": price},
        {"area": area, "pricerange": price, "food": food},
        {"area": area, "pricerange": price, "food": food, "people": people},
    ]
    entries: list[dict[str, Any]] = []
    for number, text in enumerate(said):
        metadata = metadata_of(states[number // 2], language) if number % 2 else {}
        entries.append({"text": text, "metadata": metadata, "dialog_act": {}})
    return {"log": entries}


def metadata_of(state: dict[str, str], language: str) -> dict[str, Any]:
    def name(word: str) -> str:
        return NAMES[word] if language == "zh" else word

    return {
        name(domain): {
            part: {name(slot): state.get(slot, "") for slot in slots}
            for part, slots in parts.items()
        }
        for domain, parts in EMPTY.items()
    }


def multiwoz_folder(folder: Path, count: int = 40) -> Path:
    """English and Chinese val of the same dialogues, ontologies, and a test file beside them."""
    for place, language in (("multiwoz", "en"), ("multiwoz_zh", "zh")):
        made = {f"D{n}": log(wish, language) for n, wish in enumerate(wishes(count))}
        write(folder / place / "val.json", made)
        made = {f"T{n}": log(wish, language) for n, wish in enumerate(wishes(10, first=7))}
        write(folder / place / "test-a.json", made)
    values = {"area": AREAS, "pricerange": PRICES, "food": FOODS}
    english = {f"restaurant-semi-{slot}": [*found] for slot, found in values.items()}
    write(folder / "multiwoz" / "ontology21.json", english)
    pairs = {slot: {en: zh for en, (zh, _) in found.items()} for slot, found in values.items()}
    write(folder / "multiwoz_zh" / "vocab_dict.json", {"value_set": {"restaurant": pairs}})
    chinese = {
        f"餐厅-{NAMES[slot]}": [zh for zh, _ in found.values()] for slot, found in values.items()
    }
    write(folder / "multiwoz_zh" / "ontology.json", chinese)
    return folder


# Multi2WOZ


def trade(wish: dict[str, str], id: str, language: str) -> dict[str, Any]:
    entries = log(wish, language)["log"]
    turns = []
    for number in range(0, len(entries), 2):
        held = entries[number + 1]["metadata"]
        (parts,) = held.values()
        back = {value: key for key, value in NAMES.items()}
        slots = [
            [f"restaurant-{'book ' if part == 'book' else ''}{back.get(slot, slot)}", value]
            for part, found in parts.items()
            for slot, value in found.items()
            if value
        ]
        turns.append(
            {
                "turn_idx": number // 2,
                "domain": "restaurant",
                "system_transcript": entries[number - 1]["text"] if number else "",
                "transcript": entries[number]["text"],
                "belief_state": [{"slots": [slot], "act": "inform"} for slot in slots],
                "turn_label": [],
                "db_pointer": "[0, 1]",
            }
        )
    return {"dialogue_idx": f"{id}.json", "domains": ["restaurant"], "dialogue": turns}


# WOZ 2.0


def woz(wish: dict[str, str], id: int, language: str, labels: str) -> dict[str, Any]:
    area, food = wish["area"], wish["food"]
    german = (AREAS[area][1], FOODS[food][1])
    said = (
        [f"Ich suche ein Restaurant im {german[0].title()}.", f"Wie wäre es mit {german[1]}?"]
        if language == "de"
        else [f"I want a restaurant in the {area} .", f"How about {food} food ?"]
    )
    named = (
        {"area": "gegend", "food": "essen"} if labels == "de" else {"area": "area", "food": "food"}
    )
    values = dict(zip(("area", "food"), german if labels == "de" else (area, food), strict=True))
    states = [["area"], ["area", "food"]]
    return {
        "dialogue_idx": id,
        "dialogue": [
            {
                "turn_idx": number,
                "system_transcript": "What kind of food would you like?" if number else "",
                "transcript": text,
                "belief_state": [
                    {"slots": [[named[slot], values[slot]]], "act": "inform"} for slot in slots
                ],
                "system_acts": [],
            }
            for number, (text, slots) in enumerate(zip(said, states, strict=True))
        ],
    }


def woz2_folder(folder: Path) -> Path:
    for split, first, count in (("train", 0, 30), ("validate", 50, 10)):
        made = wishes(count, first=first)
        for name, language, labels in (
            ("en", "en", "en"),
            ("de", "de", "de"),
            ("de_en", "de", "en"),
        ):
            rows = [woz(wish, first + n, language, labels) for n, wish in enumerate(made)]
            write(folder / "woz2" / f"woz_{split}_{name}.json", rows)
    return folder
