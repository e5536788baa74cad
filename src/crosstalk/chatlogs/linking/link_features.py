"""Features of (line, candidate parent) pairs for the link network.

Features are either of the pair or of a single line. The first layer of the network is applied to
pairs and lines separately and summed, so that a line is processed once and not once per pair.
Distances and counts are logarithms, flags are 0 or 1. Tables have one row per feature, which numpy
fills fastest.
"""

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosstalk.chatlogs.linking.line_columns import FLAGS, LineColumns
from crosstalk.chatlogs.linking.link_candidates import (
    NONE,
    WINDOW,
    Ints,
    LogArrays,
    PlacesByPerson,
    candidate_pairs,
)

Floats = NDArray[np.float32]

REACH = 300
"""Features look at most so many lines back, so that results do not depend on block limits."""
FAR = 1000
LOGARITHMS = np.log1p(np.arange(FAR + 1)).astype(np.float32)
USUAL_STRETCH = 1000
"""Minimum number of lines assumed when the rarity of a word is computed."""
COMMON = 1 / 25
"""Words in more than this share of the lines are ignored."""
COUNTED = frozenset({"length", "words", "named", "names"})

PAIR_COLUMNS = (
    *("itself", "minutes", "distance", "previous", "same_speaker"),
    *("i_to_j", "i_to_other", "j_to_i", "j_to_other", "same_target"),
    *("i_names_j", "j_names_i", "j_names_target"),
    *("lines_of_j_since", "lines_of_i_since", "j_named_since", "i_named_since"),
    *("i_to_j_ago", "j_to_i_ago", "i_answered_since", "j_answered_since"),
    *("i_to_j_next", "j_to_i_next", "j_next"),
    *("next_target_is_j", "next_target_other", "next_caller_is_j", "next_caller_other"),
    *("last_target_is_j", "last_target_other", "last_caller_is_j", "last_caller_other"),
    *("j_last_target_is_i", "j_last_target_other", "j_last_caller_is_i", "j_last_caller_other"),
    *("j_last_target_is_target", "shared", "shared_share", "shared_rarest"),
)
LINE_COLUMNS = (
    *("silent_for", "silent_minutes", "crowd", "rarity", "new"),
    *("next_caller", "next_target", "next_own", "last_target", "last_caller"),
    *FLAGS,
)


@dataclass(frozen=True, slots=True)
class LinkCandidates:
    """Pairs of a line and a candidate parent, with their features."""

    lines: Ints
    others: Ints
    pairs: Floats
    """One row per feature of PAIR_COLUMNS."""
    singles: Floats
    """One row per feature of LINE_COLUMNS, one column per line."""
    size: int
    """Number of lines."""


def link_candidates_of(
    lines: LineColumns, start: int = 0, stop: int | None = None
) -> LinkCandidates:
    """Return the candidates of lines `start` to `stop`, with all lines as context."""
    log = LogArrays.of(lines.minutes, lines.speakers, lines.targets)
    size = len(lines)
    of, others = candidate_pairs(log, start, size if stop is None else stop)
    words = SharedRareWords.of(lines.words, lines.lengths)
    single = _SpeakerNeighbours.of(log)
    pairs = np.empty((len(PAIR_COLUMNS), len(of)), dtype=np.float32)
    columns = chain(
        _who(log, of, others),
        _since(log, single, of, others),
        _partners(log, single, of, others),
        words.shared(of, others),
    )
    for row, column in enumerate(columns):
        pairs[row] = column
    return LinkCandidates(of, others, pairs, _line_table(log, single, words, lines.flags.T), size)


def _log(counts: Ints) -> Floats:
    logs: Floats = LOGARITHMS[np.minimum(counts, FAR)]
    return logs


def _ago(places: Ints, now: Ints) -> Floats:
    """Return the log distance; that of FAR for NONE and beyond REACH."""
    distance = np.abs(now - places)
    return _log(np.where((places >= 0) & (distance <= REACH), distance, FAR))


