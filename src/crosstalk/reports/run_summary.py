"""The content of reports about runs, whatever the layout (terminal, Markdown, HTML, JSON)."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import GoalType
from crosstalk.evaluation.action_findings import ActionFinding, findings_record
from crosstalk.evaluation.agent_scores import LEFT_OUT, trial_of
from crosstalk.evaluation.blame import Component, blame
from crosstalk.evaluation.comparison import Trial
from crosstalk.evaluation.model_reader import model_reader
from crosstalk.evaluation.outcomes import Reason
from crosstalk.evaluation.scores import Rate, Share, rounded
from crosstalk.evaluation.success_rates import (
    Judged,
    Judgement,
    Tally,
    TallyFigure,
    judgement,
)
from crosstalk.evaluation.user_fidelity import UserFidelity, user_fidelity
from crosstalk.evaluation.word_judge import Examined, RunJudge
from crosstalk.evaluation.words_of_people import WordsOfPeople, judged_by_words
from crosstalk.files import writing
from crosstalk.simulation.corpus_runs import PEOPLE
from crosstalk.simulation.run_folders import Run, open_run
from crosstalk.simulation.runner import world_of
from crosstalk.system.build import WORDS
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World

OVERALL = "overall"
FINISH, SUCCESS = "finish", "success"
ALL_TYPES = "all"
"""All goal types together, not weighted."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run with its outcomes."""

    run: Run
    world: World
    database: Database
    judgement: Judgement
    broken: Mapping[str, Counter[Component]] = field(default_factory=dict)
    """Conversations in words: goal type, or overall -> who broke first in those that failed."""
    fidelity: UserFidelity = field(default_factory=UserFidelity)
    """Whether the users said their goals."""
    reader: Mapping[str, str] = field(default_factory=dict)
    """The language model that read what our reader left unread; empty: nobody did."""
    findings: tuple[tuple[str, tuple[ActionFinding, ...]], ...] = ()
    """Dialogue and what was found about its actions."""
    words: WordsOfPeople | None = None
    """Conversations of people: what their words alone say."""
    trials: tuple[Trial, ...] = ()
    """What became of each goal; without what infrastructure or the world kept from its end."""

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
        system = (
            f"{setup['policy']} policy"
            if "policy" in setup
            else setup.get("agent", setup.get("system", ""))
        )
        hard = f" with {setup['perturbation']}" if "perturbation" in setup else ""
        title = f"{setup['user']} user{hard}, {system}, {setup['protocol']}"
        if not self.in_words:
            return title
        speech = f"{setup.get('nlu')} NLU, {setup.get('nlg')} NLG" if "nlu" in setup else "its own"
        user = ", ".join(
            f"user's {key.removeprefix('user_')} {setup[key]}"
            for key in ("user_protocol", "user_nlu", "user_nlg")
            if setup.get(key) not in (None, setup.get(key.removeprefix("user_")))
        )
        return f"{title}, in words: {speech}" + (f", {user}" if user else "")

    @property
    def tallies(self) -> dict[str, Tally]:
        """By goal type, from easy to hard."""
        return {str(kind): tally for kind, tally in self.judgement.by_type.items()}

    @property
    def columns(self) -> tuple[str, ...]:
        """The goal types of the run, then overall."""
        return (*self.tallies, OVERALL)

    def figure(self, column: str, figure: TallyFigure) -> float | None:
        """A figure of a goal type, or overall; None if there are no such dialogues."""
        if column == OVERALL:
            return self.judgement.overall(_of_any(figure))
        tally = self.tallies.get(column)
        return figure(tally) if tally and tally.dialogues else None

    def rate(self, column: str, measure: str) -> Rate | None:
        """Finish or success of a goal type, or overall, with its interval."""
        if column == OVERALL:
            return self.judgement.overall_rate(lambda tally: _rate(tally, measure))
        tally = self.tallies.get(column)
        return _rate(tally, measure) if tally else None

    @property
    def held(self) -> int:
        return self.judgement.everything.dialogues


See = Callable[[Dialogue, Examined], None]
"""Called with each dialogue as it was held, and as it was judged."""


def summarise(
    folder: Path,
    *,
    data: Path | None = None,
    see: See | None = None,
    reader: str = "",
) -> RunSummary:
    """Judge the dialogues of a run; `see` is called with each of them, in order.

    `reader`: a language model, `openai:MODEL[@URL]`, that reads what our reader leaves unread.
    """
    run = open_run(folder)
    model = model_reader(reader, run.folder) if reader else None
    world = world_of(run, data)
    database = Database(world)
    failed: set[int] = set()
    succeeds: dict[str, bool] = {}
    trials: list[Trial] = []
    users = FidelityCount(actions="actions" in run.card.setup)
    found: list[tuple[str, tuple[ActionFinding, ...]]] = []
    pairs = _judged(
        run,
        RunJudge(run, database, data, model),
        failed,
        found,
        _all(see, _noting(run, trials, succeeds)),
    )
    counted = judgement(run, users.seeing(pairs))
    failures = (each for number, each in enumerate(run.dialogues()) if number in failed)
    broken = _named(blame(run, failures, data))
    read_by = model.record if model else {}
    are_people = run.card.setup.get("user") == PEOPLE
    words = judged_by_words(run, succeeds, data) if are_people else None
    summary = RunSummary(
        run,
        world,
        database,
        counted,
        broken,
        users.total,
        read_by,
        tuple(found),
        words,
        tuple(trials),
    )
    if model:
        with writing(model.judgement) as file:  # beside the judgements of other readers
            json.dump(summary_record(summary), file, ensure_ascii=False, indent=1)
    return summary


