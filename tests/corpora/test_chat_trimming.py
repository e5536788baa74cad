"""Chat data without answers that state what stands in no message before."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.corpora.chat_trimming import Trimming
from crosstalk.corpora.corpus import write_corpus
from crosstalk.corpora.inferred_queries import with_inferred_queries
from crosstalk.dialogue.acts import INFORM, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import DomainState, SystemState


def answer(text: str, value: str) -> Turn:
    return Turn(Speaker.SYSTEM, text, (Act(INFORM, "hotel", "price", value),))


GROUNDED = (Turn(Speaker.USER, "A room for 80?"), answer("For 80, yes.", "80"))
INVENTED = (Turn(Speaker.USER, "With breakfast?"), answer("That is 95.", "95"))
BYE = (Turn(Speaker.USER, "Bye."), Turn(Speaker.SYSTEM, "Bye."))
TALKS = [
    Dialogue("good", (*GROUNDED, *BYE)),
    Dialogue("late", (*GROUNDED, *INVENTED, *BYE)),
    Dialogue("early", (*INVENTED, *BYE)),
]


@pytest.mark.parametrize(
    ("cut", "left"), [(True, [("good", 4), ("late", 2)]), (False, [("good", 4)])]
)
def test_what_is_left(cut: bool, left: list[tuple[str, int]]) -> None:
    trimming = Trimming(cut=cut)
    assert [(each.id, len(each.turns)) for each in trimming.parts(TALKS)] == left
    assert trimming.dropped == len(TALKS) - len(left)
    assert (trimming.cut, trimming.turns) == ((1, 4) if cut else (0, 0))


def test_convert_says_what_was_cut(tmp_path: Path) -> None:
    source, out = tmp_path / "talks.jsonl", tmp_path / "chat.jsonl"
    write_corpus(TALKS, source, to="native")
    convert = ["data", "convert", str(source), str(out), "--to", "chat", "--ungrounded", "cut"]
    result = CliRunner().invoke(app, [*convert, "--json"])
    facts = json.loads(result.stdout)
    assert result.exit_code == 0 and "1 dialogues end before" in result.stderr
    assert (facts["dialogues"], facts["cut"], facts["dropped"]) == (2, 1, 1)
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [each["metadata"]["cut"] for each in records] == [0, 4]
    assert all(each["metadata"]["ungrounded"] == [] for each in records)
    assert CliRunner().invoke(app, [*convert[:-3], "native", "--ungrounded", "cut"]).exit_code == 2


def test_queries_are_inferred_from_what_the_user_asked_for() -> None:
    """MultiWOZ: the state leaves the type open that the user has just named."""

    def state(**slots: str) -> SystemState:
        return SystemState((DomainState("attraction", tuple(slots.items())),))

    open_form = state(type="not mentioned", area="north")
    museum = state(type="museum", area="north")
    turns = (
        Turn(Speaker.USER, "A pool.", (Act(INFORM, "Attraction", "Type", "pool"),)),
        Turn(Speaker.SYSTEM, "Two.", first_query=open_form, last_query=open_form),
        Turn(Speaker.SYSTEM, "Four.", first_query=museum, last_query=museum),
        Turn(Speaker.SYSTEM, "Any.", first_query=open_form, last_query=open_form),
    )
    said = {("Type", "pool"): "swimming pool"}
    found = with_inferred_queries(Dialogue("1", turns), lambda slot, value: said[slot, value])
    queries = [turn.last_query.get("attraction").get("type") for turn in found.turns[1:]  # type: ignore[union-attr]
    ]  # fmt: skip
    assert queries == ["swimming pool", "museum", "not mentioned"]


def test_answers_are_marked(tmp_path: Path) -> None:
    """Fine-tuning leaves out what weighs nothing; everything else is as without marks."""
    source, out = tmp_path / "talks.jsonl", tmp_path / "chat.jsonl"
    write_corpus(TALKS[1:2], source, to="native")
    convert = ["data", "convert", str(source), str(out), "--to", "chat", "--ungrounded", "mark"]
    assert CliRunner().invoke(app, convert).exit_code == 0
    messages = json.loads(out.read_text())["messages"]
    answers = [(each["content"], each["weight"]) for each in messages if "weight" in each]
    assert answers == [("For 80, yes.", 1), ("That is 95.", 0), ("Bye.", 1)]
