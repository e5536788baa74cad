"""Outcomes: whether a simulated dialogue succeeded, and why not if it failed.

    Judge(database).judge(dialogue).success

An outcome depends only on the finished dialogue and the tables. The reason of a failure is decided
by these rules, in this order:

1. A participant raised, timed out or returned an invalid reply: its fault.
2. The goal names an entity that no table has: unsatisfiable goal.
3. The system gave a wrong answer, offered an entity that does not meet the constraints, said
   `NoOffer` although something matched, or never answered: system fault.
4. The user relaxed a constraint that nobody had refused, noted a value that nobody had told it,
   mixed the name of one offer with the answer about another, accepted an entity that it was told
   does not meet its constraints, or let turns pass with goals left to state: user fault.
5. None of these, and the turns ran out: unsatisfiable goal if the tables cannot meet the goal as it
   was given, otherwise turn limit.

Relaxation: a constraint or reference of the goal is relaxed where the user's state no longer has
it: a constraint got another value, a reference became a question, or a reference was filled with an
entity that is not near after the system said `NoOffer`. It is justified if the system had just said
`NoOffer` and the tables truly had nothing that meets the constraints stated so far. A constraint
counts as stated until the user asks an open question in its place, also if it was relaxed silently
by accepting an offer: the system still knows it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from crosstalk.dialogue.acts import GENERAL, INFORM, NO_OFFER, RECOMMEND, REQUEST, SELECT, Act
from crosstalk.dialogue.conversation import Ending
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType, Reference, SemanticTuple, Tuples
from crosstalk.dialogue.schema import Domain, SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.evaluation.action_findings import ActionFinding
from crosstalk.evaluation.action_success import ActionCounts
from crosstalk.evaluation.reply_flaws import ReplyFlaw
from crosstalk.evaluation.success import Flaw, SuccessFinding, chosen_names, findings
from crosstalk.goals.satisfiable import can_be_met
from crosstalk.users.extended_acts import REPEAT, PublishedActs
from crosstalk.users.simulator import is_finished
from crosstalk.worlds.queries import Database
from crosstalk.worlds.truth import Truth, fold, same


@dataclass(frozen=True, slots=True)
class Refusal:
    """A system turn with a `NoOffer` act: nothing matches."""

    turn: int
    domain: str
    subgoal: int
    """The sub-goal it was about; 0 if the goal has none in that domain."""
    is_true: bool
    """Whether nothing in the tables met the constraints stated so far."""


@dataclass(frozen=True, slots=True)
class Relaxations:
    """Which constraints and references of a goal were relaxed in a dialogue."""

    refusals: tuple[Refusal, ...]
    given_up: frozenset[int]
    """Positions of those that could not be met."""
    needless: tuple[tuple[int, Flaw], ...]
    """Positions of those relaxed without need, and the flaw."""


def find_relaxations(dialogue: Dialogue, truth: Truth) -> Relaxations:
    """Compare the user states of a dialogue, turn by turn."""
    goal = dialogue.goal or Goal(())
    wanted = goal.tuples
    refusals: list[Refusal] = []
    gone: set[int] = set()
    said: set[int] = set()
    needless: dict[int, Flaw] = {}
    before, last = goal.in_force(), list[Refusal]()
    for number, turn in enumerate(dialogue.turns):
        if turn.speaker is Speaker.SYSTEM:
            last = list(_refusals(number, turn, goal.in_force(before), before, said, truth))
            refusals += last
        elif turn.user_state is not None:
            for position in _changed(wanted, before, turn.user_state, gone, last, truth):
                if goal.first_wishes and same(
                    turn.user_state[position].value, wanted[position].value
                ):
                    continue  # the wish that comes after a first one
                flaw = _flaw(before[position], last)
                gone.add(position)
                if flaw:
                    needless.setdefault(position, flaw)
            before, last = turn.user_state, []
            said |= {position for position, each in enumerate(before) if each.expressed}
            said -= {position for position, each in enumerate(before) if each.is_open}
    return Relaxations(
        tuple(refusals), frozenset(gone - needless.keys()), tuple(sorted(needless.items()))
    )


def _changed(
    wanted: Tuples,
    before: Tuples,
    after: Tuples,
    gone: set[int],
    last: list[Refusal],
    truth: Truth,
) -> Iterator[int]:
    refused = {refusal.subgoal for refusal in last}
    for position, (wish, old, new) in enumerate(zip(wanted, before, after, strict=True)):
        if wish.is_open or position in gone or same(old.value, new.value):
            continue
        if not isinstance(wish.value, Reference) or new.is_open:
            yield position
        elif new.subgoal in refused and not _is_near(wish.value, new, after, truth):
            yield position  # filled with what was offered instead


def _is_near(reference: Reference, each: SemanticTuple, state: Tuples, truth: Truth) -> bool:
    """Also true while nothing has been chosen, and for the ends of rides."""
    source = chosen_names(state, truth).get(reference.subgoal)
    if source is None or not reference.nearby or not isinstance(each.value, str):
        return True
    return truth.is_near(each.domain, each.value, *source)


def _flaw(each: SemanticTuple, last: list[Refusal]) -> Flaw | None:
    about = [refusal for refusal in last if refusal.subgoal == each.subgoal]
    if not about:
        return Flaw.GIVEN_UP
    return None if any(refusal.is_true for refusal in about) else Flaw.FALSE_NO_OFFER


def _refusals(
    number: int, turn: Turn, wanted: Tuples, state: Tuples, said: set[int], truth: Truth
) -> Iterator[Refusal]:
    for domain in dict.fromkeys(act.domain for act in turn.acts if act.intent == NO_OFFER):
        subgoal = _concerned(state, domain)
        stated = stated_constraints(wanted, state, subgoal, said, truth) if subgoal else {}
        yield Refusal(number, domain, subgoal, bool(subgoal) and not truth.anything(domain, stated))


def _concerned(state: Tuples, domain: str) -> int:
    """The sub-goal the user is at in a domain: the first unsettled one, else the last."""
    here = [each for each in state if each.domain == domain]
    unsettled = [each.subgoal for each in here if not each.is_settled]
    return unsettled[0] if unsettled else max((each.subgoal for each in here), default=0)


def stated_constraints(
    wanted: Tuples, state: Tuples, subgoal: int, said: set[int], truth: Truth
) -> dict[str, SlotValue]:
    """What the user has stated of a sub-goal and not relaxed, as constraints of a query."""
    wishes: dict[str, SlotValue] = {}
    for position in sorted(said):
        wish, each = wanted[position], state[position]
        if each.subgoal != subgoal or wish.is_open:
            continue
        if isinstance(wish.value, Reference):
            wishes |= _near(each.domain, wish.value, state, truth)
        else:
            wishes[each.slot] = wish.value
    return wishes


def _near(domain: str, reference: Reference, state: Tuples, truth: Truth) -> dict[str, SlotValue]:
    source, name = chosen_names(state, truth).get(reference.subgoal, ("", ""))
    slots = [s for s in truth.domain(domain).of_kind(SlotKind.NEARBY) if s.target == source]
    return {slots[0].key: name} if slots and name else {}


class Reason(StrEnum):
    """Why a dialogue failed."""

    INFRASTRUCTURE = "infrastructure"
    """A service did not answer: nobody's fault, to be held again."""
    SYSTEM = "system fault"
    READER = "unread text"
    """Undecided: a reply holds text that nobody could read."""
    USER = "user fault"
    GOAL = "unsatisfiable goal"
    LIMIT = "turn limit"


