"""Judging with several processes or threads writes the bytes that one process writes."""

from pathlib import Path

from benchmarks.judging_scale import concurrency, digest, judged, same_bytes, written_agent

from crosstalk.simulation.runner import Engine


def test_one_process_and_two_write_the_same() -> None:
    assert same_bytes(11) == {"system": True, "python": True}  # two batches


def test_threads_write_the_same(tmp_path: Path) -> None:
    agent = written_agent(tmp_path, "answer")
    for threads in (1, 6):
        judged(agent, tmp_path / str(threads), 8, 2, Engine(concurrency=threads))
    assert digest(tmp_path / "1") == digest(tmp_path / "6")


def test_slow_replies_are_waited_for_at_the_same_time() -> None:
    found = concurrency(12, wait=0.5)
    assert found["requests"] == 36 and found["most_at_once"] >= 6
