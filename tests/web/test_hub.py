"""Lines to people who read slowly, or not at all."""

from crosstalk.web.collect.hub import MOST_WAITING, TOO_SLOW, ClientSocket


def test_a_slow_reader_is_sent_away_and_costs_no_more() -> None:
    line = ClientSocket(worker=1)
    for number in range(10 * MOST_WAITING):
        line.send({"number": number})
    assert line.closing and line.waiting.qsize() == MOST_WAITING
    waiting = [line.waiting.get_nowait() for _ in range(MOST_WAITING)]
    assert waiting[-1] == TOO_SLOW and TOO_SLOW not in waiting[:-1]


def test_a_line_is_closed_once() -> None:
    line = ClientSocket(worker=1)
    line.close(4409)
    line.close(1012)
    line.send({"late": True})
    assert line.waiting.get_nowait() == 4409 and line.waiting.empty()
