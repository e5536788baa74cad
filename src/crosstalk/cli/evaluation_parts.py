"""`--model` of the commands that judge a part on a corpus: a name of the one table of parts."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.corpora import FittingCorpus
from crosstalk.cli.options import PART
from crosstalk.cli.output import warn
from crosstalk.errors import WorldError

if TYPE_CHECKING:
    from crosstalk.database.tables import World as LiveWorld
    from crosstalk.evaluation.judged_parts import EvaluationWorld
    from crosstalk.system.parts import BuiltPart

Tables = Annotated[
    Path | None,
    typer.Option("--tables", envvar="CROSSTALK_DATA", help="Folder that holds fetched corpora."),
]
Model = Annotated[
    str, typer.Option("--model", help=f"{PART}; best: the one that scores best on CrossWOZ.")
]


def evaluation_world(
    corpus: FittingCorpus, tables: Path | None, models: Path | None, protocol: str = "corrected"
) -> "EvaluationWorld":
    """Where the parts for a corpus are built."""
    from crosstalk.evaluation.judged_parts import EvaluationWorld

    return EvaluationWorld(corpus.world, corpus.language, tables, models, protocol=protocol)


def part_to_judge(evaluation: str, asked: str, where: "EvaluationWorld") -> "BuiltPart":
    """The part behind a name; what an alias stands for is printed."""
    from crosstalk.evaluation.judged_parts import judged_part, standing_for

    try:
        built = judged_part(evaluation, asked, where)
    except WorldError as error:
        raise _in_the_words_of_these_commands(error) from error
    if words := standing_for(built):
        warn(words)
    return built


def spoken_world(name: str, language: str | None, tables: Path | None) -> "LiveWorld":
    """A world; where its tables are missing, the words say how these commands are told of them."""
    from crosstalk.database.worlds import load_world

    try:
        return load_world(name, language=language, data=tables)
    except WorldError as error:
        raise _in_the_words_of_these_commands(error) from error


def _in_the_words_of_these_commands(error: WorldError) -> WorldError:
    """Their --data is a corpus: --tables names the data folder."""
    return WorldError(error.message, remedy=error.remedy.replace("--data", "--tables"))
