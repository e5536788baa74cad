"""`crosstalk judge`: verified success of any agent, from its words and the tables."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, warn

if TYPE_CHECKING:
    from crosstalk.evaluation.offline import OfflineVerdict, VerdictCounts


def judge(
    offline: Annotated[
        Path | None,
        typer.Option(
            "--offline",
            metavar="FILE",
            help="Judge finished transcripts: JSON Lines of OpenAI messages with a goal, a tau2 "
            "results.json or its folder, or a run folder.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write one verdict a line to this file."),
    ] = None,
    world: Annotated[
        str, typer.Option("--world", help="World of transcripts that name none.")
    ] = "",
    language: Annotated[
        str, typer.Option("--language", help="Language of transcripts that name none.")
    ] = "",
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Judge an agent by what it wrote: did the user get everything, and is it true?"""
    from crosstalk.errors import InputError
    from crosstalk.evaluation.offline import count_verdicts, judge_offline

    if offline is None:
        raise InputError("nothing to judge was named", remedy="Give transcripts with --offline.")
    verdicts = list(judge_offline(offline, world=world, language=language, data=data))
    for each in verdicts:
        if each.error:
            warn(f"{each.id}: {each.error}")
    if out is not None:
        _write(out, verdicts)
    counts = count_verdicts(verdicts)
    if as_json:
        print_json({"counts": _counted(counts), "verdicts": [each.record() for each in verdicts]})
    else:
        _show(verdicts, counts)
    if counts.unjudged:
        raise typer.Exit(2)


def _write(path: Path, verdicts: "list[OfflineVerdict]") -> None:
    from crosstalk.files import writing

    with writing(path) as file:
        for each in verdicts:
            file.write(json.dumps(each.record(), ensure_ascii=False) + "\n")


def _counted(counts: "VerdictCounts") -> dict[str, object]:
    return {
        "transcripts": counts.transcripts,
        "succeeded": counts.succeeded,
        "failed": counts.failed,
        "undecided": counts.undecided,
        "unjudged": counts.unjudged,
        "blame": counts.blame,
        "success_rate": counts.rate,
    }


def _show(verdicts: "list[OfflineVerdict]", counts: "VerdictCounts") -> None:
    for each in verdicts:
        success = {True: "success", False: "failure", None: "undecided"}[each.success]
        words = "; ".join(
            f"{flaw.subgoal} {flaw.domain} {flaw.slot}: {flaw.kind}" for flaw in each.flaws
        )
        blame = f" ({each.blame})" if each.blame else ""
        print(f"{each.id}: {'not judged' if each.error else success}{blame} {words}".rstrip())
    rate = counts.rate
    share = "-" if rate is None else f"{rate[0]:.1%}"
    if rate is not None and rate[1] > rate[0]:
        share += f" to {rate[1]:.1%}"
    print(
        f"{counts.transcripts} transcripts: {counts.succeeded} succeeded, {counts.failed} failed, "
        f"{counts.undecided} undecided, {counts.unjudged} not judged; success {share}"
    )
