"""What people and the system say in harbour, in Chinese and in German."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from crosstalk.dialogue.acts import PUBLISHED, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.language.world_files import TEMPLATES, world_file
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.sessions import Plan, SessionRules, hold, sessions
from crosstalk.system.nlg.act_keys import PART, ActKeys
from crosstalk.system.nlg.template_nlg import TemplateNLG
from crosstalk.system.nlg.world_templates import written_generator
from crosstalk.worlds.world import find_world, load_schema

HARBOUR = find_world("harbour")
LANGUAGES = ("zh", "de")
USERS = ("rule", "best")
SEED = 20
DIALOGUES = 100
"""Of each kind of user; 200 a language."""
SLIPS = {
    "zh": re.compile(
        r"[{}]|[，。！？：；、]{2}|\s[，。！？：；、]|[，。！？：；、]\s|\s\s|的的|有没有有"
    ),
    "de": re.compile(r"[{}]|[.,!?:;]{2}|\s[.,!?:;]|\s\s|[.!?]“\.|[a-zäöüß][.!?][A-ZÄÖÜ]"),
}


@cache
def generator(language: str, speaker: Speaker) -> TemplateNLG:
    schema, pack = load_schema("harbour", language=language)
    return written_generator(HARBOUR, schema, pack, speaker)


@cache
def keys(language: str, speaker: Speaker) -> ActKeys:
    return ActKeys.of(*load_schema("harbour", language=language), speaker)


def say(language: str, speaker: Speaker, *acts: Act, seed: int = 0) -> str:
    return generator(language, speaker).say(acts, Random(seed))


def simulated(language: str, user: str) -> Iterator[Turn]:
    stage = build(Setup(language=language, user=user))
    for session in sessions(Plan(seed=SEED, count=DIALOGUES), stage.world):
        yield from hold(session, stage, SessionRules(seed=SEED)).turns


def without(text: str, values: list[str]) -> str:
    """The text with each value struck out once; fails where one is missing."""
    for value in sorted(values, key=len, reverse=True):
        assert value in text, (value, text)
        text = text.replace(value, "\0", 1)
    return text


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_simulated_turns_are_said_whole_and_clean(language: str, user: str) -> None:
    for number, turn in enumerate(simulated(language, user)):
        text = say(language, turn.speaker, *turn.acts, seed=number)
        spoken = keys(language, turn.speaker).in_order(turn.acts)
        values = [each.value for each in spoken if each.has_hole]
        rest = without(text, values)
        assert not [value for value in values if value in rest], (values, text)
        assert text and not SLIPS[language].search(text), text


Line = tuple[str, list[str]]


@cache
def lines(language: str) -> list[Line]:
    """Every key of the file with its sentences."""
    file = tomllib.loads(
        (HARBOUR / world_file(HARBOUR, TEMPLATES, language)).read_text(encoding="utf-8")
    )
    tables = [table for side in file.values() for table in (side, side.pop("then"))]
    return [line for table in tables for line in table.items()]


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_several_ways_of_saying_everything(language: str) -> None:
    published = [(key, ways) for key, ways in lines(language) if key.split(PART)[0] in PUBLISHED]
    few = [key for key, ways in published if len(set(ways)) < 2 and "station" not in key]
    assert not few


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_end_as_sentences_do(language: str) -> None:
    ends = "。！？" if language == "zh" else ".!?"
    said = [sentence for _, sentences in lines(language) for sentence in sentences]
    assert not [sentence for sentence in said if not sentence.endswith(tuple(ends))]


def test_chinese_is_written_without_spaces_and_with_its_own_punctuation() -> None:
    said = [sentence for _, sentences in lines("zh") for sentence in sentences]
    assert not [each for each in said if re.search(r"[\s,;:!?]", re.sub(r"\{[^}]*\}", "", each))]


def test_german_dishes_stay_in_the_nominative() -> None:
    """«gebackener Käsekuchen» would be inflected anywhere but after a colon."""
    keys = [(key, ways) for key, ways in lines("de") if key.split(PART)[0] in PUBLISHED]
    said = [each for key, sentences in keys if "+dishes" in key for each in sentences]
    assert not [each for each in said if "{dishes}" in each and not reads_as_a_list(each)]


def reads_as_a_list(sentence: str) -> bool:
    before, _, _ = sentence.partition("{dishes}")
    return ":" in re.split(r"[.!?]", before)[-1]


def test_german_sentences_begin_with_a_capital_letter() -> None:
    """Names and services may begin one, but services may be written small."""
    small = re.compile(r"(?:^|[.!?] )(?!\{(?:\w+\.)?name\})[^A-ZÄÖÜ„]")
    keys = [(key, ways) for key, ways in lines("de") if key.split(PART)[0] in PUBLISHED]
    assert not [each for _, sentences in keys for each in sentences if small.search(each)]


def test_a_hotel_that_comes_close() -> None:
    name = Act("Inform", "hotel", "name", "蓝锚客栈")
    acts = (Act("NoOffer", "hotel"), name, Act("Inform", "hotel", "price", "325克朗"))
    assert {say("zh", Speaker.SYSTEM, *acts, seed=seed) for seed in range(30)} == {
        "抱歉，没有完全符合要求的酒店，蓝锚客栈比较接近，每晚325克朗。",
        "没有找到完全符合的酒店，您看蓝锚客栈可以吗？每晚325克朗。",
        "很抱歉，没有这样的酒店，要不考虑一下蓝锚客栈？每晚325克朗。",
    }


def test_several_names_stand_outside_quotation_marks() -> None:
    acts = [Act("Recommend", "hotel", "name", name) for name in ("Lindenhotel", "Hotel Lorbeer")]
    for seed in range(30):
        said = say("de", Speaker.SYSTEM, *acts, seed=seed)
        assert "Lindenhotel und Hotel Lorbeer" in said and "„" not in said


def test_a_second_sentence_takes_the_first_for_granted() -> None:
    acts = (
        Act("Inform", "restaurant", "rating", "mindestens 4,5 Punkte"),
        Act("Request", "restaurant", "name", ""),
        Act("Request", "restaurant", "phone", ""),
    )
    for seed in range(30):
        assert say("de", Speaker.USER, *acts, seed=seed).count("Restaurant") == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_keys_of_the_english_file_are_said_in_one_piece(language: str) -> None:
    def groups(code: str) -> set[frozenset[str]]:
        return {frozenset(key.split("*")) for key, _ in lines(code)}

    missing = {group for group in groups("en") - groups(language) if "station" not in str(group)}
    assert not [sorted(group) for group in missing if all(PART in key for key in group)]
