"""What speaks for a response."""

from pathlib import Path

import numpy as np
import pytest

from crosstalk.errors import FileProblem
from crosstalk.retrieval.indexed_pairs import BLOCK, ContextView, index_pairs, indexed_blocks
from crosstalk.retrieval.ranking_features import (
    ARRAYS,
    STYLE_FEATURES,
    RankingFeatures,
    learn_ranking_features,
    style_features,
)

CONTEXT = (
    "My disk is full. __eou__ __eot__ which disk? __eou__ __eot__ The big one! __eou__ __eot__"
)


def test_every_turn_is_there_once() -> None:
    pairs = index_pairs([CONTEXT, CONTEXT, ""], ["which disk? __eou__", "other", "other"])
    assert pairs.texts == ("My disk is full.", "which disk?", "The big one!", "", "other")
    assert pairs.pairs.tolist() == [0, 0, 1]
    assert pairs.responses.tolist() == [1, 4, 4]


def test_pairs_are_worked_on_a_few_contexts_at_a_time() -> None:
    contexts = [f"question {at // 3}" for at in range(3 * BLOCK + 4)]
    blocks = list(indexed_blocks(contexts, [str(at) for at in range(len(contexts))]))
    assert [len(block.contexts) for block in blocks] == [BLOCK, 2]
    assert [len(block.pairs) for block in blocks] == [3 * BLOCK, 4]
    assert list(indexed_blocks([], [])) == []


def test_parts_are_seen_by_the_one_who_responds() -> None:
    pairs = index_pairs([CONTEXT], [])
    rows = {part: pairs.members(part).indices.tolist() for part in ContextView}
    assert rows[ContextView.OWN] == [1]
    assert rows[ContextView.OTHER] == [2, 0]
    assert rows[ContextView.LAST] == [2]
    assert rows[ContextView.EARLIER] == rows[ContextView.FIRST] == [0]


def test_how_somebody_types() -> None:
    careful, hasty = style_features(["I see. Thank you.", "k thx :)\nbye.."])
    typed = dict(zip(STYLE_FEATURES, zip(careful, hasty, strict=True), strict=True))
    assert typed["lines"] == (1, 2)
    assert typed["lines that begin with a capital"] == (1, 0)
    assert typed["smiley"] == (0, 1)
    assert typed["dots in a row"] == (0, 1)


def test_shared_rare_words_and_a_like_manner_speak_for_a_response() -> None:
    features = learn_ranking_features(
        ["the disk is full", "the sound is off", "which one?", "the cat"]
    )
    pairs = index_pairs([CONTEXT] * 2, ["the disk __eou__", "THE CAT __eou__"])
    columns = features.columns(pairs)
    for name in ("characters all", "words own", "shared rarest all", "okapi all"):
        assert columns[name][0] > columns[name][1], name
    assert columns["apart own"][0] < columns["apart own"][1]


def test_a_part_that_is_not_there_is_not_a_number() -> None:
    features = learn_ranking_features(["a b", "c d"])
    columns = features.columns(index_pairs(["a b __eou__ __eot__"], ["a"]))
    assert np.isnan(columns["words own"][0])
    assert np.isfinite(columns["words last"][0])


def test_texts_without_any_term_have_nothing_in_common() -> None:
    columns = learn_ranking_features(["a b", "c d"]).columns(index_pairs(["", "x"], ["", ""]))
    assert columns["words all"].tolist() == columns["pairs of words last"].tolist() == [0, 0]


def test_evidence_does_not_depend_on_what_else_is_asked(tmp_path: Path) -> None:
    features = learn_ranking_features(["the disk is full", "the sound is off"])
    features.save(tmp_path)
    alone = RankingFeatures.load(tmp_path).columns(index_pairs([CONTEXT], ["the disk"]))
    beside = features.columns(index_pairs(["x", CONTEXT], ["Y!", "the disk"]))
    for name, column in beside.items():
        assert np.allclose(column[1], alone[name][0], equal_nan=True, atol=1e-3), name


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / ARRAYS).write_bytes(b"junk" * 100)
    with pytest.raises(FileProblem, match=ARRAYS):
        RankingFeatures.load(tmp_path)
