"""Limits and exclusions, however they are put, never become their opposite.

Every phrase of `limits/<code>.toml` is said with each kind of place, at once (`first`) and after a
place was offered (`then`). Whatever is offered must meet the limit by the tables, or the answer
must say that nothing does. To add a phrase, put it into a list of the language's file: `{place}`
is the noun under `[places]`, `{n}` the number under `[prices]` or `[rated]`, `{what}` each of the
`words` of an `[[excluded]]` entry, whose `slot` and `value` are as the tables have them. To add a
language, write its file.
"""

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from crosstalk.dialogue.acts import AMONG, FACT, INFORM, NO_OFFER, RECOMMEND
from crosstalk.dialogue.schema import NOT_MARK, SlotKind
from crosstalk.system.build import build_system
from crosstalk.system.chat import Answer, reply
from crosstalk.system.pipeline import System

FILES = sorted((Path(__file__).parent / "limits").glob("*.toml"))
LANGUAGES = [file.stem for file in FILES]


@cache
def system(language: str) -> System:
    return build_system("harbour", language=language)


@cache
def phrases(language: str) -> dict[str, Any]:
    file = Path(__file__).parent / "limits" / f"{language}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def talk(language: str, utterances: list[str]) -> Answer:
    session = system(language).begin()
    for utterance in utterances:
        answer, session = reply(system(language), utterance, session)
    return answer


def offered(language: str, domain: str, answer: Answer) -> list[Any]:
    """The rows of the places of a domain that an answer names."""
    database = system(language).database
    assert database
    acts = [act for act in answer.acts if act.domain == domain]
    names = [act.value.partition(AMONG)[0] for act in acts if act.intent == FACT]
    names += [act.value for act in acts if act.intent in (INFORM, RECOMMEND)]
    return [row for name in names if (row := database.find(domain, name))]


def said(language: str, key: str, **values: object) -> Iterator[tuple[str, list[str]]]:
    """Domain -> what is said, for each phrase with each kind of place."""
    table = phrases(language)
    for domain, place in table["places"].items():
        filled = {"place": place, "n": table["prices"][domain], **values}
        for phrase in table[key]["first"]:
            yield domain, [phrase.format(**filled)]
        for phrase in table[key]["then"]:
            yield domain, [place, phrase.format(**filled)]


def slot_of(language: str, domain: str, kind: SlotKind) -> str:
    database = system(language).database
    assert database
    return database.domain(domain).of_kind(kind)[0].key


def breaks(language: str, key: str, kind: SlotKind, sign: int) -> list[str]:
    """What was said where a place was offered that lies on the wrong side of the number."""
    wrong = []
    for domain, utterances in said(language, key):
        limit = phrases(language)["prices"][domain] * sign
        slot = slot_of(language, domain, kind)
        answer = talk(language, utterances)
        cells = [row.get(slot) for row in offered(language, domain, answer)]
        numbers = [cell * sign for cell in cells if isinstance(cell, int | float)]
        admitted = any(act.intent == NO_OFFER for act in answer.acts)
        if not cells or (not admitted and (len(numbers) < len(cells) or max(numbers) > limit)):
            wrong.append(f"{utterances}: {answer.text}")
    return wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_at_most_is_an_upper_limit(language: str) -> None:
    assert breaks(language, "at_most", SlotKind.NUMBER, 1) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_at_least_is_a_lower_limit(language: str) -> None:
    assert breaks(language, "at_least", SlotKind.NUMBER, -1) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_rating_is_a_lower_limit(language: str) -> None:
    points = phrases(language)["rated"]["points"]
    wrong = []
    for domain, utterances in said(language, "rated", n=points):
        answer = talk(language, utterances)
        slot = slot_of(language, domain, SlotKind.RATING)
        cells = [row.get(slot) or 0 for row in offered(language, domain, answer)]
        admitted = any(act.intent == NO_OFFER for act in answer.acts)
        if not cells or (min(cells) < points and not admitted):
            wrong.append(f"{utterances}: {answer.text}")
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_excluded_is_not_offered(language: str) -> None:
    table, database = phrases(language), system(language).database
    assert database
    wrong = []
    for each in table["excluded"]:
        domain, wish = each["domain"], {NOT_MARK + each["slot"]: (each["value"],)}
        for word in each["words"]:
            for spoken, utterances in said(language, "exclusions", what=word):
                if spoken != domain:
                    continue
                answer = talk(language, utterances)
                rows = offered(language, domain, answer)
                unmet = [row for row in rows if database.unmet(domain, row, wish)]
                admitted = any(act.intent == NO_OFFER for act in answer.acts)
                if not rows or (unmet and not admitted):
                    wrong.append(f"{utterances}: {answer.text}")
    assert wrong == []
