"""`--model` of the commands that judge a part on a corpus: a name of the one table of parts."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.options import PART
from crosstalk.cli.output import TERMINAL, warn
from crosstalk.errors import WorldError

if TYPE_CHECKING:
    from crosstalk.evaluation.corpora import FittingCorpus
    from crosstalk.evaluation.judged_parts import EvaluationWorld
    from crosstalk.system.parts import BuiltPart

Tables = Annotated[
    Path | None,
    typer.Option("--tables", envvar="CROSSTALK_DATA", help="Folder that holds fetched corpora."),
]
Model = Annotated[
    str, typer.Option("--model", help=f"{PART}; best: the one that scores best on CrossWOZ.")
]


def read_fitting(data: Path, world: str | None, language: str | None) -> "FittingCorpus":
    """The corpus that `--data` names, in its world."""
    from crosstalk.evaluation.corpora import read_fitting as read

    return read(data, world=world, language=language, reporter=TERMINAL)


def evaluation_world(
    corpus: "FittingCorpus", tables: Path | None, models: Path | None, protocol: str = "corrected"
) -> "EvaluationWorld":
    """Where the parts for a corpus are built."""
    from crosstalk.evaluation.judged_parts import EvaluationWorld

    return EvaluationWorld(corpus.world, corpus.language, tables, models, protocol=protocol)


def part_to_judge(evaluation: str, asked: str, where: "EvaluationWorld") -> "BuiltPart":
    """The part behind a name; what an alias stands for is printed."""
    from crosstalk.evaluation.judged_parts import judged_part, standing_for
    from crosstalk.trainers.job import with_tables_option

    try:
        built = judged_part(evaluation, asked, where)
    except WorldError as error:
        raise with_tables_option(error) from error
    if words := standing_for(built):
        warn(words)
    return built
