"""Run folders: `run.json` says what was run, `dialogues/*.jsonl` hold every dialogue.

`simulate` (runner.py) writes them with `recording`; reports and evaluations read them with
`open_run`. Dialogues are appended in the order of their sessions, batch by batch. After a crash the
folder holds the first dialogues of the run, perhaps followed by an incomplete line, and the run can
be resumed.
"""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import crosstalk
from crosstalk.agents.reply_cache import REPLIES
from crosstalk.corpora.json_stream import decode
from crosstalk.corpora.native import checked
from crosstalk.corpora.record_encoding import decode_dialogue
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import (
    FileProblem,
    FormatError,
    InfrastructureError,
    InputError,
    OutputError,
    Place,
)
from crosstalk.files import (
    bounded_lines,
    cannot_write,
    open_plain,
    read_json,
    read_text,
    writing,
)

WHAT = "crosstalk run"
FORMAT = 2
"""Format 2 added `parts`."""
READABLE = (1, FORMAT)
CARD = "run.json"
DIALOGUES = "dialogues"
PROMPT = "prompt.txt"
"""The agent's prompt, where it is somebody's own."""
INTERRUPTED = b'"ending": "infrastructure"'
"""What the line of a dialogue holds that a service kept from its end."""
DEAD = 5
"""Conversations in a row that a service kept from their end before a run stops."""
SHARD = 1000
"""Dialogues in a file: about 35 MB."""

RUNNING = "running"
COMPLETE = "complete"


@dataclass(frozen=True, slots=True)
class RunCard:
    """What was run; the same card gives the same dialogues."""

    setup: dict[str, str]
    """World, language, level, protocols, and the resolved names of the parts."""
    plan: dict[str, Any]
    """Seed, goals and repeats."""
    rules: dict[str, float]
    """Limits: exchanges of a conversation, seconds of a turn."""
    digests: dict[str, str]
    """SHA-256 of the inputs: tables, goal file, models."""
    sessions: int
    """Number of sessions planned."""
    status: str = RUNNING
    version: str = field(default=crosstalk.__version__)
    parts: dict[str, dict[str, str]] = field(default_factory=dict)
    """Part -> the name given, the resolved name, its class, its model and the digest."""

    def same_run(self, other: "RunCard") -> bool:
        """Whether both give the same dialogues; aliases of parts may differ."""
        return replace(self, status="", parts={}) == replace(other, status="", parts={})

    @property
    def aliases(self) -> list[str]:
        """`nlu best = trees`, for every part that was named by an alias."""
        return [
            f"{key} {each['asked']} = {each['name']}"
            for key, each in self.parts.items()
            if each["asked"] not in (each["name"], "live")
        ]


@dataclass(frozen=True, slots=True)
class Run:
    """A run on disk, finished or not."""

    folder: Path
    card: RunCard

    @property
    def is_complete(self) -> bool:
        return self.card.status == COMPLETE

    @property
    def prompt(self) -> str:
        """The agent's prompt, where it is not the one made from the world; else empty."""
        path = self.folder / PROMPT
        return read_text(path) if path.exists() else ""

    def dialogues(self) -> Iterator[Dialogue]:
        """The dialogues in the order of their sessions; an incomplete last line is skipped."""
        for path in shards(self.folder):
            for number, line in enumerate(_whole_lines(path), start=1):
                yield _dialogue(line, path, number)


# Reading


def open_run(folder: Path) -> Run:
    """The run in a folder; raises if there is none or its format is not known."""
    path = folder / CARD
    if not folder.is_dir() or not path.exists():
        there = "is not a run folder: it has no run.json" if folder.is_dir() else "is no folder"
        raise InputError(
            f"{folder} {there}",
            remedy="Give the folder that `crosstalk simulate --out` has written.",
        )
    return Run(folder, _card(read_json(path), path))


def _card(value: Any, path: Path) -> RunCard:
    if not isinstance(value, dict) or value.pop("what", "") != WHAT:
        raise FormatError("this is not the card of a run", place=Place(str(path)))
    found = value.pop("format", None)
    if found not in READABLE:
        raise FormatError(
            f"the run is written in format {found!r}; this is Crosstalk {crosstalk.__version__}, "
            f"which reads formats up to {FORMAT}",
            place=Place(str(path)),
            remedy="Use the version of Crosstalk that wrote it, or run it again.",
        )
    fields = RunCard.__dataclass_fields__
    if found == 1:
        value.setdefault("parts", {})
    if set(value) != set(fields) or not _has_types(value):
        raise FormatError(
            "the card is damaged: its fields are not those of a run",
            place=Place(str(path)),
            remedy=f"It has {', '.join(fields)}, what and format.",
        )
    return RunCard(**value)


