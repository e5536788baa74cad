"""Templates that a world brings along."""

from pathlib import Path
from random import Random

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import WorldError
from crosstalk.language.world_files import TEMPLATES, world_file
from crosstalk.system.nlg.world_templates import load_written, written_generator
from crosstalk.system.world_check import check_templates
from crosstalk.worlds.scaffold import copy_world
from crosstalk.worlds.world import find_world, load_schema

HARBOUR = find_world("harbour")
LANGUAGES = sorted(path.stem for path in (HARBOUR / "templates").glob("*.toml"))


@pytest.fixture
def town(tmp_path: Path) -> Path:
    copy_world("harbour", tmp_path / "town")
    return tmp_path / "town"


def problems(town: Path, templates: str) -> list[str]:
    (town / world_file(town, TEMPLATES, "en")).write_text(templates, encoding="utf-8")
    return [str(problem) for problem in check_templates(town) if problem.fatal]


@pytest.mark.parametrize("code", LANGUAGES)
def test_harbour_can_say_everything(code: str) -> None:
    wrong = [
        each
        for each in check_templates(HARBOUR)
        if each.file == world_file(HARBOUR, TEMPLATES, code)
    ]
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_words_for_yes_no_none_and_free_are_the_language_s(code: str) -> None:
    schema, pack = load_schema("harbour", language=code)
    say = written_generator(HARBOUR, schema, pack, Speaker.SYSTEM).say
    for value in (pack.yes, pack.no):
        said = say((Act("Inform", "hotel", "services-<1>", value),), Random(0))
        assert said.count("<1>") == 1 and "services" not in said
    nothing = say((Act("Inform", "hotel", "phone", pack.nothing),), Random(0))
    assert nothing and pack.slot_name("hotel", "phone") + ":" not in nothing


def test_lists_are_enumerated() -> None:
    schema, pack = load_schema("harbour")
    say = written_generator(HARBOUR, schema, pack, Speaker.SYSTEM).say
    acts = tuple(Act("Recommend", "hotel", "name", name) for name in ("A", "B", "C"))
    assert "A, B and C" in say(acts, Random(0))


def test_a_template_that_forgets_a_value(town: Path) -> None:
    said = problems(town, '[user]\n"Inform+hotel+price" = ["It should be cheap."]\n')
    assert said == [
        "templates/en.toml, line 2: 'It should be cheap.' does not say each value once. It needs "
        "{price}, each once. Where two acts share a name, write {domain.slot}."
    ]


def test_a_key_of_another_world(town: Path) -> None:
    said = problems(town, '[system]\n"Inform+zoo+lions" = ["{lions}"]\n')
    assert said == [
        "templates/en.toml, line 2: 'Inform+zoo+lions' is no act of this world. "
        "Write Intent+domain+slot with the world's own keys, or remove the line."
    ]


def test_missing_sentences_are_named_as_they_are_written(town: Path) -> None:
    """Not with the word of the language for what is not known, but as a key of the file."""
    path = town / world_file(town, TEMPLATES, "en")
    path.write_text("[user]\n[system]\n")
    missing = [each.message for each in check_templates(town)]
    assert "no sentence of the system says Inform+hotel+phone+none by itself" in missing


def test_two_slots_of_one_name_need_their_domains(town: Path) -> None:
    both = '"Inform+hotel+name*Inform+restaurant+name"'
    assert not problems(town, f'[user]\n{both} = ["{{hotel.name}}, then {{restaurant.name}}."]\n')
    assert problems(town, f'[user]\n{both} = ["{{name}}, then {{name}}."]\n')


@pytest.mark.parametrize("templates", ['user = "x"', "[user]\nthen = 3", '[user]\n"" = "x"', "[x]"])
def test_strange_files(town: Path, templates: str) -> None:
    assert problems(town, templates)


def test_acts_that_cannot_be_said_are_named(town: Path) -> None:
    (town / world_file(town, TEMPLATES, "en")).write_text("[user]\n[system]\n", encoding="utf-8")
    found = check_templates(town)
    assert "no sentence of the user says Inform+hotel+price by itself" in str(found)
    assert not any(problem.fatal for problem in found)


def test_a_language_without_templates(town: Path) -> None:
    (town / world_file(town, TEMPLATES, "en")).unlink()
    schema, pack = load_schema(town)
    with pytest.raises(WorldError, match="no templates in English"):
        load_written(town, schema, pack, Speaker.USER)
