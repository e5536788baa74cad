"""What is known of a line and a line it may answer, as numbers for the trees."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from crosstalk.chatlogs.linking.candidates import Ints, Scene
from crosstalk.chatlogs.linking.lines import FLAGS

Floats = NDArray[np.float32]

FAR = 999
COLUMNS = (
    *("itself", "minutes", "distance", "same_speaker"),
    *("i_to_j", "i_to_other", "i_to_nobody", "j_to_i", "j_to_other", "j_to_nobody", "same_target"),
    *("i_names_j", "j_names_i", "j_names_target"),
    *("lines_of_j_since", "lines_of_i_since", "j_named_since", "i_named_since"),
    *("i_to_j_ago", "j_to_i_ago", "i_answered_since", "j_answered_since"),
    *("i_silent_for", "i_silent_minutes", "j_silent_for"),
    *("shared", "shared_share", "shared_rarest", "rarity_of_i", "rarity_of_j", "crowd"),
    *(f"i_{flag}" for flag in FLAGS),
    *(f"j_{flag}" for flag in FLAGS),
)


def pair_features(
    scene: Scene, flags: Floats, words: Sequence[Sequence[str]], lines: Ints, others: Ints
) -> Floats:
    """One row a pair, columns as in COLUMNS."""
    table = np.empty((len(lines), len(COLUMNS)), dtype=np.float32)
    columns: list[NDArray[Any]] = [
        *_when(scene, lines, others),
        *_who(scene, lines, others),
        *_since(scene, lines, others),
        *_words_shared(words, lines, others),
        _crowd(scene)[lines],
    ]
    for number, column in enumerate(columns):
        table[:, number] = column
    table[:, len(columns) : len(columns) + len(FLAGS)] = flags[lines]
    table[:, len(columns) + len(FLAGS) :] = flags[others]
    return table


def _when(scene: Scene, lines: Ints, others: Ints) -> list[NDArray[Any]]:
    return [lines == others, scene.minutes[lines] - scene.minutes[others], lines - others]


def _who(scene: Scene, lines: Ints, others: Ints) -> list[NDArray[Any]]:
    i, j = scene.speakers[lines], scene.speakers[others]
    to, to_other = scene.targets[lines, 0], scene.targets[others, 0]
    named, other_named = scene.targets[lines, 1:], scene.targets[others, 1:]
    return [
        i == j,
        to == j,
        (to >= 0) & (to != j),
        to < 0,
        to_other == i,
        (to_other >= 0) & (to_other != i),
        to_other < 0,
        (to == to_other) & (to >= 0),
        (named == j[:, None]).any(axis=1),
        (other_named == i[:, None]).any(axis=1),
        (other_named == to[:, None]).any(axis=1) & (to >= 0),
    ]


def _since(scene: Scene, lines: Ints, others: Ints) -> list[NDArray[Any]]:
    i, j = scene.speakers[lines], scene.speakers[others]
    i_to_j = scene.addressing.last(scene.pair(i, j), lines, 1)[:, 0]
    j_to_i = scene.addressing.last(scene.pair(j, i), lines, 1)[:, 0]
    own = scene.speaking.last(scene.speakers, np.arange(len(scene.speakers)), 1)[:, 0]
    silent = np.where(own >= 0, np.arange(len(own)) - own, FAR)
    silent_minutes = np.where(own >= 0, scene.minutes - scene.minutes[np.maximum(own, 0)], FAR)
    return [
        scene.speaking.between(j, others, lines),
        scene.speaking.between(i, others, lines),
        scene.named.between(j, others, lines),
        scene.named.between(i, others, lines),
        np.where(i_to_j >= 0, lines - i_to_j, FAR),
        np.where(j_to_i >= 0, lines - j_to_i, FAR),
        i_to_j > others,
        j_to_i > others,
        silent[lines],
        silent_minutes[lines],
        silent[others],
    ]


def _words_shared(words: Sequence[Sequence[str]], lines: Ints, others: Ints) -> list[Floats]:
    """Words that both lines have, each as heavy as it is rare in this stretch of the log."""
    rarities, counts = _rarities(words)
    both = rarities[lines].multiply(counts[others])
    shared = np.asarray(both.sum(axis=1)).ravel()
    rarest = np.asarray(both.max(axis=1).todense()).ravel()
    total = np.asarray(rarities.sum(axis=1)).ravel() + 1e-6
    share = shared / np.sqrt(total[lines] * total[others])
    return [shared, share, rarest, total[lines], total[others]]


def _rarities(words: Sequence[Sequence[str]]) -> tuple[csr_array, csr_array]:
    """Two tables, a row a line and a column a word: log rarity, and one."""
    vocabulary: dict[str, int] = {}
    found: list[int] = []
    ends = [0]
    for line in words:
        found += {vocabulary.setdefault(word, len(vocabulary)) for word in line}
        ends.append(len(found))
    columns = np.array(found, dtype=np.int64)
    rarity = np.log(len(words) / np.maximum(np.bincount(columns, minlength=len(vocabulary)), 1))
    shape = (len(words), max(1, len(vocabulary)))
    weights = rarity[columns].astype(np.float32)
    counts = np.ones(len(columns), dtype=np.float32)
    return csr_array((weights, columns, ends), shape), csr_array((counts, columns, ends), shape)


def _crowd(scene: Scene) -> Ints:
    """Lines of the last two minutes: how busy it is."""
    places = np.arange(len(scene.minutes))
    return places - np.searchsorted(scene.minutes, scene.minutes - 2)