def _has_types(value: dict[str, Any]) -> bool:
    setup, plan, rules, digests, parts = (
        value[key] for key in ("setup", "plan", "rules", "digests", "parts")
    )
    return (
        _has_words(setup, "world", "language")
        and _has_words(digests, "world")
        and isinstance(plan, dict)
        and all(type(plan.get(name)) is int for name in ("seed", "repeat"))
        and isinstance(rules, dict)
        and all(type(each) in (int, float) for each in rules.values())
        and isinstance(parts, dict)
        and all(_has_words(each, "asked", "name") for each in parts.values())
        and type(value["sessions"]) is int
        and isinstance(value["version"], str)
        and value["status"] in (RUNNING, COMPLETE)
    )


def _has_words(value: Any, *names: str) -> bool:
    """Whether it is a table of words that has these names."""
    return (
        isinstance(value, dict)
        and all(isinstance(each, str) for each in value.values())
        and all(name in value for name in names)
    )


def shards(folder: Path) -> list[Path]:
    return sorted((folder / DIALOGUES).glob("*.jsonl"))


def _whole_lines(path: Path) -> Iterator[bytes]:
    """The complete lines; an incomplete last one was left by a crash."""
    try:
        with open_plain(path, may_be_empty=True) as raw:
            yield from (line for line in bounded_lines(raw, path) if line.endswith(b"\n"))
    except OSError as error:
        raise FileProblem(f"{path}: cannot be read: {error.strerror}") from error


