"""Dialogues as turns of text: what contexts and responses are cut from."""

from dataclasses import dataclass
from pathlib import Path

from crosstalk.errors import InputError

END_OF_LINE, END_OF_TURN = "__eou__", "__eot__"
"""Marks of the corpus's second version; the first has ` __EOS__ ` between turns."""


@dataclass(frozen=True, slots=True)
class TurnTable:
    """All dialogues of a split; turns are stored once and cut as often as needed."""

    turns: tuple[tuple[str, ...], ...]
    """One entry a dialogue: its turns, lines of a turn joined with END_OF_LINE."""
    questions: tuple[str, ...]
    """The first line of each dialogue and its time: copies of one question share it."""
    months: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.turns)

    def only(self, chosen: list[int]) -> "TurnTable":
        return TurnTable(
            tuple(self.turns[at] for at in chosen),
            tuple(self.questions[at] for at in chosen),
            tuple(self.months[at] for at in chosen),
        )


def read_turns(folder: Path, *, fewest: int = 3) -> TurnTable:
    """The dialogues that `logs extract` wrote, in the order in which it wrote them."""
    import polars as pl

    pieces = sorted((folder / "dialogues").glob("*.parquet"))
    if not pieces:
        raise InputError(
            f"{folder} holds no extracted dialogues",
            remedy="Make some: crosstalk logs extract LOGS --out FOLDER",
        )
    lines = pl.scan_parquet(pieces).select(
        "dialogue", "time", "text", pl.col("sender").str.to_lowercase()
    )
    grouped = (
        lines.group_by("dialogue", maintain_order=True)
        .agg("sender", "text", pl.col("time").first())
        .collect()
    )
    rows = [
        (merged(senders, texts), f"{time} {texts[0]}", _month(time))
        for _, senders, texts, time in grouped.iter_rows()
    ]
    kept = [row for row in rows if len(row[0]) >= fewest]
    return TurnTable(
        tuple(turns for turns, _, _ in kept),
        tuple(question for _, question, _ in kept),
        tuple(month for _, _, month in kept),
    )


def merged(senders: list[str], texts: list[str]) -> tuple[str, ...]:
    """Consecutive lines of one sender are one turn."""
    turns: list[list[str]] = []
    before = None
    for sender, text in zip(senders, texts, strict=True):
        if sender != before:
            turns.append([])
        turns[-1].append(text)
        before = sender
    return tuple(" ".join(f"{line} {END_OF_LINE}" for line in turn) for turn in turns)


def context_of(turns: tuple[str, ...]) -> str:
    return " ".join(f"{turn} {END_OF_TURN}" for turn in turns)


def _month(time: int) -> str:
    from datetime import UTC, datetime

    return f"{datetime.fromtimestamp(time, UTC):%Y-%m}"
