"""Judging agents whose turns have words and no acts: `WordJudge(database, reader).judge(dialogue)`.

The reader of prose, a third party, says what each reply claimed, offered and refused; the rules of
`outcomes.py` then judge the dialogue as they judge one with acts. The agent's own acts are never
looked at. Text that nobody could read makes a failure undecided, never somebody's fault.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crosstalk.agents.prompts import agent_prompt
from crosstalk.dialogue.conversation import Ending
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.evaluation.action_findings import (
    ActionFinding,
    ActionJudge,
    FindingKind,
    without_explained,
)
from crosstalk.evaluation.action_success import ActionCounts, ActionOutcome, dialogue_outcome
from crosstalk.evaluation.model_reader import ModelReader
from crosstalk.evaluation.outcomes import Cause, Judge, Outcome, Reason, worst_reason
from crosstalk.evaluation.reply_flaws import is_noise, is_too_long, replies_of, reply_flaws
from crosstalk.evaluation.success import Flaw
from crosstalk.reading.conversation import ConversationReader, Exchange, acts_of
from crosstalk.reading.prose_nlu import said_in
from crosstalk.reading.reply_state import UNKNOWN
from crosstalk.simulation.run_folders import Run
from crosstalk.users.action_user import has_asked
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.queries import Database
from crosstalk.worlds.truth import Truth

UNREAD = "nobody could read all of the replies to it"


@dataclass(frozen=True, slots=True)
class Examined:
    """A judged dialogue with what the judgement rests on."""

    dialogue: Dialogue
    """As it was judged: where the system's turns had no acts, with those read in its words."""
    outcome: Outcome
    exchanges: tuple[Exchange, ...] = ()
    """What was read in the replies; empty if the dialogue was judged by its acts."""


class WordJudge:
    """Judges dialogues of one world in one language by their words."""

    def __init__(
        self,
        database: Database,
        world: str,
        data: Path | None = None,
        model: ModelReader | None = None,
        actions: ActionJudge | None = None,
        prompt: str = "",
    ) -> None:
        """`model`: reads what the reader of prose leaves unread. `actions`: what calls explain.

        `prompt`: the agent's own, which it should keep to itself; empty: the one made from the
        world.
        """
        code = self._language = database.world.language.code
        self._judge = Judge(database)
        self._truth = Truth(database)
        self._prompt = prompt or agent_prompt(database.world, actions=actions is not None)
        self._reader = ConversationReader.of(world, code, data)
        self._model = model
        self._actions = actions

    def judge(self, dialogue: Dialogue) -> Outcome:
        return self.examine(dialogue).outcome

    def examine(self, dialogue: Dialogue) -> Examined:
        """The outcome of a dialogue, and what was read in it."""
        exchanges = self.read(dialogue)
        told = self.with_acts(dialogue, exchanges)
        outcome = self._judge.judge(told)
        unread = sum(len(each.reading.unread) for each in exchanges)
        matters = any(self._may_matter(each) for each in exchanges)
        causes = tuple(_undecided(each) if matters else each for each in outcome.causes)
        reason = worst_reason(causes)
        flaws = tuple(reply_flaws(replies_of(dialogue, exchanges), self._truth, self._prompt))
        outcome = replace(outcome, unread=unread, causes=causes, reason=reason, reply_flaws=flaws)
        return Examined(told, outcome, tuple(exchanges))

    def _may_matter(self, exchange: Exchange) -> bool:
        """Whether a reply holds unread text that its user could have understood.

        A reply in another language that we know, of characters that nobody writes, or of a length
        that nobody reads, is the agent's own fault.
        """
        reading, reply = exchange.reading, exchange.reply
        understood = reading.language in (self._language, UNKNOWN, "")
        readable = not is_noise(reply) and not is_too_long(reply)
        return bool(reading.unread) and understood and readable

    def read(self, dialogue: Dialogue) -> list[Exchange]:
        """What each reply of a dialogue says, read in its context."""
        exchanges = self._reader.read(said_in(dialogue.turns))
        if self._actions is not None:
            told = self._actions.readings(dialogue.turns, exchanges)
            exchanges = [
                without_explained(e, told[n]) for n, e in zip(told, exchanges, strict=True)
            ]
        if self._model is None:
            return exchanges
        return [self._model.read(each, self._reader.reader) for each in exchanges]

    def with_acts(self, dialogue: Dialogue, exchanges: Sequence[Exchange]) -> Dialogue:
        """The dialogue with the acts that were read in the system's words."""
        readings = iter(exchanges)

        def filled(turn: Turn) -> Turn:
            if turn.speaker is Speaker.USER:
                return turn
            return replace(turn, acts=acts_of(next(readings).reading))

        return replace(dialogue, turns=tuple(map(filled, dialogue.turns)))