@dataclass(frozen=True, slots=True)
class Cause:
    """One flaw and who caused it."""

    reason: Reason
    finding: SuccessFinding | None
    words: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The judgement of one dialogue."""

    type: GoalType | None
    finished: bool
    """The paper's task finish: everything stated, answered and resolved."""
    success: bool
    """Finished, and everything the user was told is true."""
    turns: int
    repeated: int
    """Questions that the user asked again because they were not answered."""
    refusals: int
    """System turns with a `NoOffer` act."""
    false_refusals: int
    """... although something matched."""
    goal_changed: bool
    """Whether some constraint was relaxed."""
    reason: Reason | None = None
    causes: tuple[Cause, ...] = ()
    unread: int = 0
    """Stretches of text that may matter and that nobody could read."""
    actions: ActionCounts | None = None
    """What was done and was to be done; None in runs without actions."""
    reply_flaws: tuple[ReplyFlaw, ...] = ()
    """Flaws of replies that the verdict does not rest on; empty where it was judged by acts."""
    findings: tuple[ActionFinding, ...] = ()
    """Rules broken by actions, and false words about them."""

    @property
    def verdict(self) -> bool | None:
        """Success, or None where it is undecided."""
        undecided = (Reason.READER, Reason.INFRASTRUCTURE)
        return None if self.reason in undecided else self.success

    @property
    def blame(self) -> str:
        """Who a failure is booked to; empty where there is none."""
        return BLAME[self.reason] if self.reason else ""

    @property
    def decisive(self) -> tuple[Cause, ...]:
        """The causes that the blame rests on; others went wrong too."""
        return tuple(cause for cause in self.causes if cause.reason is self.reason)


BLAME: Mapping[Reason, str] = {
    Reason.INFRASTRUCTURE: "infrastructure",
    Reason.SYSTEM: "agent",
    Reason.READER: "reader",
    Reason.USER: "user",
    Reason.GOAL: "world",
    Reason.LIMIT: "agent",
}
"""Whom reports on agents name; turns that run out are the agent's, who did not use them."""


