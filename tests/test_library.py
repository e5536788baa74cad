"""`import crosstalk`: the library, with names and with live objects."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random

import pytest

import crosstalk
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Goal, Tuples
from crosstalk.dialogue.participants import Reply
from crosstalk.errors import InputError
from crosstalk.library import AgentRunKeywords, AgentRunOptions, RunKeywords, RunOptions
from crosstalk.trainers.job import Job, JobKeywords
from crosstalk.trainers.table import TRAINERS, TrainKeywords
from crosstalk.users.rule_user import RuleUser
from crosstalk.users.simulator import UserMove


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_import_is_light_and_leaves_the_environment_alone() -> None:
    code = (
        "import os, sys; before = dict(os.environ)\n"
        "import crosstalk\n"
        "heavy = {'numpy', 'torch', 'lightgbm', 'pydantic'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "assert dict(os.environ) == before\n"
        "crosstalk.simulate; assert dict(os.environ) == before, 'set by the library'\n"
    )
    python(code)


def test_everything_offered_is_there_and_documented() -> None:
    for name in crosstalk.__all__:
        assert getattr(crosstalk, name).__doc__
        assert name in dir(crosstalk)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = crosstalk.nothing
    assert (Path(crosstalk.__file__).parent / "py.typed").exists()


def test_a_system_is_simulated_and_judged() -> None:
    system = crosstalk.build_system("harbour", language="en")
    run = crosstalk.simulate(system=system, goals=3, seed=1)
    judged = crosstalk.judge(run)
    assert judged.dialogues == 3 == len(list(run.dialogues()))
    assert 0 <= (judged.success["overall"] or 0) <= 100
    assert run.card.setup["level"] == "words"


def test_the_library_holds_the_conversations_of_the_command(tmp_path: Path) -> None:
    from crosstalk.simulation.build import Setup
    from crosstalk.simulation.runner import simulate
    from crosstalk.simulation.sessions import Plan, SessionRules

    there = simulate(Plan(4, count=5), Setup("harbour"), SessionRules(4), tmp_path / "command")
    here = crosstalk.simulate(goals=5, seed=4, out=tmp_path / "library")
    assert list(here.dialogues()) == list(there.dialogues())
    assert crosstalk.judge(here).success == crosstalk.judge(tmp_path / "command").success


@dataclass
class Parrot:
    """A participant of one's own: answers every question with the same word."""

    calls: int = 0

    def begin(self) -> int:
        return 0

    def reply(self, heard: Turn | None, state: int) -> tuple[Reply, int]:
        assert heard is not None
        self.calls += 1
        asked = [act for act in heard.acts if act.intent == "Request"]
        acts = tuple(Act("Inform", act.domain, act.slot, "none") for act in asked)
        return Reply(Turn(Speaker.SYSTEM, "", acts)), state + 1


class Quiet(RuleUser):
    def open(self, goal: Goal, rng: Random) -> UserMove:
        return super().open(goal, rng)

    def respond(
        self, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...], rng: Random
    ) -> UserMove:
        return super().respond(goal, tuples, said, heard, rng)


def test_live_objects_on_both_sides_and_goals_of_a_list(tmp_path: Path) -> None:
    world = crosstalk.load_world("harbour")
    goals = crosstalk.sample_goals(world, 4, seed=2)[1:3]
    parrot, user = Parrot(), Quiet(world.schema, world.language)
    out = tmp_path / "run"
    run = crosstalk.simulate(parrot, user, goals, world=world, out=out, seed=1)
    assert parrot.calls
    assert [dialogue.goal.tuples for dialogue in run.dialogues() if dialogue.goal] == [
        goal.tuples for goal in goals
    ]
    assert run.card.setup["system"] == "Parrot (live)"
    assert crosstalk.judge(out).success["overall"] == 0.0


class Failing:
    def understand(self, utterance: Turn, history: object) -> tuple[Act, ...]:
        raise RuntimeError("out of order")


