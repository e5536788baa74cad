"""The SC-LSTM generator of the CrossWOZ paper, and the folder its model lies in.

    SpokenBySCLSTM.load(folder, keys, language="zh", protocol="corrected").say(acts, Random(0))

The likeliest utterance of the beam is said, so equal acts are always said in the same words.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from crosstalk.dialogue.acts import Act
from crosstalk.errors import FileProblem, InputError
from crosstalk.files import read_json, writing, writing_binary
from crosstalk.system.nlg.keys import ActKeys
from crosstalk.system.nlg.sclstm_conditions import Conditions, features_of
from crosstalk.system.nlg.sclstm_network import SCLSTM, SclstmShape, beam_search, ones
from crosstalk.system.nlg.sclstm_training import TrainedGenerator, TrainingConfig
from crosstalk.system.nlg.sclstm_words import SPECIAL, SclstmVocabulary, spoken_text
from crosstalk.system.nlg.templates import values_of
from crosstalk.training.config import read_config, write_config

try:
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file, save
except ModuleNotFoundError as error:
    raise InputError(
        f"the SC-LSTM needs {error.name}, which is not installed",
        remedy='Install the extra: pip install "crosstalk-dialogue[neural]"',
    ) from error

WEIGHTS: Final = "weights.safetensors"
VOCABULARY: Final = "vocabulary.json"
PROTOCOLS: Final = ("paper", "corrected")
COMMAND: Final = "crosstalk train nlg --model sclstm --side usr|sys --out models"


@dataclass(frozen=True, slots=True)
class SCLSTMConfig:
    """What a model was trained for, and how."""

    side: str
    language: str
    training: TrainingConfig


class SpokenBySCLSTM:
    """Says acts as the network has learnt to; remembers what it said for which condition."""

    def __init__(
        self,
        network: SCLSTM,
        conditions: Conditions,
        vocabulary: SclstmVocabulary,
        keys: ActKeys,
        *,
        language: str,
        protocol: str = "corrected",
        width: int = 10,
    ) -> None:
        if protocol not in PROTOCOLS:
            known = ", ".join(PROTOCOLS)
            raise InputError(f"there is no protocol called {protocol!r}", remedy=f"Known: {known}.")
        self._network = network
        self._conditions = conditions
        self._vocabulary = vocabulary
        self._keys = keys
        self._language = language
        self._as_published = protocol == "paper"
        self._width = width
        self._said: dict[tuple[int, ...], tuple[str, ...]] = {}

    @classmethod
    def load(
        cls, folder: Path, keys: ActKeys, *, language: str, protocol: str = "corrected"
    ) -> "SpokenBySCLSTM":
        """The model of a folder; one of another side or language, or a damaged one, is refused."""
        config = read_config(folder, SCLSTMConfig)
        for name, found, wanted in (
            ("side", config.side, str(keys.speaker)),
            ("language", config.language, language),
        ):
            if found != wanted:
                raise InputError(
                    f"the SC-LSTM in {folder} was trained for {name} {found!r}, not {wanted!r}",
                    remedy=f"Name another folder, or train it: {COMMAND}",
                )
        torch.set_num_threads(1)  # a beam is too small to be shared: threads wait for each other
        words, features = _read_lists(folder)
        hidden, dropout = config.training.hidden, config.training.dropout
        network = _read_network(folder, SclstmShape(len(words), len(features), hidden, dropout))
        return cls(
            network,
            Conditions(features),
            SclstmVocabulary(words),
            keys,
            language=language,
            protocol=protocol,
        )

    def say(self, acts: Sequence[Act], rng: Random) -> str:
        spoken = self._keys.in_order(acts)
        group = [each.key for each in spoken]
        features = features_of(group, self._keys, facility_defect=self._as_published)
        words = self.words(self._conditions.lit(features))
        return spoken_text(
            words, values_of(spoken), language=self._language, keep_open=self._as_published
        )

    def words(self, lit: Sequence[int]) -> tuple[str, ...]:
        """What is said where these features are lit, holes unfilled."""
        if tuple(lit) not in self._said:
            condition = ones(lit, len(self._conditions.features))
            best = beam_search(self._network, condition, self._width)[0]
            self._said[tuple(lit)] = tuple(self._vocabulary.words[word] for word in best.words)
        return self._said[tuple(lit)]


def save_sclstm(
    folder: Path, trained: TrainedGenerator, *, side: str, language: str, config: TrainingConfig
) -> None:
    """Weights (in half precision), config and vocabulary; the same network gives the same bytes."""
    tensors = {name: each.half() for name, each in trained.network.state_dict().items()}
    lists = {"words": trained.vocabulary.words, "features": trained.conditions.features}
    with writing_binary(folder / WEIGHTS) as raw:
        raw.write(save(tensors))
    with writing(folder / VOCABULARY) as text:
        json.dump(lists, text, ensure_ascii=False, indent=1)
    write_config(folder, SCLSTMConfig(side, language, config))


def _read_lists(folder: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words and the features, which name the outputs and the inputs of the network."""
    content = read_json(folder / VOCABULARY)
    lists = [content.get(name) for name in ("words", "features")] if _is_object(content) else []
    for each in lists or [None]:
        if not isinstance(each, list) or not all(isinstance(item, str) for item in each):
            raise _damaged(folder / VOCABULARY, "expected lists of words and of features")
    words, features = map(tuple, lists)
    if words[: len(SPECIAL)] != SPECIAL or len(set(words)) < len(words):
        raise _damaged(folder / VOCABULARY, f"expected {', '.join(SPECIAL)} first, each word once")
    return words, features


def _is_object(content: object) -> bool:
    return isinstance(content, dict)


def _read_network(folder: Path, shape: SclstmShape) -> SCLSTM:
    network = SCLSTM(shape)
    try:
        tensors = load_file(folder / WEIGHTS)
        network.load_state_dict({name: each.float() for name, each in tensors.items()})
    except (OSError, SafetensorError, RuntimeError) as error:
        problem = str(error).splitlines()[-1].strip()
        raise _damaged(folder / WEIGHTS, f"they do not fit the vocabulary: {problem}") from error
    if not all(bool(torch.isfinite(each).all()) for each in network.state_dict().values()):
        raise _damaged(folder / WEIGHTS, "some weights are not numbers")
    return network.eval()


def _damaged(file: Path, problem: str) -> FileProblem:
    return FileProblem(
        f"{file}: this SC-LSTM cannot be used: {problem}",
        remedy=f"Restore the folder, or train it anew: {COMMAND}",
    )