def _noting(run: Run, trials: list[Trial], succeeds: dict[str, bool]) -> See:
    """Notes whether each dialogue succeeds, and what became of its goal."""

    def note(dialogue: Dialogue, examined: Examined) -> None:
        outcome = examined.outcome
        succeeds[dialogue.id] = outcome.success
        if outcome.reason not in LEFT_OUT:
            trials.append(trial_of(dialogue, outcome, run))

    return note


def _all(*several: See | None) -> See:
    """Calls each of them."""

    def see(dialogue: Dialogue, examined: Examined) -> None:
        for each in several:
            if each is not None:
                each(dialogue, examined)

    return see


class FidelityCount:
    """Counts the fidelity of the users of a stream of dialogues."""

    def __init__(self, *, actions: bool) -> None:
        self._actions = actions
        self.total = UserFidelity()

    def seeing(self, pairs: Iterable[Judged]) -> Iterator[Judged]:
        """Pass the stream on and count."""
        for dialogue, outcome in pairs:
            self.total += user_fidelity(dialogue, actions=self._actions)
            yield dialogue, outcome


def _judged(
    run: Run,
    judge: RunJudge,
    failed: set[int],
    found: list[tuple[str, tuple[ActionFinding, ...]]],
    see: See | None,
) -> Iterator[Judged]:
    """The dialogues with their outcomes; collects which failed, and findings about actions."""
    for number, dialogue in enumerate(run.dialogues()):
        examined = judge.examine(dialogue)
        if not examined.outcome.success:
            failed.add(number)
        found.append((dialogue.id, examined.outcome.findings))
        if see is not None:
            see(dialogue, examined)
        yield dialogue, examined.outcome


def _named(broken: Mapping[GoalType | None, Counter[Component]]) -> dict[str, Counter[Component]]:
    by_type = {str(kind): broken[kind] for kind in GoalType if kind in broken}
    return {**by_type, ALL_TYPES: sum(broken.values(), Counter())} if broken else {}


def _of_any(figure: TallyFigure) -> TallyFigure:
    return lambda tally: figure(tally) if tally.dialogues else None


def _rate(tally: Tally, measure: str) -> Rate | None:
    return tally.finish_rate if measure == FINISH else tally.success_rate


def summary_record(summary: RunSummary) -> dict[str, Any]:
    """As JSON; shares are in percent, weights sum to 1."""
    card = summary.run.card

    def figures(figure: TallyFigure, digits: int = 2) -> dict[str, float | None]:
        return {key: rounded(summary.figure(key, figure), digits) for key in summary.columns}

    repeat = int(card.plan["repeat"])
    flaws = summary.judgement.everything.reply_flaws
    return {
        "run": str(summary.run.folder),
        "kind": summary.kind,
        "setup": dict(card.setup),
        "plan": dict(card.plan),
        "status": card.status,
        "dialogues": summary.held,
        "mix": str(summary.judgement.mix),
        "weights": {
            str(kind): round(weight, 4) for kind, weight in summary.judgement.weights.items()
        },
        "finish": figures(lambda tally: tally.finish.percent),
        "success": figures(lambda tally: tally.success.percent),
        "turns": figures(lambda tally: tally.mean_turns),
        "failures": {
            key: {str(reason): _failed(summary, key, reason) for reason in Reason}
            for key in summary.columns
        },
        "intervals": {
            measure: {key: _limits(summary.rate(key, measure)) for key in summary.columns}
            for measure in (FINISH, SUCCESS)
        },
        "pass": {f"pass^{k}": figures(passing(k)) for k in range(1, repeat + 1)},
        "no_offer": figures(lambda tally: share(tally.refused, tally)),
        "false_no_offer": figures(lambda tally: share(tally.refused_falsely, tally)),
        "goal_change": figures(lambda tally: share(tally.changed, tally)),
        "repeated_questions": figures(lambda tally: tally.repeated / tally.dialogues, 3),
        **({"broke_first": _plain_breaks(summary)} if summary.in_words else {}),
        **(
            {
                "actions": summary.judgement.everything.actions.record(),
                **findings_record(summary.findings),
            }
            if "actions" in card.setup
            else {}
        ),
        **({"reply_flaws": dict(flaws.most_common())} if summary.in_words else {}),
        **({"reader": dict(summary.reader)} if summary.reader else {}),
        **({"user_fidelity": summary.fidelity.record()} if summary.in_words else {}),
        **({"by_words": summary.words.record()} if summary.words else {}),
        "counts": {
            **{key: tally.dialogues for key, tally in summary.tallies.items()},
            OVERALL: summary.held,
        },
    }


def _plain_breaks(summary: RunSummary) -> dict[str, dict[str, int]]:
    return {
        key: {str(part): counts[part] for part in Component}
        for key, counts in summary.broken.items()
    }


def _failed(summary: RunSummary, key: str, reason: Reason) -> float:
    return rounded(summary.figure(key, failing(reason))) or 0.0


def failing(reason: Reason) -> TallyFigure:
    """Percent of dialogues that failed for this reason."""
    return lambda tally: share(tally.reasons[reason], tally)


def passing(k: int) -> TallyFigure:
    return lambda tally: tally.pass_hat(k)


def share(count: int, tally: Tally) -> float | None:
    """In percent of the dialogues."""
    return Share(count, tally.dialogues).percent


def _limits(rate: Rate | None) -> list[float]:
    """0 to 100 if there was nothing to count."""
    return [round(rate.low, 2), round(rate.high, 2)] if rate else [0.0, 100.0]
