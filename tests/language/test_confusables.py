"""Names of people: one spelling, nothing invisible, no two that look alike."""

import tomllib
from pathlib import Path

import pytest

from crosstalk.language.confusables import TABLE, look_alike, plain_name


@pytest.mark.parametrize(
    ("given", "plain"),
    [("\uff2d\uff45\uff49", "Mei"), ("  Mei \u3000 Li ", "Mei Li"), ("Zoe\u0308", "Zo\u00eb")],
)
def test_one_spelling(given: str, plain: str) -> None:
    assert plain_name(given) == plain


@pytest.mark.parametrize(
    "hidden",
    [
        *("\u200b", "\u200d", "\u202e", "\u2066", "\ufeff", "\u00ad", "\u3164", "\u2800"),
        *("\ufe0f", "\u034f", "\U000e0041", "\x00", "\ue000"),
    ],
)
def test_nothing_invisible(hidden: str) -> None:
    for name in (f"Mei{hidden}", f"{hidden}Mei", f"M{hidden}ei"):
        with pytest.raises(ValueError, match="cannot be seen"):
            plain_name(name)


@pytest.mark.parametrize("name", ["...", "\u0301", "\N{BLACK STAR}"])
def test_letters_or_digits(name: str) -> None:
    with pytest.raises(ValueError, match="neither letters nor digits"):
        plain_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "\u0430dmin",  # Cyrillic a
        "\u0410DMIN",
        "adm\u0456n",  # Ukrainian i
        "adm\u0131n",  # Turkish i without a dot
        "ADMlN",  # small L
        "adm1n",
        "adrnin",
        "\u03b1dmin",  # Greek alpha
        "\U0001d41a\U0001d41d\U0001d426\U0001d422\U0001d427",  # mathematical letters
    ],
)
def test_look_alikes_of_admin(name: str) -> None:
    assert look_alike(name, "admin") and look_alike("Admin", name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("Zoe", "Zo\u00eb"), ("Nail", "Nali"), ("Anna", "Hanna"), ("Mei 2", "Mei 3")),
        *(("\u738b\u660e", "\u738b\u6708"), ("Anna", "\u042f\u043d\u043d\u0430")),
    ],
)
def test_different_names(one: str, other: str) -> None:
    assert not look_alike(one, other)


def test_people_with_one_name() -> None:
    assert look_alike("AIice", "Alice") and look_alike("MEI", "mei")


def test_the_table_comes_with_its_licence() -> None:
    licence = TABLE.with_suffix(".LICENSE").read_text(encoding="utf-8")
    assert licence.startswith("UNICODE LICENSE V3")
    assert "Unicode, Inc." in TABLE.read_text(encoding="utf-8")[:300]
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "Unicode-3.0" in project["license"]
    assert any(name.endswith("confusables.LICENSE") for name in project["license-files"])
