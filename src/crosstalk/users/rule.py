"""The published rule simulator (CrossWOZ, section 5), as published and with its slips mended.

    move = RuleUser(world.schema, world.language).open(goal, Random(1))

As published it takes any text with `id` in it for an unresolved reference, takes answers about
another place for its own, never says which of several recommended places it has chosen, and falls
silent where all was said and not all answered. Mended it does none of these; the move holds the
goal as it is wanted from then on.
"""

from random import Random

from crosstalk.dialogue.acts import INFORM, RECOMMEND, REQUEST, Act
from crosstalk.dialogue.goals import Goal, Tuples
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.users.progress import TupleRole, role_of
from crosstalk.users.rule_update import Listener
from crosstalk.users.simulator import UserMove
from crosstalk.users.speech import BYE, GREET, THANK, GoalSpeech, in_order

OPENING = ((2, 3, 4), (30, 50, 20))
"""How many tuples the first turn says, and how often."""
CONTINUING = ((2, 3, 4, 5), (40, 25, 15, 10))
"""How many acts a later turn says, and how often. The published code draws 1 to 4 and then says one
more than it drew; these are the numbers it says, without which its figures cannot be met."""
SAYS_BYE = 0.05


class RuleUser:
    """Pursues one sub-goal after the other, in goal order."""

    def __init__(self, schema: Schema, language: LanguagePack, *, published: bool = False) -> None:
        self._published = published
        self._speech = GoalSpeech.of(schema, language)
        self._listener = Listener(schema, language, published=published)

    def open(self, goal: Goal, rng: Random) -> UserMove:
        first = goal.tuples[0].subgoal if goal.tuples else 0
        size = sum(each.subgoal == first for each in goal.tuples)
        count = min(size, rng.choices(*OPENING)[0])
        return self._move(goal, goal.tuples, range(count), [GREET])

    def respond(
        self, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...], rng: Random
    ) -> UserMove:
        goal, known = self._listener.update(goal, tuples, heard, rng)
        subgoal = self._listener.current(known)
        if subgoal is None:
            acts = (THANK, BYE) if rng.random() < SAYS_BYE else (THANK,)
            return UserMove(goal, known, in_order(acts))
        next_up = self._next(goal, known, subgoal, rng)
        named = () if self._published else self._clarified(known, subgoal, said, heard)
        return self._move(goal, known, next_up, [*named])

    def _next(self, goal: Goal, tuples: Tuples, subgoal: int, rng: Random) -> list[int]:
        """Which tuples come next: all references, then so many acts as are drawn."""
        here = [
            (at, role_of(wanted))
            for at, wanted in enumerate(goal.tuples)
            if wanted.subgoal == subgoal
        ]
        unsaid = [(at, role) for at, role in here if not tuples[at].expressed]
        references = [at for at, role in unsaid if role is TupleRole.REFERENCE]
        queue = [at for at, role in unsaid if role is TupleRole.CONSTRAINT] + [
            at
            for at, role in here
            if role is TupleRole.REQUEST and not (tuples[at].expressed and not tuples[at].is_open)
        ]
        wanted = rng.choices(*CONTINUING)[0]
        if not references and not queue and not self._published:
            return [at for at, role in here if role is not TupleRole.REQUEST]
        return self._up_to(wanted, goal, tuples, references, queue)

    def _up_to(
        self, wanted: int, goal: Goal, tuples: Tuples, references: list[int], queue: list[int]
    ) -> list[int]:
        said = list(references)
        count = sum(len(self._acts(goal, tuples, at)) for at in references)
        for at in queue:
            if count >= wanted:
                break
            said.append(at)
            count += len(self._acts(goal, tuples, at))
        return said

    def _clarified(
        self, tuples: Tuples, subgoal: int, said: tuple[Act, ...], heard: tuple[Act, ...]
    ) -> tuple[Act, ...]:
        """The chosen entity, where the system spoke of others too or left a question open."""
        chosen = self._speech.name_act(tuples, subgoal)
        names = {
            act.value
            for act in heard
            if act.intent in (INFORM, RECOMMEND)
            and chosen
            and (act.domain, act.slot) == (chosen[0].domain, chosen[0].slot)
        }
        asked = {(act.domain, act.slot) for act in said if act.intent == REQUEST}
        unanswered = any(
            each.is_open and each.subgoal == subgoal and (each.domain, each.slot) in asked
            for each in tuples
        )
        return chosen if unanswered or names - {act.value for act in chosen} else ()

    def _move(
        self, goal: Goal, tuples: Tuples, said: list[int] | range, acts: list[Act]
    ) -> UserMove:
        after = list(tuples)
        for at in said:
            acts.extend(self._acts(goal, tuples, at))
            after[at] = self._speech.resolved(tuples[at], tuples).said()
        return UserMove(goal, tuple(after), in_order(acts))

    def _acts(self, goal: Goal, tuples: Tuples, at: int) -> tuple[Act, ...]:
        return self._speech.say(tuples[at], tuples, role_of(goal.tuples[at]))
