"""Which tuples a person says next: one decision a tuple, in goal order, each knowing the former.

Only the first sub-goal with anything unsaid is asked: people leave that order in one turn of a
hundred.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

from crosstalk.dialogue.goals import Reference, SemanticTuple
from crosstalk.users.model import Forest
from crosstalk.users.situation import (
    CONSTRAINT,
    NAME,
    REFERENCE,
    REQUESTED,
    SEVERAL,
    Kinds,
    Situation,
)

State = Sequence[SemanticTuple]
"""The tuples with what was just learned, before anything is said."""


@dataclass(frozen=True, slots=True)
class TupleChoices:
    """The decisions of one turn, ready to be taken one after the other."""

    now: Situation
    unsaid: tuple[int, ...]
    """Where the tuples stand that may be said."""
    shared: list[float]
    """What all rows have in common."""

    def row(self, made: Sequence[bool]) -> list[float]:
        """The features of the next decision, after those already made."""
        return self.shared + _about_next(self.now, self.unsaid, made)


def choice(now: Situation, state: State, kinds: Kinds) -> TupleChoices:
    subgoal = next((each.subgoal for each in state if not each.expressed), None)
    if subgoal is None:
        return TupleChoices(now, (), [])
    unsaid = tuple(at for at in now.positions[subgoal] if not state[at].expressed)
    return TupleChoices(now, unsaid, _about_turn(now, state, subgoal, unsaid, kinds))


def decide(forest: Forest, turn: TupleChoices, toss: Callable[[float], bool]) -> list[bool]:
    """One decision after the other, each by `toss` of its probability."""
    made: list[bool] = []
    for _ in turn.unsaid:
        made.append(toss(forest.probability(turn.row(made))))
    return made


def most_likely(forest: Forest, turn: TupleChoices, width: int = 4) -> list[bool]:
    """The likeliest decisions together, searched for among the `width` best beginnings."""
    beams: list[tuple[float, list[bool]]] = [(0.0, [])]
    for _ in turn.unsaid:
        longer = []
        for score, made in beams:
            p = min(max(forest.probability(turn.row(made)), 1e-9), 1 - 1e-9)
            longer += [(score + log(p), [*made, True]), (score + log(1 - p), [*made, False])]
        beams = sorted(longer, key=lambda beam: -beam[0])[:width]
    return beams[0][1]


def _about_turn(
    now: Situation, state: State, subgoal: int, unsaid: tuple[int, ...], kinds: Kinds
) -> list[float]:
    here = now.positions[subgoal]
    domain = state[here[0]].domain
    name = now.names.get(subgoal)
    learned = [at for at, each in enumerate(state) if each.value != now.before[at].value]
    waiting = [each for each in state if each.expressed and each.is_open]
    earlier = state[: here[0]]
    return [
        now.opening,
        kinds.domain(domain),
        # the sub-goal
        now.subgoals - subgoal,
        len(here),
        len(unsaid),
        *(
            sum(now.roles[at] == role for at in unsaid)
            for role in (CONSTRAINT, REFERENCE, REQUESTED)
        ),
        sum(now.roles[at] == CONSTRAINT for at in here),
        sum(now.roles[at] == REQUESTED for at in here),
        sum(now.kinds[at] in SEVERAL for at in unsaid),
        any(now.kinds[at] == NAME for at in unsaid),
        now.current - subgoal,
        # its entity
        *((-1, -1, -1, -1) if name is None else _about_name(now, state, name)),
        # what was just learned, and what is still open
        len(learned),
        sum(at in learned for at in here),
        sum(now.kinds[at] == NAME for at in learned),
        sum(each.is_open or isinstance(each.value, Reference) for each in earlier),
        sum(each.subgoal == subgoal for each in waiting),
        sum((each.domain, each.slot) in now.asked for each in waiting),
        # what was said
        bool(now.refused),
        now.about[domain],
        len(now.about),
        len(now.heard),
        len(now.recommended.get(domain, ())),
        sum(key in now.informed and kinds.kind(key) in SEVERAL for key in now.informed),
        len(now.said),
        len(now.asked),
        len(now.told),
        sum(kinds.kind(key) in SEVERAL for key in now.asked),
    ]


def _about_name(now: Situation, state: State, name: int) -> tuple[float, float, float, float]:
    value = state[name].value
    return (
        state[name].is_open,
        isinstance(value, Reference),
        value != now.before[name].value,
        now.roles[name],
    )


def _about_next(now: Situation, unsaid: tuple[int, ...], made: Sequence[bool]) -> list[float]:
    place = len(made)
    at = unsaid[place]
    chosen = [unsaid[i] for i, yes in enumerate(made) if yes]
    after = unsaid[place + 1] if place + 1 < len(unsaid) else None
    role = now.roles[at]
    return [
        role,
        now.kinds[at],
        place,
        len(unsaid) - place,
        sum(now.roles[i] == role for i in unsaid[:place]),
        sum(now.roles[i] == role for i in unsaid[place:]),
        len(chosen),
        sum(now.roles[i] == REQUESTED for i in chosen),
        sum(now.kinds[i] in SEVERAL for i in chosen),
        any(now.kinds[i] == NAME for i in chosen),
        made[-1] if made else -1,
        now.kinds[unsaid[place - 1]] if place else -1,
        -1 if after is None else now.kinds[after],
        -1 if after is None else now.roles[after],
    ]
