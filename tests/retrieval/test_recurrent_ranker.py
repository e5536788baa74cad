"""The paper's dual encoders."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from tests.retrieval.made import groups, pairs
from tests.torchrun import torchrun

from crosstalk.errors import FileProblem, InputError
from crosstalk.retrieval import recurrent_training
from crosstalk.retrieval.rankers import RankerJob, RecurrentOptions, load_ranker, train_ranker
from crosstalk.retrieval.recurrent_ranker import (
    PUBLISHED,
    Cell,
    RecurrentEncoder,
    RecurrentScorer,
    by_place,
)
from crosstalk.retrieval.recurrent_training import train_recurrent
from crosstalk.retrieval.response_files import PairFile, write_groups, write_pairs
from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
from crosstalk.training.identity import Identity
from crosstalk.training.steps import Step

SMALL = {
    cell: replace(config, units=16, width=16, batch=16, epochs=3, rate=0.01)
    for cell, config in PUBLISHED.items()
}


def test_sizes_and_first_values_are_those_published() -> None:
    assert (PUBLISHED["rnn"].units, PUBLISHED["lstm"].units) == (50, 200)
    assert {config.tokens for config in PUBLISHED.values()} == {160}
    plain, gated = Cell("rnn", 5, 4), Cell("lstm", 5, 4)
    assert torch.allclose(plain.of_state @ plain.of_state.T, torch.eye(4), atol=1e-5)
    assert plain.of_input.weight.abs().max() <= 0.01
    assert gated.of_input.bias[4:8].tolist() == [2.0] * 4


@pytest.mark.parametrize("cell", ["rnn", "lstm"])
def test_texts_are_read_together_as_each_alone(cell: str) -> None:
    words = np.random.default_rng(1).normal(size=(9, 3)).astype(np.float32)
    network = RecurrentEncoder(replace(PUBLISHED[cell], units=4), words)
    texts = [np.array(text, np.int32) for text in ([5], [6, 7, 8], [2], [3, 4])]
    alone = torch.cat([network.read([text]) for text in texts])
    assert torch.allclose(network.read(texts), alone, atol=1e-6)
    words_by_place, sizes = by_place([texts[1], texts[0]])
    assert (words_by_place.tolist(), sizes) == ([6, 7, 8, 5], [1, 1, 2])


@pytest.mark.parametrize("cell", ["rnn", "lstm"])
def test_it_learns_and_is_the_same_after_saving(tmp_path: Path, cell: str) -> None:
    steps: list[Step] = []
    scorer, _ = train_recurrent(pairs(), SMALL[cell], seed=1, told=steps.append)
    assert steps[-1].loss < steps[0].loss
    asked = ["disk is slow __eou__ __eot__", "sound __eou__ __eot__"], ["disk", "sound now"]
    scorer.save(tmp_path)
    assert np.array_equal(RecurrentScorer.load(tmp_path).score(*asked), scorer.score(*asked))
    assert len(scorer.score([""], [""])) == 1


def test_a_stopped_training_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / CHECKPOINT, Identity({}, "data", 1))
    once, _ = train_recurrent(pairs(), SMALL["lstm"], seed=1)
    train_recurrent(pairs(), replace(SMALL["lstm"], epochs=1), seed=1, checkpoint=checkpoint)
    again, _ = train_recurrent(pairs(), SMALL["lstm"], seed=1, checkpoint=checkpoint)
    for name, tensor in once.network.state_dict().items():
        assert torch.equal(tensor, again.network.state_dict()[name]), name


def test_weights_of_another_size_are_refused(tmp_path: Path) -> None:
    scorer, _ = train_recurrent(pairs(20), replace(SMALL["rnn"], epochs=1), seed=1)
    scorer.save(tmp_path)
    config = tmp_path / "config.json"
    config.write_text(config.read_text().replace('"units": 16', '"units": 17'))
    with pytest.raises(FileProblem, match="do not fit"):
        RecurrentScorer.load(tmp_path)


def test_vectors_of_a_file_are_held_at_first(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("disk 0.5 0.25 0.125\nsound -0.5 1 0\n")
    config = replace(SMALL["lstm"], epochs=2)

    def vector(frozen: int) -> list[float]:
        ours = replace(config, frozen=frozen)
        scorer, _ = train_recurrent(pairs(), ours, seed=1, vectors=tmp_path / "words.txt")
        row: list[float] = scorer.network.words.weight[scorer.vocabulary.numbers["disk"]].tolist()
        return row

    assert vector(frozen=2) == [0.5, 0.25, 0.125]
    assert vector(frozen=0) != [0.5, 0.25, 0.125]


def test_every_pass_goes_through_the_whole_file() -> None:
    """More pairs than any cap: a pass has as many batches as the file has pairs."""
    held = pairs(60)
    config = replace(SMALL["rnn"], epochs=1, batch=8, units=4, width=4)
    seen: list[int] = []
    original = recurrent_training._RecurrentTask._step

    def counted(task: recurrent_training._RecurrentTask, batch: NDArray[np.intp]) -> float:
        seen.append(len(batch))
        return original(task, batch)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recurrent_training._RecurrentTask, "_step", counted)
        train_recurrent(held, config, seed=1, validation=groups(5))
    assert sum(seen) == len(held)


def test_pairs_of_a_file_are_read_anew_and_give_the_same_weights(tmp_path: Path) -> None:
    write_pairs(tmp_path / "train.csv", pairs())
    config = replace(SMALL["rnn"], epochs=1)
    from_file, _ = train_recurrent(PairFile(tmp_path / "train.csv"), config, seed=1)
    from_memory, _ = train_recurrent(pairs(), config, seed=1)
    assert torch.equal(from_file.network.between, from_memory.network.between)
    assert len(PairFile(tmp_path / "train.csv").first(3)) == 3


def test_the_protocol_of_the_paper_has_its_settings(tmp_path: Path) -> None:
    config = RecurrentOptions("paper").config("lstm", None)
    assert (config.epochs, config.batch, config.rate, config.frozen) == (100, 256, 0.001, 0)
    assert config.bias and config.reads == "first"
    small = replace(config, units=4, width=4, epochs=1)
    scorer, _ = train_recurrent(pairs(30), small, seed=1)
    assert float(scorer.network.state_dict()["bias"]) != 0
    scorer.save(tmp_path)
    asked = ["disk is slow"], ["disk"]
    assert RecurrentScorer.load(tmp_path).score(*asked) == scorer.score(*asked)


def test_options_of_networks_are_refused_elsewhere() -> None:
    with pytest.raises(InputError, match="--units"):
        train_ranker(RankerJob("tfidf", recurrent=RecurrentOptions(units=3)), pairs(10))


def test_two_processes_train_one_lstm(tmp_path: Path) -> None:
    """`torchrun` from the command to the model folder; both cores' gradients are averaged."""
    write_pairs(tmp_path / "train.csv", pairs(40))
    write_groups(tmp_path / "test.csv", groups(10), 9)
    words = [
        "-m",
        "crosstalk",
        "retrieve",
        "train",
        "--model",
        "lstm",
        "--units",
        "4",
        "--epochs",
        "1",
    ]
    files = ["--data", str(tmp_path / "train.csv"), "--out", str(tmp_path / "lstm"), "--json"]
    rest = ["--epochs", "1", "--device", "cpu", "--batch", "16"]
    done = torchrun(*words, *files, *rest, out=tmp_path / "lstm")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["models"]) == 1  # only the first process prints
    assert len(load_ranker(tmp_path / "lstm").score(["disk"], ["disk"])) == 1
