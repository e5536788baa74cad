"""False words about actions in five languages; `data/action_claims.toml` has the dialogues."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.evaluation.action_findings import ActionFinding, ActionJudge, FindingKind
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.policy_rules import with_actions
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_world

DATA = Path(__file__).parent / "data" / "action_claims.toml"
DIALOGUES: list[dict[str, Any]] = tomllib.loads(DATA.read_text(encoding="utf-8"))["dialogues"]
LANGUAGES = ("en", "de", "zh", "ru", "ar")


@cache
def judge(code: str) -> tuple[Executor, ActionJudge]:
    executor = Executor(Database(load_world("harbour", language=code)))
    return executor, ActionJudge.of(executor, "harbour")


def turns_of(dialogue: Mapping[str, Any], code: str) -> list[Turn]:
    """The dialogue in one language, with its calls made on the tables of that language."""
    executor, _ = judge(code)
    names = executor.world.language.values.get("name", {})
    state, events = executor.begin("test"), []
    for call in dialogue["calls"]:
        arguments = {key: names.get(value, value) for key, value in call["arguments"].items()}
        state, event = executor.perform(state, call["action"], arguments)
        events.append(event)
    named = [call["arguments"].get("entity") for call in dialogue["calls"]]
    name = dialogue.get("entity") or named[0]
    given = events[-1].gives if events else {}
    filled = {"code": given.get("reference"), "total": given.get("total")}
    user, reply = dialogue[code]
    said = reply.format(name=names.get(name, name), **filled)
    return [Turn(Speaker.USER, user), with_actions(Turn(Speaker.SYSTEM, said), events)]


def untrue(dialogue: Mapping[str, Any], code: str) -> list[ActionFinding]:
    found = judge(code)[1].findings(turns_of(dialogue, code))
    return [each for each in found if each.kind is FindingKind.FALSE_CLAIM]


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda each: each["id"])
def test_false_words_are_found_and_true_ones_are_not(dialogue: dict[str, Any], code: str) -> None:
    found = untrue(dialogue, code)
    assert sorted(each.rule for each in found) == sorted(dialogue["rules"])
    reply = turns_of(dialogue, code)[1].text
    assert all(each.turn == 1 and each.quote in reply for each in found)
