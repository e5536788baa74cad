"""Verdicts on finished transcripts: success, whose fault, flaws with their words, and counts."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from crosstalk.evaluation.action_success import ActionCounts
from crosstalk.evaluation.reply_flaws import ReplyFlaw


class Blame(StrEnum):
    """Whose fault a failure is; the order is that in which it is decided."""

    INFRASTRUCTURE = "infrastructure"
    WORLD = "world"
    AGENT = "agent"
    READER = "reader"
    USER = "user"


@dataclass(frozen=True, slots=True)
class FlawFound:
    """One thing that is wrong, whose fault, and the words that show it."""

    subgoal: int
    domain: str
    slot: str
    kind: str
    blame: Blame
    turn: int | None = None
    """Number of the exchange, from 0."""
    quote: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class OfflineVerdict:
    """The judgement of one transcript."""

    id: str
    success: bool | None
    """None: undecided."""
    blame: Blame | None = None
    flaws: tuple[FlawFound, ...] = ()
    unread: int = 0
    """Stretches of text that may matter and that nobody could read."""
    false_claims: tuple[dict[str, Any], ...] = ()
    """Claims that the tables contradict, about whatever entity."""
    breaches: tuple[dict[str, Any], ...] = ()
    """Actions done against a rule of the world; they fail nothing by themselves."""
    actions: ActionCounts | None = None
    """What was done and was to be done; None where nothing was."""
    reply_flaws: tuple[ReplyFlaw, ...] = ()
    """Flaws of replies that the verdict does not rest on."""
    error: str = ""
    """Why it could not be judged."""

    def record(self) -> dict[str, Any]:
        """As one line of a file of verdicts."""
        made: dict[str, Any] = {
            "id": self.id,
            "success": self.success,
            "blame": self.blame,
            "flaws": [
                {key: value for key, value in asdict(flaw).items() if value not in (None, "")}
                for flaw in self.flaws
            ],
            "unread": self.unread,
            "false_claims": list(self.false_claims),
            "reply_flaws": [each.record() for each in self.reply_flaws],
        }
        if self.actions is not None:
            made |= {"actions": self.actions.record(), "breaches": list(self.breaches)}
        return {**made, "error": self.error} if self.error else made


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """Verdicts counted; infrastructure and the world's faults stand apart."""

    transcripts: int = 0
    succeeded: int = 0
    failed: int = 0
    undecided: int = 0
    unjudged: int = 0
    blame: dict[str, int] = field(default_factory=dict)
    breaches: dict[str, int] = field(default_factory=dict)
    """Rule -> how often an action broke it."""
    false_actions: dict[str, int] = field(default_factory=dict)
    """Rule -> how often something untrue was said about an action."""

    @property
    def rate(self) -> tuple[float, float] | None:
        """Share of successes if all undecided failed, and if all succeeded."""
        counted = self.succeeded + self.failed + self.undecided - self.blame.get(Blame.WORLD, 0)
        if counted <= 0:
            return None
        return self.succeeded / counted, (self.succeeded + self.undecided) / counted


def count_verdicts(verdicts: Iterable[OfflineVerdict]) -> VerdictCounts:
    made = list(verdicts)
    blame = Counter(str(each.blame) for each in made if each.blame)
    apart = [e for e in made if e.error or e.blame is Blame.INFRASTRUCTURE]
    judged = [each for each in made if each not in apart]
    return VerdictCounts(
        len(made),
        sum(each.success is True for each in judged),
        sum(each.success is False for each in judged),
        sum(each.success is None for each in judged),
        sum(bool(each.error) for each in made),
        dict(blame),
        _by_rule(rule["rule"] for each in made for rule in each.breaches),
        _by_rule(c["rule"] for each in made for c in each.false_claims if "rule" in c),
    )


def _by_rule(rules: Iterable[str]) -> dict[str, int]:
    return dict(Counter(rules).most_common())
