"""What the viewer shows of runs: a row per dialogue, and transcripts that wait in a spool file.

    with spooling() as spool:
        views = [view_run(folder, spool) for folder in folders]

A run is read and judged once. Rows stay in memory (some 300 bytes each); transcripts, their words
and the raw records are written to a temporary file as they come, so that memory stays flat.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final

from crosstalk.agents.build import parse_agent
from crosstalk.agents.chat_client import Usage
from crosstalk.agents.costs import Costs, costs_of
from crosstalk.agents.prices import price_of
from crosstalk.corpora.record_encoding import encode_dialogue
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.evaluation.agent_scores import AgentScores, JudgedTrial, trial_of
from crosstalk.evaluation.comparison import Comparison, PassRate, Trial, compare
from crosstalk.evaluation.outcomes import Outcome, Reason
from crosstalk.evaluation.reply_flaws import counted
from crosstalk.evaluation.word_judge import Examined
from crosstalk.reports.dialogue_records import DialogueRecords
from crosstalk.reports.run_summary import RunSummary, summarise
from crosstalk.simulation.run_folders import Run, open_run
from crosstalk.simulation.runner import world_of
from crosstalk.worlds.queries import Database

SUCCESS, FAILURE, UNDECIDED = "success", "failure", "undecided"
INFRASTRUCTURE = "infrastructure"
RESULTS: Final = (FAILURE, UNDECIDED, INFRASTRUCTURE, SUCCESS)
"""In the order of the list: failures first."""
HEADLINE: Final = 110
"""Characters of the first words that a row shows."""

Span = tuple[int, int]


@contextmanager
def spooling() -> Iterator["Spool"]:
    """A spool whose file is removed at the end."""
    with TemporaryFile() as file:
        yield Spool(file)


class Spool:
    """A temporary file of records that are read again by position."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._end = 0

    def put(self, record: Any) -> Span:
        data = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
        self._file.seek(self._end)
        self._file.write(data)
        span = self._end, len(data)
        self._end += len(data)
        return span

    def get(self, span: Span) -> bytes:
        """The record as JSON."""
        self._file.seek(span[0])
        return self._file.read(span[1])


@dataclass(frozen=True, slots=True)
class DialogueRow:
    """One dialogue as the list shows it, and where its transcript waits."""

    run: int
    id: str
    goal: str
    """Digest of the goal: the same goal has the same digest in every run of a world."""
    trial: int
    type: str
    result: str
    reason: str
    blame: str
    cause: str
    """The first of the causes that decided, in words."""
    flaws: tuple[str, ...]
    """Flaws of its replies that the verdict does not rest on, each kind once."""
    turns: int
    headline: str
    transcript: Span
    words: Span
    raw: Span

    @property
    def record(self) -> list[Any]:
        """The columns `COLUMNS`."""
        return [getattr(self, column) for column in COLUMNS]


COLUMNS: Final = (
    *("run", "id", "goal", "trial", "type", "result", "reason", "blame", "cause"),
    *("flaws", "turns", "headline"),
)


@dataclass(frozen=True, slots=True)
class RunView:
    """A run with the rows of all its dialogues."""

    summary: RunSummary
    rows: Sequence[DialogueRow]
    scores: AgentScores
    unread: int = 0
    """Stretches of text that nobody could read."""
    claims: Counter[str] = field(default_factory=Counter)
    """Verdict -> number of marks on the words."""
    calls: int = 0
    """Tool calls."""
    is_read: bool = False
    """Whether it was judged by the words of the replies."""

    @property
    def results(self) -> Counter[str]:
        return Counter(row.result for row in self.rows)

    @property
    def repeats(self) -> int:
        return int(self.summary.run.card.plan["repeat"])

    def pass_rates(self) -> dict[int, PassRate]:
        """pass^k for every k up to the number of trials; empty with one trial a goal."""
        return self.scores.pass_rates() if self.repeats > 1 else {}

    @property
    def name(self) -> str:
        return self.summary.run.folder.name


