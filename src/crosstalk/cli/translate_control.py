"""`crosstalk translate control`: a blind sample for two fresh annotators (Appendix B)."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, warn
from crosstalk.cli.translate_options import WorkFile, opened
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.translation.work import Work

Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="One file an annotator.")]
Annotators = Annotated[
    list[str] | None, typer.Option("--annotator", metavar="NAME", help="Two of them.")
]
Share = Annotated[float, typer.Option("--share", help="Of the dialogues; the paper's is 0.1.")]
Unedited = Annotated[
    bool, typer.Option("--unedited", help="Judge the machine's text where nobody has edited.")
]


def control(
    file: WorkFile,
    out: Out,
    annotators: Annotators = None,
    share: Share = 0.1,
    seed: options.Seed = 0,
    unedited: Unedited = False,
    as_json: options.AsJson = False,
) -> None:
    """Draw whole dialogues, by split and domains, for two annotators who have not edited them.

    They fill in UtteranceAcceptable and SlotValuesMatchAcceptable (1 or 0) and NOTE, in the files
    or on the pages of `translate judge`.
    """
    from crosstalk.files import making_folder
    from crosstalk.translation.appendix_b import blind, write_judgements
    from crosstalk.translation.control import draw

    names = annotators or ["annotator-1", "annotator-2"]
    work = opened(file)
    _refuse(names, work, out)
    drawn = draw(work.segments, share, seed)
    waiting = [segment for segment in drawn if not segment.finished]
    if waiting and not unedited:
        raise InputError(
            f"{len(waiting):,} of {len(drawn):,} utterances drawn are not edited yet, the first "
            f"in dialogue {waiting[0].dialogue}, turn {waiting[0].turn}",
            remedy="Let the editors finish, or give --unedited to judge what is there.",
        )
    judgements = [blind(segment) for segment in drawn]
    with making_folder(out):
        for name in names:
            write_judgements(judgements, out / f"{name}.json")
    dialogues = len({segment.dialogue for segment in drawn})
    if as_json:
        files = [str(out / f"{name}.json") for name in names]
        print_json({"files": files, "dialogues": dialogues, "utterances": len(drawn)})
    else:
        warn(
            f"{dialogues:,} dialogues, {len(drawn):,} utterances for {' and '.join(names)} in {out}"
        )
        warn(f"`crosstalk translate judge {out}` opens them for the annotators")


def _refuse(names: list[str], work: "Work", out: Path) -> None:
    from crosstalk.translation.names import refuse_names
    from crosstalk.translation.staff import everybody_ever

    refuse_names(names)
    if len(names) != 2:
        raise InputError(
            f"{len(names)} annotators", remedy="Give --annotator twice: agreement is of two."
        )
    editors = {name.casefold() for name in everybody_ever(work.events)}
    if both := [name for name in names if name.casefold() in editors]:
        raise InputError(
            f"{both[0]} is an editor of this translation",
            remedy="Fresh annotators judge: name others.",
        )
    if there := [name for name in names if (out / f"{name}.json").exists()]:
        raise InputError(
            f"{out / f'{there[0]}.json'} exists already",
            remedy="Choose another --out: answers are not written over.",
        )
