"""The rules of ConvLab-3's own check of a unified dataset, as its documentation states them."""

import ast
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SPECIAL = ("", "dontcare", None, "?")


def broken_rules(path: Path, dataset: str) -> list[str]:
    """Every rule that a `data.zip` breaks, with its place."""
    with zipfile.ZipFile(path) as archive:
        ontology = json.loads(archive.read("data/ontology.json"))
        dialogues = json.loads(archive.read("data/dialogues.json"))
    found = list(_ontology(ontology))
    acts = {
        kind: {
            (act["intent"], act["domain"], act["slot"]): act for act in map(ast.literal_eval, all)
        }
        for kind, all in ontology["dialogue_acts"].items()
    }
    ids = [dialogue["dialogue_id"] for dialogue in dialogues]
    if len(set(ids)) < len(ids):
        found.append("an id stands twice")
    for dialogue in dialogues:
        problems = _dialogue(dialogue, dataset, ontology, acts)
        found += [f"{dialogue['dialogue_id']}: {problem}" for problem in problems]
    return found


def _parsed(literal: str) -> dict[str, Any]:
    act: dict[str, Any] = ast.literal_eval(literal)
    return act


def _ontology(ontology: Any) -> Iterator[str]:
    for name, domain in ontology["domains"].items():
        for slot, about in domain["slots"].items():
            if about["is_categorical"] and not about["possible_values"]:
                yield f"{name}-{slot} is categorical without values"
            if any(value in SPECIAL for value in about["possible_values"]):
                yield f"{name}-{slot} lists a special value"
    for name, slots in ontology["state"].items():
        for slot, value in slots.items():
            if slot not in ontology["domains"][name]["slots"] or value != "":
                yield f"the state has {name}-{slot}"


def _dialogue(dialogue: Any, dataset: str, ontology: Any, acts: Any) -> Iterator[str]:
    prefix, split, number = dialogue["dialogue_id"].split("-")
    if (prefix, split) != (dataset, dialogue["data_split"]) or not number.isdecimal():
        yield "its id does not name dataset, split and number"
    if dialogue["dataset"] != dataset:
        yield "another dataset"
    if any(domain not in ontology["domains"] for domain in dialogue["domains"]):
        yield "an unknown domain"
    for part, is_empty in (("inform", False), ("request", True)):
        for domain, slots in dialogue["goal"][part].items():
            for slot, value in slots.items():
                if domain not in dialogue["domains"] or (value == "") != is_empty:
                    yield f"goal.{part}.{domain}.{slot}"
                yield from _slot(ontology, domain, slot)
    before = None
    for position, turn in enumerate(dialogue["turns"]):
        if turn["utt_idx"] != position or turn["speaker"] in (before, "robot"):
            yield f"turn {position} is out of order"
        before = turn["speaker"]
        yield from _turn(turn, dialogue["domains"], ontology, acts)


def _turn(turn: Any, domains: list[str], ontology: Any, acts: Any) -> Iterator[str]:
    for kind, several in turn["dialogue_acts"].items():
        for act in several:
            key = (act["intent"], act["domain"], act["slot"])
            if not acts[kind].get(key, {}).get(turn["speaker"]):
                yield f"{key} is not listed as {kind} of the {turn['speaker']}"
            if kind == "binary":
                if "value" in act:
                    yield f"the binary act {key} has a value"
                continue
            if act["domain"] not in domains:
                yield f"the domain of {key} is not one of the dialogue"
            yield from _slot(ontology, act["domain"], act["slot"], kind == "categorical")
            span = turn["utterance"][act.get("start", 0) : act.get("end", 0)]
            if ("start" in act) != ("end" in act) or ("start" in act and span != act["value"]):
                yield f"the span of {key} is {span!r}"
    if turn["speaker"] == "user":
        if "db_results" in turn:
            yield "a user has results"
        for domain, slots in turn.get("state", {}).items():
            for slot in slots:
                yield from _slot(ontology, domain, slot)
    elif "state" in turn:
        yield "a system has a state"
    elif any(not isinstance(rows, list) for rows in turn.get("db_results", {}).values()):
        yield "results are not lists"


def _slot(ontology: Any, domain: str, slot: str, kind: bool | None = None) -> Iterator[str]:
    about = ontology["domains"].get(domain, {"slots": {}})["slots"].get(slot)
    if about is None:
        yield f"{domain}-{slot} is not in the ontology"
    elif kind is not None and about["is_categorical"] != kind:
        yield f"{domain}-{slot} is used as another kind"