def view_run(
    folder: Path, spool: Spool, *, number: int = 0, data: Path | None = None, reader: str = ""
) -> RunView:
    """Read and judge a run once; `number` is its position among the runs of a page."""
    run = open_run(folder)
    seen = _Seen(number, run, DialogueRecords(Database(world_of(run, data))), spool)
    summary = summarise(folder, data=data, see=seen.see, reader=reader)
    scores = AgentScores(
        tuple(seen.judged), _costs(run), run.card.sessions, dict(run.card.setup), summary.fidelity
    )
    return RunView(summary, seen.rows, scores, seen.unread, seen.marks, seen.calls, seen.is_read)


def compared(views: Sequence[RunView]) -> Comparison | None:
    """The comparison of two runs by goal; None if they share none, or are not two."""
    if len(views) != 2:
        return None
    found = compare(views[0].scores.trials, views[1].scores.trials)
    return found if found.a else None


def chosen_rows(rows: Iterable[DialogueRow], most: int | None) -> list[DialogueRow]:
    """At most so many rows: failures first, then successes of all goal types in turn."""
    every = list(rows)
    if most is None or len(every) <= most:
        return every
    place: Counter[tuple[str, str]] = Counter()
    ranked = []
    for row in every:
        kind = (row.result, row.type)
        ranked.append((row.result == SUCCESS, place[kind] if row.result == SUCCESS else 0, row))
        place[kind] += 1
    kept = {id(row) for *_, row in sorted(ranked, key=lambda each: each[:2])[:most]}
    return [row for row in every if id(row) in kept]


class _Seen:
    """Collects rows of the dialogues that pass by, and spools the rest."""

    def __init__(self, number: int, run: Run, records: DialogueRecords, spool: Spool) -> None:
        self._number, self._run = number, run
        self._records, self._spool = records, spool
        self.rows: list[DialogueRow] = []
        self.judged: list[JudgedTrial] = []
        self.unread = self.calls = 0
        self.marks: Counter[str] = Counter()
        self.is_read = False

    def see(self, dialogue: Dialogue, examined: Examined) -> None:
        outcome = examined.outcome
        record = self._records.record(examined)
        self.is_read |= bool(examined.exchanges)
        turns = record["turns"]
        self.unread += outcome.unread
        self.calls += sum(len(turn.get("calls", ())) for turn in turns)
        self.marks.update(mark[2] for turn in turns for mark in turn.get("marks", ()))
        trial = trial_of(dialogue, outcome, self._run)
        self.judged.append(JudgedTrial(trial, outcome, len(self.rows)))
        self.rows.append(self._row(dialogue, outcome, trial, record))

    def _row(
        self, dialogue: Dialogue, outcome: Outcome, trial: Trial, record: dict[str, Any]
    ) -> DialogueRow:
        words = "\n".join(turn.text for turn in dialogue.turns if turn.text)
        said = next((turn.text for turn in dialogue.turns if turn.text), "") or next(
            iter(record["goal"]), ""
        )
        return DialogueRow(
            run=self._number,
            id=dialogue.id,
            goal=trial.goal,
            trial=trial.trial,
            type=str(outcome.type or ""),
            result=_result(outcome),
            reason=str(outcome.reason or ""),
            blame=outcome.blame,
            cause=next((c.words for c in outcome.causes if c.reason is outcome.reason), ""),
            flaws=tuple(counted(outcome.reply_flaws)),
            turns=outcome.turns,
            headline=said[:HEADLINE],
            transcript=self._spool.put(record),
            words=self._spool.put(words),
            raw=self._spool.put(encode_dialogue(dialogue)),
        )


def _result(outcome: Outcome) -> str:
    if outcome.verdict is not None:
        return SUCCESS if outcome.verdict else FAILURE
    return INFRASTRUCTURE if outcome.reason is Reason.INFRASTRUCTURE else UNDECIDED


def _costs(run: Run) -> Costs:
    """What an agent took; our own system keeps no account of it."""
    if "policy" in run.card.setup:
        return Costs((), Usage(), None)
    agent = run.card.setup.get("agent", "")
    model = parse_agent(agent).model if agent.startswith("openai:") else ""
    return costs_of(run.folder, run.dialogues(), price_of(model))
