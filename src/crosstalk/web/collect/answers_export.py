"""Answers to questionnaires as a table: a row an answer, and a row a score.

Rows name workers and rooms by the numbers that exported dialogues have, so that they can be joined.
"""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any, Final

from crosstalk.collection.export import safe
from crosstalk.collection.questionnaires import Questionnaire
from crosstalk.web.store.store import Store
from crosstalk.web.store.study_store import all_answers

HEADER: Final = (
    "worker",
    "moment",
    "room",
    "questionnaire",
    "version",
    "at",
    "question",
    "answer",
    "failed_checks",
)


def answers_table(store: Store) -> str:
    """All answers as CSV, safe to open in a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(_rows(store))
    return text.getvalue()


def _rows(store: Store) -> Iterator[list[str]]:
    for record in store.read(all_answers):
        about = [record[name] for name in ("worker", "moment", "room", "questionnaire")]
        about += [record["version"][:12], f"{record['at']:.0f}"]
        asked = Questionnaire.model_validate(json.loads(record["asked"]))
        scores = asked.scores(record["answers"])
        found = {**record["answers"], **{f"score {name}": value for name, value in scores.items()}}
        for question, value in found.items():
            row = [*about, question, _plain(value), record["failed_checks"]]
            yield ["" if cell is None else safe(str(cell)) for cell in row]


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(value)
    return f"{value:g}" if isinstance(value, float) else str(value)
