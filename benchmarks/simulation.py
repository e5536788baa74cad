"""Dialogues a second and the memory they take: `python -m benchmarks.simulation [WORLD] [COUNT]`.

One process, rule user and our policy, dialogues encoded as a run writes them. The processor's time
is what counts: the wall clock of a shared machine says little.
"""

import json
import resource
import sys
import time

from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.runner import hold_batch
from crosstalk.simulation.sessions import Plan, SessionRules, sessions


def measure(world: str, count: int) -> dict[str, float | str]:
    simulation = build(Setup(world, policy="best"))
    plan = list(sessions(Plan(1, count=count), simulation.world))
    hold_batch(tuple(plan[:20]), simulation, SessionRules())  # fills caches
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    size = sum(
        len(line.encode())
        for each in plan
        for line in hold_batch((each,), simulation, SessionRules())
    )
    seconds = time.process_time() - began
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {
        "world": world,
        "dialogues": count,
        "per_second": round(count / seconds, 1),
        "kilobytes_each": round(size / count / 1000, 1),
        "memory_growth_megabytes": round(grown / 1024, 1),
    }


if __name__ == "__main__":
    name = sys.argv[1] if len(sys.argv) > 1 else "harbour"
    print(json.dumps(measure(name, int(sys.argv[2]) if len(sys.argv) > 2 else 300)))
