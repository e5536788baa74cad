"""A world made by hand, with few sentences and no trained model, talks at once."""

from pathlib import Path

import pytest

from crosstalk.cli.output import TERMINAL
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.errors import InputError, WorldError
from crosstalk.model_folders import WEAK, Card, Provenance, write_card
from crosstalk.reports.run_summary import summarise
from crosstalk.simulation.build import Setup, parts_of
from crosstalk.simulation.runner import simulate
from crosstalk.simulation.sessions import Plan, SessionRules
from crosstalk.system.build import build_system
from crosstalk.system.nlu.rules.nlu import RulesNLU
from crosstalk.trainers.data import source_hint
from crosstalk.trainers.model_quality import F1, figure_of, report_weakness
from crosstalk.worlds.check import check_world
from crosstalk.worlds.world import find_world, load_world

RIVERSIDE = Path(__file__).parents[1] / "worlds" / "riverside"


def test_nothing_is_wrong_with_it() -> None:
    assert not list(check_world(RIVERSIDE))


def test_nine_of_ten_conversations_in_words_succeed(tmp_path: Path) -> None:
    setup = Setup(str(RIVERSIDE), user="rule", level="words", user_nlg="template")
    simulate(Plan(seed=1, count=20), setup, SessionRules(seed=1), tmp_path / "run")
    judged = summarise(tmp_path / "run").judgement.everything
    assert judged.success.right >= 18


def test_sentences_of_its_templates_mean_what_they_were_written_for() -> None:
    nlu = RulesNLU(load_world(RIVERSIDE), RIVERSIDE)
    said = Turn(Speaker.USER, "I need a clinic for eye care. When is the pharmacy open?")
    assert set(nlu.understand(said, [])) == {
        Act("Inform", "clinic", "specialty", "eye care"),
        Act("Request", "pharmacy", "times", ""),
    }
    told = Turn(Speaker.SYSTEM, "They sell bandages and sun cream. Yes, they have parking.")
    assert set(nlu.understand(told, [])) == {
        Act("Inform", "pharmacy", "sells", "bandages"),
        Act("Inform", "pharmacy", "sells", "sun cream"),
        Act("Inform", "pharmacy", "help-parking", "yes"),
    }


def trained(models: Path, f1: float) -> Path:
    folder = models / "nlu-riverside-en"
    folder.mkdir(parents=True)
    figures = {F1: f1, WEAK: f1 < 90}
    write_card(folder, Card("an NLU", "crosstalk train nlu", Provenance("made"), figures=figures))
    return folder


def test_best_passes_over_what_was_found_weak(tmp_path: Path) -> None:
    trained(tmp_path / "weak", 22.7)
    trained(tmp_path / "good", 97.0)

    def best(models: Path) -> tuple[str, str]:
        found = parts_of(str(RIVERSIDE), None, None, models)["best"]
        return found["nlu"], found["user_nlu"]

    assert best(tmp_path / "none") == ("rules", "sentences")
    assert best(tmp_path / "weak") == ("rules", "sentences")
    assert best(tmp_path / "good") == ("rules", "sentences")


def test_a_weak_model_is_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weak = trained(tmp_path / "weak", 22.7)
    report_weakness(weak, TERMINAL)
    told = " ".join(capsys.readouterr().err.split())
    assert "WEAK" in told
    assert "22.7" in told
    assert "templates/<language>.toml" in told
    good = trained(tmp_path / "good", 97.0)
    assert figure_of(good) is not None
    report_weakness(good, TERMINAL)
    assert "WEAK" not in capsys.readouterr().err


def test_hints_name_the_files_of_ones_own_world(tmp_path: Path) -> None:
    world = tmp_path / "mine"
    for file in RIVERSIDE.rglob("*.*"):
        copy = world / file.relative_to(RIVERSIDE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(file.read_text())
    (world / "templates" / "en.toml").unlink()
    assert "fetch" not in source_hint(world)
    assert "fetch crosswoz" in source_hint(find_world("crosswoz"))
    with pytest.raises(InputError) as silent:
        build_system(world)
    assert "fetch" not in silent.value.remedy
    assert "templates" in silent.value.remedy
    manifest = world / "world.toml"
    manifest.write_text('tables = "data"\n' + manifest.read_text())
    with pytest.raises(WorldError) as missing:
        load_world(world, data=tmp_path)
    assert "fetch" not in missing.value.remedy
