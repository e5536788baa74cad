"""A language model as the user, prompted freely: `--user openai:MODEL[@URL]`.

    users = build_model_users("openai:qwen@http://localhost:8080/v1", context, ...)
    participant = users.of_session(goal, seed)

The model gets its goal in words, says what it likes and ends the conversation with a marker. Its
words are read back into acts by rules, and the state of its goal is kept as the rule simulator
keeps its own, so that a run is judged as usual. Nothing makes such a user faithful: the report
counts what it left out, invented and contradicted (`evaluation/user_fidelity.py`).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from crosstalk.agents.build import AgentOptions
from crosstalk.agents.chat_client import ChatClient, Message
from crosstalk.dialogue.acts import DO, Act, in_order
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples
from crosstalk.dialogue.participants import Reply
from crosstalk.goals.describe import describe
from crosstalk.reading.user_turns import NEAR, Meaning, UserTurnReader
from crosstalk.simulation.user_voice import (
    PHRASED,
    REPHRASED,
    RETRIES,
    STOP_MARK,
    UNCHECKED,
    PhrasingProblem,
    PhrasingWork,
    UserChecks,
    VoiceWords,
    asked_again,
    cleaned,
    model_client,
    user_checks,
    user_words,
    written,
)
from crosstalk.system.parts import PartContext
from crosstalk.system.text_adapters import (
    VOICE,
    History,
    Understands,
    understood_extras,
    with_calls,
)
from crosstalk.users.action_user import ASKED, has_asked
from crosstalk.users.perturbations import Perturb
from crosstalk.users.rule_user import RuleStateUpdate
from crosstalk.users.simulator import GoalActs, role_of
from crosstalk.worlds.tables import World

Exchanged = tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class ModelUserState:
    """The conversation as the model sees it, and the goal as our rules see it."""

    messages: Exchanged
    history: History
    goal: Goal
    """Changed where a wish was given up."""
    tuples: Tuples
    rng: Random


@dataclass(frozen=True, slots=True)
class ModelUsers:
    """A language model as the user of every session of a run."""

    client: ChatClient
    checks: UserChecks
    understand: Understands
    """Reads the agent's replies."""
    words: VoiceWords
    world: World
    tracker: "GoalTracker"
    perturb: Perturb = lambda text, rng: text

    def of_session(self, goal: Goal, seed: str) -> "ModelUser":
        return ModelUser(self, goal, seed)


@dataclass(frozen=True, slots=True)
class ModelUser:
    """A participant whose words are all the model's."""

    users: ModelUsers
    goal: Goal
    seed: str

    def begin(self) -> ModelUserState:
        words, world = self.users.words, self.users.world
        told = self.goal.description or describe(self.goal.tuples, world, self.goal.actions)
        prompt = words.free.format(
            world=world.name,
            language=world.language.name,
            goal=json.dumps(list(told), ensure_ascii=False),
            marker=STOP_MARK,
        )
        messages = ({"role": "system", "content": prompt}, _from_agent(words.begin))
        return ModelUserState(messages, (), self.goal, self.goal.tuples, Random(self.seed))

    def reply(self, heard: Turn | None, state: ModelUserState) -> tuple[Reply, ModelUserState]:
        users = self.users
        taken = with_calls(users.understand(heard, state.history), heard) if heard else None
        goal, tuples, history = state.goal, state.tuples, state.history
        messages = state.messages
        if heard is not None and taken is not None:
            goal, tuples = users.tracker.heard(goal, tuples, taken.acts, state.rng)
            history = (*history, taken)
            messages = (*messages, _from_agent(heard.text))
        text, done, record = self._words(messages)
        acts = users.tracker.spelled(users.checks.understand(text, history), self.goal)
        tuples = users.tracker.said(goal, tuples, acts)
        extras = {**understood_extras(heard, taken), **self._asked(acts, history), VOICE: record}
        said = text
        if not users.checks.is_about_actions(acts):  # dates and codes stay as they are
            said = users.perturb(text, Random(f"perturbation {self.seed} {len(history)}"))
        turn = Turn(Speaker.USER, said, acts, tuples, extras=extras)
        mine = {"role": "assistant", "content": text}
        after = ModelUserState((*messages, mine), (*history, turn), goal, tuples, state.rng)
        return Reply(turn, done=done), after

    def _asked(self, acts: Sequence[Act], history: History) -> dict[str, Any]:
        """Which actions of the goal a turn asks for; those of one kind in the goal's order."""
        numbers: list[int] = []
        for act in (act for act in acts if act.intent == DO):
            same = [n for n, each in enumerate(self.goal.actions) if each.action == act.domain]
            numbers += [n for n in same if not has_asked(history, n)][:1] or same[-1:]
        return {ASKED: numbers} if numbers else {}

    def _words(self, messages: Exchanged) -> tuple[str, bool, dict[str, Any]]:
        """What the model says, whether it is done, and the record of how it came about."""
        users, work = self.users, PhrasingWork()
        asked: list[Message] = list(messages)
        for attempt in range(RETRIES + 1):
            reply = written(users.client, asked, f"user {self.seed}", attempt)
            work.add(reply)
            text, done = without_mark(cleaned(reply))
            text = text or (users.words.closing if done else "")
            problems = users.checks.as_user(text)
            if not problems:
                return text, done, work.record(REPHRASED if attempt else PHRASED)
            work.rejected.append([str(problem) for problem in problems])
            asked = [*asked, *asked_again(reply, problems, users.words)]
        if PhrasingProblem.EMPTY in problems:
            raise ValueError(f"the language model said nothing, {RETRIES + 1} times")
        return text, done, work.record(UNCHECKED)


