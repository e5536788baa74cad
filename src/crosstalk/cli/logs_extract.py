"""`crosstalk logs extract`: conversations and two-person dialogues out of raw logs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.chatlogs.thread_filter import SURE
from crosstalk.cli.logs_stats import print_statistics
from crosstalk.cli.options import AsJson, Models
from crosstalk.cli.output import track
from crosstalk.cli.threads import one_thread_each
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.chatlogs.methods import Settings

Logs = Annotated[list[Path], typer.Argument(help="Log files, folders or zips.")]
MethodName = Annotated[
    str, typer.Option("--method", help="links: trained; rules; paper: as published; previous.")
]
ReadingName = Annotated[
    str,
    typer.Option(
        "--reading",
        help="paper: when lines to nobody join: overlap (Figure 6), partner, both (released).",
    ),
]
QuestionChain = Annotated[
    bool, typer.Option("--question-chain", help="paper: chain question lines, as released.")
]
Silence = Annotated[
    int | None,
    typer.Option(
        "--silence",
        min=0,
        help="Minutes of silence that end a conversation; 0: never. Default: 120; paper: 60.",
    ),
]

Sure = Annotated[
    float,
    typer.Option(
        "--sure",
        min=0,
        max=1,
        help="links: drop dialogues whose links are trusted less than this; 0: keep all.",
    ),
]


def extract(
    logs: Logs,
    out: Annotated[Path, typer.Option("--out", help="A new folder.")],
    method: MethodName = "links",
    reading: ReadingName = "overlap",
    question_chain: QuestionChain = False,
    silence: Silence = None,
    sure: Sure = SURE,
    workers: Annotated[int, typer.Option("-j", "--workers", min=1, help="Processes.")] = 1,
    engine: Annotated[str, typer.Option("--engine", help="processes | ray")] = "processes",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what was begun.")] = False,
    tsv: Annotated[
        bool, typer.Option("--tsv", help="Also dialogs/N/M.tsv, as the corpus was released.")
    ] = False,
    models: Models = None,
    as_json: AsJson = False,
) -> None:
    """Write dialogues (and whole conversations) as Parquet, and say what was dropped and why.

    Each line keeps its conversation, the line it answers and how sure that is.
    """
    one_thread_each()
    from crosstalk.chatlogs.run_part import DIALOGUES
    from crosstalk.chatlogs.runs import begin, plan, run_tasks, unfinished
    from crosstalk.chatlogs.sources import find_logs, left_out
    from crosstalk.chatlogs.statistics import read_statistics

    if engine not in ("processes", "ray"):
        raise InputError(f"there is no engine called {engine!r}", remedy="Known: processes, ray.")
    settings = build_settings(method, reading, question_chain, silence, models, sure)
    files = find_logs(logs)
    tasks = unfinished(plan(files, settings, out))
    done = run_tasks(tasks, workers=workers, engine=engine)  # a missing cluster shows here
    begin(out, files, settings, others=left_out(logs, files), resume=resume)
    for _ in track(done, doing="extracting", total=len(tasks)):
        pass
    if tsv:
        from crosstalk.chatlogs.corpus_layout import write_corpus_layout

        write_corpus_layout(out / DIALOGUES, out)
    print_statistics(read_statistics(out), as_json)


def build_settings(
    method: str,
    reading: str,
    question_chain: bool,
    silence: int | None,
    models: Path | None,
    sure: float,
) -> "Settings":
    from crosstalk.chatlogs.methods import SILENCE, Method, Settings
    from crosstalk.chatlogs.paper_extraction import PaperRules, Reading

    if method not in list(Method):
        raise InputError(
            f"there is no method called {method!r}", remedy=f"Known: {', '.join(Method)}."
        )
    if reading not in list(Reading):
        raise InputError(
            f"there is no reading called {reading!r}", remedy=f"Known: {', '.join(Reading)}."
        )
    minutes = SILENCE.get(Method(method), 0) if silence is None else silence
    rules = PaperRules(Reading(reading), question_chain, 60 * minutes or None)
    return Settings(Method(method), rules, models, sure)
