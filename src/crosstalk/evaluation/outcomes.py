"""Outcomes: how a dialogue went, and whose doing it was when it went wrong.

Pure functions of a finished dialogue and the tables. The reason of a failure is decided by rule:

1. A participant that raised, hung or answered nonsense: its fault.
2. The goal names an entity that no table has: unsatisfiable goal.
3. The system told something wrong, offered what the user had not asked for, refused what it had, or
   left a question or a wish unanswered: system fault.
4. The user gave up a wish nobody had refused, took up what nobody had told it, took name and answer
   from two different offers, took what it knew to be otherwise than wanted, or let turns pass with
   more to say: user fault.
5. Nobody was at fault and the turns ran out: unsatisfiable goal where the tables cannot meet the
   goal as it was given, otherwise turn limit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from crosstalk.dialogue.acts import GENERAL, INFORM, NO_OFFER, RECOMMEND, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType, Reference, Tuples
from crosstalk.dialogue.schema import Domain
from crosstalk.dialogue.turns import Ending
from crosstalk.evaluation.relaxations import Wishes, follow
from crosstalk.evaluation.success import Flaw, SuccessFinding, Truth, findings, fold, same
from crosstalk.goals.satisfiable import can_be_met
from crosstalk.users.simulator import is_finished
from crosstalk.users.wider_acts import REPEAT, PublishedActs
from crosstalk.worlds.queries import Database


class Reason(StrEnum):
    """Why a dialogue failed."""

    SYSTEM = "system fault"
    USER = "user fault"
    GOAL = "unsatisfiable goal"
    LIMIT = "turn limit"


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that went wrong, and by whose doing."""

    reason: Reason
    finding: SuccessFinding | None
    words: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The judgement of one dialogue."""

    type: GoalType | None
    finished: bool
    """The paper's task finish: everything said, answered and resolved."""
    success: bool
    """Finished, and all of it true."""
    turns: int
    repeated: int
    """Questions the user had to ask again, because they were not answered."""
    refusals: int
    """System turns that said: nothing matches."""
    false_refusals: int
    """... though something did."""
    goal_changed: bool
    """Some wish was given up."""
    reason: Reason | None = None
    causes: tuple[Cause, ...] = ()


class Judge:
    """Judges dialogues of one world."""

    def __init__(self, database: Database) -> None:
        self._truth = Truth(database)

    def judge(self, dialogue: Dialogue) -> Outcome:
        goal = dialogue.goal or Goal(())
        final = dialogue.final_goal or goal.tuples
        wishes = follow(dialogue, self._truth)
        causes = tuple(self._causes(dialogue, goal, final, wishes))
        return Outcome(
            type=goal.type,
            finished=is_finished(final),
            success=not causes,
            turns=len(dialogue.turns),
            repeated=_repeated(dialogue.turns),
            refusals=len({refusal.turn for refusal in wishes.refusals}),
            false_refusals=sum(not refusal.is_true for refusal in wishes.refusals),
            goal_changed=bool(wishes.given_up or wishes.needless),
            reason=_worst(causes),
            causes=causes,
        )

    def is_satisfiable(self, goal: Goal) -> bool:
        """Whether the tables can meet a goal as it is given; one that contradicts itself cannot."""
        return can_be_met(goal.tuples, self._truth.all_fields)

    def _causes(
        self, dialogue: Dialogue, goal: Goal, final: Tuples, wishes: Wishes
    ) -> Iterator[Cause]:
        ending = dialogue.extras.get("ending")
        if ending in (Ending.USER_FAULT, Ending.SYSTEM_FAULT):
            reason = Reason.USER if ending == Ending.USER_FAULT else Reason.SYSTEM
            yield Cause(reason, None, str(dialogue.extras.get("fault", "")))
            return
        for position, flaw in wishes.needless:
            yield self._needless(goal.tuples, final, position, flaw)
        story = _Story(dialogue, self._truth)
        gone = wishes.given_up | {position for position, _ in wishes.needless}
        for finding in findings(goal.tuples, final, gone, self._truth):
            reason, words = story.cause(finding)
            if reason is Reason.LIMIT and not self.is_satisfiable(goal):
                reason = Reason.GOAL
            yield Cause(reason, finding, words)

    def _needless(self, wanted: Tuples, final: Tuples, position: int, flaw: Flaw) -> Cause:
        each = final[position]
        where = SuccessFinding(flaw, position, each.subgoal, each.domain, each.slot, each.value)
        reason = Reason.USER if flaw is Flaw.GIVEN_UP else Reason.SYSTEM
        return Cause(reason, where, str(flaw))