def _from_agent(text: str) -> Message:
    """The agent's words, as chat messages have it: the model is the assistant, whoever it plays."""
    return {"role": "user", "content": text}


def without_mark(text: str) -> tuple[str, bool]:
    """A message without the mark that ends the conversation, and whether it was there."""
    before, mark, after = text.partition(STOP_MARK)
    return f"{before} {after}".strip() if mark else text, bool(mark)


@dataclass(frozen=True, slots=True)
class GoalTracker:
    """Keeps the state of a goal for a user who does not keep one."""

    reader: UserTurnReader
    rules: RuleStateUpdate
    goal_acts: GoalActs

    def heard(
        self, goal: Goal, tuples: Tuples, acts: tuple[Act, ...], rng: Random
    ) -> tuple[Goal, Tuples]:
        """The state after a reply; one that answers several sub-goals counts for all of them."""
        while True:
            at = self.rules.current(tuples)
            goal, tuples = self.rules.update(goal, tuples, acts, rng)
            following = self.rules.current(tuples)
            if at in (None, following) or following is None:
                return goal, tuples
            if _domain(tuples, at) == _domain(tuples, following):
                return goal, tuples

    def said(self, goal: Goal, tuples: Tuples, acts: tuple[Act, ...]) -> Tuples:
        """The state after the user's own words."""
        tuples = self._chosen(goal, tuples, acts)
        read = frozenset(self.reader.meanings(acts))
        used: set[frozenset[Meaning]] = set()
        after = list(tuples)
        for at, each in enumerate(tuples):
            meant = self._meant(goal.tuples[at], each, tuples)
            if each.expressed or not meant or meant in used:
                continue
            if all(one in read or self.reader.is_searched(one, read) for one in meant):
                used.add(meant)
                after[at] = self.goal_acts.resolved(each, tuples).said()
        return tuple(after)

    def spelled(self, acts: tuple[Act, ...], goal: Goal) -> tuple[Act, ...]:
        """Acts with the values as the goal has them where they mean the same: *at least 4*."""
        wished = [
            act
            for each in goal.tuples
            if not each.is_open and not isinstance(each.value, Reference)
            for act in self.goal_acts.inform(each, each.value, goal.tuples)
        ]
        known = {frozenset(self.reader.meanings([act])): act for act in wished}
        return in_order(known.get(frozenset(self.reader.meanings([act])), act) for act in acts)

    def _meant(
        self, wanted: SemanticTuple, each: SemanticTuple, tuples: Tuples
    ) -> frozenset[Meaning]:
        """What has to be said of a tuple; of something near a place, that it shall be near."""
        acts = self.goal_acts.say(each, tuples, role_of(wanted))
        meant = frozenset(self.reader.meanings(acts))
        if isinstance(wanted.value, Reference) and wanted.value.nearby:
            return frozenset(one for one in meant if one[0] == NEAR)
        return meant

    def _chosen(self, goal: Goal, tuples: Tuples, acts: Sequence[Act]) -> Tuples:
        """The state with the place that the user picks by its name."""
        current = self.rules.current(tuples)
        slots = self.goal_acts.names
        named = {act.domain: act.value for act in acts if slots.get(act.domain) == act.slot}
        return tuple(
            each.filled(named[each.domain]).said()
            if each.subgoal == current
            and each.slot == slots.get(each.domain)
            and named.get(each.domain)
            and (wanted.is_open or isinstance(wanted.value, Reference))
            else each
            for wanted, each in zip(goal.tuples, tuples, strict=True)
        )


def _domain(tuples: Tuples, subgoal: int | None) -> str:
    return next((each.domain for each in tuples if each.subgoal == subgoal), "")


def build_model_users(
    name: str,
    context: PartContext,
    understand: Understands,
    options: AgentOptions,
    replies: Path | None,
) -> ModelUsers:
    """The users that `openai:MODEL[@URL]` names."""
    world = context.world
    checks = user_checks(context, "--user", actions=options.actions)
    tracker = GoalTracker(
        checks.reader,
        RuleStateUpdate(world.schema, world.language),
        GoalActs.of(world.schema, world.language),
    )
    client = model_client(name, "--user", options, replies)
    words = user_words(context, options)
    return ModelUsers(client, checks, understand, words, world, tracker)
