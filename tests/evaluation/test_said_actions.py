"""Words about actions: dates as they are said are true, bookings that nobody made are not."""

from pathlib import Path

import pytest

from crosstalk.dialogue.acts import CONFIRM, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.evaluation.action_findings import ActionJudge, FindingKind
from crosstalk.evaluation.claims import score_speech
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_world

STAY = (
    Act(CONFIRM, "book_room", "arrival", "2026-06-05"),
    Act(CONFIRM, "book_room", "entity", "Pilot House"),
    Act(CONFIRM, "book_room", "nights", "1"),
    Act(CONFIRM, "book_room", "people", "3"),
)


@pytest.mark.parametrize(
    ("text", "false", "missing"),
    [
        ("Shall I book Pilot House from Friday 5 June for one night for 3 people?", 0, 0),
        ("Shall I book Pilot House from Friday 6 June for one night for 3 people?", 1, 0),
        ("Shall I book Pilot House for one night for 3 people?", 0, 1),
    ],
)
def test_dates_in_words(text: str, false: int, missing: int) -> None:
    turns = (Turn(Speaker.USER, "A room."), Turn(Speaker.SYSTEM, text, STAY))
    dialogue = Dialogue("1", turns, language="en", world="harbour")
    score = score_speech([dialogue], Database(load_world("harbour", language="en")))
    assert len(score.claims.false) == false
    assert score.all_errors.missing == missing


@pytest.mark.parametrize(
    ("code", "said", "rules"),
    [
        ("en", "I have booked the table for you.", ["said_done"]),
        ("en", "I could not book the table.", []),
        ("en", "Shall I book a table for 3 people?", []),
        ("zh", "餐桌订好了。", ["said_done"]),
    ],
)
def test_false_bookings_in_multiwoz(
    data_folder: Path, code: str, said: str, rules: list[str]
) -> None:
    if not (data_folder / "multiwoz" / "db" / "train_db.json").exists():
        pytest.skip("the tables of multiwoz are not there")
    world = load_world("multiwoz", language=code, data=data_folder)
    judge = ActionJudge.of(Executor(Database(world)), "multiwoz")
    turns = [Turn(Speaker.USER, "A table, please."), Turn(Speaker.SYSTEM, said)]
    found = [f for f in judge.findings(turns) if f.kind is FindingKind.FALSE_CLAIM]
    assert [each.rule for each in found] == rules
