"""Our system on MultiWOZ: states as a trained tracker predicts them, responses retrieved.

    made = predicted_responses("models/dst-states", train20, task)
    write_responses(made, Path("predictions.json"))

Earlier turns of the system are those of the human dialogue, as in the published figures of most
systems; no act, state, goal or booking of the judged file is read.
"""

import json
from pathlib import Path
from typing import Final

from crosstalk.corpora.multiwoz import read_multiwoz
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.evaluation.multiwoz.nearest_responses import ResponseBank
from crosstalk.evaluation.multiwoz.responses import Responses, response_id
from crosstalk.evaluation.multiwoz.standard_evaluation import MultiwozTask, multiwoz_file
from crosstalk.evaluation.multiwoz.venue_tables import read_tables
from crosstalk.files import writing
from crosstalk.transfer.multiwoz_tracker import load, predicted, read_english, table_spelling

GOLD: Final = "gold"
"""In place of a tracker: the states of the file."""


def predicted_responses(tracker: str, train: Path, task: MultiwozTask) -> Responses:
    """The responses to every system turn of the task's file.

    `tracker`: the folder that `crosstalk train dst --model states` wrote, or `gold`; `train`: the
    dialogues whose responses are given, with states.
    """
    bank = ResponseBank.of(
        list(read_multiwoz(multiwoz_file(train))), read_tables(task.tables_folder)
    )
    return {response_id(each.id): bank.responses(each) for each in _tracked(tracker, task.path)}


def _tracked(tracker: str, file: Path) -> list[Dialogue]:
    if tracker == GOLD:
        return list(read_multiwoz(file))
    return [table_spelling(each) for each in predicted(load(Path(tracker)), read_english(file))]


def write_responses(responses: Responses, path: Path) -> None:
    """A file of predictions, as the public evaluator and `evaluate multiwoz` read it."""
    record = {
        id: [{"response": each.text, "state": each.state} for each in turns]
        for id, turns in responses.items()
    }
    with writing(path) as text:
        json.dump(record, text)