class Judge:
    """Judges dialogues of one world."""

    def __init__(self, database: Database) -> None:
        self._truth = Truth(database)

    def judge(self, dialogue: Dialogue) -> Outcome:
        goal = dialogue.goal or Goal(())
        final = dialogue.final_goal or goal.tuples
        relaxed = find_relaxations(dialogue, self._truth)
        causes = tuple(self._causes(dialogue, goal, final, relaxed))
        return Outcome(
            type=goal.type,
            finished=is_finished(final),
            success=not causes,
            turns=len(dialogue.turns),
            repeated=_repeated(dialogue.turns),
            refusals=len({refusal.turn for refusal in relaxed.refusals}),
            false_refusals=sum(not refusal.is_true for refusal in relaxed.refusals),
            goal_changed=bool(relaxed.given_up or relaxed.needless),
            reason=worst_reason(causes),
            causes=causes,
        )

    def is_satisfiable(self, goal: Goal) -> bool:
        """Whether the tables can meet a goal as it is given; a contradictory goal cannot be met."""
        return can_be_met(goal.tuples, self._truth.all_fields)

    def _causes(
        self, dialogue: Dialogue, goal: Goal, final: Tuples, relaxed: Relaxations
    ) -> Iterator[Cause]:
        ending = dialogue.extras.get("ending")
        if ending == Ending.INFRASTRUCTURE:
            yield Cause(Reason.INFRASTRUCTURE, None, str(dialogue.extras.get("fault", "")))
            return
        if ending in (Ending.USER_FAULT, Ending.SYSTEM_FAULT):
            reason = Reason.USER if ending == Ending.USER_FAULT else Reason.SYSTEM
            yield Cause(reason, None, str(dialogue.extras.get("fault", "")))
            return
        for position, flaw in relaxed.needless:
            yield self._needless(goal.tuples, final, position, flaw)
        for each, kept in zip(goal.tuples, goal.in_force(final), strict=True):
            if not same(each.value, kept.value):
                yield Cause(
                    Reason.USER, None, f"the user never wished for {each.slot} {each.value}"
                )
        faults = _FaultFinder(dialogue, self._truth)
        gone = relaxed.given_up | {position for position, _ in relaxed.needless}
        for finding in findings(goal.tuples, final, gone, self._truth):
            reason, words = faults.cause(finding)
            if reason is Reason.LIMIT and not self.is_satisfiable(goal):
                reason = Reason.GOAL
            yield Cause(reason, finding, words)

    def _needless(self, wanted: Tuples, final: Tuples, position: int, flaw: Flaw) -> Cause:
        each = final[position]
        where = SuccessFinding(flaw, position, each.subgoal, each.domain, each.slot, each.value)
        reason = Reason.USER if flaw is Flaw.GIVEN_UP else Reason.SYSTEM
        return Cause(reason, where, str(flaw))


def worst_reason(causes: tuple[Cause, ...]) -> Reason | None:
    """The reason of the dialogue: a missing entity first, then the system, then the user."""
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
    """The questions without an answer; `NoOffer` answers all questions about its domain."""
    refused = {act.domain for act in acts if act.intent == NO_OFFER}
    told = {(act.domain, act.slot) for act in acts if act.intent in (INFORM, RECOMMEND)}
    return {each for each in questions - told if each[0] not in refused}


class _FaultFinder:
    """Decides from what both sides said who caused a flaw."""

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
        """The entity does not fit: the system's fault if it offered it without telling so."""
        chosen = self._names(finding.subgoal)
        if not chosen & self._offers(finding.domain):
            return Reason.USER, f"{finding.flaw}: nobody had offered what the user took"
        if finding.flaw is Flaw.UNMET and self._was_told(finding, chosen):
            return Reason.USER, f"{finding.flaw}: the user was told so and took it all the same"
        return Reason.SYSTEM, f"{finding.flaw}: the system offered what was not wanted"

    def _was_told(self, finding: SuccessFinding, chosen: set[str]) -> bool:
        """Whether the system told the true value of the wanted slot for the chosen entity."""
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
        if self._is_of_other_offer(finding, texts):
            return Reason.USER, "the user took name and answer from two different offers"
        return Reason.SYSTEM, "the system told something wrong"

    def _is_of_other_offer(self, finding: SuccessFinding, texts: tuple[str, ...]) -> bool:
        """Whether the answer is true of the entity discussed then, not of the one chosen."""
        domain = self._truth.domain(finding.domain)
        discussed = self._discussed_at(domain, {(finding.slot, fold(text)) for text in texts})
        if discussed == self._names(finding.subgoal):
            return False
        rows = (self._truth.entity(domain.key, name) for name in discussed)
        return any(
            row is not None and self._truth.is_right(domain, row, finding.slot, finding.value)
            for row in rows
        )

    def _discussed_at(self, domain: Domain, told: set[tuple[str, str]]) -> set[str]:
        """The entities named last when the system last told one of these values."""
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
        """Whether a system turn after the last time it was asked has an answer, or `NoOffer`."""
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
        """The name the user chose in a sub-goal, without case and width."""
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
