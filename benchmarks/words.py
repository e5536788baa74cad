"""A turn in words, in milliseconds of one core: `python -m benchmarks.words [WORLD] [LANGUAGE]`.

Words in, words out: understanding, tracking, deciding and speaking, as in a conversation with our
modules. The processor's time is what counts; loading is measured in a process of its own.
"""

import json
import subprocess
import sys
import time
from typing import Any

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.sessions import Plan, SessionRules, hold, sessions
from crosstalk.system.build import WORDS

TURNS = 400
LOADING = """
import sys, time
from crosstalk.simulation.build import Setup, build
from crosstalk.system.build import WORDS
build(Setup(sys.argv[1], sys.argv[2] or None, level=WORDS))
print(time.process_time())
"""


def measure(world: str, language: str) -> dict[str, Any]:
    simulation = build(Setup(world, language or None, level=WORDS))
    told = [
        dialogue
        for session in sessions(Plan(1, count=40), simulation.world)
        for dialogue in [hold(session, simulation, SessionRules(1))]
    ]
    fresh = build(Setup(world, language or None, level=WORDS))  # nothing remembered
    seconds: list[float] = []
    for session, dialogue in zip(sessions(Plan(1, count=40), simulation.world), told, strict=True):
        _, system = fresh.cast(session.goal, "benchmark")
        state = system.begin()
        for turn in dialogue.turns:
            if turn.speaker is Speaker.USER and len(seconds) < TURNS:
                began = time.process_time()
                _, state = system.reply(turn, state)
                seconds.append(time.process_time() - began)
    return {
        "world": world,
        "language": simulation.world.language.code,
        "turns": len(seconds),
        "p50_ms": _share(seconds, 0.5),
        "p95_ms": _share(seconds, 0.95),
        "most_ms": _share(seconds, 1.0),
        "load_seconds": round(min(_load(world, language) for _ in range(2)), 2),
    }


def _share(seconds: list[float], share: float) -> float:
    ordered = sorted(seconds)
    return round(1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1)


def _load(world: str, language: str) -> float:
    command = [sys.executable, "-c", LOADING, world, language]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    name = sys.argv[1] if len(sys.argv) > 1 else "harbour"
    print(json.dumps(measure(name, sys.argv[2] if len(sys.argv) > 2 else "")))
