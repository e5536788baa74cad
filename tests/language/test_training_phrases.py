from pathlib import Path

import pytest

from crosstalk.errors import InputError, WorldError
from crosstalk.language.training_phrases import TrainingPhrases, kept_book, load_book
from crosstalk.worlds.world import find_world, load_schema

LANGUAGES = ("en", "zh", "de", "ar", "ru")


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_book_has_words_for_all_that_can_be_asked_and_wished_for(code: str) -> None:
    schema, _ = load_schema("harbour", language=code)
    book = load_book(find_world("harbour"), code)
    for domain in schema:
        assert book.domains[domain.key].words
        for slot in domain.slots:
            if slot.request:
                asked = book.ask.slots[slot.key]
                assert asked.say or asked.nouns
            if slot.constrain:
                assert book.want.get(f"{domain.key}.{slot.key}") or book.want[slot.key]


@pytest.mark.parametrize("code", LANGUAGES)
def test_aliases_stand_for_values_that_are_there(code: str) -> None:
    from crosstalk.worlds.world import load_world

    world = load_world("harbour", language=code)
    for alias in load_book(find_world("harbour"), code).values:
        for key, value in alias.slots.items():
            domain, _, slot = key.rpartition(".")
            if ".." not in value and domain:
                held = world.texts(domain, slot)
                assert any(value in text for text in held), f"{key}: {value}"


def test_a_world_without_a_book_has_an_empty_one(tmp_path: Path) -> None:
    assert load_book(tmp_path, "en") == TrainingPhrases()


def test_a_wrong_book_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "phrases").mkdir()
    (tmp_path / "phrases/en.toml").write_text('[say]\ngreet = "hello"\n')
    with pytest.raises(WorldError, match=r"phrases/en.toml, line 2.*say.greet"):
        load_book(tmp_path, "en")


def test_a_book_comes_back_from_a_model_folder(tmp_path: Path) -> None:
    assert kept_book(tmp_path) is None
    book = load_book(find_world("harbour"), "en")
    book.save(tmp_path)
    assert kept_book(tmp_path) == book
    (tmp_path / "phrases.json").write_text('{"nonsense": 1}')
    with pytest.raises(InputError, match="not a phrase book"):
        kept_book(tmp_path)
