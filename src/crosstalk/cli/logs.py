"""`crosstalk logs`: raw chat logs become dialogues."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.chatlogs.conversation_threads import MIN_ANSWER_CONFIDENCE, MIN_CONFIDENCE
from crosstalk.cli.options import AsJson, ExtractedLogs, FigureFile, Models, Resume, Seed, Workers
from crosstalk.cli.output import (
    TERMINAL,
    one_thread_each,
    percent,
    print_json,
    print_models,
    print_table,
    track,
    warn_first,
)

if TYPE_CHECKING:
    from crosstalk.chatlogs.extraction_run import LogStatistics
    from crosstalk.evaluation.link_scores import LinkScores

app = typer.Typer(no_args_is_help=True)
PROBLEMS_SHOWN = 10
HINT = "; see --json"
MethodName = Annotated[
    str,
    typer.Option(
        "--method", help="links (trained), rules, paper (as published) or previous (baseline)."
    ),
]
ReadingName = Annotated[
    str,
    typer.Option(
        "--reading",
        help="paper: when to add lines without addressee: overlap (Figure 6), partner or both.",
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
        help="links: minimum confidence of the links of a dialogue; 0: keep all dialogues.",
    ),
]
FormatName = Annotated[
    str,
    typer.Option(
        "--format",
        help="Format of all files, also package.module:OBJECT; by default each is recognised.",
    ),
]
Days = Annotated[
    Path, typer.Argument(help="Folder or zip of NAME.raw.txt with NAME.annotation.txt.")
]


@app.command("extract")
def extract(
    logs: Annotated[list[Path], typer.Argument(help="Log files, folders or archives.")],
    out: Annotated[Path, typer.Option("--out", readable=False, help="A new folder to write to.")],
    method: MethodName = "links",
    reading: ReadingName = "overlap",
    question_chain: QuestionChain = False,
    silence: Silence = None,
    sure: Sure = MIN_CONFIDENCE,
    workers: Workers = 1,
    engine: Annotated[str, typer.Option("--engine", help="processes | ray")] = "processes",
    resume: Resume = False,
    tsv: Annotated[
        bool,
        typer.Option(
            "--tsv", help="Also write dialogs/N/M.tsv, the format of the released corpus."
        ),
    ] = False,
    models: Models = None,
    format: FormatName = "",
    as_json: AsJson = False,
) -> None:
    """Disentangle chat logs: write two-person dialogues and whole conversations as Parquet.

    Each line has its conversation, the line it replies to and the confidence of that link. The
    numbers of dropped dialogues are printed with the reasons.
    """
    one_thread_each()
    from crosstalk.chatlogs.extraction_methods import build_settings
    from crosstalk.chatlogs.extraction_run import ExtractOptions, extract_logs

    settings = build_settings(method, reading, question_chain, silence, models, sure)
    options = ExtractOptions(workers, engine, resume, tsv, format)
    _print_statistics(extract_logs(logs, out, settings, options, TERMINAL), as_json)


@app.command("evaluate")
def evaluate(
    logs: Days,
    method: MethodName = "links",
    reading: ReadingName = "overlap",
    question_chain: QuestionChain = False,
    silence: Silence = None,
    sure: Sure = MIN_CONFIDENCE,
    models: Models = None,
    as_json: AsJson = False,
) -> None:
    """Score links, conversations and two-person dialogues with the usual metrics.

    Each day is scored by itself; conversations that began before its annotated part are cut there.
    """
    one_thread_each()
    from crosstalk.chatlogs.annotated_days import read_annotated
    from crosstalk.chatlogs.extraction_methods import build_extractor, build_settings
    from crosstalk.evaluation.link_scores import judge

    settings = build_settings(method, reading, question_chain, silence, models, sure)
    days = track(read_annotated(logs), doing="judging")
    scores = judge(days, lambda: build_extractor(settings), sure=sure)
    if as_json:
        print_json({**settings.record(), **scores.record()})
    else:
        _print_scores(method, scores)
        warn_first(scores.problems, PROBLEMS_SHOWN, HINT)


def _print_scores(method: str, scores: "LinkScores") -> None:
    separation, two = scores.separation, scores.two_person
    rows = [
        ["link precision", percent(scores.link.precision)],
        ["link recall", percent(scores.link.recall)],
        ["link F", percent(scores.link.f1)],
        ["variation of information", percent(separation.variation)],
        ["one-to-one", percent(separation.one_to_one)],
        ["exact conversations, precision", percent(separation.exact.precision)],
        ["exact conversations, recall", percent(separation.exact.recall)],
        ["exact conversations, F", percent(separation.exact.f1)],
        ["two-person dialogues", str(two.true_start.total)],
        ["... exact or a true prefix", percent(two.exact_or_prefix.percent)],
        ["... purity of lines", percent(two.purity.percent)],
        ["... true start", percent(two.true_start.percent)],
        ["articles of `logs answers`", str(scores.answers.in_thread.total)],
        [
            "... answer in the conversation of its question",
            percent(scores.answers.in_thread.percent),
        ],
    ]
    print_table(f"{method}, {separation.lines:,} annotated lines", ["", "%"], rows)


@app.command("stats")
def stats(
    folder: ExtractedLogs,
    figure: FigureFile = None,
    as_json: AsJson = False,
) -> None:
    """The paper's Table 1, what was dropped and why, and what could not be read."""
    from crosstalk.chatlogs.extraction_run import read_statistics

    statistics = read_statistics(folder)
    if figure:
        from crosstalk.reports.plots import draw_length_distribution

        draw_length_distribution(statistics.turns, figure)
    _print_statistics(statistics, as_json)


