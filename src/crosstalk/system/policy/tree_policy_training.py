"""Training the learned policy from annotated dialogues: which candidate acts did wizards say?"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.system.boosted import Features, grow
from crosstalk.system.dst.tracker import DialogueState, current_domain
from crosstalk.system.policy.candidates import CandidateActs
from crosstalk.system.policy.tree_policy import TreePolicy
from crosstalk.training.boosting import Rounds
from crosstalk.training.stages import Stages
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.worlds.queries import Database


@dataclass(frozen=True, slots=True)
class PolicyConfig:
    """How the trees of the policy grow."""

    rounds: int = 300
    patience: int = 0
    """So many rounds without a lower loss on one dialogue in ten; 0: all rounds."""
    seed: int = 0


def train_learned(
    dialogues: Iterable[Dialogue],
    database: Database,
    config: PolicyConfig,
    *,
    told: StepCallback = nobody,
    stages: Stages | None = None,
) -> TreePolicy:
    """A policy trained on these dialogues."""
    rows: list[Features] = []
    labels: list[bool] = []
    owners: list[int] = []
    for number, dialogue in enumerate(dialogues):
        for belief, history, answer in answered_turns([dialogue]):
            for each in CandidateActs(database, belief, history):
                rows.append(each.features)
                labels.append(each.act in answer.acts)
                owners.append(number)
    rounds = Rounds(config.rounds, config.patience, told, "acts", stages)
    return TreePolicy(database, grow(rows, labels, seed=config.seed, owners=owners, rounds=rounds))


def answered_turns(
    dialogues: Iterable[Dialogue],
) -> Iterator[tuple[DialogueState, tuple[Turn, ...], Turn]]:
    """(belief, history, the wizard's turn): the form is the wizard's last one, nothing ticked."""
    for dialogue in dialogues:
        for position, turn in enumerate(dialogue.turns):
            if turn.speaker is not Speaker.SYSTEM or turn.last_query is None:
                continue
            history = dialogue.turns[:position]
            before = history[-2].acts if len(history) > 1 else ()
            domain = current_domain(history[-1].acts, before)
            yield DialogueState(unticked(turn.last_query), domain), history, turn


def unticked(form: SystemState) -> SystemState:
    return SystemState(tuple(DomainState(tab.domain, tab.slots) for tab in form))
