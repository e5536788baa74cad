"""The supervised policy of the CrossWOZ paper: a small network chooses delexicalised acts.

    policy = SLPolicy.load(folder, world, protocol="paper")

Reads the acts of the user's last turn and of the system turn before it, and the belief. Needs
numpy and safetensors (extra `neural`); only training needs torch.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Self

from crosstalk.dialogue.acts import GENERAL, RECOMMEND, Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import DomainKind
from crosstalk.dialogue.states import SystemState
from crosstalk.errors import FileProblem, InputError
from crosstalk.system.dst.tracker import DialogueState, current_domain
from crosstalk.system.policy.delexicalised_acts import (
    ActVocabulary,
    Lexicaliser,
    lexicalise,
    lexicalise_as_published,
    load_vocabulary,
)
from crosstalk.system.policy.policy import Decision
from crosstalk.system.policy.sl_input import (
    Lookup,
    PolicyInput,
    StatefulLookup,
    StatelessLookup,
    StateVectors,
)
from crosstalk.worlds.display import label
from crosstalk.worlds.tables import Row, World

try:
    import numpy as np
    from numpy.typing import NDArray

    from crosstalk.training.numpy_files import load_arrays_of
except ModuleNotFoundError as error:
    raise InputError(
        f"the supervised policy needs {error.name}, which is not installed",
        remedy='Install the extra: pip install "crosstalk-dialogue[neural]"',
    ) from error

WEIGHTS = "weights.safetensors"
VOCABULARY = "vocabulary.json"
LAYERS = 3
FAREWELLS = frozenset({"thank", "bye"})

Numbers = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PolicyNetwork:
    """Linear layers with ReLU between them, in order."""

    weights: tuple[Numbers, ...]
    biases: tuple[Numbers, ...]

    def logits(self, lit: Sequence[int]) -> Numbers:
        """The outputs for a vector of zeros with ones at `lit`."""
        values: Numbers = self.weights[0][:, lit].sum(axis=1) + self.biases[0]
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            values = weight @ np.maximum(values, 0) + bias
        return values

    @property
    def shape(self) -> tuple[int, int]:
        """Number of inputs and of outputs."""
        return int(self.weights[0].shape[1]), int(self.weights[-1].shape[0])


class SLPolicy:
    """Says the acts above one half, with the values of the first row found."""

    def __init__(
        self,
        world: World,
        vocabulary: ActVocabulary,
        network: PolicyNetwork,
        *,
        lookup: Lookup,
        lexicaliser: Lexicaliser = lexicalise_as_published,
    ) -> None:
        self._world = world
        self._vocabulary = vocabulary
        self._acts = vocabulary.system
        self._vectors = StateVectors(world.schema, vocabulary)
        self._network = network
        self._most_named = _most_named(vocabulary)
        self._lookup = lookup
        self._lexicalise = lexicaliser

    @classmethod
    def load(
        cls,
        folder: Path,
        world: World,
        *,
        protocol: str = "corrected",
        lingering: bool | None = None,
        mended: bool = False,
    ) -> Self:
        """The model in a folder.

        `lingering` lets bounds of earlier questions linger; None: in the protocol `paper` they do.
        `mended` takes our lexicaliser in place of the published one.
        """
        if protocol not in ("paper", "corrected"):
            raise InputError(
                f"there is no protocol called {protocol!r}", remedy="Known: paper, corrected."
            )
        vocabulary = load_vocabulary(folder / VOCABULARY)
        network = load_network(folder / WEIGHTS)
        _refuse_misfit(folder, world, vocabulary, network)
        lingering = protocol == "paper" if lingering is None else lingering
        policy = cls(world, vocabulary, network, lookup=StatelessLookup(world))
        return policy.as_judged(lingering=lingering, mended=mended)

    def as_judged(self, *, lingering: bool, mended: bool) -> Self:
        """The same network; `lingering` and `mended` as for `load`."""
        return type(self)(
            self._world,
            self._vocabulary,
            self._network,
            lookup=StatefulLookup(self._world) if lingering else StatelessLookup(self._world),
            lexicaliser=lexicalise if mended else lexicalise_as_published,
        )

    def decide(self, belief: DialogueState, history: tuple[Turn, ...]) -> Decision:
        """The farewell flag is raised when the user says thanks or goodbye.

        Nothing of other dialogues lingers: the same history always has the same answer.
        """
        self._lookup.recall(_questions(history[:-1]))
        said = self.speak(belief, history, ended=_says_farewell(history[-1]))
        return Decision(tuple(sorted(set(said))), self._ticked(belief, said))

    def speak(
        self, belief: DialogueState, history: tuple[Turn, ...], *, ended: bool
    ) -> tuple[Act, ...]:
        """The acts as they come, perhaps with repeats, where the end of the dialogue is known."""

        @cache
        def results(domain: str) -> Sequence[Row]:
            return self._lookup.find(belief.form, domain)

        system = history[-2].acts if len(history) > 1 else ()
        found = len(results(belief.domain))
        seen = PolicyInput(belief.form, history[-1].acts, system, found, ended)
        logits = self._network.logits(self._vectors.lit(seen))
        chosen = [act for act, logit in zip(self._acts, logits, strict=True) if logit > 0]
        return self._lexicalise(self._world, chosen, belief.domain, results)

    def _ticked(self, belief: DialogueState, said: tuple[Act, ...]) -> SystemState:
        """The form with the results ticked that the answer names, or else speaks of."""
        domain = self._world.schema.domain(belief.domain)
        if domain is None or not any(act.domain == domain.key for act in said):
            return belief.form
        names = {act.value for act in said}
        rows = self._lookup.find(belief.form, domain.key)[: self._most_named]
        labels = [label(self._world, domain, row) for row in rows if row]
        spoken_of = labels[:1] if domain.kind is DomainKind.PLACE else labels
        ticked = tuple([name for name in labels if name in names] or spoken_of)
        tab = replace(belief.form.get(domain.key), selected=ticked)
        return belief.form.with_domain(tab)


def _most_named(vocabulary: ActVocabulary) -> int:
    """How many rows an answer can name: those recommended, or the first alone."""
    offers = (int(act.value) for act in vocabulary.system if act.intent == RECOMMEND)
    return max(offers, default=1)


def load_network(file: Path) -> PolicyNetwork:
    try:
        tensors = load_arrays_of(file)
        weights = tuple(tensors[f"{layer}.weight"] for layer in range(LAYERS))
        biases = tuple(tensors[f"{layer}.bias"] for layer in range(LAYERS))
    except (ValueError, KeyError) as error:
        raise FileProblem(
            f"{file}: the weights cannot be read: {error}",
            remedy="Train it anew: crosstalk train policy --model sl --data FILE --out models",
        ) from error
    return PolicyNetwork(weights, biases)


def _refuse_misfit(
    folder: Path, world: World, vocabulary: ActVocabulary, network: PolicyNetwork
) -> None:
    spoken_of = {act.domain for act in vocabulary.system if act.intent != GENERAL}
    unknown = spoken_of - {domain.key for domain in world.schema}
    expected = StateVectors(world.schema, vocabulary).size, len(vocabulary.system)
    if unknown:
        problem = f"it speaks of {', '.join(sorted(unknown))}"
    elif network.shape != expected:
        problem = f"its network is made for {network.shape} numbers, not for {expected}"
    else:
        return
    raise InputError(
        f"the policy in {folder} was trained for another world than {world.name}: {problem}",
        remedy="Train one on dialogues of this world: crosstalk train policy --model sl "
        f"--world {world.name} --data FILE --out models",
    )


def _questions(history: tuple[Turn, ...]) -> list[tuple[SystemState, str]]:
    """The queries of earlier exchanges: each form with its domain."""
    asked = []
    for position in range(1, len(history), 2):
        form = history[position].last_query
        before = history[position - 2].acts if position > 1 else ()
        if form is not None:
            asked.append((form, current_domain(history[position - 1].acts, before)))
    return asked


def _says_farewell(turn: Turn) -> bool:
    return any(act.intent == GENERAL and act.domain in FAREWELLS for act in turn.acts)
