"""Every line linked to the line it answers."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.chatlogs.annotated_days import AnnotatedDay
from crosstalk.chatlogs.conversation_threads import Thread, two_person
from crosstalk.chatlogs.formats.log_clock import LogClock
from crosstalk.chatlogs.formats.ubuntu import read_irc
from crosstalk.chatlogs.linking.line_columns import LineColumns, LineReader
from crosstalk.chatlogs.linking.link_candidates import PlacesByPerson
from crosstalk.chatlogs.linking.link_extractor import (
    Choices,
    Linker,
    LinkExtractor,
    RuleLinker,
)
from crosstalk.chatlogs.linking.link_features import (
    LINE_COLUMNS,
    PAIR_COLUMNS,
    SharedRareWords,
    link_candidates_of,
)
from crosstalk.chatlogs.linking.linker_training import (
    LinkerTrainingConfig,
    evenly_spaced,
    train_linker,
)
from crosstalk.chatlogs.linking.trained_linker import TrainedLinker
from crosstalk.chatlogs.linking.word_vectors import WordVectors
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.errors import InputError
from crosstalk.model_folders import find_model

LOG = """\
[10:00] <ann> how do I mount a disk?
[10:00] <cat> my sound is gone
[10:01] <bob> ann: sudo mount /dev/sdb1 /mnt
[10:01] <dan> cat: which card?
[10:02] <cat> dan: an old one
[10:02] <ann> bob: thanks
[10:02] <ann> that did it"""


def messages(log: str = LOG) -> list[LogMessage]:
    return list(read_irc(log.split("\n"), LogClock(date(2010, 1, 1))))


def link(linker: Linker, log: str = LOG) -> list[Thread]:
    extractor = LinkExtractor(linker)
    return [*extractor.day(messages(log)), *extractor.end()]


def parents(threads: list[Thread]) -> dict[int, int]:
    return {line.order: line.parent for thread in threads for line in thread}


@pytest.fixture(scope="module")
def shipped() -> TrainedLinker:
    return TrainedLinker.load(find_model("linker"))


def test_the_rules_tell_two_conversations_apart() -> None:
    threads = link(RuleLinker())
    assert parents(threads) == {0: 0, 1: 1, 2: 0, 3: 1, 4: 3, 5: 2, 6: 5}
    assert sorted(len(thread) for thread in threads) == [3, 4]


class Guesses:
    """A linker of fixed probabilities."""

    def __init__(self, *choices: Choices) -> None:
        self.all = choices

    def choices(self, lines: LineColumns, start: int, stop: int) -> list[Choices]:
        return [*self.all[start:stop]]


def test_faint_links_to_one_conversation_outweigh_a_stronger_one_to_another() -> None:
    log = "[10:00] <ann> a\n[10:00] <bob> b\n[10:00] <ann> c\n[10:01] <cat> d"
    alone = [[(0, 1.0)], [(1, 1.0)], [(0, 0.9), (2, 0.1)]]
    (one, two) = link(Guesses(*alone, [(0, 0.3), (1, 0.36), (2, 0.34)]), log)
    assert [line.order for line in one] == [0, 2, 3]
    assert [line.order for line in two] == [1]
    assert one[-1].parent == 2
    assert one[-1].confidence == pytest.approx(0.64)


def test_word_vectors_of_lines() -> None:
    texts = ["my wifi is slow", "my wireless is slow", "run sudo apt", "run sudo dpkg"] * 5
    vectors = WordVectors.learn(texts, without=["my"])
    assert "my" not in vectors.words
    wifi, wireless, dpkg, nothing = vectors.of_lines(["wifi!", "Wireless", "dpkg", "xyzzy"])
    assert wifi @ wireless > wifi @ dpkg
    assert (wifi**2).mean() == pytest.approx(1, rel=1e-3)
    assert not nothing.any()


def test_the_trained_linker_does_too(shipped: TrainedLinker) -> None:
    threads = link(shipped)
    assert sorted(tuple(line.order for line in thread) for thread in threads) == [
        (0, 2, 5, 6),
        (1, 3, 4),
    ]
    assert all(0 <= (line.confidence or 0) <= 1 for thread in threads for line in thread)


def test_who_names_a_person_by_a_slip_or_a_part_still_answers(shipped: TrainedLinker) -> None:
    log = "[10:00] <TheBuntu> why?\n[10:00] <zoe> hello all\n[10:01] <bob> thebunt: because"
    assert parents(link(shipped, log))[2] == 0


def test_a_renamed_person_is_the_same_person() -> None:
    log = "[10:00] <ann> why?\n=== ann is now known as ann_away\n[10:01] <bob> ann_away: so"
    assert parents(link(RuleLinker(), log))[2] == 0


def test_conversations_cross_midnight(shipped: TrainedLinker) -> None:
    extractor = LinkExtractor(shipped)
    first = messages("[23:58] <ann> how do I mount a disk?")
    second = messages("[00:01] <bob> ann: sudo mount it")
    later = [message._replace(time=message.time + 86_400) for message in second]
    threads = [*extractor.day(first), *extractor.day(later), *extractor.end()]
    assert [len(thread) for thread in threads] == [2]


def test_a_marked_reply_is_a_reply() -> None:
    lines = [
        LogMessage(0, 0, LineKind.MESSAGE, "ann", "who has the key?", key="1"),
        LogMessage(1, 60, LineKind.MESSAGE, "cat", "lunch?", key="2"),
        LogMessage(2, 120, LineKind.MESSAGE, "bob", "me", key="3", reply_to="1"),
    ]
    extractor = LinkExtractor(RuleLinker())
    assert parents([*extractor.day(lines), *extractor.end()]) == {0: 0, 1: 1, 2: 0}


def test_views_of_a_conversation_of_three() -> None:
    log = """\
