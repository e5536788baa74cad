"""Whether what was to be done was done: the tables of a conversation against those of its goal.

    outcome = action_outcome(executor, goal, entities, events)
    outcome.success, outcome.counts.record()   ->  True, {"needed": 1, "done": 1, ...}

The tables decide, whatever path led to them; codes are not compared. Counts say what went wrong.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import Goal
from crosstalk.goals.action_goals import chosen_entities, final_tables, forbidding
from crosstalk.worlds.action_events import ActionEvent, applied
from crosstalk.worlds.actions import Executor, same_tables
from crosstalk.worlds.policy_rules import Breach, actions_of, breaches


@dataclass(frozen=True, slots=True)
class ActionCounts:
    """Actions of conversations; counts that add."""

    needed: int = 0
    """Actions that the goals want done."""
    done: int = 0
    """... and that were done with the arguments wanted."""
    wrong: int = 0
    """Actions done that no goal wants, or with other arguments."""
    forbidden: int = 0
    """Actions done against a rule of the world."""

    def __add__(self, other: "ActionCounts") -> "ActionCounts":
        return ActionCounts(
            self.needed + other.needed,
            self.done + other.done,
            self.wrong + other.wrong,
            self.forbidden + other.forbidden,
        )

    def record(self) -> dict[str, int]:
        """As JSON."""
        return {
            "needed": self.needed,
            "done": self.done,
            "wrong": self.wrong,
            "forbidden": self.forbidden,
        }


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """How a conversation left the tables."""

    counts: ActionCounts
    tables: Mapping[str, bool]
    """Changing table -> whether it ended as it should."""
    breaches: tuple[Breach, ...] = ()
    """Actions done against the policy, `confirm` included."""

    @property
    def success(self) -> bool:
        """All tables are as they should be; conversations without actions succeed."""
        return all(self.tables.values())

    def record(self) -> dict[str, Any]:
        """As JSON."""
        found = [{"turn": b.turn, "action": b.action, "rule": b.rule} for b in self.breaches]
        return {"success": self.success, "actions": self.counts.record(), "breaches": found}


def action_outcome(
    executor: Executor, goal: Goal, entities: Mapping[int, str], events: Sequence[ActionEvent]
) -> ActionOutcome:
    """The outcome of the calls of a conversation; `entities` are the places chosen, by sub-goal."""
    executor = executor.within(goal.scenario)
    expected, needed = final_tables(executor, goal.actions, entities)
    done = [event for event in events if event.done]
    matched = (_calls(needed, executor) & _calls(done, executor)).total()
    return ActionOutcome(
        ActionCounts(
            needed=sum(not wanted.forbidden for wanted in goal.actions),
            done=matched,
            wrong=len(done) - matched,
            forbidden=sum(_forbidden(executor, done)),
        ),
        same_tables(executor.world, expected, executor.replay(events)),
    )


def dialogue_outcome(executor: Executor, dialogue: Dialogue) -> ActionOutcome:
    """The outcome of a dialogue, with the places that the user settled on and all breaches."""
    goal = dialogue.goal or Goal(())
    entities = chosen_entities(executor.world.schema, dialogue.final_goal or goal.tuples)
    events = [event for turn in dialogue.turns for event in actions_of(turn)]
    found = action_outcome(executor, goal, entities, events)
    broken = breaches(executor.within(goal.scenario), dialogue.turns)
    return ActionOutcome(found.counts, found.tables, tuple(broken))


def _calls(events: Sequence[ActionEvent], executor: Executor) -> Counter[Any]:
    """Calls by what they ask for; codes that were given out before differ and do not count."""
    own = {given.key for action in executor.world.schema.actions for given in action.gives}
    known = {
        row.get(key)
        for rows in executor.begin().tables.values()
        for row in rows
        for key in own
        if key in row
    }
    return Counter(
        (
            event.action,
            tuple(
                (key, value)
                for key, value in sorted(event.arguments.items())
                if key not in own or value in known
            ),
        )
        for event in events
    )


def _forbidden(executor: Executor, done: Sequence[ActionEvent]) -> Iterator[bool]:
    """For each call, whether it broke a rule in the state it was made in."""
    state = executor.begin()
    for event in done:
        yield bool(forbidding(executor, state, executor.action(event.action), event.arguments))
        state = applied(state, event)
