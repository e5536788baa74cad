"""Many responses, searched by context."""

from pathlib import Path

import numpy as np
import pytest
from tests.retrieval.made import THINGS, pairs, talk
from tests.retrieval.test_reranker import TRAINING

from crosstalk.errors import CrosstalkError
from crosstalk.model_folders import Card, Provenance, write_card
from crosstalk.retrieval.rankers import KIND, save_ranker
from crosstalk.retrieval.reranker_training import train_reranker
from crosstalk.retrieval.response_files import dialogues_of_pairs
from crosstalk.retrieval.response_index import (
    Neighbours,
    ResponseIndex,
    TextStore,
    make_index,
    question,
    write_neighbours,
    write_texts,
)
from crosstalk.retrieval.tfidf import CHARACTER_NGRAMS, learn_idf

RESPONSES = sorted({turn for turns in talk(60).turns for turn in turns[1:]})


def seal(folder: Path) -> Path:
    write_card(folder, Card("ranker", "", Provenance("made up"), kind=KIND))
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("best")
    save_ranker(folder, "best", train_reranker(dialogues_of_pairs(pairs()), TRAINING, seed=1))
    return seal(folder)


@pytest.fixture(scope="module")
def index(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "index"
    make_index(RESPONSES, model, folder)
    return folder


def test_responses_about_the_same_thing_come_first(index: Path) -> None:
    opened = ResponseIndex.open(index)
    for thing in THINGS[:3]:
        answers = opened.ask(question([f"my {thing} is slow", "which one", f"the {thing}"]))
        assert len(answers) == 5
        assert thing in answers[0].text
        assert "__eou__" not in answers[0].text
        assert [each.score for each in answers] == sorted((x.score for x in answers), reverse=True)


def test_a_ranker_without_vectors_looks_up_words_only(tmp_path: Path) -> None:
    save_ranker(tmp_path / "char", "char", learn_idf(CHARACTER_NGRAMS, RESPONSES))
    make_index(RESPONSES, seal(tmp_path / "char"), tmp_path / "index")
    opened = ResponseIndex.open(tmp_path / "index")
    assert opened.neighbours is None
    assert "printer" in opened.ask(question(["the printer"]))[0].text
    assert opened.ask(question(["xyzzy"])) == []


def test_an_index_is_made_over_a_broken_off_one(model: Path, index: Path) -> None:
    (index / "index.json").unlink()
    with pytest.raises(CrosstalkError, match="not a whole one"):
        ResponseIndex.open(index)
    make_index(RESPONSES, model, index)
    assert len(ResponseIndex.open(index).texts) == len(RESPONSES)


@pytest.mark.parametrize("name", ["vectors.npy", "texts.bin", "word-rows.npy"])
def test_a_torn_file_is_named(model: Path, tmp_path: Path, name: str) -> None:
    make_index(RESPONSES, model, tmp_path / "index")
    file = tmp_path / "index" / name
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(CrosstalkError, match=f"{name} is missing or not whole"):
        ResponseIndex.open(tmp_path / "index")


def test_another_folder_is_not_written_over(model: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(CrosstalkError, match="something else"):
        make_index(RESPONSES, model, tmp_path)
    with pytest.raises(CrosstalkError, match="no responses"):
        make_index([], model, tmp_path / "index")


def test_near_vectors_are_found_among_many(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(4000, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    write_neighbours(tmp_path, vectors)
    near = Neighbours.open(tmp_path)
    exact = np.argsort(-(vectors @ vectors[:100].T), axis=0)[:5]
    found = [set(near.near(vectors[at], 5).tolist()) for at in range(100)]
    shared = [len(found[at] & set(exact[:, at].tolist())) for at in range(100)]
    assert all(at in found[at] for at in range(100))
    assert np.mean(shared) > 4


def test_any_text_is_read_alone(tmp_path: Path) -> None:
    texts = ["", "déjà vu", "two\nlines", ""]
    write_texts(tmp_path, texts)
    store = TextStore.open(tmp_path)
    assert [store[at] for at in range(len(store))] == texts
