"""Lines to people who read slowly, or not at all."""

from crosstalk.web.collect.hub import MOST_BYTES, MOST_WAITING, TOO_SLOW, ClientSocket


def test_a_slow_reader_is_sent_away_and_costs_no_more() -> None:
    line = ClientSocket(1, "session")
    for number in range(10 * MOST_WAITING):
        line.send({"number": number})
    assert line.closing
    assert line.waiting.get_nowait() == TOO_SLOW and line.waiting.empty(), "nothing is kept"


def test_what_waits_is_bounded_in_size() -> None:
    line = ClientSocket(1, "session")
    for _ in range(40):
        line.send({"text": "x" * (MOST_BYTES // 40)})
    assert line.closing and line.waiting.qsize() == 1


def test_a_line_is_closed_once() -> None:
    line = ClientSocket(1, "session")
    line.close(4409)
    line.close(1012)
    line.send({"late": True})
    assert line.waiting.get_nowait() == 4409 and line.waiting.empty()
