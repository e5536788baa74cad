"""Judging at scale: `python -m benchmarks.judging_scale [CONVERSATIONS]` or `--memory COUNT`.

- with `--memory`, the memory of a process that holds and judges COUNT dialogues;
- otherwise the same bytes with one worker process and with two, for our system and for an agent
  in Python, and CONVERSATIONS at the same time with an endpoint that takes a second for each reply.

The agent whose dialogues fill the memory says one thing twice, so that the measurement is of the
judging, not of an agent; its dialogues have four turns.
"""

import argparse
import hashlib
import json
import resource
import tempfile
import textwrap
import time
from pathlib import Path
from threading import Lock
from typing import Any, Final

from tests.agents.scripted_endpoint import Answer, Json, endpoint, says

from crosstalk.agents.build import AgentOptions
from crosstalk.evaluation.agent_scores import AgentScores
from crosstalk.evaluation.judging import JudgeOptions, judge_agent
from crosstalk.simulation.build import Setup
from crosstalk.simulation.run_folders import shards
from crosstalk.simulation.runner import Engine
from crosstalk.simulation.sessions import Plan, SessionRules

AGENTS: Final = """
from dataclasses import replace
import crosstalk

def answer(messages, session):
    return "The phone number of the Campus Hostel is 0482-6000000."

class WordsOnly:
    def __init__(self, world):
        self.system = crosstalk.build_system(world)
    def begin(self):
        return self.system.begin()
    def reply(self, heard, state):
        reply, state = self.system.reply(replace(heard, acts=()), state)
        return reply.turn.text, state
"""


def written_agent(folder: Path, name: str) -> str:
    """The name of an agent in Python, written to a folder."""
    path = folder / "agents.py"
    path.write_text(textwrap.dedent(AGENTS))
    return f"python:{path}:{name}"


def judged(agent: str, out: Path, count: int, turns: int, engine: Engine) -> AgentScores:
    options = AgentOptions(tools="none", cache_mode="off")
    setup = Setup(language="en", level="words", seed=1, agent=agent, agent_options=options)
    rules = SessionRules(1, turns, 60)
    return judge_agent(JudgeOptions(Plan(1, count=count), setup, rules, engine), out)


def digest(run: Path) -> str:
    """SHA-256 of all dialogues of a run."""
    found = hashlib.sha256()
    for path in shards(run):
        found.update(path.read_bytes())
    return found.hexdigest()


def memory(count: int) -> dict[str, float]:
    """Megabytes at the most, and processor seconds, of holding and judging dialogues."""
    with tempfile.TemporaryDirectory() as folder:
        agent = written_agent(Path(folder), "answer")
        scores = judged(agent, Path(folder) / "run", count, 2, Engine())
    assert len(scores.judged) == count
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "dialogues": count,
        "peak_megabytes": round(used.ru_maxrss / 1024, 1),
        "seconds": round(used.ru_utime + used.ru_stime, 1),
    }


def same_bytes(count: int) -> dict[str, bool]:
    """Agent -> whether one process and two wrote the same dialogues."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        names = {"system": "system", "python": written_agent(Path(folder), "WordsOnly")}
        for key, agent in names.items():
            digests = set()
            for workers in (1, 2):
                out = Path(folder) / f"{key}{workers}"
                judged(agent, out, count, 15, Engine(workers=workers))
                digests.add(digest(out))
            found[key] = len(digests) == 1
    return found


def concurrency(conversations: int, wait: float = 1.0) -> dict[str, Any]:
    """Seconds for conversations of three replies each, all at the same time."""
    waiting, most, lock = 0, 0, Lock()

    def slow(body: Json, number: int) -> Answer:
        nonlocal waiting, most
        with lock:
            waiting += 1
            most = max(most, waiting)
        time.sleep(wait)
        with lock:
            waiting -= 1
        return says("The phone number of the Campus Hostel is 0482-6000000.")

    with tempfile.TemporaryDirectory() as folder, endpoint(slow) as server:
        agent, engine = f"openai:slow@{server.url}", Engine(concurrency=conversations)
        began = time.monotonic()
        judged(agent, Path(folder) / "run", conversations, 3, engine)
        seconds = time.monotonic() - began
        requests = len(server.requests)
    return {
        "conversations": conversations,
        "requests": requests,
        "seconds_one_after_the_other": round(requests * wait),
        "seconds": round(seconds, 1),
        "most_at_once": most,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("conversations", nargs="?", type=int, default=120)
    parser.add_argument("--memory", type=int, default=0)
    options = parser.parse_args()
    if options.memory:
        print(json.dumps(memory(options.memory)))
        return
    found = {"same_bytes": same_bytes(30), "concurrency": concurrency(options.conversations)}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
