"""`crosstalk evaluate speech`: the words of a simulated run, against its acts and the tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.options import AsJson, Data
from crosstalk.cli.output import print_json, print_table
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.evaluation.speech import SpeechScore

SHOWN = 5
"""False claims that are shown."""


def evaluate_speech(
    run: Annotated[Path, typer.Argument(help="A folder that `crosstalk simulate` has written.")],
    turns: Annotated[
        int, typer.Option("--turns", min=1, help="Stop after so many turns; default: all.")
    ] = 1_000_000_000,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Slot error rate of both sides, and whether what the system claims is in the database.

    Exit code 1 when the system claimed something that no table says.
    """
    from crosstalk.database.queries import Database
    from crosstalk.evaluation.runs import open_run
    from crosstalk.evaluation.simulation import world_of
    from crosstalk.evaluation.speech import score_speech, up_to

    opened = open_run(run)
    score = score_speech(list(up_to(opened.dialogues(), turns)), Database(world_of(opened, data)))
    if not sum(score.turns.values()):
        raise InputError(
            f"{run}: no turn has words", remedy="Simulate with --level words, or with --words."
        )
    if as_json:
        print_json(_figures(score))
    else:
        rows = [[name, str(value)] for name, value in _figures(score).items()]
        print_table(f"Speech, {run}", ["", ""], rows)
    if score.claims.false:
        raise typer.Exit(1)


def _figures(score: "SpeechScore") -> dict[str, Any]:
    errors, claims = score.all_errors, score.claims
    return {
        "turns": sum(score.turns.values()),
        "slot_error_rate": round(errors.rate, 6),
        "values": errors.values,
        "missing": errors.missing,
        "repeated": errors.repeated,
        "by_side": {str(side): round(each.rate, 6) for side, each in score.errors.items()},
        "claims": claims.values,
        "false_claims": len(claims.false),
        "examples": [f"{each.dialogue}: {each.claim}" for each in claims.false[:SHOWN]],
        "taken_for_words": list(claims.ordinary),
    }
