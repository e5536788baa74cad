"""A made-up IRC log as archives keep them: a file a day and channel, under year, month and day."""

import random
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path

LINES_A_DAY = {"#made-up": 5_000, "#small-talk": 500}
"""#ubuntu had some 5,500 on an average day."""
FIRST_DAY = date(2008, 1, 1)
PRESENT = 120
"""People about on a day."""
CONVERSATIONS = 6
"""Going on at a time."""


def write_log(folder: Path, lines: int, *, seed: int = 1) -> list[Path]:
    """The files of all days it takes; the same for the same seed."""
    rng = random.Random(seed)
    said = _said(rng)
    paths: list[Path] = []
    while lines > 0:
        day = FIRST_DAY + timedelta(days=len(paths) // len(LINES_A_DAY))
        channel = list(LINES_A_DAY)[len(paths) % len(LINES_A_DAY)]
        count = min(lines, LINES_A_DAY[channel])
        paths.append(folder / f"{day:%Y/%m/%d}" / f"{channel}.txt")
        paths[-1].parent.mkdir(parents=True, exist_ok=True)
        paths[-1].write_text("".join(_day(channel, count, rng, said)), encoding="utf-8")
        lines -= count
    return paths


def _said(rng: random.Random) -> list[str]:
    """What people say: words as rare as words are, lines of ten of them."""
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    shares = [1 / (place + 1) for place in range(len(letters))]
    words = ["".join(rng.choices(letters, shares, k=rng.randint(2, 9))) for _ in range(8_000)]
    rarity = list(accumulate(1 / (place + 5) for place in range(len(words))))
    ends = ["", "", "", "?", ".", " :)"]
    return [
        " ".join(rng.choices(words, cum_weights=rarity, k=rng.randint(1, 20))) + rng.choice(ends)
        for _ in range(50_000)
    ]


def _day(channel: str, lines: int, rng: random.Random, said: list[str]) -> Iterator[str]:
    """Somebody speaks to somebody else; now and then another two, and somebody joins."""
    words = [line.split()[0].rstrip("?.") for line in rng.sample(said, PRESENT)]
    present = [f"{word}{rng.randrange(10_000)}" for word in words]
    talks = [rng.sample(present, 2) for _ in range(CONVERSATIONS)]
    for line in range(lines):
        minute = line * 1440 // lines
        chance = rng.random()
        if chance < 0.1:
            yield f"=== {rng.choice(present)} [~x@host]  has joined {channel}\n"
            continue
        talk = rng.choice(talks)
        if chance < 0.15:
            talk[:] = rng.sample(present, 2)
        speaker, other = talk if chance < 0.55 else reversed(talk)
        name = f"{other}: " if rng.random() < 0.45 else ""
        yield f"[{minute // 60:02}:{minute % 60:02}] <{speaker}> {name}{rng.choice(said)}\n"
