"""Keyword files: what they hold, and what is wrong with them in words."""

from pathlib import Path

import pytest

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import SlotKind
from crosstalk.errors import WorldError
from crosstalk.language.keywords import UNASKED, load_keywords
from crosstalk.worlds.world import built_in_worlds, find_world, languages_of


def written(folder: Path, text: str) -> Path:
    (folder / "keywords").mkdir(exist_ok=True)
    (folder / "keywords" / "en.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("world", built_in_worlds())
def test_every_language_of_our_worlds_has_its_keywords(world: str) -> None:
    folder = find_world(world)
    for code in languages_of(folder):
        keywords = load_keywords(folder, code)
        for cue in ("greet", "thank", "bye"):
            assert (Speaker.USER, cue) in keywords.cues, (code, cue)
        for cue in ("welcome", "reqmore", "bye", "refusal", "misfit"):
            assert (Speaker.SYSTEM, cue) in keywords.cues, (code, cue)


def test_phrases_are_regular_expressions_whatever_the_case(tmp_path: Path) -> None:
    keywords = load_keywords(written(tmp_path, "[user]\nthank = ['\\bta\\b']"), "en")
    assert keywords.says(Speaker.USER, "thank", "TA, that is all")
    assert not keywords.says(Speaker.USER, "thank", "stable")
    assert not keywords.says(Speaker.SYSTEM, "thank", "ta")


def test_habits_have_defaults(tmp_path: Path) -> None:
    plain = load_keywords(written(tmp_path, "[user]"), "en").style
    assert plain.unasked == UNASKED and plain.free and not plain.carried
    own = load_keywords(written(tmp_path, "[habits]\nunasked = ['text']\nfree = false"), "en")
    assert own.style.unasked == {SlotKind.TEXT} and not own.style.free


def test_a_missing_file_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"keywords/xx\.toml"):
        load_keywords(tmp_path, "xx")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[user]\nthank = ['(']", "line 2: not a regular expression"),
        ("[user]\nthank = 'ta'", "line 2: expected a list of phrases"),
        ("[user]\nthank = []", "expected a list of phrases"),
        ("[user]\nhail = ['ave']", "there is no cue 'hail'"),
        ("[customer]\nthank = ['ta']", "there is no table 'customer'"),
        ("user = 1", "this is no table"),
        ("[habits]\nunasked = ['colour']", "expected kinds of slots"),
        ("[habits]\nfree = 'no'", "cannot read 'free'"),
        ("[habits]\nodd = true", "cannot read 'odd'"),
        ("[user", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=message.replace("(", r"\(")):
        load_keywords(written(tmp_path, text), "en")
