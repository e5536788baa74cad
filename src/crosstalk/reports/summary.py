"""What a report says about one run, before anybody decides how it looks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosstalk.database.queries import Database
from crosstalk.database.tables import World
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import GoalType
from crosstalk.evaluation.blame import Part, blame
from crosstalk.evaluation.counts import Share
from crosstalk.evaluation.outcomes import Reason
from crosstalk.evaluation.rates import wilson
from crosstalk.evaluation.runs import Run, open_run
from crosstalk.evaluation.simulation import world_of
from crosstalk.evaluation.tallies import Judged, Judgement, Tally, judged, judgement
from crosstalk.reports.examples import Examples
from crosstalk.system.build import WORDS

OVERALL = "overall"
ALL_TYPES = "all"
"""All goal types together, whatever their mix."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run, judged."""

    run: Run
    world: World
    database: Database
    judgement: Judgement
    examples: tuple[Judged, ...] = ()
    broken: Mapping[str, Counter[Part]] = field(default_factory=dict)
    """Conversations in words: goal type, or overall -> who broke first in those that failed."""

    @property
    def in_words(self) -> bool:
        return self.run.card.setup.get("level") == WORDS

    @property
    def kind(self) -> str:
        """`faithful` is the published user, tracker and policy by the published procedure.

        In words, the published understanding and one of the published generators too.
        """
        setup = self.run.card.setup
        setup = {"dst": setup.get("tracker", ""), "user_protocol": setup["protocol"], **setup}
        faithful = {"user": "rule", "dst": "rule", "policy": "sl", "protocol": "paper"}
        faithful["user_protocol"] = "paper"
        generators = {setup.get(key, setup.get("nlg")) for key in ("nlg", "user_nlg")}
        readers = {setup.get(key, setup.get("nlu")) for key in ("nlu", "user_nlu")}
        words = generators <= {"template", "sclstm"} and readers == {"bert"}
        is_faithful = faithful.items() <= setup.items() and (words or not self.in_words)
        return "faithful" if is_faithful else "ours"

    @property
    def title(self) -> str:
        setup = self.run.card.setup
        title = f"{setup['user']} user, {setup['policy']} policy, {setup['protocol']}"
        if not self.in_words:
            return title
        system = f"{setup.get('nlu')} NLU, {setup.get('nlg')} NLG"
        user = ", ".join(
            f"user's {key.removeprefix('user_')} {setup[key]}"
            for key in ("user_protocol", "user_nlu", "user_nlg")
            if setup.get(key) not in (None, setup.get(key.removeprefix("user_")))
        )
        return f"{title}, in words: {system}" + (f", {user}" if user else "")

    @property
    def tallies(self) -> dict[str, Tally]:
        """By goal type, from easy to hard, then overall."""
        by_type = {str(kind): tally for kind, tally in self.judgement.by_type.items()}
        return {**by_type, OVERALL: self.judgement.overall}

    @property
    def held(self) -> int:
        return self.judgement.everything.dialogues


def summarise(folder: Path, *, data: Path | None = None, examples: int = 0) -> RunSummary:
    """Judge a run anew; with some of its dialogues to look at, failures first."""
    run = open_run(folder)
    world = world_of(run, data)
    database = Database(world)
    kept = Examples(examples)
    failed: list[Dialogue] = []
    counted = judgement(run, kept.seeing(_failing(judged(run, database), failed)))
    broken = _named(blame(run, failed, data))
    return RunSummary(run, world, database, counted, kept.chosen(), broken)


def _failing(pairs: Iterable[Judged], failed: list[Dialogue]) -> Iterator[Judged]:
    """The same pairs; those without success are put aside."""
    for dialogue, outcome in pairs:
        if not outcome.success:
            failed.append(dialogue)
        yield dialogue, outcome


def _named(broken: Mapping[GoalType | None, Counter[Part]]) -> dict[str, Counter[Part]]:
    by_type = {str(kind): broken[kind] for kind in GoalType if kind in broken}
    return {**by_type, ALL_TYPES: sum(broken.values(), Counter())} if broken else {}


def plain(summary: RunSummary) -> dict[str, Any]:
    """For programs; shares are in percent."""
    tallies = summary.tallies
    card = summary.run.card
    repeat = int(card.plan["repeat"])
    return {
        "run": str(summary.run.folder),
        "kind": summary.kind,
        "setup": dict(card.setup),
        "plan": dict(card.plan),
        "status": card.status,
        "dialogues": summary.held,
        "finish": _percent((key, tally.finish) for key, tally in tallies.items()),
        "success": _percent((key, tally.success) for key, tally in tallies.items()),
        "turns": {key: _rounded(tally.mean_turns) for key, tally in tallies.items()},
        "failures": {key: failures(tally) for key, tally in tallies.items()},
        "intervals": {
            measure: {key: interval(getattr(tally, measure)) for key, tally in tallies.items()}
            for measure in ("finish", "success")
        },
        "pass": {
            f"pass^{k}": {key: _rounded(tally.pass_hat(k)) for key, tally in tallies.items()}
            for k in range(1, repeat + 1)
        },
        "no_offer": {key: share(tally.refused, tally) for key, tally in tallies.items()},
        "false_no_offer": {
            key: share(tally.refused_falsely, tally) for key, tally in tallies.items()
        },
        "goal_change": {key: share(tally.changed, tally) for key, tally in tallies.items()},
        "repeated_questions": {
            key: _rounded(tally.repeated / tally.dialogues if tally.dialogues else None, 3)
            for key, tally in tallies.items()
        },
        **({"broke_first": _plain_breaks(summary)} if summary.in_words else {}),
        "counts": {key: tally.dialogues for key, tally in tallies.items()},
    }


def _plain_breaks(summary: RunSummary) -> dict[str, dict[str, int]]:
    return {
        key: {str(part): counts[part] for part in Part} for key, counts in summary.broken.items()
    }


def failures(tally: Tally) -> dict[str, float]:
    """Reason -> percent of all dialogues."""
    return {str(reason): share(tally.reasons[reason], tally) or 0.0 for reason in Reason}


def interval(share: Share) -> list[float]:
    low, high = wilson(share.right, share.total)
    return [round(low, 2), round(high, 2)]


def share(count: int, tally: Tally) -> float | None:
    return _rounded(Share(count, tally.dialogues).percent)


def _percent(shares: Iterable[tuple[str, Share]]) -> dict[str, float | None]:
    return {key: _rounded(share.percent) for key, share in shares}


def _rounded(number: float | None, digits: int = 2) -> float | None:
    return None if number is None else round(number, digits)
