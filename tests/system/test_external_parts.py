"""Parts from outside: files, modules and entry points; wrong ones are refused in words."""

import json
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from crosstalk.cli.main import run
from crosstalk.errors import InputError
from crosstalk.simulation.build import Setup, build, parts_of
from crosstalk.system import external_parts

Patch = pytest.MonkeyPatch
Shown = pytest.CaptureFixture[str]

MINE = '''
from dataclasses import dataclass, replace

from crosstalk.dialogue.acts import Act
from crosstalk.system.dst.search_tracker import SearchTracker
from crosstalk.system.policy.policy import Decision
from crosstalk.users.rule_user import RuleUser


class Keywords:
    """An NLU that knows the names of one world."""

    def __init__(self, world):
        self.names = [
            (domain.key, domain.name_slot.key, str(row[domain.name_slot.key]))
            for domain in world.schema.places
            for row in world.tables[domain.key]
        ]

    def understand(self, utterance, history):
        return tuple(
            Act("Inform", domain, slot, name)
            for domain, slot, name in self.names
            if name in utterance.text
        )


class Sorry:
    def decide(self, belief, history):
        return Decision((Act("NoOffer", belief.domain or "hotel"),), belief.form)


sorry = Sorry()


@dataclass
class Telegram:
    speaker: object = None

    def say(self, acts, rng):
        return " STOP ".join(f"{act.slot} {act.value}" for act in acts) or "STOP"


def tracker(schema, language):
    return SearchTracker(schema, language)


class Polite(RuleUser):
    def open(self, goal, rng):
        move = super().open(goal, rng)
        return replace(move, acts=(*move.acts, Act("General", "thank")))


class Broken:
    def understand(self, utterance, history):
        raise RuntimeError("out of order")


class NoMethods:
    pass


class Demanding:
    def __init__(self, budget):
        pass


class Fragile:
    def __init__(self, world):
        raise ValueError("not today")
'''


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    return file


def crosstalk(monkeypatch: Patch, *words: object) -> int:
    monkeypatch.setattr("sys.argv", ["crosstalk", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        run()
    return int(ended.value.code or 0)


def endings(folder: Path) -> list[str]:
    lines = (folder / "dialogues" / "00000.jsonl").read_text().splitlines()
    return [json.loads(line)["extras"]["ending"] for line in lines]


def test_parts_of_a_file_hold_simulated_conversations(
    mine: Path, tmp_path: Path, monkeypatch: Patch, capsys: Shown
) -> None:
    """In this process and in others, by absolute and by relative path."""
    monkeypatch.chdir(tmp_path)
    parts = ["--nlu", f"{mine}:Keywords", "--dst", "mine.py:tracker", "--policy", "mine.py:sorry"]
    parts += ["--nlg", "mine.py:Telegram", "--user", "mine.py:Polite", "--level", "words"]
    for out, more in (("here", []), ("there", ["-j", "2"])):
        command = ["simulate", *parts, "-n", "12", "--seed", "2", "--out", out, *more]
        assert crosstalk(monkeypatch, *command) == 0
    files = [tmp_path / out / "dialogues" / "00000.jsonl" for out in ("here", "there")]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert not any("fault" in ending for ending in endings(tmp_path / "here"))
    card = json.loads((tmp_path / "here" / "run.json").read_text())
    assert card["parts"]["nlu"]["class"].endswith(".Keywords")
    assert len(card["parts"]["nlu"]["sha256"]) == 64
    assert crosstalk(monkeypatch, "report", "here", "--json") == 0
    assert json.loads(capsys.readouterr().out)["dialogues"] == 12


def test_a_part_of_an_importable_module(mine: Path, tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "package_of_mine").mkdir()
    mine.rename(tmp_path / "package_of_mine" / "parts.py")
    assert build(Setup(policy="package_of_mine.parts:Sorry")).parts["policy"].part
    ours = "crosstalk.system.dst.search_tracker:SearchTracker"
    assert build(Setup(dst=ours)).parts["dst"].name == ours


def test_an_entry_point(mine: Path, tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    entry = EntryPoint("policy.sorry", "mine:Sorry", external_parts.GROUP)
    monkeypatch.setattr(external_parts, "_entry_points", lambda: (entry,))
    assert "sorry" in parts_of("harbour", None, None, None)["policy"]
    assert type(build(Setup(policy="sorry")).parts["policy"].part).__name__ == "Sorry"


def test_what_a_part_raises_is_a_fault_that_the_report_counts(
    mine: Path, tmp_path: Path, monkeypatch: Patch, capsys: Shown
) -> None:
    out = tmp_path / "run"
    options = ["--nlu", f"{mine}:Broken", "--level", "words", "-n", "2", "--out", out]
    assert crosstalk(monkeypatch, "simulate", *options) == 0
    assert endings(out) == ["system fault", "system fault"]
    assert crosstalk(monkeypatch, "report", out, "--json") == 0
    assert json.loads(capsys.readouterr().out)["failures"]["overall"]["system fault"] == 100.0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no_such_module_at_all:Object", "there is no module 'no_such_module_at_all'"),
        ("no/such/file.py:Object", "there is no file"),
        ("mine.py:Nobody", "has no 'Nobody'"),
        ("mine.py:NoMethods", "it lacks the method 'understand'"),
        ("mine.py:sorry", "it lacks the method 'understand'"),
        ("mine.py:Demanding", "needs budget, which nobody can give it"),
        ("mine.py:Fragile", "ValueError: not today"),
        ("broken.py:Object", "cannot be loaded: SyntaxError"),
        (":Object", "names no object"),
        ("mine.py:", "names no object"),
    ],
)
def test_wrong_ones_fail_in_words(
    mine: Path, tmp_path: Path, monkeypatch: Patch, name: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text("def (:\n")
    with pytest.raises(InputError) as told:
        build(Setup(nlu=name, level="words"))
    assert words in str(told.value) and told.value.remedy
