"""Conversations in which the simulated user erred, held again with another seed of the user.

    scores = with_reruns(scores, out, 2, hold)

Every try is a run of its own beside the first, `RUN-rerun-1`, `RUN-rerun-2` ..., whose goals are
those of the conversations that were the user's fault in the try before. Of each conversation the
first try that was not the user's fault counts; if all were, the last.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from crosstalk.evaluation.agent_scores import AgentScores, JudgedTrial
from crosstalk.evaluation.outcomes import Reason
from crosstalk.goals.goal_files import StoredGoal, write_goals
from crosstalk.simulation.run_folders import open_run

SEEDS_APART: Final = 1_000_003
"""Between the seed of a run and that of its next try."""

Hold = Callable[[Path, int, Path], AgentScores]
"""Holds and judges a goal file with a number added to the seed, into a folder."""


def with_reruns(scores: AgentScores, out: Path, most: int, hold: Hold) -> AgentScores:
    """The scores with at most `most` further tries of each conversation that the user spoiled."""
    judged = list(scores.judged)
    folder, spoiled = out, [each for each in judged if _is_users(each)]
    numbers = [each.number for each in spoiled]
    held = 0
    for attempt in range(1, most + 1):
        if not spoiled:
            break
        goals = _goals(folder, out / f"rerun-{attempt}.goals.jsonl", numbers, attempt)
        folder = out.with_name(f"{out.name}-rerun-{attempt}")
        again = hold(goals, attempt * SEEDS_APART, folder).judged
        held += len(again)
        for first, later in zip(spoiled, again, strict=True):
            judged[first.number] = _in_place_of(first, later)
        pairs = [(a, b) for a, b in zip(spoiled, again, strict=True) if _is_users(b)]
        spoiled, numbers = [a for a, _ in pairs], [b.number for _, b in pairs]
    reruns = {"conversations": sum(map(_is_users, scores.judged)), "tries": held}
    return replace(scores, judged=tuple(judged), reruns={**reruns, "left": len(spoiled)})


def _is_users(each: JudgedTrial) -> bool:
    return each.outcome.reason is Reason.USER


def _in_place_of(first: JudgedTrial, later: JudgedTrial) -> JudgedTrial:
    """A later try as the trial of its goal that the first try was."""
    trial = replace(later.trial, goal=first.trial.goal, trial=first.trial.trial, id=first.trial.id)
    return JudgedTrial(trial, later.outcome, first.number)


def _goals(run: Path, path: Path, numbers: list[int], attempt: int) -> Path:
    """Write the goals of some conversations of a run; the ids tell the try."""
    wanted = set(numbers)
    kept = [each for n, each in enumerate(open_run(run).dialogues()) if n in wanted]
    write_goals(
        path,
        (
            StoredGoal(f"{each.id}~{attempt}", each.world, each.language, each.goal)
            for each in kept
            if each.goal is not None
        ),
    )
    return path
