"""Two people's sides of conversations of many."""

from hypothesis import given
from hypothesis import strategies as st

from crosstalk.chatlogs.conversation_threads import Thread, ThreadLine, two_person
from crosstalk.chatlogs.log_messages import LineKind, LogMessage


def line(order: int, speaker: str, parent: int) -> ThreadLine:
    message = LogMessage(order, 60 * order, LineKind.MESSAGE, speaker, "hm")
    return ThreadLine(order, message, speaker, "", "hm", parent, 0.9)


@st.composite
def threads(draw: st.DrawFn) -> Thread:
    size = draw(st.integers(3, 12))
    spoken = draw(st.lists(st.sampled_from("abcd"), min_size=size, max_size=size))
    parents = [draw(st.integers(0, max(0, at - 1))) for at in range(size)]
    return tuple(line(at, spoken[at], parents[at]) for at in range(size))


def side(thread: Thread, pair: set[str]) -> Thread:
    """What the pair said in answer to each other, and the opening."""
    kept: dict[int, ThreadLine] = {}
    for each in thread:
        if each.speaker in pair and (each.parent == each.order or each.parent in kept):
            kept[each.order] = each
    return tuple(kept.values())


@given(threads())
def test_each_pair_that_answered_each_other_has_its_side(thread: Thread) -> None:
    pairs = [
        {each.speaker, thread[each.parent].speaker}
        for each in thread
        if thread[each.parent].speaker != each.speaker
    ]
    everybody = {each.speaker for each in thread}
    if len(everybody) <= 2:
        assert list(two_person(thread)) == [thread]
        return
    expected: list[Thread] = []
    for at, pair in enumerate(pairs):
        if pair not in pairs[:at]:
            expected.append(side(thread, pair))
    assert list(two_person(thread)) == expected


def test_bots_take_no_side() -> None:
    thread = (line(0, "ann", 0), line(1, "ubottu", 0), line(2, "bob", 0), line(3, "zoe", 2))
    sides = two_person(thread, is_bot=frozenset({"ubottu"}))
    assert [[each.order for each in side] for side in sides] == [[0, 2], []]