@dataclass(frozen=True, slots=True)
class _SpeakerNeighbours:
    """For each line: its speaker's neighbouring lines, addressees and callers."""

    own_before: Ints
    own_after: Ints
    target_before: Ints
    """The speaker's last line with an addressee; the other fields likewise."""
    target_after: Ints
    caller_before: Ints
    caller_after: Ints
    rank: Ints
    """Rank in the list of all lines sorted by speaker."""
    named_before: Ints
    """The last line that names the speaker; `named_after` is the next."""
    named_after: Ints
    called: Ints
    """Rank in the list of all mentions sorted by person."""

    @classmethod
    def of(cls, log: LogArrays) -> "_SpeakerNeighbours":
        places = np.arange(len(log.minutes))
        speakers, to = log.speakers, log.targets[:, 0]
        speaking_to = PlacesByPerson.of(np.where(to >= 0, speakers, NONE), places, len(places))
        spoken_to = PlacesByPerson.of(to, places, len(places))
        return cls(
            *log.speaking.around(speakers, places),
            *speaking_to.around(speakers, places),
            *spoken_to.around(speakers, places),
            log.speaking.count_before(speakers, places),
            *log.named.around(speakers, places),
            log.named.count_before(speakers, places),
        )


def _who(log: LogArrays, lines: Ints, others: Ints) -> list[NDArray[Any]]:
    i, j = log.speakers[lines], log.speakers[others]
    to, to_other = log.targets[lines, 0], log.targets[others, 0]
    second, third = log.targets[lines, 1], log.targets[lines, 2]
    other_second, other_third = log.targets[others, 1], log.targets[others, 2]
    distance = lines - others
    is_named = to >= 0
    to_j, to_i = to == j, to_other == i
    return [
        distance == 0,
        _log(np.abs(log.minutes[lines] - log.minutes[others])),  # undated files start anew
        _log(distance),
        distance == 1,
        i == j,
        to_j,
        is_named & ~to_j,
        to_i,
        (to_other >= 0) & ~to_i,
        is_named & (to == to_other),
        (second == j) | (third == j),
        (other_second == i) | (other_third == i),
        is_named & ((other_second == to) | (other_third == to)),
    ]


def _since(
    log: LogArrays, single: _SpeakerNeighbours, lines: Ints, others: Ints
) -> list[NDArray[Any]]:
    """Features of the lines of both speakers between the candidate and the line."""
    i, j = log.speakers[lines], log.speakers[others]
    j_spoken, j_next = _spoken_by_j(log, single, lines, others)
    i_spoken = np.zeros(len(lines), dtype=np.int64)
    at = np.flatnonzero(single.own_before[lines] > others)  # few searches are cheaper than many
    i_spoken[at] = single.rank[lines[at]] - log.speaking.count_before(i[at], others[at] + 1)
    i_named = np.zeros(len(lines), dtype=np.int64)
    at = np.flatnonzero(single.named_before[lines] > others)
    i_named[at] = single.called[lines[at]] - log.named.count_before(i[at], others[at] + 1)
    j_named = np.zeros(len(lines), dtype=np.int64)
    named_next = single.named_after[others]
    at = np.flatnonzero((named_next >= 0) & (named_next < lines))
    j_named[at] = log.named.count_before(j[at], lines[at]) - single.called[others[at]]
    i_to_j, i_to_j_next = log.addressing.around(log.pair(i, j), lines)
    j_to_i, j_to_i_next = log.addressing.around(log.pair(j, i), lines)
    return [
        _log(j_spoken),
        _log(i_spoken),
        _log(j_named),
        _log(i_named),
        _ago(i_to_j, lines),
        _ago(j_to_i, lines),
        i_to_j > others,
        j_to_i > others,
        _ago(i_to_j_next, lines),
        _ago(j_to_i_next, lines),
        _ago(j_next, lines),
    ]


def _spoken_by_j(
    log: LogArrays, single: _SpeakerNeighbours, lines: Ints, others: Ints
) -> tuple[Ints, Ints]:
    """Count the candidate speaker's lines in between, and find the next after the line."""
    count = np.zeros(len(lines), dtype=np.int64)
    following = single.own_after[others]
    at = np.flatnonzero((following >= 0) & (following <= lines))
    j = log.speakers[others[at]]
    count[at] = log.speaking.count_before(j, lines[at]) - single.rank[others[at]] - 1
    _, following[at] = log.speaking.around(j, lines[at])
    return count, following


def _partners(
    log: LogArrays, single: _SpeakerNeighbours, lines: Ints, others: Ints
) -> list[NDArray[Any]]:
    """Tell whether the next and last addressees and callers of one are the other speaker."""
    i, j = log.speakers[lines], log.speakers[others]
    to = log.targets[:, 0]
    target_of_j = _near(single.target_before, to)[others]
    columns: list[NDArray[Any]] = []
    for places, of, looked_up, partner in (
        (single.target_after, to, lines, j),
        (single.caller_after, log.speakers, lines, j),
        (single.target_before, to, lines, j),
        (single.caller_before, log.speakers, lines, j),
        (single.target_before, to, others, i),
        (single.caller_before, log.speakers, others, i),
    ):
        person = _near(places, of)[looked_up]
        same = person == partner
        columns += [same, (person >= 0) & ~same]
    columns.append((target_of_j == to[lines]) & (target_of_j >= 0))
    return columns


