"""Run folders: the same bytes whoever wrote them, and nothing lost when killed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.goals import GoalType
from crosstalk.errors import FormatError, InputError, OutputError
from crosstalk.evaluation.outcomes import Reason
from crosstalk.evaluation.scores import Share
from crosstalk.evaluation.success_rates import Judgement, Mix, Tally, judged, judgement
from crosstalk.simulation import run_folders
from crosstalk.simulation.build import Setup
from crosstalk.simulation.run_folders import Run, open_run, recording, shards
from crosstalk.simulation.runner import Engine, simulate, world_of
from crosstalk.simulation.sessions import Plan, SessionRules, sessions
from crosstalk.system.dst.tracker import DialogueState
from crosstalk.system.policy.policy import Decision
from crosstalk.system.policy.rule_policy import RulePolicy
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_world

SETUP = Setup(policy="rule")


def run(folder: Path, *, count: int = 12, seed: int = 1, **options: object) -> Run:
    return simulate(Plan(seed, count=count), SETUP, SessionRules(seed), folder, **options)  # type: ignore[arg-type]


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_run_holds_its_dialogues_in_order(tmp_path: Path) -> None:
    done = run(tmp_path / "run")
    dialogues = list(done.dialogues())

    assert [dialogue.extras["number"] for dialogue in dialogues] == list(range(12))
    assert dialogues[3].id == "harbour-1-3"
    assert done.is_complete and done.card.sessions == 12
    assert all(dialogue.goal and dialogue.goal.description for dialogue in dialogues)


def test_two_workers_write_the_same_bytes_as_one(tmp_path: Path) -> None:
    run(tmp_path / "one", count=25)
    run(tmp_path / "two", count=25, engine=Engine(workers=2))

    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_another_seed_gives_other_dialogues(tmp_path: Path) -> None:
    run(tmp_path / "a", seed=1)
    run(tmp_path / "b", seed=2)

    assert contents(tmp_path / "a") != contents(tmp_path / "b")


def test_the_first_sessions_do_not_depend_on_how_many_follow(tmp_path: Path) -> None:
    short = list(run(tmp_path / "short", count=3).dialogues())
    long = list(run(tmp_path / "long", count=6).dialogues())

    assert long[:3] == short


def test_so_many_goals_of_each_type_in_the_order_they_are_drawn(tmp_path: Path) -> None:
    plan = list(sessions(Plan(5, per_type=4), load_world("harbour")))

    kinds = [session.goal.type for session in plan]
    assert {kind: kinds.count(kind) for kind in GoalType} == dict.fromkeys(GoalType, 4)
    numbers = [session.goal_number for session in plan]
    assert numbers == sorted(numbers)
    assert numbers[:4] == [0, 1, 2, 3], "no type can be full before as many goals were drawn"


@pytest.mark.parametrize("plan", [Plan(2, count=4, repeat=3), Plan(2, per_type=2, repeat=2)])
def test_sessions_may_begin_anywhere(plan: Plan) -> None:
    world = load_world("harbour")
    every = list(sessions(plan, world))

    for start in (0, 1, 5, 7, len(every)):
        assert list(sessions(plan, world, start=start)) == every[start:]


def test_repeats_of_a_goal_stand_together_and_differ(tmp_path: Path) -> None:
    plan = Plan(3, count=6, repeat=3)
    done = simulate(plan, SETUP, SessionRules(3), tmp_path / "run")
    dialogues = list(done.dialogues())

    assert [each.extras["goal_number"] for each in dialogues] == sorted([*range(6)] * 3)
    assert dialogues[0].goal == dialogues[1].goal
    assert any(dialogues[at].turns != dialogues[at + 1].turns for at in range(0, 18, 3)), (
        "each repeat has its own randomness"
    )
    told = judgement(done, judged(done, Database(world_of(done))))
    assert sum(told.everything.tries.values()) == 6


def test_overall_of_goals_as_they_come_is_all_dialogues(tmp_path: Path) -> None:
    done = simulate(Plan(4, count=8), SETUP, SessionRules(4), tmp_path / "run")
    told = judgement(done, judged(done, Database(world_of(done))))

    assert told.mix is Mix.NATURAL
    assert told.overall(lambda tally: tally.dialogues) == 8
    assert sum(told.weights.values()) == pytest.approx(1)


def test_overall_of_so_many_goals_a_type_weighs_them_as_published(tmp_path: Path) -> None:
    done = simulate(Plan(4, per_type=3), SETUP, SessionRules(4), tmp_path / "run")
    told = judgement(done, judged(done, Database(world_of(done))))

    assert told.everything.dialogues == 15
    assert told.mix is Mix.PUBLISHED
    single = told.weights[GoalType.S]
    assert single == pytest.approx(417 / 5012)
    only_single = {kind: Tally(finish=Share(3 * (kind == GoalType.S), 3)) for kind in GoalType}
    weighted = Judgement(only_single, told.everything, Mix.PUBLISHED)
    assert weighted.overall(lambda tally: tally.finish.percent) == pytest.approx(100 * single)


def test_types_that_a_run_lacks_do_not_count() -> None:
    half = {
        GoalType.S: Tally(finish=Share(4, 4)),
        GoalType.M: Tally(finish=Share(0, 4)),
        GoalType.CM: Tally(),
    }
    told = Judgement(half, Tally(), Mix.PUBLISHED)
    assert told.overall(lambda tally: tally.finish.percent) == pytest.approx(41700 / (417 + 1573))


class Moody:
    """A policy that fails at the third exchange of every dialogue that lasts so long."""

    def __init__(self, database: Database) -> None:
        self._calm = RulePolicy(database)

    def decide(self, belief: DialogueState, history: tuple[Turn, ...]) -> Decision:
        if len(history) == 5:
            raise KeyError("mood")
        return self._calm.decide(belief, history)


def test_a_system_that_raises_loses_its_dialogues_and_the_run_goes_on(tmp_path: Path) -> None:
    setup = Setup(policy=f"{__file__}:Moody")
    done = simulate(Plan(1, count=12), setup, SessionRules(1), tmp_path / "run")
    outcomes = [outcome for _, outcome in judged(done, Database(world_of(done)))]

    assert len(outcomes) == 12
    failed = [outcome for outcome in outcomes if outcome.reason]
    assert failed and all(outcome.reason is Reason.SYSTEM for outcome in failed)
    assert {cause.words for outcome in failed for cause in outcome.causes} == {
        "raised KeyError: 'mood'"
    }


# Stopped and continued


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    """Kill -9 in the middle, tear the last line, resume: the same bytes as if nothing happened."""
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    code = (
        "from pathlib import Path\n"
        "from crosstalk.simulation.sessions import Plan, SessionRules\n"
        "from crosstalk.simulation.runner import simulate\n"
        "from crosstalk.simulation.build import Setup\n"
        "plan, setup = Plan(1, count=90), Setup(policy='rule')\n"
        f"simulate(plan, setup, SessionRules(1), Path({str(killed)!r}))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    _wait_for_dialogues(killed, process)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    (shard,) = shards(killed)
    with shard.open("ab") as file:
        file.write(b'{"id": "harbour-1-99", "turns": [')  # torn: the line never ended

    stopped = open_run(killed)
    assert not stopped.is_complete
    before = len(list(stopped.dialogues()))
    assert 0 < before < 90
    run(killed, count=90, resume=True)
    run(whole, count=90)

    assert contents(killed) == contents(whole)


def _wait_for_dialogues(folder: Path, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        if shards(folder) and shards(folder)[0].stat().st_size:
            return
        assert process.poll() is None, "the run was over before it could be killed"
        time.sleep(0.05)
    pytest.fail("the run never began")


def test_a_run_may_stop_anywhere_even_between_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_folders, "SHARD", 5)
    run(tmp_path / "whole", count=12)
    assert [path.name for path in shards(tmp_path / "whole")] == [
        "00000.jsonl",
        "00001.jsonl",
        "00002.jsonl",
    ]
    expected = contents(tmp_path / "whole")
    for held in (0, 5, 11):
        stopped = tmp_path / f"stopped-{held}"
        run(stopped, count=12)
        _cut(stopped, held)
        run(stopped, count=12, resume=True)
        assert contents(stopped) == expected, f"stopped after {held}"


def _cut(folder: Path, held: int) -> None:
    """Leave the first dialogues of a run, as a kill would."""
    for number, path in enumerate(shards(folder)):
        lines = path.read_bytes().splitlines(keepends=True)[: max(0, held - 5 * number)]
        if lines:
            path.write_bytes(b"".join(lines))
        else:
            path.unlink()
    card = folder / run_folders.CARD
    card.write_text(card.read_text().replace('"complete"', '"running"'))


def test_resuming_a_complete_run_changes_nothing(tmp_path: Path) -> None:
    run(tmp_path / "run")
    before = contents(tmp_path / "run")
    run(tmp_path / "run", resume=True)

    assert contents(tmp_path / "run") == before


# Wrong folders


def test_a_run_is_never_written_over(tmp_path: Path) -> None:
    run(tmp_path / "run")
    with pytest.raises(OutputError, match="holds a run already"):
        run(tmp_path / "run")


def test_another_run_is_not_gone_on_with(tmp_path: Path) -> None:
    run(tmp_path / "run", seed=1)
    before = contents(tmp_path / "run")
    with pytest.raises(InputError, match="seed was 1, is now 2"):
        run(tmp_path / "run", seed=2, resume=True)
    assert contents(tmp_path / "run") == before


def test_a_run_of_another_version_is_not_gone_on_with(tmp_path: Path) -> None:
    run(tmp_path / "run")
    card = tmp_path / "run" / "run.json"
    card.write_text(card.read_text().replace('"version": "', '"version": "9.'))
    with pytest.raises(InputError, match="version of Crosstalk was 9"):
        run(tmp_path / "run", resume=True)


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ("", "the file is empty"),
        ("{", "not valid JSON"),
        ("[]", "not the card of a run"),
        ('{"what": "crosstalk run", "format": 99}', "written in format 99"),
        ('{"what": "crosstalk run", "format": 1, "setup": {}}', "damaged"),
    ],
)
def test_a_card_nobody_can_read(tmp_path: Path, card: str, words: str) -> None:
    (tmp_path / "run.json").write_text(card)
    with pytest.raises(InputError, match=words):
        open_run(tmp_path)


@pytest.mark.parametrize(
    ("table", "name", "odd"),
    [
        ("setup", "world", True),
        ("setup", "language", None),
        ("digests", "world", 5),
        ("plan", "seed", "x"),
        ("rules", "exchanges", "many"),
        ("parts", "nlu", {"name": "rules"}),
    ],
)
def test_an_edited_card_is_told(tmp_path: Path, table: str, name: str, odd: object) -> None:
    run(tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    card = json.loads(file.read_text())
    card[table][name] = odd
    file.write_text(json.dumps(card))
    with pytest.raises(FormatError, match="the card is damaged"):
        open_run(tmp_path / "run")


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(OutputError, match="holds other things than a run"):
        run(tmp_path)
    assert contents(tmp_path) == {"thesis.tex": b"precious"}


def test_missing_files_in_the_middle_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_folders, "SHARD", 5)
    run(tmp_path / "run")
    shards(tmp_path / "run")[1].unlink()
    with pytest.raises(FormatError, match="not those it wrote"):
        run(tmp_path / "run", resume=True)


def test_a_damaged_line_is_told_with_its_place(tmp_path: Path) -> None:
    done = run(tmp_path / "run")
    (shard,) = shards(done.folder)
    lines = shard.read_text().splitlines(keepends=True)
    lines[4] = json.dumps({"id": "x", "turns": [{"speaker": "nobody", "text": ""}]}) + "\n"
    shard.write_text("".join(lines))

    with pytest.raises(FormatError, match=r"00000.jsonl, line 5"):
        list(done.dialogues())


def test_two_processes_do_not_write_one_run(tmp_path: Path) -> None:
    done = run(tmp_path / "run")
    with (
        recording(done.folder, done.card, resume=True),
        pytest.raises(OutputError, match="another process"),
        recording(done.folder, done.card, resume=True),
    ):
        pass


def test_tables_that_changed_since_are_told(tmp_path: Path) -> None:
    done = run(tmp_path / "run")
    card = tmp_path / "run" / "run.json"
    card.write_text(card.read_text().replace(done.card.digests["world"], "0" * 64))
    with pytest.raises(InputError, match="not those of the run any more"):
        world_of(open_run(done.folder))