def _worst(causes: tuple[Cause, ...]) -> Reason | None:
    """The reason of the whole: a vanished entity first, then the system, then the user."""
    reasons = {cause.reason for cause in causes}
    vanished = any(
        cause.reason is Reason.GOAL and cause.finding and cause.finding.flaw is Flaw.NO_ENTITY
        for cause in causes
    )
    if vanished:
        return Reason.GOAL
    return next((reason for reason in Reason if reason in reasons), None)


def _repeated(turns: tuple[Turn, ...]) -> int:
    count = 0
    open_questions: set[tuple[str, str]] = set()
    for turn in turns:
        if turn.speaker is Speaker.SYSTEM:
            open_questions = _still_open(open_questions, turn.acts)
            continue
        asked = {(act.domain, act.slot) for act in turn.acts if act.intent == REQUEST}
        count += len(asked & open_questions)
        open_questions |= asked
    return count


def _still_open(questions: set[tuple[str, str]], acts: tuple[Act, ...]) -> set[tuple[str, str]]:
    """An answer closes a question; saying that nothing matches closes all about that domain."""
    refused = {act.domain for act in acts if act.intent == NO_OFFER}
    told = {(act.domain, act.slot) for act in acts if act.intent in (INFORM, RECOMMEND)}
    return {each for each in questions - told if each[0] not in refused}


