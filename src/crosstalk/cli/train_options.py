"""Options that the `train` commands share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from crosstalk.trainers.job import Job

TrainingData = Annotated[
    Path | None,
    typer.Option(
        "--data",
        envvar="CROSSTALK_DATA",
        help="A corpus in any format we know, or the folder of fetched corpora; a world with "
        "templates of its own needs neither: dialogues are simulated.",
    ),
]
Out = Annotated[
    Path, typer.Option("--out", help="The models folder; the model goes to a folder inside it.")
]
PRACTICE = 300
Practice = Annotated[
    int,
    typer.Option("--practice", min=10, help="Number of simulated dialogues, without a corpus."),
]
Folds = Annotated[
    int, typer.Option("--folds", max=20, help="Cross-validate too, in so many parts; 0: do not.")
]
Patience = Annotated[
    int,
    typer.Option(
        "--patience", min=0, help="Stop after so many rounds or epochs without gain; 0: do not."
    ),
]


def job(**options: Any) -> "Job":
    """A training whose notices and progress are shown on stderr."""
    from crosstalk.cli.output import TERMINAL
    from crosstalk.trainers.job import Job

    if options.get("folds", 0) == 1 or options.get("folds", 0) < 0:
        raise typer.BadParameter("give 0, or 2 and more", param_hint="--folds")
    return Job(**options, reporter=TERMINAL)