def _near(places: Ints, people: Ints) -> Ints:
    """Return the person at each position; NONE beyond REACH."""
    within = (places >= 0) & (np.abs(places - np.arange(len(places))) <= REACH)
    return np.where(within, people[np.maximum(places, 0)], NONE)


def _line_table(
    log: LogArrays, single: _SpeakerNeighbours, words: "SharedRareWords", flags: Floats
) -> Floats:
    places = np.arange(len(log.minutes))
    before = single.own_before
    known = (before >= 0) & (places - before <= REACH)
    minutes = np.abs(log.minutes - log.minutes[np.maximum(before, 0)])
    latest = np.maximum.accumulate(log.minutes)
    crowd = places - np.searchsorted(latest, latest - 2)
    counted = [row for row, name in enumerate(FLAGS) if name in COUNTED]
    flags = flags.copy()
    flags[counted] = np.log1p(flags[counted])
    columns = [
        _ago(before, places),
        _log(np.where(known, minutes, FAR)),
        _log(np.clip(crowd, 0, REACH)),
        np.log1p(words.totals),
        ~known,
        _ago(single.caller_after, places),
        _ago(single.target_after, places),
        _ago(single.own_after, places),
        _ago(single.target_before, places),
        _ago(single.caller_before, places),
    ]
    return np.vstack([np.array(columns, dtype=np.float32), flags])


@dataclass(frozen=True, slots=True)
class SharedRareWords:
    """Words that two lines have in common, weighted by rarity (IDF)."""

    later: Ints
    earlier: Ints
    rarity: Floats
    """One entry per word that two lines share within the window."""
    totals: Floats
    """Sum of the rarities of each line's words."""

    @classmethod
    def of(cls, words: Ints, lengths: Ints) -> "SharedRareWords":
        """`words` are ids, line after line; `lengths` is the number of words of each line."""
        size = len(lengths)
        uses = np.sort(words * max(1, size) + np.repeat(np.arange(size), lengths))
        word, place = np.divmod(uses[np.diff(uses, prepend=-1) > 0], max(1, size))
        word = np.cumsum(np.diff(word, prepend=word[:1]) > 0)
        lines = np.bincount(word)
        rare = np.log(max(USUAL_STRETCH, size) / np.maximum(lines, 1)).astype(np.float32)
        telling = lines[word] <= max(3, COMMON * size)
        word, place = word[telling], place[telling]
        weight = rare[word]
        totals = np.bincount(place, weights=weight, minlength=size).astype(np.float32)
        return cls(*_meetings(word, place, weight), totals)

    def shared(self, lines: Ints, others: Ints) -> list[NDArray[Any]]:
        """Return for each pair the rarity of shared words: sum, share and maximum.

        Pairs must be sorted by line, then by candidate.
        """
        size = len(self.totals)
        pairs = lines * size + others
        wanted = self.later * size + self.earlier
        at = np.minimum(np.searchsorted(pairs, wanted), max(0, len(pairs) - 1))
        hit = pairs[at] == wanted if len(pairs) else np.zeros(0, dtype=bool)
        at, rarity = at[hit], self.rarity[: len(hit)][hit]
        total = np.bincount(at, weights=rarity, minlength=len(pairs))
        rarest = np.zeros(len(pairs), dtype=np.float32)
        np.maximum.at(rarest, at, rarity)
        both = np.sqrt(self.totals[lines] * self.totals[others]) + 1e-6
        return [np.log1p(total), total / both, rarest]


def _meetings(word: Ints, place: Ints, weight: Floats) -> tuple[Ints, Ints, Floats]:
    """Return (line, earlier line, weight) for every two uses of a word within the window."""
    later, earlier = [word[:0]], [word[:0]]
    uses = word * (int(place.max(initial=0)) + WINDOW + 1) + place  # other words are far away
    at = np.arange(len(uses))
    for back in range(1, WINDOW):
        at = at[np.searchsorted(at, back) :]
        at = at[uses[at] - uses[at - back] <= WINDOW]  # further back nothing is nearer
        if not len(at):
            break
        later.append(at)
        earlier.append(at - back)
    found, before = np.concatenate(later), np.concatenate(earlier)
    return place[found], place[before], weight[found]
