"""`crosstalk translate`: the commands for people: edit, control, judge, agreement."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from crosstalk.cli import options
from crosstalk.cli.options import (
    ClientHeader,
    GlossaryFile,
    Host,
    Port,
    PublicAddress,
    Rate,
    SourceCode,
    TargetCode,
    TrustedProxy,
)
from crosstalk.cli.output import announcer, print_json, print_table, warn, warn_first

if TYPE_CHECKING:
    from crosstalk.evaluation.kappa import Figure
    from crosstalk.evaluation.quality_control import ControlReport, MarkReport
    from crosstalk.translation.work import Work, WorkQueue

QUESTIONS = {"acceptable": "acceptable", "values_match": "values match", "both": "both"}
LINES = {
    "both say yes, %": ("accepted", 2),
    "same answer, %": ("agreement", 2),
    "Cohen's kappa": ("kappa", 3),
    "prevalence": ("prevalence", 3),
    "bias": ("bias", 3),
    "PABAK": ("pabak", 3),
    "Gwet's AC1": ("ac1", 3),
}


def read_with_warnings(file: Path) -> "Work":
    """A translation with its journal; warns of turns that were changed on both sides."""
    from crosstalk.translation.work import read_work

    work = read_work(file)
    for dialogue, turn in work.conflicts[:3]:
        warn(
            f"dialogue {dialogue}, turn {turn}: changed in the file and on the pages; "
            "the file's text stands, the other is in the journal"
        )
    return work


def control(
    file: options.WorkFile,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            readable=False,
            metavar="FOLDER",
            help="Folder to write to, one file per annotator.",
        ),
    ],
    annotators: Annotated[
        list[str] | None,
        typer.Option("--annotator", metavar="NAME", help="An annotator; give two."),
    ] = None,
    share: Annotated[
        float, typer.Option("--share", help="Share of the dialogues to draw; the paper's is 0.1.")
    ] = 0.1,
    seed: options.Seed = 0,
    unedited: Annotated[
        bool,
        typer.Option("--unedited", help="Judge the machine translation where there is no edit."),
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Draw whole dialogues, by split and domains, for two annotators who have not edited them.

    They fill in UtteranceAcceptable and SlotValuesMatchAcceptable (1 or 0) and NOTE, in the files
    or on the pages of `translate judge`.
    """
    from crosstalk.translation.control import ControlOptions, answers_file, write_control

    names = tuple(annotators or ("annotator-1", "annotator-2"))
    wanted = ControlOptions(names, share, seed, unedited)
    drawn = write_control(read_with_warnings(file), out, wanted)
    dialogues = len({segment.dialogue for segment in drawn})
    if as_json:
        files = [str(answers_file(out, name)) for name in names]
        print_json({"files": files, "dialogues": dialogues, "utterances": len(drawn)})
    else:
        people = " and ".join(names)
        warn(f"{dialogues:,} dialogues, {len(drawn):,} utterances for {people} in {out}")
        warn(f"`crosstalk translate judge {out}` opens them for the annotators")


def agreement(
    judged: Annotated[
        list[Path],
        typer.Argument(help="Two files, two folders of files, or folders of `translate control`."),
    ],
    seed: options.Seed = 0,
    samples: options.Samples = 1000,
    as_json: options.AsJson = False,
) -> None:
    """Compare two annotators (Appendix B): share accepted, agreement, kappa, PABAK, AC1.

    Folders that `translate control` made hold both annotators; several are pooled. Per language and
    split where records say them (`language`, `split`) or file names do.
    """
    from crosstalk.evaluation.kappa import Bootstrap
    from crosstalk.evaluation.quality_control import (
        by_group,
        judge_agreement,
        judge_marks,
        read_pairs,
    )

    by = Bootstrap(seed, samples)
    pairs, left_out = read_pairs(judged)
    overall, groups = judge_agreement(pairs, by), by_group(pairs, by)
    if as_json:
        print_json(
            {
                "overall": overall.record(),
                "groups": {name: report.record() for name, report in groups.items()},
                "marks": judge_marks(pairs).record(),
                "left_out": left_out,
                "bootstrap": {"samples": samples, "seed": seed, "drawn": "dialogues"},
            }
        )
        return
    warn_first([f"left out: {line}" for line in left_out], 3)
    if not any(getattr(overall, question).units for question in QUESTIONS):
        warn("there is no utterance that both have answered: every figure is a dash")
    _print_report("All", overall)
    for name, report in groups.items():
        if report != overall:  # one language of one split is all there is
            _print_report(name, report)
    if any(one or other for one, other in (pair.marks for pair in pairs)):
        _print_marks(judge_marks(pairs))


