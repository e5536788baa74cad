"""Made-up dialogues: each is about one thing, in the manner of one of two kinds of people."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.errors import CrosstalkError
from crosstalk.retrieval.response_sampling import Pair, Sampling, evaluation_groups, training_pairs
from crosstalk.retrieval.turn_table import TurnTable

THINGS = ("disk", "sound", "screen", "printer", "kernel", "network", "mouse", "fan", "boot", "usb")
WORDS = ("is", "slow", "today", "again", "try", "the", "other", "one", "please", "now")


def table(dialogues: int = 40) -> TurnTable:
    turns = tuple(
        tuple(f"{THINGS[at % 10]} line {at} {turn} __eou__" for turn in range(3 + at % 5))
        for at in range(dialogues)
    )
    return TurnTable(turns, tuple(map(str, range(dialogues))), tuple(range(dialogues)))


def talk(dialogues: int = 60, seed: int = 1) -> TurnTable:
    """Turns with the dialogue's thing and random words: the thing gives the response away."""
    rng = Random(seed)
    turns = tuple(
        tuple(
            f"{THINGS[at % 10]} {' '.join(rng.choices(WORDS, k=4))} __eou__"
            for _ in range(3 + at % 4)
        )
        for at in range(dialogues)
    )
    return TurnTable(turns, tuple(map(str, range(dialogues))), tuple(range(dialogues)))


def pairs(dialogues: int = 60) -> list[Pair]:
    return list(training_pairs(talk(dialogues), Sampling.V1, 1, seed=1))


def groups(dialogues: int = 40) -> list[Any]:
    return list(evaluation_groups(talk(dialogues, seed=2), Sampling.V2, 9, seed=3))


def run(*words: object, said: str | None = None) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words], input=said)
    assert result.exit_code == 0, result.output
    return result.stdout


def record(*words: object) -> Any:
    return json.loads(run(*words, "--json"))


def refusal(*words: object) -> str:
    """What a command that must fail says to the person."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert isinstance(result.exception, CrosstalkError), result.output
    return str(result.exception)


def write_logs(folder: Path, lines: int = 400) -> Path:
    """A day of IRC: pairs of people, each pair about one thing."""
    folder.mkdir()
    said: Sequence[str] = [
        f"[{at // 40:02}:{at % 40:02}] <{'ann' if at % 2 else 'bob'}{at // 10}> "
        f"{'bob' if at % 2 else 'ann'}{at // 10}: about the {THINGS[at // 10 % 10]} again {at}"
        for at in range(lines)
    ]
    (folder / "2010-01-01.txt").write_text("\n".join(said) + "\n")
    return folder