def test_a_live_part_that_raises_is_a_fault() -> None:
    system = crosstalk.build_system("harbour", nlu=Failing())
    run = crosstalk.simulate(system, goals=2)
    assert [dialogue.extras["ending"] for dialogue in run.dialogues()] == ["system fault"] * 2
    assert "out of order" in next(iter(run.dialogues())).extras["fault"]
    assert crosstalk.judge(run).figures["failures"]["overall"]["system fault"] == 100.0


def test_parts_are_scored_by_name_and_live() -> None:
    run = crosstalk.simulate(crosstalk.build_system("harbour", language="de"), goals=3, seed=2)
    dialogues = list(run.dialogues())
    options = {"world": "harbour", "language": "de"}
    for kind, part in (
        ("nlu", "trees"),
        ("dst", "search"),
        ("policy", "rule"),
        ("nlg", "template"),
        ("user", "rule"),
    ):
        assert crosstalk.evaluate(kind, part, dialogues, **options)  # type: ignore[arg-type]
    world = crosstalk.load_world("harbour", language="de")
    assert crosstalk.evaluate("user", Quiet(world.schema, world.language), dialogues, world=world)


def test_a_part_is_trained_as_the_command_does(tmp_path: Path) -> None:
    folder = crosstalk.train("user", tmp_path, world="harbour", language="en", practice=10)
    assert folder == tmp_path / "user"
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    wanted = "crosstalk train user --world harbour --language en --practice 10 --seed 1"
    assert card["command"] == wanted
    with pytest.raises(InputError, match="no trainer of user best-of-all"):
        crosstalk.train("user", tmp_path, model="best-of-all")


def test_what_does_not_fit_is_told() -> None:
    system = crosstalk.build_system("harbour", language="en")
    with pytest.raises(InputError, match="built for the level 'words'"):
        crosstalk.simulate(system, goals=1, level="acts")
    with pytest.raises(InputError, match="built for harbour in 'en'"):
        crosstalk.simulate(system, goals=1, world="harbour", language="zh")
    with pytest.raises(InputError, match="lacks the method 'open'"):
        crosstalk.simulate(user=Parrot(), goals=1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no kind of part called 'ears'"):
        crosstalk.evaluate("ears", "trees", [], world="harbour")


def test_no_module_sets_variables_of_other_libraries_when_imported() -> None:
    assert (
        "HF_HUB_OFFLINE"
        not in python(
            "import os; import crosstalk.system.build, crosstalk.library; print(list(os.environ))"
        )
        or "HF_HUB_OFFLINE" in os.environ
    )


def test_options_are_a_value_or_keywords(tmp_path: Path) -> None:
    options = crosstalk.RunOptions(world="harbour", language="de", exchanges=1)
    run = crosstalk.simulate(goals=1, options=options, out=tmp_path / "value")
    again = crosstalk.simulate(
        goals=1, world="harbour", language="de", exchanges=1, out=tmp_path / "keywords"
    )
    assert list(run.dialogues()) == list(again.dialogues())
    assert len(next(iter(run.dialogues())).turns) == 2
    with pytest.raises(TypeError, match="exchangs"):
        crosstalk.simulate(goals=1, exchangs=1)  # type: ignore[call-arg]


def test_every_trainer_of_the_commands_is_in_the_library(tmp_path: Path) -> None:
    names = {(each.kind, each.name) for each in TRAINERS}
    assert {("nlu", "bert"), ("dst", "trade"), ("nlg", "sclstm")} <= names
    options = {name for each in TRAINERS for name in each.options}
    assert options <= TrainKeywords.__annotations__.keys()
    with pytest.raises(InputError, match="steps: the trainer of user best has no such option"):
        crosstalk.train("user", tmp_path, steps=3)


def test_keywords_are_the_fields_of_their_options() -> None:
    assert set(RunKeywords.__annotations__) == {each.name for each in fields(RunOptions)}
    judged = {each.name for each in fields(AgentRunOptions)}
    assert set(AgentRunKeywords.__annotations__) == judged
    assert set(JobKeywords.__annotations__) <= {each.name for each in fields(Job)}
