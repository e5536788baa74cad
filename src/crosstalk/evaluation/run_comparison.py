"""Two run folders compared, paired by goal: `compare_runs(Path("a"), Path("b"))`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosstalk.errors import InputError
from crosstalk.evaluation.agent_scores import AgentScores, score_run
from crosstalk.evaluation.comparison import Comparison, breakdown, compare, shares_of
from crosstalk.evaluation.scores import rounded
from crosstalk.evaluation.user_distance import UserDistance, user_distance
from crosstalk.simulation.corpus_runs import PEOPLE
from crosstalk.simulation.run_folders import Run, open_run
from crosstalk.simulation.runner import world_of
from crosstalk.worlds.queries import Database

SAME = ("world", "user", "user_nlu", "user_nlg", "user_voice", "perturbation", "user_protocol")
"""What two runs must share, for the agent alone to differ."""
GROUPS = ("language", "type", "perturbation", "blame")


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two judged runs."""

    first: AgentScores
    second: AgentScores
    by: str = "type"
    users: UserDistance | None = None
    """How far the users of the two runs are from each other."""

    @property
    def whole(self) -> Comparison:
        return compare(self.first.trials, self.second.trials)

    def groups(self) -> dict[str, dict[str, float]]:
        """Value of the group -> both rates in percent, their difference, and the adjusted p."""
        found = breakdown(self.first.trials, self.second.trials, self.by)
        return {
            key: {
                "a": round(100 * each.rate_a, 2),
                "b": round(100 * each.rate_b, 2),
                "difference": round(100 * each.difference, 2),
                "p": round(p, 6),
                "goals": len(each.a),
            }
            for key, (each, p) in found.items()
        }

    def record(self) -> dict[str, Any]:
        """For programs; rates and differences in percent."""
        whole = self.whole
        limits = whole.interval
        return {
            "a": rounded(100 * whole.rate_a),
            "b": rounded(100 * whole.rate_b),
            "difference": rounded(100 * whole.difference),
            "interval": [rounded(100 * each) for each in limits] if limits else None,
            "p": round(whole.p, 6),
            "test": whole.test,
            "goals": len(whole.a),
            "unpaired": whole.unpaired,
            "lost": [self.named(goal) for goal in whole.lost],
            "won": [self.named(goal) for goal in whole.won],
            "regression": whole.is_regression,
            "by": {self.by: self.groups()},
            "blame": {"a": self.first.blame, "b": self.second.blame},
            "shares": {
                key: {"a": dict(shares_of(self.first.trials, key)),
                      "b": dict(shares_of(self.second.trials, key))}
                for key in GROUPS
            },
            **({"users": self.users.record()} if self.users else {}),
        }  # fmt: skip

    def named(self, goal: str) -> str:
        """The dialogue of the first run that is about a goal."""
        return next((each.id for each in self.first.trials if each.goal == goal), goal)


def compare_runs(
    first: Path, second: Path, *, by: str = "type", force: bool = False, data: Path | None = None
) -> RunComparison:
    """Judge two runs and pair them; raises where more than the agent differs."""
    if by not in GROUPS:
        raise InputError(f"runs cannot be broken down by {by!r}", remedy=f"Known: {GROUPS}.")
    runs = [open_run(folder) for folder in (first, second)]
    if not force:
        _refuse_different(*runs)
    scores = [score_run(run, Database(world_of(run, data)), data=data) for run in runs]
    users = user_distance(*(run.dialogues() for run in runs))
    compared = RunComparison(scores[0], scores[1], by, users)
    if not compared.whole.a:
        raise InputError(
            f"{first} and {second} have no goal in common",
            remedy="Runs are paired by goal: use the same world, language, seed and count.",
        )
    return compared


def _refuse_different(first: Run, second: Run) -> None:
    """Raise where more than the agent differs; people may be compared with any user."""
    setups = first.card.setup, second.card.setup
    with_people = any(setup.get("user") == PEOPLE for setup in setups)
    same = ("world", "perturbation") if with_people else SAME
    differing = [key for key in same if setups[0].get(key) != setups[1].get(key)]
    told = [f"{key}: {setups[0].get(key, '-')} and {setups[1].get(key, '-')}" for key in differing]
    if first.card.digests["world"] != second.card.digests["world"]:
        told.append(_different_tables(setups[0].get("language"), setups[1].get("language")))
    if told:
        raise InputError(
            f"{first.folder} and {second.folder} differ in more than the agent ({'; '.join(told)})",
            remedy="Add --force to compare them all the same.",
        )


def _different_tables(first: str | None, second: str | None) -> str:
    """Why the tables of two runs differ: another language, or else other contents."""
    if first != second:
        return f"language: {first or '-'} and {second or '-'}"
    return "the world's files were changed in between"
