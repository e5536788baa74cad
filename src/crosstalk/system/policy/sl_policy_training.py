"""Training the supervised policy as the CrossWOZ paper did, from annotated dialogues.

The state is the form as the wizard left it, and the end of the dialogue is known. Bounds of earlier
queries stay in force from the first dialogue to the last, as in the published feature extraction.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import InputError
from crosstalk.files import writing_binary
from crosstalk.system.dst.tracker import current_domain
from crosstalk.system.policy.delexicalised_acts import ActVocabulary, delexicalise, save_vocabulary
from crosstalk.system.policy.sl_input import PolicyInput, StatefulLookup, StateVectors
from crosstalk.system.policy.sl_policy import VOCABULARY, WEIGHTS
from crosstalk.training.compute import use_single_thread
from crosstalk.training.identity import Identity, digest_of, settings_of
from crosstalk.training.progress import Limits
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.worlds.tables import World

try:
    import torch
    from safetensors.torch import save
    from torch import Tensor, nn

    from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
    from crosstalk.training.loop import train_epochs
except ModuleNotFoundError as error:
    raise InputError(
        f"training the supervised policy needs {error.name}, which is not installed",
        remedy='Install the extra: pip install "crosstalk-dialogue[neural]"',
    ) from error

HELD_OUT = 10
"""One dialogue in ten is held out to choose the epoch: 50 of the 500 of CrossWOZ val."""


@dataclass(frozen=True, slots=True)
class SLConfig:
    """The published settings."""

    hidden: int = 100
    learning_rate: float = 1e-3
    batch: int = 32
    epochs: int = 20
    patience: int = 0
    """So many epochs without a lower loss on the held-out dialogues; 0: as published, all."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class PolicyExamples:
    """One row per system turn: the input, and the acts that were said."""

    seen: Tensor
    said: Tensor


@dataclass(frozen=True, slots=True)
class SLTrainingResult:
    """The outcome of a training."""

    epoch: int
    """The epoch that was kept, from 1."""
    loss: float
    """Of that epoch, on the held-out dialogues."""
    vector_f1: float
    """Percent, over the network's outputs as they are, on the held-out dialogues."""


def split(dialogues: Sequence[Dialogue]) -> tuple[list[Dialogue], list[Dialogue]]:
    """Training and held-out dialogues: the last of every ten is held out, for every seed."""
    held_out = dialogues[HELD_OUT - 1 :: HELD_OUT]
    learnt = [each for number, each in enumerate(dialogues, 1) if number % HELD_OUT]
    return learnt, list(held_out)


def save_sl(
    dialogues: Sequence[Dialogue],
    world: World,
    vocabulary: ActVocabulary,
    folder: Path,
    config: SLConfig,
    *,
    validation: Sequence[Dialogue] = (),
    told: StepCallback = nobody,
) -> SLTrainingResult:
    """Train and write weights and vocabulary to a folder; the same seed gives the same bytes.

    `validation` chooses the epoch, as published; without it one dialogue in ten is held out.
    Resumes from the checkpoint of an interrupted training, if the folder has one.
    """
    learnt, held_out = (dialogues, validation) if validation else split(dialogues)
    if not learnt or not held_out:
        raise InputError(
            f"a policy cannot be trained on {len(dialogues)} dialogues",
            remedy=f"Give at least {HELD_OUT}; one in {HELD_OUT} is held out.",
        )
    identity = _identity(config, [*dialogues, *validation], vocabulary)
    network, training = train(
        examples(learnt, world, vocabulary),
        examples(held_out, world, vocabulary),
        config,
        checkpoint=Checkpoint(folder / CHECKPOINT, identity),
        told=told,
    )
    linear = [layer for layer in network if isinstance(layer, nn.Linear)]
    tensors = {f"{n}.weight": layer.weight.detach() for n, layer in enumerate(linear)}
    tensors |= {f"{n}.bias": layer.bias.detach() for n, layer in enumerate(linear)}
    with writing_binary(folder / WEIGHTS) as raw:
        raw.write(save(tensors))
    save_vocabulary(vocabulary, folder / VOCABULARY)
    return training


