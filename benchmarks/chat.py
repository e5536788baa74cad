"""One turn of the system, in milliseconds of one core: `python -m benchmarks.chat [WORLD]`.

Words in, words out, in every language of the world; what is said comes from practice dialogues.
The processor's time is what counts; loading is measured in a process of its own.
"""

import json
import subprocess
import sys
import time
from typing import Any

from crosstalk.simulation.synthetic_data import practice_dialogues
from crosstalk.system.build import build_system
from crosstalk.system.chat import reply
from crosstalk.worlds.world import find_world, languages_of

DIALOGUES = 30
LOADING = """
import sys, time
from crosstalk.system.build import build_system
build_system(sys.argv[1], language=sys.argv[2])
print(time.process_time())
"""


def measure(world: str, language: str) -> dict[str, Any]:
    system = build_system(world, language=language)
    seconds = []
    for dialogue in practice_dialogues(world, language, DIALOGUES, seed=1):
        session = system.begin()
        for turn in dialogue.user_turns:
            began = time.process_time()
            _, session = reply(system, turn.text, session)
            seconds.append(time.process_time() - began)
    seconds.sort()
    command = [sys.executable, "-c", LOADING, world, language]
    loading = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {
        "turns": len(seconds),
        "p50_ms": round(1000 * seconds[len(seconds) // 2], 1),
        "p95_ms": round(1000 * seconds[int(0.95 * len(seconds))], 1),
        "load_seconds": round(float(loading), 2),
    }


if __name__ == "__main__":
    name = sys.argv[1] if len(sys.argv) > 1 else "harbour"
    told = {code: measure(name, code) for code in languages_of(find_world(name))}
    told["slowest"] = max(told.values(), key=lambda each: each["p95_ms"])
    print(json.dumps(told))
