"""People, simulated users and programs meet one system: the same text, state and answer."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import crosstalk
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.language.normalize import tidy
from crosstalk.simulation.build import Setup, build
from crosstalk.system.chat import reply
from crosstalk.system.pipeline import System

CONVERSATIONS = Path(__file__).parents[2] / "benchmarks" / "conversations"
UTTERANCES = 100
"""Of each language."""
RESET = "/reset"

Exchange = tuple[list[list[str]], list[list[str]], str]
"""Acts understood, acts of the answer, and its text."""


def conversations(language: str) -> list[list[str]]:
    """What people said, conversation by conversation, until there are enough utterances."""
    found: list[list[str]] = []
    missing = UTTERANCES
    lines = (CONVERSATIONS / f"{language}-dev.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines:
        said = [turn["say"] for turn in json.loads(line)["turns"]][:missing]
        found += [said] if said else []
        missing -= len(said)
    return found


def plain(acts: Any) -> list[list[str]]:
    return [[act.intent, act.domain, act.slot, act.value] for act in acts]


def through_chat(system: System, said: list[list[str]]) -> Iterator[Exchange]:
    for utterances in said:
        session = system.begin()
        for text in utterances:
            answer, session = reply(system, text, session)
            yield plain(answer.understood), plain(answer.acts), answer.text


def as_participant(system: System, said: list[list[str]]) -> Iterator[Exchange]:
    """As `simulate` talks to a system."""
    for utterances in said:
        state = system.begin()
        for text in utterances:
            heard = Turn(Speaker.USER, tidy(text))
            answer, state = system.reply(heard, state)
            understood = state.history[-2].acts
            yield plain(understood), plain(answer.turn.acts), answer.turn.text


def through_command(language: str, said: list[list[str]]) -> list[Exchange]:
    lines = [line for utterances in said for line in (*utterances, RESET)]
    command = [sys.executable, "-m", "crosstalk", "chat", "--language", language, "--json"]
    typed = "\n".join(lines) + "\n"
    done = subprocess.run(
        command, input=typed, capture_output=True, encoding="utf-8", check=True, timeout=300
    )
    answers = map(json.loads, done.stdout.splitlines())
    return [(each["understood"], each["acts"], each["text"]) for each in answers]


@pytest.mark.parametrize("language", ["en", "zh", "de", "ar", "ru"])
def test_the_same_text_and_state_have_one_answer(language: str) -> None:
    said = conversations(language)
    assert sum(map(len, said)) == UTTERANCES
    library = crosstalk.build_system("harbour", language=language)
    chatted = list(through_chat(library, said))
    simulated = build(Setup(language=language, level="words")).pipeline
    assert list(as_participant(library, said)) == chatted
    assert list(as_participant(simulated, said)) == chatted
    assert through_command(language, said) == chatted
