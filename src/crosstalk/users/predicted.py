"""What a person would most likely do next: the learned user in single-turn judgement.

Reads what the published protocol gives: the goal, the state and the acts of the user's last turn,
and the system's acts. It draws nothing at random.
"""

from random import Random

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.goals import Goal, Tuples
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.users.act_choice import Why, newly_said, sayings, wording_rows
from crosstalk.users.model import UserModel
from crosstalk.users.next_tuples import choice, most_likely
from crosstalk.users.simulator import UserMove
from crosstalk.users.situation import Kinds, Situation, at_the_start, look_back
from crosstalk.users.speech import GoalSpeech, in_order
from crosstalk.users.values import candidates, value_rows

SAID = 0.45
"""Acts at least this likely are said: the best of 0.3 to 0.5 in cross-validation on val."""


class PredictedUser:
    """For each decision, the likeliest."""

    def __init__(self, schema: Schema, language: LanguagePack, model: UserModel) -> None:
        self._kinds = Kinds(schema, language)
        self._speech = GoalSpeech.of(schema, language)
        self._model = model

    def open(self, goal: Goal, rng: Random) -> UserMove:
        return self._move(at_the_start(self._kinds, goal), goal.tuples)

    def respond(
        self, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...], rng: Random
    ) -> UserMove:
        now = look_back(self._kinds, goal, tuples, said, heard)
        return self._move(now, self._written_down(now))

    def _written_down(self, now: Situation) -> Tuples:
        """What a person writes down counts as said, asked for or not."""
        state = list(now.before)
        for at, each in enumerate(now.before):
            found = candidates(now, at, self._kinds, self._model.order)
            if len(found) > 1:
                rows = value_rows(now, at, found, self._kinds)
                odds = [self._model.values.probability(row) for row in rows]
                best = found[odds.index(max(odds))].value
                state[at] = each if best == each.value else each.filled(best).said()
        return tuple(state)

    def _move(self, now: Situation, state: Tuples) -> UserMove:
        turn = choice(now, state, self._kinds)
        after = list(state)
        for at, yes in zip(turn.unsaid, most_likely(self._model.telling, turn), strict=True):
            if yes:
                after[at] = self._speech.resolved(state[at], state).said()
        return UserMove(now.goal, tuple(after), self._worded(now, tuple(after)))

    def _worded(self, now: Situation, after: Tuples) -> tuple[Act, ...]:
        new = newly_said(now, after)
        found = sayings(now, after, new, self._speech)
        rows = wording_rows(now, after, new, found, self._kinds)
        return in_order(
            each.act
            for each, row in zip(found, rows, strict=True)
            if each.why is Why.NEW or self._model.wording.probability(row) >= SAID
        )
