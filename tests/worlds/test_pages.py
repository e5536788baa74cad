"""Every field that a file of a world or of a language may have is described on a page."""

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from crosstalk.language.keywords import CUES, AnnotationStyle
from crosstalk.language.phrases import FORMER_KEYS, Grammar, PhraseFile, package_phrases
from crosstalk.language.training_phrases import TrainingPhrases
from crosstalk.language.world_files import SAYINGS, WORDS
from crosstalk.language.writing import Writing
from crosstalk.toml_files import is_model, model_fields
from crosstalk.worlds.language_pack import LanguageFile
from crosstalk.worlds.manifest import WorldFile

DOCS = Path(__file__).parents[2] / "docs"


def named_on(page: str) -> set[str]:
    """Every word that the page shows as code."""
    code = re.findall(r"`([^`\n]+)`", (DOCS / page).read_text("utf-8"))
    return {word for each in code for word in re.findall(r"\w+", each)}


def inner_models(annotation: Any) -> Iterator[type[BaseModel]]:
    if is_model(annotation):
        yield annotation
    for each in get_args(annotation):
        yield from inner_models(each)


def field_names(model: type[BaseModel]) -> set[str]:
    """The fields of a model and of the models inside it."""
    found = set(model_fields(model))
    for annotation in model_fields(model).values():
        for inner in inner_models(annotation):
            found |= field_names(inner)
    return found


@pytest.mark.parametrize("model", [WorldFile, LanguageFile, PhraseFile, TrainingPhrases])
def test_every_field_of_a_world(model: type[BaseModel]) -> None:
    names = field_names(model) - set(Grammar.model_fields)
    assert names - named_on("worlds.md") == set()


def test_every_kind_of_file_and_every_cue_of_keywords() -> None:
    style = {each.name for each in fields(AnnotationStyle)}
    cues = {cue for cues in CUES.values() for cue in cues}
    assert {*WORDS, SAYINGS, *cues, *style, *FORMER_KEYS} - named_on("worlds.md") == set()


def test_every_field_of_a_language() -> None:
    names = {*Grammar.model_fields, *(each.name for each in fields(Writing))} - {"code"}
    assert names - named_on("languages.md") == set()


def test_the_cues_that_the_page_names() -> None:
    text = (DOCS / "languages.md").read_text("utf-8")
    table = text[text.index("## Cues") : text.index("## Languages of the package")]
    first_column = "".join(line.split("|")[1] for line in table.splitlines() if line[:1] == "|")
    known = {cue for file in package_phrases() for cue in file.all_cues}
    assert set(re.findall(r"`(\w+)`", first_column)) <= known