[10:00] <ann> how do I mount a disk?
[10:01] <bob> ann: sudo mount
[10:01] <cat> ann: use the file manager
[10:02] <ann> bob: which one?
[10:02] <bob> ann: sdb1"""
    (thread,) = link(RuleLinker(), log)
    sides = [tuple(line.order for line in side) for side in two_person(thread)]
    assert sides == [(0, 1, 3, 4), (0, 2)]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=30))
def test_last_places_are_those_a_plain_search_finds(spoken: list[tuple[int, int]]) -> None:
    people = np.array([person for person, _ in spoken], dtype=np.int64)
    at = np.arange(len(spoken), dtype=np.int64)
    places = PlacesByPerson.of(people, at, max(1, len(spoken)))
    for row, found in enumerate(places.last(people, at, 2)):
        earlier = [place for place in range(row) if people[place] == people[row]]
        assert [place for place in found if place >= 0] == earlier[::-1][:2]


@given(st.lists(st.sampled_from(["ann", "bob", "cat"]), max_size=12), st.text(max_size=20))
def test_any_log_gives_every_line_one_parent_before_it(names: list[str], text: str) -> None:
    said = [LogMessage(at, 60 * at, LineKind.MESSAGE, name, text) for at, name in enumerate(names)]
    extractor = LinkExtractor(RuleLinker())
    found = parents([*extractor.day(said), *extractor.end()])
    assert set(found) == set(range(len(names)))
    assert all(parent <= line for line, parent in found.items())


def test_training_is_repeatable_and_a_model_comes_back_as_it_was(tmp_path: Path) -> None:
    links = frozenset({(0, 0), (1, 1), (2, 0), (3, 1), (4, 3), (5, 2), (6, 5)})
    days = [AnnotatedDay(str(at), tuple(messages()), links) for at in range(30)]
    course = LinkerTrainingConfig(width=8, depth=4, matches=2, said=2, epochs=30, batch=16)
    linker, again = (train_linker(days, members=2, seed=1, course=course) for _ in range(2))
    for name, tensor in linker.thorough.tensors("t").items():
        assert np.array_equal(tensor, again.thorough.tensors("t")[name])
    linker.save(tmp_path)
    assert link(TrainedLinker.load(tmp_path)) == link(linker)
    assert parents(link(linker)) == dict(links), "what it has seen thirty times it knows"


def test_nothing_is_learnt_from_days_without_links() -> None:
    days = [AnnotatedDay("1", (), frozenset()), AnnotatedDay("2", tuple(messages()), frozenset())]
    with pytest.raises(InputError, match="nothing can be learnt"):
        train_linker(days, members=1, seed=1)


def test_a_damaged_model_is_refused(tmp_path: Path, shipped: TrainedLinker) -> None:
    shipped.save(tmp_path)
    (tmp_path / "networks.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    with pytest.raises(InputError, match="not a whole linker"):
        TrainedLinker.load(tmp_path)


def test_features_have_a_row_each() -> None:
    lines = LineReader().read(messages(), 0)
    candidates = link_candidates_of(lines)
    assert candidates.pairs.shape == (len(PAIR_COLUMNS), len(candidates.lines))
    assert candidates.singles.shape == (len(LINE_COLUMNS), len(lines))
    assert np.isfinite(candidates.pairs).all()


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=4), min_size=1, max_size=12))
def test_shared_words_are_those_a_plain_search_finds(words: list[list[str]]) -> None:
    size = len(words)
    pairs = [(line, other) for line in range(size) for other in range(line)]
    lines = np.array([line for line, _ in pairs], dtype=np.int64)
    others = np.array([other for _, other in pairs], dtype=np.int64)
    counts = {word: sum(word in line for line in words) for line in words for word in line}
    numbers = np.array([ord(word) for line in words for word in line], dtype=np.int64)
    rare = SharedRareWords.of(numbers, np.array(list(map(len, words))))
    shared, _, rarest = rare.shared(lines, others)
    for at, (line, other) in enumerate(pairs):
        both = {word for word in words[line] if word in words[other] and counts[word] <= 3}
        rarities = [float(np.log(1000 / counts[word])) for word in both]
        assert np.expm1(shared[at]) == pytest.approx(sum(rarities), rel=1e-3)
        assert rarest[at] == pytest.approx(max(rarities, default=0), rel=1e-3)


def test_lines_are_linked_alike_wherever_a_stretch_begins(
    shipped: TrainedLinker, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [
        f"[{at // 60:02}:{at % 60:02}] <p{at % 7}> p{(at * 3 + 1) % 7}: word{at % 11} word{at % 5}"
        for at in range(900)
    ]
    whole = parents(link(shipped, "\n".join(said)))
    monkeypatch.setattr("crosstalk.chatlogs.linking.link_extractor.STRETCH", 250)
    in_pieces = parents(link(shipped, "\n".join(said)))
    same = sum(whole[line] == in_pieces[line] for line in whole)
    assert same >= 0.99 * len(whole), "only the rarity of words may differ"


def test_somebody_who_comes_back_after_a_netsplit_is_the_same_person() -> None:
    log = "[10:00] <ann> why?\n[10:01] <ann_> the disk is full\n[10:02] <bob> ann: so"
    (thread,) = link(RuleLinker(), log)
    assert {line.speaker for line in thread} == {"ann", "bob"}


def test_a_share_of_days_is_spread_over_all() -> None:
    days = [AnnotatedDay(str(at), (), frozenset()) for at in range(8)]
    assert [day.name for day in evenly_spaced(days, 0.5)] == ["1", "3", "5", "7"]
    assert evenly_spaced(days, 0) == []
    assert evenly_spaced(days, 1) == days


def test_a_long_silence_ends_a_conversation_unless_a_reply_is_marked(
    shipped: TrainedLinker,
) -> None:
    lines = [
        LogMessage(0, 0, LineKind.MESSAGE, "ann", "how do I mount a disk?", key="1"),
        LogMessage(1, 60, LineKind.MESSAGE, "bob", "ann: sudo mount it", key="2"),
        LogMessage(2, 86_400, LineKind.MESSAGE, "ann", "my sound is gone", key="3"),
        LogMessage(3, 86_460, LineKind.MESSAGE, "cat", "it works for me", key="4", reply_to="2"),
    ]
    extractor = LinkExtractor(shipped, silence=3600)
    threads = [*extractor.day(lines), *extractor.end()]
    assert parents(threads) == {0: 0, 1: 0, 2: 2, 3: 1}