def _dialogue(line: bytes, path: Path, number: int) -> Dialogue:
    """Decoded without checks, which take four times as long; checked only if that fails."""
    try:
        return decode_dialogue(json.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return _checked(line, path, number)


def _checked(line: bytes, path: Path, number: int) -> Dialogue:
    try:
        return decode_dialogue(checked(decode(line.decode()), path, number))
    except ValueError as error:
        raise FormatError(
            f"not a dialogue: {error}",
            place=Place(str(path), number),
            remedy="The file was changed after the run; run it again into another folder.",
        ) from error


# Writing


@contextmanager
def recording(folder: Path, card: RunCard, *, resume: bool) -> Iterator["Recorder"]:
    """A recorder of a new or resumed run; the folder is locked against other writers."""
    with _write_errors(folder):
        begin(folder, card, resume=resume)
        (folder / DIALOGUES).mkdir(exist_ok=True)
    with _locked(folder):
        with _write_errors(folder):
            _cut_interrupted(folder)
            recorder = Recorder(folder, card, _repair(folder))
        yield recorder


@dataclass(slots=True)
class Recorder:
    """Appends dialogues to a run."""

    folder: Path
    card: RunCard
    held: int
    """Number of dialogues in the folder."""
    interrupted: int = 0
    """Number of them that a service kept from their end."""
    in_a_row: int = 0

    def append(self, lines: Iterable[str]) -> None:
        """Append dialogues and flush them, so that a crash of this process does not lose them."""
        for path, several in self._by_shard(list(lines)):
            with _write_errors(path), path.open("ab") as file:
                file.write("".join(several).encode())
            self.held += len(several)
            for line in several:
                is_interrupted = INTERRUPTED.decode() in line
                self.interrupted += is_interrupted
                self.in_a_row = self.in_a_row + 1 if is_interrupted else 0

    def keep_prompt(self, prompt: str) -> None:
        """Keep the agent's own prompt: whether replies tell it can then be judged any time."""
        if prompt and not (self.folder / PROMPT).exists():
            with writing(self.folder / PROMPT) as file:
                file.write(prompt)

    def refuse_dead_services(self) -> None:
        """Stop the run where a service has failed several conversations in a row."""
        if self.in_a_row >= DEAD:
            raise InfrastructureError(
                f"the agent's service did not answer in {DEAD} conversations in a row",
                remedy="When it is back, the same command with --resume goes on.",
            )

    def finish(self) -> None:
        """Mark the run as complete, after all files are on disk (fsync).

        A run with conversations that a service kept from their end stays open: resumed, it holds
        them again.
        """
        for path in shards(self.folder):
            with path.open("rb") as file:
                os.fsync(file.fileno())
        if self.interrupted:
            return
        _write_card(self.folder, replace(self.card, status=COMPLETE))

    def _by_shard(self, lines: list[str]) -> Iterator[tuple[Path, list[str]]]:
        while lines:
            room = SHARD - self.held % SHARD
            yield shard(self.folder, self.held // SHARD), lines[:room]
            lines = lines[room:]


def shard(folder: Path, number: int) -> Path:
    return folder / DIALOGUES / f"{number:05}.jsonl"


def begin(folder: Path, card: RunCard, *, resume: bool) -> None:
    """Write the card of a new run, or check that the folder holds the run to be resumed."""
    if (folder / CARD).exists():
        there = open_run(folder).card
        if not resume:
            raise OutputError(
                f"{folder} holds a run already ({there.status})",
                remedy="Add --resume to go on with it, or name another folder.",
            )
        _refuse_other(folder, there, card)
        return
    if folder.exists() and (not folder.is_dir() or _others_in(folder)):
        what = "holds other things than a run" if folder.is_dir() else "is a file"
        raise OutputError(f"{folder} {what}", remedy="Name a new folder for the run.")
    _write_card(folder, card)


def _refuse_other(folder: Path, there: RunCard, wanted: RunCard) -> None:
    if there.same_run(wanted):
        return
    before, now = dict(_flat(there)), dict(_flat(wanted))
    differing = [key for key in {**before, **now} if before.get(key) != now.get(key)]
    told = "; ".join(
        f"{key} was {before.get(key, 'not given')}, is now {now.get(key, 'not given')}"
        for key in differing
    )
    raise InputError(
        f"{folder} holds another run: {told}",
        remedy="Give the options it was started with, or name another folder.",
    )


def _flat(card: RunCard) -> Iterator[tuple[str, object]]:
    """Name and value of everything that identifies a run."""
    for part in ("setup", "plan", "rules"):
        yield from getattr(card, part).items()
    yield from ((f"SHA-256 of {key}", digest[:12]) for key, digest in card.digests.items())
    yield "sessions", card.sessions
    yield "version of Crosstalk", card.version


def _write_card(folder: Path, card: RunCard) -> None:
    with writing(folder / CARD) as file:
        json.dump({"what": WHAT, "format": FORMAT, **asdict(card)}, file, indent=2)
        file.write("\n")


def _others_in(folder: Path) -> bool:
    """Whether a folder without a card holds anything but the replies of an endpoint."""
    return any(not path.name.startswith(REPLIES) for path in folder.iterdir())


def _cut_interrupted(folder: Path) -> None:
    """Cut a resumed run before the first conversation that a service kept from its end.

    Those after it are held again: their replies are kept, so that nothing is asked twice.
    """
    paths = shards(folder)
    for number, path in enumerate(paths):
        with path.open("r+b") as file:
            position = 0
            for line in file:
                if INTERRUPTED in line:
                    break
                position += len(line)
            else:
                continue
            file.truncate(position)
        for later in paths[number + 1 :]:
            later.unlink()
        return


def _repair(folder: Path) -> int:
    """Cut off an incomplete last line and return the number of dialogues."""
    paths = shards(folder)
    counts = [_lines(path, is_last=path == paths[-1]) for path in paths]
    names = [shard(folder, number) for number in range(len(paths))]
    if paths != names or any(count != SHARD for count in counts[:-1]):
        found = ", ".join(f"{p.name} with {n}" for p, n in zip(paths, counts, strict=True))
        raise FormatError(
            f"the files of the run are not those it wrote: {found}",
            place=Place(str(folder / DIALOGUES)),
            remedy=f"Every file but the last holds {SHARD:,} dialogues; run it again elsewhere.",
        )
    return sum(counts)


def _lines(path: Path, *, is_last: bool) -> int:
    with path.open("r+b" if is_last else "rb") as file:
        count = sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))
        if is_last:
            file.truncate(_end_of_last_line(file))
    return count


def _end_of_last_line(file: BinaryIO) -> int:
    """The position after the last line break; 0 if there is none."""
    end = file.seek(0, os.SEEK_END)
    while end:
        begin = max(0, end - (1 << 16))
        file.seek(begin)
        at = file.read(end - begin).rfind(b"\n")
        if at >= 0:
            return begin + at + 1
        end = begin
    return 0


@contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error) from error


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock the folder against a second writer; the lock ends with the process."""
    try:
        import fcntl
    except ImportError:  # a system without such locks
        yield
        return
    handle = os.open(folder / DIALOGUES, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise OutputError(
            f"{folder} is being written by another process",
            remedy="Wait for it, or name another folder.",
        ) from error
    finally:
        os.close(handle)
