"""Extracted dialogues as turns of text, from which contexts and responses are sampled."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosstalk.errors import InputError
from crosstalk.files import polars_sources, read_json

NAME = "__name__"
AROUND = "\"'()<>@:,.;!?"
"""Punctuation that may surround a name."""


def mask_names(text: str, names: Iterable[str]) -> str:
    """Replace the names by NAME, ignoring case; punctuation around them stays.

    A response that names the asker is found by the name alone; masked, a ranker needs the rest.
    """
    known = {name.casefold() for name in names}
    return " ".join(_masked(word, known) for word in text.split(" "))


def _masked(word: str, known: set[str]) -> str:
    if word.casefold() in known:  # names may begin or end with a mark themselves
        return NAME
    bare = word.strip(AROUND)
    return word.replace(bare, NAME) if bare.casefold() in known else word


END_OF_LINE, END_OF_TURN = "__eou__", "__eot__"
"""End marks of the second release of the Ubuntu Dialogue Corpus."""
BETWEEN_TURNS = "__EOS__"
"""End mark of the first release."""


@dataclass(frozen=True, slots=True)
class TurnTable:
    """The dialogues of a split, one entry each."""

    turns: tuple[tuple[str, ...], ...]
    """The turns of each dialogue; each line of a turn ends with END_OF_LINE."""
    questions: tuple[str, ...]
    """The first line of each dialogue with its time: the same for all copies of a question."""
    times: tuple[int, ...]
    """When each dialogue began, in seconds since 1970."""

    def __len__(self) -> int:
        return len(self.turns)

    def only(self, chosen: Iterable[int]) -> "TurnTable":
        kept = list(chosen)
        return TurnTable(
            tuple(self.turns[at] for at in kept),
            tuple(self.questions[at] for at in kept),
            tuple(self.times[at] for at in kept),
        )


def read_turns(folder: Path, *, fewest: int = 3, masked: bool = False) -> TurnTable:
    """Read the dialogues that `logs extract` wrote, in the order in which it wrote them.

    `masked`: without the names of the two speakers in what they say.
    """
    import polars as pl

    pieces = sorted((folder / "dialogues").glob("*.parquet"))
    if not pieces:
        raise InputError(
            f"{folder} holds no extracted dialogues",
            remedy="Make some: crosstalk logs extract LOGS --out FOLDER",
        )
    _refuse_unfinished(folder)
    try:
        grouped = (
            pl.scan_parquet(polars_sources(pieces))
            .select("dialogue", "time", "text", pl.col("sender").str.to_lowercase())
            .group_by("dialogue", maintain_order=True)
            .agg("sender", "text", pl.col("time").first())
            .collect()
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(
            f"{folder / 'dialogues'}: cannot be read: {error}",
            remedy="Extract the dialogues again: crosstalk logs extract LOGS --out FOLDER",
        ) from error
    rows = [
        (merged(senders, _said(senders, texts, masked)), f"{time} {texts[0]}", time)
        for _, senders, texts, time in grouped.iter_rows()
    ]
    kept = [row for row in rows if len(row[0]) >= fewest]
    if not kept:
        raise InputError(
            f"{folder}: no dialogue has {fewest} turns or more",
            remedy="Extract from longer logs; `crosstalk logs stats` says what was dropped.",
        )
    turns, questions, times = zip(*kept, strict=True)
    return TurnTable(turns, questions, times)


def _refuse_unfinished(folder: Path) -> None:
    """Refuse the folder of an unfinished run; `run.json` holds the number of its parts."""
    run = read_json(folder / "run.json") if (folder / "run.json").exists() else {}
    written = len(list((folder / "parts").glob("*.json")))
    planned = run.get("parts", written) if isinstance(run, dict) else written
    if written < planned:
        raise InputError(
            f"{folder}: the extraction is not finished: {written:,} of {planned:,} parts",
            remedy="Finish it with the command it was begun with, and --resume.",
        )


def _said(senders: Sequence[str], texts: Sequence[str], masked: bool) -> Sequence[str]:
    names = set(senders)
    return [mask_names(text, names) for text in texts] if masked else texts


def merged(senders: Sequence[str], texts: Sequence[str]) -> tuple[str, ...]:
    """Join consecutive lines of one sender into turns."""
    turns: list[list[str]] = []
    before = None
    for sender, text in zip(senders, texts, strict=True):
        if sender != before:
            turns.append([])
        turns[-1].append(text)
        before = sender
    return tuple(" ".join(f"{line} {END_OF_LINE}" for line in turn) for turn in turns)


def context_of(turns: Sequence[str]) -> str:
    return " ".join(f"{turn} {END_OF_TURN}" for turn in turns)


def turns_of(context: str) -> list[str]:
    """Split a context of either release into turns; never empty."""
    mark = END_OF_TURN if END_OF_TURN in context else BETWEEN_TURNS
    return [turn.strip() for turn in context.split(mark) if turn.strip()] or [""]


def lines_of(turn: str) -> list[str]:
    """Split a turn into lines without end marks; never empty."""
    return [line.strip() for line in turn.split(END_OF_LINE) if line.strip()] or [""]