def _print_statistics(statistics: "LogStatistics", as_json: bool) -> None:
    from crosstalk.chatlogs.extraction_run import PUBLISHED

    record = statistics.record()
    if as_json:
        print_json(record)
        return
    rows = [
        [name.replace("_", " "), _number(record[name]), _number(published)]
        for name, published in PUBLISHED.items()
    ]
    print_table("Dialogues", ["", "here", "paper"], rows)
    lines = [[f"{kind} lines read", f"{count:,}"] for kind, count in statistics.lines.items()]
    dropped = [[f"dropped: {why}", f"{count:,}"] for why, count in statistics.dropped.items()]
    conversations = ["conversations of any size", f"{statistics.conversations:,}"]
    print_table("Where they come from", ["", ""], [*lines, conversations, *dropped])
    warn_first(statistics.problems, PROBLEMS_SHOWN, HINT)


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


@app.command("answers")
def answers(
    folder: ExtractedLogs,
    out: Annotated[
        Path, typer.Option("--out", readable=False, help="File to write: .md or .jsonl.")
    ],
    sure: Annotated[
        float, typer.Option("--sure", min=0, max=1, help="Minimum confidence of an article.")
    ] = MIN_ANSWER_CONFIDENCE,
    as_json: AsJson = False,
) -> None:
    """Collect questions and their answers as articles, the surest first, each question once.

    Each article has its lines with file, number, time and person. `logs evaluate` says how many
    answers belong to the conversation of their question.
    """
    from crosstalk.chatlogs.answer_files import find_articles, refuse_unknown_ending, write_articles

    refuse_unknown_ending(out)
    found = find_articles(folder, sure)
    write_articles(found, out)
    merged = sum(len(each.also) for each in found.articles)
    record = {
        "conversations": found.conversations,
        "articles": len(found.articles),
        "merged": merged,
        "out": str(out),
    }
    if as_json:
        print_json(record)
        return
    rows = [[name, f"{value:,}"] for name, value in record.items() if isinstance(value, int)]
    print_table(str(out), ["", ""], rows)


@app.command("train")
def train(
    logs: Days,
    out: Annotated[
        Path,
        typer.Option(
            "--out", readable=False, help="The models folder; the model goes to OUT/linker."
        ),
    ],
    members: Annotated[
        int, typer.Option("--members", min=1, help="Number of networks whose scores are averaged.")
    ] = 5,
    unaddressed: Annotated[
        float,
        typer.Option(
            "--unaddressed",
            min=0,
            max=1,
            help="Share of days that are used a second time with the addressees removed.",
        ),
    ] = 0.5,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Train the reply-to linker on annotated logs; about four minutes for 153 days."""
    one_thread_each()
    from crosstalk.chatlogs.linking.linker_training import train_linker_folder

    folder = train_linker_folder(
        logs, out, members=members, unaddressed=unaddressed, seed=seed, reporter=TERMINAL
    )
    print_models([folder], as_json)
