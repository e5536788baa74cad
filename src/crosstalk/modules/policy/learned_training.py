"""Training the learned policy from annotated dialogues: which candidate acts did wizards say?"""

from collections.abc import Iterable, Iterator

from crosstalk.database.queries import Database
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.modules.boosted import Features, grow
from crosstalk.modules.dst.tracker import Belief, current_domain
from crosstalk.modules.policy.candidates import CandidateActs
from crosstalk.modules.policy.learned import LearnedPolicy


def train_learned(dialogues: Iterable[Dialogue], database: Database, *, seed: int) -> LearnedPolicy:
    """A policy trained on these dialogues."""
    rows: list[Features] = []
    labels: list[bool] = []
    for belief, history, answer in answered_turns(dialogues):
        for each in CandidateActs(database, belief, history):
            rows.append(each.features)
            labels.append(each.act in answer.acts)
    return LearnedPolicy(database, grow(rows, labels, seed=seed))


def answered_turns(
    dialogues: Iterable[Dialogue],
) -> Iterator[tuple[Belief, tuple[Turn, ...], Turn]]:
    """(belief, history, the wizard's turn): the form is the wizard's last one, nothing ticked."""
    for dialogue in dialogues:
        for position, turn in enumerate(dialogue.turns):
            if turn.speaker is not Speaker.SYSTEM or turn.last_query is None:
                continue
            history = dialogue.turns[:position]
            before = history[-2].acts if len(history) > 1 else ()
            domain = current_domain(history[-1].acts, before)
            yield Belief(unticked(turn.last_query), domain), history, turn


def unticked(form: SystemState) -> SystemState:
    return SystemState(tuple(DomainState(tab.domain, tab.slots) for tab in form))
