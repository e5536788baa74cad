"""Training the supervised policy as the CrossWOZ paper did, from annotated dialogues.

The belief is the form as the wizard left it; the end of the dialogue is known; bounds of earlier
questions linger from the first dialogue to the last, as in the published feature extraction.
"""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from crosstalk.database.tables import World
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import InputError
from crosstalk.files import writing_binary
from crosstalk.modules.dst.tracker import current_domain
from crosstalk.modules.policy.delexicalise import Vocabulary, delexicalise, save_vocabulary
from crosstalk.modules.policy.lookups import LingeringLookup
from crosstalk.modules.policy.sl import VOCABULARY, WEIGHTS
from crosstalk.modules.policy.vectors import Situation, StateVectors

try:
    import torch
    from safetensors.torch import save
    from torch import Tensor, nn
except ModuleNotFoundError as error:
    raise InputError(
        f"training the supervised policy needs {error.name}, which is not installed",
        remedy='Install the extra: pip install "crosstalk-dialogue[neural]"',
    ) from error

HIDDEN = 100
LEARNING_RATE = 1e-3
BATCH = 32
EPOCHS = 20
HELD_OUT = 10
"""One dialogue in so many decides which epoch is kept: 50 of CrossWOZ val's 500."""


@dataclass(frozen=True, slots=True)
class Examples:
    """One row a system turn: what is seen, and which acts were said."""

    seen: Tensor
    said: Tensor


@dataclass(frozen=True, slots=True)
class Training:
    """What came of a training."""

    epoch: int
    """The epoch that was kept, from 1."""
    loss: float
    """Of that epoch, on the held-out dialogues."""
    vector_f1: float
    """Percent, over the network's outputs as they are, on the held-out dialogues."""


def split(dialogues: Sequence[Dialogue]) -> tuple[list[Dialogue], list[Dialogue]]:
    """Dialogues to learn from, and held-out ones: the last of every ten, whatever the seed."""
    held_out = dialogues[HELD_OUT - 1 :: HELD_OUT]
    learnt = [each for number, each in enumerate(dialogues, 1) if number % HELD_OUT]
    return learnt, list(held_out)


def save_sl(
    dialogues: Sequence[Dialogue], world: World, vocabulary: Vocabulary, folder: Path, *, seed: int
) -> Training:
    """Train and write weights and vocabulary to a folder; the same seed gives the same bytes."""
    learnt, held_out = split(dialogues)
    if not learnt or not held_out:
        raise InputError(
            f"a policy cannot be trained on {len(dialogues)} dialogues",
            remedy=f"Give at least {HELD_OUT}; one in {HELD_OUT} is held out.",
        )
    network, training = train(
        examples(learnt, world, vocabulary), examples(held_out, world, vocabulary), seed=seed
    )
    linear = [layer for layer in network if isinstance(layer, nn.Linear)]
    tensors = {f"{n}.weight": layer.weight.detach() for n, layer in enumerate(linear)}
    tensors |= {f"{n}.bias": layer.bias.detach() for n, layer in enumerate(linear)}
    with writing_binary(folder / WEIGHTS) as raw:
        raw.write(save(tensors))
    save_vocabulary(vocabulary, folder / VOCABULARY)
    return training


def examples(dialogues: Iterable[Dialogue], world: World, vocabulary: Vocabulary) -> Examples:
    vectors = StateVectors(world.schema, vocabulary)
    outputs = {act: number for number, act in enumerate(vocabulary.system)}
    lookup = LingeringLookup(world)
    seen, said = [], []
    for dialogue in dialogues:
        for position, turn in enumerate(dialogue.turns):
            if turn.speaker is not Speaker.SYSTEM or turn.last_query is None or not position:
                continue
            user = dialogue.turns[position - 1].acts
            system = dialogue.turns[position - 2].acts if position > 1 else ()
            rows = lookup.find(turn.last_query, current_domain(user, system))
            ended = position == len(dialogue.turns) - 1
            situation = Situation(turn.last_query, user, system, len(rows), ended)
            seen.append(_ones(vectors.lit(situation), vectors.size))
            acts = [outputs[act] for act in delexicalise(turn.acts) if act in outputs]
            said.append(_ones(acts, len(outputs)))
    if not seen:
        raise InputError(
            "none of the dialogues has a query form in its system turns",
            remedy="Give a corpus with system states, such as CrossWOZ.",
        )
    return Examples(torch.stack(seen), torch.stack(said))


def _ones(lit: Sequence[int], size: int) -> Tensor:
    vector = torch.zeros(size)
    vector[list(lit)] = 1
    return vector


def train(learnt: Examples, held_out: Examples, *, seed: int) -> tuple[nn.Sequential, Training]:
    """The network of the epoch with the lowest loss on the held-out examples."""
    torch.set_num_threads(1)  # sums in one order: the same bytes on every machine's core count
    torch.manual_seed(seed)
    network = _network(learnt.seen.shape[1], learnt.said.shape[1])
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    best = Training(0, float("inf"), 0)
    kept = network
    for epoch in range(1, EPOCHS + 1):
        _one_epoch(network, optimizer, learnt)
        judged = _judge(network, held_out, epoch)
        if judged.loss < best.loss:
            best, kept = judged, deepcopy(network)
    return kept, best


def _network(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inputs, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, outputs),
    )


def _one_epoch(network: nn.Module, optimizer: torch.optim.Optimizer, learnt: Examples) -> None:
    loss_of = nn.MultiLabelSoftMarginLoss()
    for batch in torch.split(torch.randperm(len(learnt.seen)), BATCH):
        optimizer.zero_grad()
        loss = loss_of(network(learnt.seen[batch]), learnt.said[batch])
        loss.backward()
        optimizer.step()


@torch.no_grad()
def _judge(network: nn.Module, held_out: Examples, epoch: int) -> Training:
    logits = network(held_out.seen)
    loss = float(nn.MultiLabelSoftMarginLoss()(logits, held_out.said))
    guessed, true = logits > 0, held_out.said > 0
    both = int((guessed & true).sum())
    return Training(epoch, loss, 200 * both / max(int(guessed.sum() + true.sum()), 1))