class _Story:
    """Who said what, for deciding whose doing a flaw was."""

    def __init__(self, dialogue: Dialogue, truth: Truth) -> None:
        self._truth = truth
        self._goal = dialogue.goal.tuples if dialogue.goal else ()
        self._final = dialogue.final_goal or ()
        self._turns = dialogue.turns
        published = PublishedActs(truth.world.schema, truth.world.language)
        self._user = [set(published.of(turn.acts)) for turn in dialogue.user_turns]
        self._system = [set(published.of(turn.acts)) for turn in dialogue.system_turns]
        self._told = {
            (act.domain, act.slot, fold(act.value))
            for acts in self._system
            for act in acts
            if act.intent in (INFORM, RECOMMEND)
        }

    def cause(self, finding: SuccessFinding) -> tuple[Reason, str]:
        match finding.flaw:
            case Flaw.UNSETTLED:
                return self._unsettled(finding)
            case Flaw.WRONG_ANSWER:
                return self._wrong_answer(finding)
            case Flaw.NO_ENTITY if same(self._goal[finding.position].value, finding.value):
                return Reason.GOAL, "the goal names an entity that no table has"
            case Flaw.WRONG_END:
                return Reason.USER, "the user named another place than the one it had chosen"
            case _:
                return self._offered(finding)

    def _offered(self, finding: SuccessFinding) -> tuple[Reason, str]:
        """The entity does not fit: the system's doing if it offered it to one who had said so."""
        chosen = self._names(finding.subgoal)
        if not chosen & self._offers(finding.domain):
            return Reason.USER, f"{finding.flaw}: nobody had offered what the user took"
        if finding.flaw is Flaw.UNMET and self._was_told(finding, chosen):
            return Reason.USER, f"{finding.flaw}: the user was told so and took it all the same"
        return Reason.SYSTEM, f"{finding.flaw}: the system offered what was not wanted"

    def _was_told(self, finding: SuccessFinding, chosen: set[str]) -> bool:
        """Whether the system told how the entity chosen really is in what was wanted of it."""
        domain = self._truth.domain(finding.domain)
        told = [
            value for key, slot, value in self._told if (key, slot) == (domain.key, finding.slot)
        ]
        rows = [self._truth.entity(domain.key, name) for name in chosen]
        return any(
            row is not None and self._truth.is_right(domain, row, finding.slot, value)
            for row in rows
            for value in told
        )

    def _wrong_answer(self, finding: SuccessFinding) -> tuple[Reason, str]:
        values = (finding.value,) if isinstance(finding.value, str) else finding.value
        texts = values if isinstance(values, tuple) else ()
        if not all((finding.domain, finding.slot, fold(text)) in self._told for text in texts):
            return Reason.USER, "the user took up what nobody had told it"
        if self._mixed_up(finding, texts):
            return Reason.USER, "the user took name and answer from two different offers"
        return Reason.SYSTEM, "the system told something wrong"

    def _mixed_up(self, finding: SuccessFinding, texts: tuple[str, ...]) -> bool:
        """The answer was true of what was spoken of then, which is not what the user took."""
        domain = self._truth.domain(finding.domain)
        spoken_of = self._spoken_of(domain, {(finding.slot, fold(text)) for text in texts})
        if spoken_of == self._names(finding.subgoal):
            return False
        rows = (self._truth.entity(domain.key, name) for name in spoken_of)
        return any(
            row is not None and self._truth.is_right(domain, row, finding.slot, finding.value)
            for row in rows
        )

    def _spoken_of(self, domain: Domain, told: set[tuple[str, str]]) -> set[str]:
        """The entities named last, by either side, when the system last told one of these."""
        slot = domain.name_slot.key if domain.name_slot else ""
        latest: set[str] = set()
        then: set[str] = set()
        for turn in self._turns:
            about = {(act.slot, fold(act.value)) for act in turn.acts if act.domain == domain.key}
            named = {value for key, value in about if key == slot and value}
            latest = named or latest
            if turn.speaker is Speaker.SYSTEM and about & told:
                then = latest
        return then

    def _unsettled(self, finding: SuccessFinding) -> tuple[Reason, str]:
        each = self._final[finding.position]
        if not each.expressed:
            if self._idle():
                return Reason.USER, "the user let turns pass with more to say"
            return Reason.LIMIT, "the turns ran out before the user could say it"
        wish = SELECT if isinstance(each.value, Reference) else REQUEST
        if not self._was_answered(each.domain, each.slot, wish):
            return Reason.SYSTEM, "the system never answered"
        if self._idle():
            return Reason.USER, "the user let turns pass with more to say"
        return Reason.LIMIT, "the turns ran out before it was settled"

    def _was_answered(self, domain: str, slot: str, intent: str) -> bool:
        """Whether the last system turn after it was asked for has an answer, or says no."""
        asked = [
            number
            for number, acts in enumerate(self._user)
            if any(
                act.intent == intent
                and act.domain == domain
                and (intent == SELECT or act.slot == slot)
                for act in acts
            )
        ]
        replies = self._system[asked[-1] :] if asked else []
        return any(
            act.domain == domain and (act.intent == NO_OFFER or act.slot == slot)
            for acts in replies
            for act in acts
        )

    def _idle(self) -> bool:
        return any(
            all(act.intent == GENERAL and act != REPEAT for act in acts) for acts in self._user
        )

    def _names(self, subgoal: int) -> set[str]:
        """The name the user settled on in a sub-goal, without case and width."""
        found = set()
        for each in self._final:
            slot = self._truth.domain(each.domain).name_slot
            if each.subgoal == subgoal and slot and each.slot == slot.key:
                found |= {fold(each.value)} if isinstance(each.value, str) and each.value else set()
        return found

    def _offers(self, domain: str) -> set[str]:
        slot = self._truth.domain(domain).name_slot
        return {
            value for key, name, value in self._told if slot and (key, name) == (domain, slot.key)
        }
