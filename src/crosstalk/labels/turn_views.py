"""One view of a turn with everything that may contradict it: texts, acts, ticks, searches.

for view in turn_views(dialogue): ...
"""

from collections.abc import Iterator
from dataclasses import dataclass

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Reference, Tuples
from crosstalk.dialogue.states import SystemState
from crosstalk.labels.turn_evidence import Change, changes_between, states_of, unsaid_goal

Place = tuple[str, str]
"""Domain and name of an entity."""


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn and what came before it."""

    number: int
    turn: Turn
    changes: tuple[Change, ...]
    """Changes of the user's table with this turn; for the system's, with the turn it answers."""
    following: tuple[Change, ...]
    """Changes of the table with the user's next turn: what was written down after this one."""
    heard: tuple[Turn, ...]
    """The turns before, oldest first."""
    before: SystemState
    """The wizard's form before this turn."""
    first: SystemState
    last: SystemState
    chosen: frozenset[Place]
    """The places selected in earlier turns."""
    searched: bool
    """Whether some field was filled in, changed or emptied in this turn."""
    last_subgoal: int
    """The sub-goal in which something was ticked last; 0: none yet."""
    is_labelled: bool
    """Whether the dialogue has acts at all."""

    @property
    def text(self) -> str:
        return self.turn.text

    @property
    def acts(self) -> tuple[Act, ...]:
        return self.turn.acts

    @property
    def state(self) -> Tuples:
        return tuple(change.after for change in self.changes)

    @property
    def ticked(self) -> tuple[int, ...]:
        """The cells ticked for the first time."""
        return tuple(at for at, change in enumerate(self.changes) if change.is_ticked)

    def texts_of(self, speaker: Speaker) -> Iterator[str]:
        """What a side has said before, the latest first."""
        return (turn.text for turn in reversed(self.heard) if turn.speaker is speaker)

    @property
    def words_before(self) -> str:
        """All that was said before, a line a turn."""
        return "\n".join(turn.text for turn in self.heard)

    @property
    def question(self) -> str:
        """The turn that this one answers."""
        return self.heard[-1].text if self.heard else ""

    @property
    def selected(self) -> frozenset[Place]:
        return selected_in(self.last)

    @property
    def busy(self) -> frozenset[str]:
        """The domains of what was ticked for the first time."""
        return frozenset(self.changes[at].after.domain for at in self.ticked)

    def name_of(self, subgoal: int, name_slots: dict[str, str]) -> Place | None:
        """The place that the user has written down for a sub-goal."""
        for each in self.state:
            is_name = each.subgoal == subgoal and each.slot == name_slots.get(each.domain)
            if is_name and isinstance(each.value, str) and each.value:
                return each.domain, each.value
        return None

    def is_reference(self, cell: int) -> bool:
        return isinstance(self.changes[cell].after.value, Reference)


def selected_in(form: SystemState) -> frozenset[Place]:
    return frozenset((tab.domain, name) for tab in form for name in tab.selected)


def turn_views(dialogue: Dialogue) -> Iterator[TurnView]:
    """The view of each turn."""
    goal = dialogue.goal.tuples if dialogue.goal else unsaid_goal(dialogue)
    states = states_of(dialogue, goal)
    form, chosen = SystemState(), frozenset[Place]()
    is_labelled, last_subgoal = any(turn.acts for turn in dialogue.turns), 0
    for number, turn in enumerate(dialogue.turns):
        is_user = turn.speaker is Speaker.USER
        last = turn.last_query or turn.first_query or form
        first = turn.first_query or last
        before = number if is_user else max(number - 1, 0)
        after = number + 1 if is_user else number
        then = min(number + 2 + is_user, len(states) - 1)
        changes = changes_between(goal, states[before], states[after])
        yield TurnView(
            number,
            turn,
            changes,
            changes_between(goal, states[number + is_user], states[then]),
            dialogue.turns[:number],
            form,
            first,
            last,
            chosen,
            not is_user and _differs(form, first, last),
            last_subgoal,
            is_labelled,
        )
        ticked = [change.after.subgoal for change in changes if change.is_ticked]
        last_subgoal = ticked[-1] if is_user and ticked else last_subgoal
        form, chosen = last, chosen | selected_in(last) | selected_in(first)


def _differs(*forms: SystemState) -> bool:
    domains = {tab.domain for form in forms for tab in form}
    fields = ([form.get(domain).constraints for form in forms] for domain in domains)
    return any(each != several[0] for several in fields for each in several)


def last_view(dialogue: Dialogue) -> TurnView:
    """The view of the last turn."""
    return list(turn_views(dialogue))[-1]
