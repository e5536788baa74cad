"""A small town, translated into every language it speaks."""

from collections.abc import Callable
from pathlib import Path

import pytest

from crosstalk.simulation.build import Setup
from crosstalk.simulation.sessions import Plan, simulated_dialogues
from crosstalk.translation.appendix_files import read_segments, write_segments
from crosstalk.translation.parallel_corpora import write_parallel
from crosstalk.translation.translation_segments import Segment

Make = Callable[..., Path]


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six dialogues in five languages, with finished translations and glossaries."""
    folder = tmp_path_factory.mktemp("translation") / "town"
    held = simulated_dialogues(Plan(3, count=6), Setup("harbour", words=True))
    write_parallel(list(held), "harbour", folder)
    return folder


@pytest.fixture
def german(town: Path) -> list[Segment]:
    return read_segments(town / "en-de.json")


SEGMENTS = [
    Segment(
        "MUL1",
        0,
        "A hotel in the north for 3 nights from friday.",
        (("hotel-area", "north"), ("hotel-stay", "3"), ("hotel-day", "friday")),
        ("hotel",),
        "Ein Hotel im Norden für 3 Nächte ab Freitag.",
        (("hotel-area", "Norden"), ("hotel-stay", "3"), ("hotel-day", "Freitag")),
        extras={"source": "en", "language": "de", "speaker": "user"},
    ),
    Segment(
        "MUL1",
        1,
        "Done. Your reference is 6XJZP2J2.",
        (("hotel-ref", "6XJZP2J2"),),
        ("hotel",),
        "Erledigt. Ihre Referenz ist 6XJZP2J2.",
        (("hotel-ref", "6XJZP2J2"),),
        extras={"source": "en", "language": "de", "speaker": "system"},
    ),
    Segment(
        "SNG2",
        0,
        "I need a taxi.",
        (),
        ("taxi",),
        "Ich brauche ein Taxi.",
        (),
        extras={"source": "en", "language": "de", "speaker": "user"},
    ),
]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Three utterances of two dialogues, translated by a machine, edited by nobody."""
    path = tmp_path / "work.json"
    write_segments(SEGMENTS, path)
    return path
