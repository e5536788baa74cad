"""Goals a second, and how near they come to the paper: `python -m benchmarks.goals`.

Over the CrossWOZ tables where CROSSTALK_DATA names them, otherwise over harbour.
"""

import json
import os
import sys
import time

from crosstalk.dialogue.goals import Goal, GoalType
from crosstalk.goals.goal_files import GoalCounts, count_goals
from crosstalk.goals.goal_options import GoalOptions
from crosstalk.goals.sampler import GoalSampler, goal_rng, goal_sampler
from crosstalk.worlds.world import load_world

GOALS = 20_000
SATISFIABLE_GOALS = 2_000
SEED = 0

PUBLISHED_MIX = (6.5, 33.6, 15.4, 33.2, 11.3)
"""Percent of S, M, M+T, CM, CM+T that the published generator draws."""
PUBLISHED_SUBGOALS = (1.00, 2.49, 3.62, 3.87, 4.57)
PUBLISHED_TUPLES = (4.5, 11.3, 15.8, 18.2, 20.7)
"""Table 7, training split."""


def timed(sampler: GoalSampler, count: int) -> tuple[list[Goal], float]:
    """Goals, and how many of them one core draws and describes in a second."""
    begun = time.process_time()
    goals = [sampler.sample(goal_rng(SEED, number)) for number in range(count)]
    return goals, count / (time.process_time() - begun)


def compared(counts: GoalCounts) -> dict[str, dict[str, dict[str, float]]]:
    """Type -> figure -> what was published, and what we have."""
    published = zip(PUBLISHED_MIX, PUBLISHED_SUBGOALS, PUBLISHED_TUPLES, strict=True)
    return {
        kind: {
            "mix": {"published": mix, "ours": round(counts.share(kind), 2)},
            "subgoals": {
                "published": subgoals,
                "ours": round(counts.of(kind).subgoals_per_goal, 3),
            },
            "tuples": {"published": tuples, "ours": round(counts.of(kind).tuples_per_goal, 3)},
        }
        for kind, (mix, subgoals, tuples) in zip(GoalType, published, strict=True)
    }


def main() -> None:
    world = load_world("crosswoz" if os.environ.get("CROSSTALK_DATA") else "harbour")
    goals, speed = timed(goal_sampler(world), GOALS)
    _, satisfiable = timed(goal_sampler(world, GoalOptions(satisfiable=True)), SATISFIABLE_GOALS)
    report = {
        "world": world.name,
        "seed": SEED,
        "goals": GOALS,
        "goals_per_second": round(speed),
        "satisfiable_goals_per_second": round(satisfiable),
        "by_type": compared(count_goals(goals)),
    }
    json.dump(report, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