def _undecided(cause: Cause) -> Cause:
    """A missing answer is the reader's where some reply holds text that nobody could read."""
    is_missing = cause.finding is not None and cause.finding.flaw is Flaw.UNSETTLED
    if cause.reason is Reason.SYSTEM and is_missing:
        return replace(cause, reason=Reason.READER, words=UNREAD)
    return cause


def _with_actions(
    outcome: Outcome, found: ActionOutcome, findings: tuple[ActionFinding, ...], dialogue: Dialogue
) -> Outcome:
    """The outcome judged by the tables too, and by what the agent said about its actions.

    The tables have to end as the goal wants them; breaches are reported and fail nothing.
    """
    if outcome.reason is Reason.INFRASTRUCTURE:
        return replace(outcome, actions=ActionCounts())
    causes = outcome.causes
    if not found.success:
        causes += (_action_cause(found, dialogue),)
    untrue = dict.fromkeys(f.words for f in findings if f.kind is FindingKind.FALSE_CLAIM)
    causes += tuple(Cause(Reason.SYSTEM, None, words) for words in untrue)
    return replace(
        outcome,
        success=outcome.success and not causes,
        causes=causes,
        reason=worst_reason(causes),
        actions=found.counts,
        findings=findings,
    )


def _action_cause(found: ActionOutcome, dialogue: Dialogue) -> Cause:
    counts, actions = found.counts, dialogue.goal.actions if dialogue.goal else ()
    if counts.forbidden:
        return Cause(Reason.SYSTEM, None, "the system did what a rule forbids")
    if counts.wrong:
        return Cause(Reason.SYSTEM, None, "the system did something else than was wanted")
    asked = [each for n, each in enumerate(actions) if has_asked(dialogue.turns, n)]
    if len(asked) < len(actions) and dialogue.extras.get("ending") == Ending.LIMIT:
        return Cause(Reason.LIMIT, None, "the turns ran out before the user could ask for it")
    if len(asked) < len(actions) and counts.done >= sum(not each.forbidden for each in asked):
        return Cause(Reason.USER, None, "the user did not ask for it")
    if dialogue.extras.get("ending") == Ending.LIMIT:
        return Cause(Reason.LIMIT, None, "the turns ran out before it was done")
    return Cause(Reason.SYSTEM, None, "the system did not do what was wanted")


def speaks_in_words_alone(dialogue: Dialogue) -> bool:
    """Whether words were said and no turn of the system has acts, as with agents of others."""
    said = any(turn.text for turn in dialogue.turns)
    return said and not any(turn.acts for turn in dialogue.system_turns)


class RunJudge:
    """Judges the dialogues of a run: by their acts where they have some, else by their words."""

    def __init__(
        self,
        run: Run,
        database: Database,
        data: Path | None = None,
        model: ModelReader | None = None,
    ) -> None:
        self._by_acts = Judge(database)
        self._model, self._prompt = model, run.prompt
        self._database, self._data = database, data
        self._world = run.card.setup["world"]
        self._by_words: WordJudge | None = None
        self._executor = Executor(database) if run.card.setup.get("actions") else None
        self._actions = (
            ActionJudge.of(self._executor, self._world, data) if self._executor else None
        )

    def judge(self, dialogue: Dialogue) -> Outcome:
        return self.examine(dialogue).outcome

    def examine(self, dialogue: Dialogue) -> Examined:
        """The outcome of a dialogue, and what was read in it."""
        examined = self._examine(dialogue)
        if self._executor is None or self._actions is None:
            return examined
        found = dialogue_outcome(self._executor, dialogue)
        findings = self._actions.findings(dialogue.turns, examined.exchanges)
        outcome = _with_actions(examined.outcome, found, findings, dialogue)
        return replace(examined, outcome=outcome)

    def _examine(self, dialogue: Dialogue) -> Examined:
        is_held = dialogue.extras.get("ending") != Ending.INFRASTRUCTURE
        if not is_held or not speaks_in_words_alone(dialogue):
            return Examined(dialogue, self._by_acts.judge(dialogue))
        if self._by_words is None:
            self._by_words = WordJudge(
                self._database, self._world, self._data, self._model, self._actions, self._prompt
            )
        return self._by_words.examine(dialogue)