def _print_marks(report: "MarkReport") -> None:
    rows = [
        ["utterances with marks", *map(str, report.marked)],
        ["marks", *map(str, report.marks)],
        ["points an utterance", *(f"{each:.2f}" for each in report.points)],
    ]
    shared = [("same place and kind", report.exact), ("marked letters", report.letters)]
    rows += [
        [f"F1, {words}", f"{each:.3f}" if each is not None else "-", ""] for words, each in shared
    ]
    print_table("Marks of errors", ["", "first", "second"], rows)


def _print_report(name: str, report: "ControlReport") -> None:
    """One line a figure, one column a question."""
    questions = [getattr(report, question) for question in QUESTIONS]
    rows = [["answered", *(f"{each.units:,}" for each in questions)]]
    for title, (field, digits) in LINES.items():
        rows.append([title, *(_cell(getattr(each, field), digits) for each in questions)])
    title = f"{name}: {report.dialogues:,} dialogues, {report.utterances:,} utterances"
    print_table(title, ["95 % intervals", *QUESTIONS.values()], rows)


def _cell(figure: "Figure", digits: int) -> str:
    return "\n".join(filter(None, figure.words(digits)))


NewLinks = Annotated[bool, typer.Option("--new-links", help="Invalidate all links given so far.")]


EditedFile = Annotated[
    Path,
    typer.Argument(
        writable=True, metavar="FILE", help="Records of Appendix A, as `translate start` writes."
    ),
]


def edit(
    work: EditedFile,
    editors: Annotated[
        list[str] | None,
        typer.Option(
            "--editor",
            metavar="NAME",
            help="An editor (repeatable); dialogues are divided among them.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="NAME",
            help="An editor who leaves; their dialogues go to the others.",
        ),
    ] = None,
    glossary: GlossaryFile = None,
    rate: Rate = 16.0,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    address: PublicAddress = None,
    trusted_proxy: TrustedProxy = None,
    client_header: ClientHeader = "X-Forwarded-For",
    new_links: NewLinks = False,
    source: SourceCode = None,
    target: TargetCode = None,
) -> None:
    """Serve the website for editors, with a personal link for each of them.

    Saves are durable when they are acknowledged; the file is updated within seconds, at the latest
    when the site stops. The same command continues the work.
    """
    from crosstalk.translation.appendix_files import read_segments
    from crosstalk.translation.glossary import read_glossary
    from crosstalk.translation.post_editing import open_queue
    from crosstalk.translation.work import work_languages

    spoken = work_languages(read_segments(work), source, target)
    terms = None if glossary is None else read_glossary(glossary)
    queue = open_queue(work, spoken, editors or [], terms, without or [])
    for dialogue, turn in queue.conflicts[:3]:
        warn(f"dialogue {dialogue}, turn {turn}: changed in the file meanwhile; its text stands")

    place = _Place(host, port, address, tuple(trusted_proxy or ()), client_header)
    _serve(queue, f"Editing {work}", place, rate=rate, new_links=new_links)


def judge(
    folder: Annotated[Path, typer.Argument(help="The folder that `translate control` made.")],
    marks: Annotated[
        bool, typer.Option("--marks", help="Annotators also mark errors in the text (MQM).")
    ] = False,
    rate: Rate = 16.0,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    address: PublicAddress = None,
    trusted_proxy: TrustedProxy = None,
    client_header: ClientHeader = "X-Forwarded-For",
    new_links: NewLinks = False,
) -> None:
    """Serve the website for the annotators of a sample, with a personal link for each of them."""
    from crosstalk.translation.control import ControlQueue

    queue = ControlQueue(folder, marks=marks)

    place = _Place(host, port, address, tuple(trusted_proxy or ()), client_header)
    _serve(queue, f"Judging {folder}", place, rate=rate, new_links=new_links)


class _Place(NamedTuple):
    """Where a site is served, and behind what."""

    host: str
    port: int
    address: str | None
    proxies: tuple[str, ...]
    header: str


def _serve(
    queue: "WorkQueue",
    doing: str,
    where: _Place,
    *,
    rate: float,
    new_links: bool,
) -> None:
    from crosstalk.web.accounts import COORDINATOR
    from crosstalk.web.app import listening, serve, translation_accounts, translation_app
    from crosstalk.web.clients import trusted_proxies

    clients = trusted_proxies(where.proxies, where.header)
    try:
        with (
            listening(where.host, where.port, where.address, clients) as place,
            translation_accounts(queue, new_links=new_links) as (accounts, links),
        ):
            announce = announcer(
                f"{doing} at {place.base}/",
                f"Coordinator: {place.base}/enter/{links[COORDINATOR]}",
                *(f"{name}: {place.base}/enter/{links[name]}" for name in queue.people),
            )
            app = translation_app(queue, accounts, links, place.address, rate=rate)
            serve(app, place, announce)
    finally:
        queue.close()
