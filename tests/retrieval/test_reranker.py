"""The hashed dual encoder, and our ranker that uses it."""

from pathlib import Path

import numpy as np
import pytest
from tests.retrieval.made import groups, pairs, table

from crosstalk.errors import CrosstalkError, InputError
from crosstalk.evaluation.response_selection import select
from crosstalk.retrieval.hashed_encoder import HashedEncoder, NetworkSizes, bags_of, terms
from crosstalk.retrieval.hashed_encoder_training import HashedTraining
from crosstalk.retrieval.indexed_pairs import index_pairs
from crosstalk.retrieval.reranker import Reranker
from crosstalk.retrieval.reranker_training import RerankerTraining, train_reranker
from crosstalk.retrieval.response_files import dialogues_of_pairs
from crosstalk.training.identity import Identity
from crosstalk.training.ranking_trees import TreeSettings
from crosstalk.training.stages import Stages
from crosstalk.training.steps import Step

TRAINING = RerankerTraining(
    HashedTraining(NetworkSizes(1 << 10, 16, 16), passes=3, batch=16),
    folds=2,
    members=1,
    trees=TreeSettings(rounds=20),
)


@pytest.fixture(scope="module")
def ranker() -> Reranker:
    return train_reranker(dialogues_of_pairs(pairs(200)), TRAINING, seed=1)


def test_terms_are_words_pairs_and_bits() -> None:
    assert terms("Sudo it") == [
        *("sudo", "it", "^ sudo", "sudo it", "it $"),
        *("~<sud", "~sudo", "~udo>"),
    ]


def test_it_finds_what_gives_the_response_away(ranker: Reranker) -> None:
    assert (select(ranker, groups()).record()["r10@1"] or 0) > 50


def test_an_encoder_learns(ranker: Reranker) -> None:
    pairs = index_pairs(["disk slow __eou__ __eot__"] * 2, ["disk now", "sound now"])
    encoder = ranker.encoders[0]
    right, wrong = encoder.cosines(bags_of(pairs, encoder.idf))
    assert right > wrong


def test_it_is_the_same_after_saving(ranker: Reranker, tmp_path: Path) -> None:
    ranker.save(tmp_path)
    asked = ["disk is slow __eou__ __eot__", ""], ["the disk __eou__", ""]
    assert np.allclose(Reranker.load(tmp_path).score(*asked), ranker.score(*asked))


def test_the_same_seed_gives_the_same_ranker(ranker: Reranker) -> None:
    again = train_reranker(dialogues_of_pairs(pairs(200)), TRAINING, seed=1)
    asked = ["disk is slow __eou__ __eot__"] * 2, ["the disk __eou__", "fan"]
    assert again.score(*asked).tolist() == ranker.score(*asked).tolist()


def test_a_finished_encoder_outlives_a_kill(tmp_path: Path) -> None:
    material = dialogues_of_pairs(pairs())

    def until(last: str) -> list[str]:
        told: list[str] = []

        def hear(step: Step) -> None:
            told.append(step.part)
            if step.part == last:
                raise KeyboardInterrupt

        stages = Stages(tmp_path / "stages", Identity({}, "data", 1))
        with pytest.raises(KeyboardInterrupt):
            train_reranker(material, TRAINING, seed=1, told=hear, stages=stages)
        return told

    assert until("encoder 2")[0] == "encoder 1"
    assert until("trees 1")[0] == "encoder 2"


@pytest.mark.parametrize("lost", ["trees-0.txt", "encoder-0/encoder.safetensors"])
def test_a_ranker_that_is_not_whole_is_refused(ranker: Reranker, tmp_path: Path, lost: str) -> None:
    ranker.save(tmp_path)
    (tmp_path / lost).unlink()
    with pytest.raises(CrosstalkError, match="not a whole ranker"):
        Reranker.load(tmp_path)


def test_an_encoder_of_odd_shapes_is_refused(ranker: Reranker, tmp_path: Path) -> None:
    weights = dict(ranker.encoders[0].weights)
    weights["mix"] = weights["mix"][:1]
    HashedEncoder(weights).save(tmp_path)
    with pytest.raises(CrosstalkError, match="mix has the shape"):
        HashedEncoder.load(tmp_path)


def test_too_few_conversations_for_a_fold_are_told_beforehand() -> None:
    told: list[Step] = []
    with pytest.raises(InputError, match="nothing to learn from") as refused:
        train_reranker(table(1), TRAINING, seed=1, told=told.append)
    assert not told, "nothing was trained"
    assert "Give more conversations" in refused.value.remedy
