"""docs/reference.md is complete and fresh: every name and every parameter is explained."""

import inspect
from typing import Any

import pytest
from recipes.docs import reference

import crosstalk

FUNCTIONS = [name for name in crosstalk.__all__ if inspect.isroutine(getattr(crosstalk, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_explained(name: str) -> None:
    function: Any = getattr(crosstalk, name)
    told = {parameter.lstrip("*") for parameter in reference.parameters(function)}
    assert told == set(inspect.signature(function).parameters)
    assert "Returns" in reference.sections(function)[1]


@pytest.mark.parametrize(
    "cls", [crosstalk.RunOptions, crosstalk.AgentRunOptions, reference.RunJudgement]
)
def test_every_field_is_explained(cls: type) -> None:
    assert [name for name, _, told in reference.members(cls) if not told] == []


def test_the_page_has_every_name() -> None:
    page = reference.PAGE.read_text(encoding="utf-8")
    assert [name for name in crosstalk.__all__ if f"### {name}\n" not in page] == []


def test_the_page_is_fresh() -> None:
    fresh = reference.PAGE.read_text(encoding="utf-8") == reference.page()
    assert fresh, "a docstring of the library has changed: run `make reference`"
