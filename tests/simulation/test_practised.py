"""Understanding that has practised with simulated users."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from crosstalk.model_folders import find_model
from crosstalk.system import boosted
from crosstalk.system.nlu.parts import NLU
from crosstalk.system.parts import build_part, context_of, resolve
from crosstalk.trainers import nlu
from crosstalk.trainers.job import Job
from crosstalk.worlds.world import load_world


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Trained, but for the growing of trees, which takes its time and is tested elsewhere."""
    grown = boosted.load(find_model("nlu-harbour-en"))[0]
    monkeypatch.setattr(nlu, "train_trees", lambda *_, **__: grown)
    nlu.train_practised(Job(tmp_path, "harbour", practice=12))
    return tmp_path


def test_it_is_taken_where_it_is_there(models: Path) -> None:
    world = load_world("harbour")
    named_so = replace(world, name="elsewhere", best={})  # a world that nothing ships for
    assert resolve(NLU, "best", context_of(named_so)) == "rules"
    context = context_of(world, models=models)
    assert resolve(NLU, "best", context) == "rules", "the world's own choice"
    assert resolve(NLU, "plain", context) == "trees"
    built = build_part(NLU, "trees-practised", context)
    assert built.folders == {"nlu-practised-harbour-en": models / "nlu-practised-harbour-en"}


def test_its_card_names_the_command(models: Path) -> None:
    card = json.loads((models / "nlu-practised-harbour-en" / "card.json").read_text())
    assert card["command"].startswith("crosstalk train nlu --model practised --world harbour")
    assert card["kind"] == "nlu" and card["dialogues"] == 24