def _identity(
    config: SLConfig, dialogues: Iterable[Dialogue], vocabulary: ActVocabulary
) -> Identity:
    turns = (turn for dialogue in dialogues for turn in dialogue.turns)
    settings = settings_of(config, without=("epochs", "patience", "seed"))
    return Identity(settings, digest_of([vocabulary, *turns]), config.seed)


def examples(
    dialogues: Iterable[Dialogue], world: World, vocabulary: ActVocabulary
) -> PolicyExamples:
    vectors = StateVectors(world.schema, vocabulary)
    outputs = {act: number for number, act in enumerate(vocabulary.system)}
    lookup = StatefulLookup(world)
    seen, said = [], []
    for dialogue in dialogues:
        for position, turn in enumerate(dialogue.turns):
            if turn.speaker is not Speaker.SYSTEM or turn.last_query is None or not position:
                continue
            user = dialogue.turns[position - 1].acts
            system = dialogue.turns[position - 2].acts if position > 1 else ()
            rows = lookup.find(turn.last_query, current_domain(user, system))
            ended = position == len(dialogue.turns) - 1
            situation = PolicyInput(turn.last_query, user, system, len(rows), ended)
            seen.append(_ones(vectors.lit(situation), vectors.size))
            acts = [outputs[act] for act in delexicalise(turn.acts) if act in outputs]
            said.append(_ones(acts, len(outputs)))
    if not seen:
        raise InputError(
            "none of the dialogues has a query form in its system turns",
            remedy="Give a corpus with system states, such as CrossWOZ.",
        )
    return PolicyExamples(torch.stack(seen), torch.stack(said))


def _ones(lit: Sequence[int], size: int) -> Tensor:
    vector = torch.zeros(size)
    vector[list(lit)] = 1
    return vector


def train(
    learnt: PolicyExamples,
    held_out: PolicyExamples,
    config: SLConfig,
    *,
    checkpoint: Checkpoint | None = None,
    told: StepCallback = nobody,
) -> tuple[nn.Sequential, SLTrainingResult]:
    """The network of the epoch with the lowest loss on the held-out examples."""
    use_single_thread()
    torch.manual_seed(config.seed)
    trainer = _SLTrainer(learnt, held_out, config)
    limits = Limits(config.epochs, config.patience)
    done = train_epochs(trainer, limits, seed=None, checkpoint=checkpoint, told=told)
    with torch.no_grad():
        return trainer.network, trainer.figures(done.best_epoch)


class _SLTrainer:
    """One training of the network."""

    def __init__(self, learnt: PolicyExamples, held_out: PolicyExamples, config: SLConfig) -> None:
        self.network = _network(learnt.seen.shape[1], learnt.said.shape[1], config.hidden)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate)
        self._learnt = learnt
        self._held_out = held_out
        self._batch = config.batch
        self._loss = nn.MultiLabelSoftMarginLoss()

    def learn(self, epoch: int) -> float:
        total = 0.0
        for batch in torch.split(torch.randperm(len(self._learnt.seen)), self._batch):
            self.optimizer.zero_grad()
            loss = self._loss(self.network(self._learnt.seen[batch]), self._learnt.said[batch])
            loss.backward()
            self.optimizer.step()
            total += float(loss.detach()) * len(batch)
        return total / len(self._learnt.seen)

    def judge(self) -> float:
        return -self.figures(0).loss

    def figures(self, epoch: int) -> SLTrainingResult:
        """Of the network as it is, on the held-out examples."""
        logits = self.network(self._held_out.seen)
        loss = float(self._loss(logits, self._held_out.said))
        guessed, true = logits > 0, self._held_out.said > 0
        both = int((guessed & true).sum())
        return SLTrainingResult(epoch, loss, 200 * both / max(int(guessed.sum() + true.sum()), 1))


def _network(inputs: int, outputs: int, hidden: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inputs, hidden),
        nn.ReLU(),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Linear(hidden, outputs),
    )
