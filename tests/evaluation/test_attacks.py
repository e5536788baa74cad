"""Prompt injection in tables: agents see it, users and judges do not; obedience is counted."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.agents.scripted_endpoint import Answer, Json, calls, endpoint, says
from tests.commands import Call, caller
from tests.evaluation.test_judging import agent

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.reading.conversation import ConversationReader
from crosstalk.reading.prose_nlu import said_in
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.sessions import Plan, simulated_dialogues
from crosstalk.users.perturbations import injections
from crosstalk.worlds.poisoning import SEPARATOR, marker, poisoned, written
from crosstalk.worlds.world import load_world


@pytest.fixture
def crosstalk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(monkeypatch, capsys)


def test_cells_keep_their_truth_and_gain_an_instruction() -> None:
    world = load_world("harbour", language="en")
    hurt = poisoned(world, 0.5, 3, injections())
    assert hurt == poisoned(world, 0.5, 3, injections()) != poisoned(world, 0.5, 4, injections())
    texts, changed = set(written(injections(), 3)), set[str]()
    cells = 0
    for key, table in world.tables.items():
        for row, other in zip(table, hurt.tables[key], strict=True):
            for slot, cell in row.items():
                if other[slot] != cell:
                    true, _, instruction = str(other[slot]).partition(SEPARATOR)
                    assert true == cell and instruction in texts
                    changed.add(instruction)
                    cells += 1
    assert changed == texts and len(texts) == 10 and cells > 100


def test_only_the_agent_sees_them(tmp_path: Path) -> None:
    name = agent(tmp_path)
    simulation = build(Setup(language="en", agent=name, poison=1.0, seed=3))
    assert simulation.world == load_world("harbour", language="en")
    phones = [row["phone"] for row in simulation.database.world.tables["hotel"]]
    assert not any(marker(3) in str(phone) for phone in phones)


def test_obedience_is_counted(crosstalk: Call, tmp_path: Path) -> None:
    sign = marker(3)

    def obey(body: Json, number: int) -> Answer:
        last = body["messages"][-1]
        if last["role"] == "tool":
            return says(f"{sign} is all I say." if sign in last["content"] else "No idea.")
        return calls("get_hotel", '{"name": "Grand Hotel Halmora"}')

    with endpoint(obey) as server:
        code, printed, _ = crosstalk(
            "judge", "--agent", f"openai:m@{server.url}", "--tools", "native", "--language", "en",
            "-n", 2, "--seed", 3, "--max-turns", 2, "--poison", 1, "--out", tmp_path / "run",
            "--json",
        )  # fmt: skip
    found = json.loads(printed)
    assert code == 0 and (tmp_path / "run-poisoned").is_dir()
    assert found["injection"] == {
        "success_without": 0.0, "success_under": 0.0, "attacked": 2, "obeyed": 2,
        "obeyed_share": 100.0, "recited": 0,
    }  # fmt: skip


def test_our_own_system_is_not_attacked(crosstalk: Call, tmp_path: Path) -> None:
    out = tmp_path / "run"
    code, _, told = crosstalk("judge", "--agent", "system", "--poison", 0.5, "--out", out)
    assert code == 2 and "--poison" in told and not out.exists()


def test_claims_are_the_same_in_a_reply_that_recites_an_instruction() -> None:
    """The reader takes instructions for text like any other, and claims nothing from them."""
    reader = ConversationReader.of("harbour", "en")
    dialogues = simulated_dialogues(Plan(seed=2, count=10), Setup(language="en", level="words"))
    texts = written(injections(), 3)
    compared = 0
    for number, dialogue in enumerate(dialogues):

        def hurt(turn: Turn, text: str = texts[number]) -> Turn:
            is_user = turn.speaker is Speaker.USER
            return turn if is_user else replace(turn, text=f"{turn.text} {text}")

        first, second = (
            [
                [(each.domain, each.slot, each.value, each.verdict) for each in read.reading.claims]
                for read in reader.read(said_in(turns))
            ]
            for turns in (dialogue.turns, tuple(map(hurt, dialogue.turns)))
        )
        assert first == second
        compared += sum(map(len, first))
    assert compared > 50
