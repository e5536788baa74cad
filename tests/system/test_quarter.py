"""A second world written by hand from the docs alone: a dentist's chair and tools to borrow.

What it has that others do not: codes with a hyphen (`Z-123`), something that users bring along (a
library card), titles in names (`Dr. Lin Yue`), an argument whose values are also searched for, and
a fee that is paid before a tool comes back. In English and Chinese.
"""

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import crosstalk
from crosstalk.cli.main import app
from crosstalk.goals.action_goals import ActionSampler
from crosstalk.goals.sampler import goal_rng
from crosstalk.system.build import build_system
from crosstalk.system.chat import Answer, reply
from crosstalk.system.pipeline import System
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tools import WorldTools
from crosstalk.worlds.world import load_world

WORLD = Path(__file__).parent.parent / "worlds" / "quarter"
Talk = Callable[..., list[Answer]]


@pytest.fixture(scope="module")
def talk() -> Talk:
    systems: dict[str, System] = {}

    def said(code: str, *texts: str) -> list[Answer]:
        if code not in systems:
            systems[code] = build_system(load_world(WORLD, language=code), actions=True)
        answers, session = list[Answer](), systems[code].begin()
        for text in texts:
            answer, session = reply(systems[code], text, session)
            answers.append(answer)
        return answers

    return said


def done(answers: list[Answer]) -> list[tuple[str, dict[str, object]]]:
    events = [event for answer in answers for event in answer.actions if event.done]
    return [(event.action, dict(event.arguments)) for event in events]


def given(answers: list[Answer], key: str) -> str:
    events = [event for answer in answers for event in answer.actions if event.done]
    return str(events[-1].gives[key])


def test_nothing_is_wrong() -> None:
    assert crosstalk.check_world(WORLD) == []


def test_goals_draw_what_users_bring_along_and_follow_a_loan_to_its_end() -> None:
    sampler = ActionSampler(Executor(Database(load_world(WORLD))))
    drawn = [sampler.draw((), goal_rng(3, number)) for number in range(60)]
    cards = {
        wish["card"]
        for wanted in drawn
        for each in wanted
        if each.action == "borrow_tool"
        for wish in each.wishes
    }
    assert cards == {"C-1182", "C-2290", "C-7301"}
    chains = Counter(tuple(each.action for each in wanted) for wanted in drawn)
    assert chains["borrow_tool", "pay_loan", "return_tool"]
    ends = (wanted for wanted in drawn if [each.action for each in wanted][2:] == ["return_tool"])
    last = next(ends)
    assert last[2].wishes == ({"loan": "$1.loan"},), "the code that the first action gave"


def test_the_check_names_what_goals_cannot_draw(tmp_path: Path) -> None:
    folder = shutil.copytree(WORLD, tmp_path / "quarter")
    file = folder / "world.toml"
    examples = '{ kind = "key", examples = ["C-1182", "C-2290", "C-7301"] }'
    file.write_text(file.read_text(encoding="utf-8").replace(examples, '"key"'), encoding="utf-8")
    (problem,) = crosstalk.check_world(folder)
    assert "no goal can have `borrow_tool` done: nothing says what `card` may be" in str(problem)
    assert not problem.fatal and 'examples = ["...", "..."]' in problem.remedy


def test_a_code_with_a_hyphen_is_understood(talk: Talk) -> None:
    answers = talk(
        "en", "Make an appointment with Dr. Lin Yue for a cleaning on 15 September at 10:00", "yes"
    )
    code = given(answers, "code")
    assert code.startswith("Z-")
    moved = talk(
        "en",
        "Make an appointment with Dr. Lin Yue for a cleaning on 15 September at 10:00",
        "yes",
        f"Could you move an appointment? Appointment code {code.lower()}, date 17 September.",
        "yes",
    )
    assert done(moved)[1] == ("move_appointment", {"code": code, "date": "2026-09-17"})


def test_a_card_is_read_by_the_look_of_its_examples(talk: Talk) -> None:
    answers = talk(
        "en",
        "I would like to borrow a tool: Circular Saw, from 15 September, 2 days.",
        "my card is c-4471",
        "yes",
    )
    assert done(answers)[0][1]["card"] == "C-4471"


def test_a_value_of_an_argument_is_no_wish_for_another_place(talk: Talk) -> None:
    answers = talk(
        "en",
        "I am looking for the dentist Dr. Lin Yue. In which street is the dentist?",
        "Please make an appointment: treatment: filling, on 15 September, at 10:00.",
        "yes",
    )
    assert done(answers)[0][1]["entity"] == "Dr. Lin Yue", "although another one does fillings"


def test_yes_and_no_behind_the_words_for_a_change(talk: Talk) -> None:
    answers = talk(
        "zh", "请帮我预约牙医：奥卡福医生，治疗补牙，10月20日星期二，12:30，疼痛改为否。", "是的"
    )
    assert done(answers)[0][1]["pain"] == "否"


@pytest.mark.parametrize("code", ["en", "zh"])
def test_simulated_users_get_everything_done_in_words(code: str, tmp_path: Path) -> None:
    options = crosstalk.RunOptions(world=WORLD, language=code, level="words", actions=True)
    run = crosstalk.simulate(goals=6, seed=5, out=tmp_path / "run", options=options)
    scores = crosstalk.judge(run)
    assert scores.success["overall"] == 100.0


def test_a_run_becomes_chat_data_wherever_it_is_converted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run knows the folder of its world, and arguments are as the tools say: true, not yes."""
    options = crosstalk.RunOptions(world=WORLD, level="words", actions=True)
    run = crosstalk.simulate(goals=3, seed=5, out=tmp_path / "run", options=options)
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(
        app, ["data", "convert", str(run.folder), "chat.jsonl", "--to", "chat"]
    )
    assert told.exit_code == 0, told.output
    records = [json.loads(line) for line in Path("chat.jsonl").read_text().splitlines()]
    calls = [
        call["function"]
        for record in records
        for message in record["messages"]
        for call in message.get("tool_calls") or []
    ]
    assert {"search_tool", "make_appointment"} <= {call["name"] for call in calls}
    pains = [c["arguments"]["pain"] for c in calls if "pain" in c["arguments"]]
    assert pains and all(isinstance(pain, bool) for pain in pains)


def test_a_refusal_without_a_sentence_names_the_argument() -> None:
    tools = WorldTools(Database(load_world(WORLD)), actions=True)
    loan = {"entity": "Circular Saw", "from": "2026-09-14", "days": 9, "card": "C-1182"}
    told = tools.call("borrow_tool", loan, tools.executor.begin("one")).result
    assert told == {"refused": "limit", "message": "limit: number of days"}
