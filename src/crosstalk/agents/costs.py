"""What a run with an agent took: seconds of its turns, tokens, and their price.

    costs = costs_of(run.folder, run.dialogues(), price)

Times stand in files beside the dialogues. Replies taken from an earlier run took no time here, so
they are left out of the latency.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crosstalk.agents.build import TIMES
from crosstalk.agents.chat_client import Usage
from crosstalk.agents.reply_cache import REPLIES, ReplyCache
from crosstalk.dialogue.dialogues import Dialogue

QUANTILES: Final = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds, tokens and dollars of a run."""

    seconds: tuple[float, ...]
    """Of requests to an endpoint, or of the turns of another agent; sorted."""
    usage: Usage
    dollars: float | None
    cached: int = 0
    """Replies that were taken from an earlier run."""
    tool_calls: int = 0

    def latency(self) -> dict[str, float | None]:
        found: dict[str, float | None] = {
            key: quantile(self.seconds, share) for key, share in QUANTILES.items()
        }
        return {**found, "count": len(self.seconds)}

    def record(self) -> dict[str, Any]:
        """For programs; None: unknown, never 0."""
        prompt, completion = self.usage.prompt, self.usage.completion
        return {
            "latency": self.latency(),
            "tokens": {"prompt": prompt, "completion": completion},
            "cost": None if self.dollars is None else round(self.dollars, 6),
            "cached_replies": self.cached,
            "tool_calls": self.tool_calls,
        }


def quantile(values: Sequence[float], share: float) -> float | None:
    """The smallest of sorted values that at least this share does not exceed."""
    if not values:
        return None
    return round(values[min(len(values) - 1, int(share * len(values)))], 4)


def costs_of(
    folder: Path, dialogues: Iterable[Dialogue], price: Callable[[Usage], float | None]
) -> Costs:
    """The costs of a run folder."""
    usage, calls = Usage(), 0
    users: set[str] = set()
    for dialogue in dialogues:
        for turn in dialogue.system_turns:
            agent = turn.extras.get("agent") or {}
            used = agent.get("usage") or {}
            calls += len(agent.get("tool_calls") or ())
            usage += Usage(used.get("prompt_tokens"), used.get("completion_tokens"))
        for turn in dialogue.user_turns:
            users.update((turn.extras.get("voice") or {}).get("requests", ()))
    seconds, cached = _seconds(folder, users)
    return Costs(tuple(sorted(seconds)), usage, price(usage), cached, calls)


def _seconds(folder: Path, users: Collection[str]) -> tuple[list[float], int]:
    """Seconds of the agent's replies; `users`: keys of requests that a user's model answered."""
    if (folder / REPLIES).exists():
        cache = ReplyCache(folder / REPLIES)
        replies = [reply for key, reply in cache.replies() if key not in users]
        return [each.seconds for each in replies if each.fresh], sum(
            not each.fresh for each in replies
        )
    if (folder / TIMES).exists():
        lines = (folder / TIMES).read_text().splitlines()
        return [float(line) for line in lines if line.strip()], 0
    return [], 0
