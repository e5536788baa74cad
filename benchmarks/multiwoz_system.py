"""Our system on MultiWOZ: states as the trained tracker predicts them, responses retrieved.

python -m benchmarks.multiwoz_system TRACKER TRAIN TEST PREDICTIONS

TRACKER is the folder that `crosstalk train dst --model states` wrote, or `gold` for the states of
the file. `crosstalk evaluate multiwoz --data TEST --responses PREDICTIONS` scores the predictions.
Earlier turns of the system are those of the human dialogue, as in the published figures of most
systems; no act, state, goal or booking of TEST is read.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crosstalk.corpora.multiwoz import read_multiwoz
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.evaluation.multiwoz.nearest_responses import ResponseBank
from crosstalk.evaluation.multiwoz.responses import Response, response_id
from crosstalk.evaluation.multiwoz.standard_evaluation import MultiwozTask
from crosstalk.evaluation.multiwoz.venue_tables import read_tables
from crosstalk.files import writing
from crosstalk.transfer.multiwoz_tracker import load, predicted, read_english, table_spelling

GOLD = "gold"


def main(tracker: str, train: str, test: str, out: str) -> None:
    tables = read_tables(MultiwozTask(Path(test), GOLD).tables_folder)
    bank = ResponseBank.of(list(read_multiwoz(Path(train))), tables)
    answers = {response_id(each.id): bank.responses(each) for each in states(tracker, Path(test))}
    with writing(Path(out)) as text:
        json.dump({id: [record(each) for each in turns] for id, turns in answers.items()}, text)
    print(json.dumps({"dialogues": len(answers), "bank": bank.size}))


def states(tracker: str, test: Path) -> list[Dialogue]:
    if tracker == GOLD:
        return list(read_multiwoz(test))
    return [table_spelling(each) for each in predicted(load(Path(tracker)), read_english(test))]


def record(response: Response) -> Mapping[str, Any]:
    return {"response": response.text, "state": response.state}


if __name__ == "__main__":
    main(*sys.argv[1:])
