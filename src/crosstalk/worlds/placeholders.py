"""Sentences and number forms with places to fill in: `{value} crowns`, `near id={other}`."""

import string
from collections.abc import Iterator
from dataclasses import replace

from crosstalk.dialogue.languages import LanguagePack
from crosstalk.problems import Problem
from crosstalk.toml_files import Location, TomlFile

IN_FORMS: dict[str, set[str]] = {
    "exact": {"value"},
    "range": {"low", "high"},
    "above": {"low"},
    "below": {"high"},
    "free": set(),
    "not_free": set(),
}
IN_SENTENCES = {
    "some": {"id"},
    "named": {"id", "name"},
    "near": {"id", "other"},
    "ride": {"from", "to"},
    "want": {"value"},
    "ask": {"slots"},
}
OPTIONAL = {"ride": {"id"}}
IN_WHETHER = {"service"}
IN_WANT_NOT = {"slot", "value"}


def check_placeholders(pack: LanguagePack, file: TomlFile) -> Iterator[Problem]:
    """Placeholders that are missing, which reads badly, or unknown or broken, which cannot work."""
    for at, text, needed, optional in _texts(pack):
        if not text:
            continue
        allowed = needed | optional
        remedy = f"Its placeholders are {listed(allowed)}."
        try:
            found = {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
        except ValueError as error:
            yield file.problem(at, f"{text!r} cannot be filled in: {error}", remedy)
            continue
        for name in sorted(found - allowed):
            message = f"{text!r} has the placeholder {{{name}}}, which nobody fills"
            yield file.problem(at, message, remedy)
        for name in sorted(needed - found):
            problem = file.problem(at, f"{text!r} lacks the placeholder {{{name}}}", remedy)
            yield replace(problem, fatal=False)


def listed(names: set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names)) or "none"


def _texts(pack: LanguagePack) -> Iterator[tuple[Location, str, set[str], set[str]]]:
    """(where, text, placeholders it needs, placeholders it may have)."""
    for key, forms in pack.forms.items():
        for name, needed in IN_FORMS.items():
            yield ("forms", key, name), getattr(forms, name), needed, set()
    if pack.goal is None:
        return
    for section, needed in IN_SENTENCES.items():
        for key, sentence in getattr(pack.goal, section).items():
            yield ("goal", section, key), sentence, needed, OPTIONAL.get(section, set())
    yield ("goal", "whether"), pack.goal.whether, IN_WHETHER, set()
    yield ("goal", "want_not"), pack.goal.want_not, IN_WANT_NOT, set()
