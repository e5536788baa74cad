"""Guessing a language from its script and everyday words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.language.writing import guess_language, primary


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("你好，我想找一家酒店。", "zh"),
        ("请帮我预订Cambridge Belfry酒店，谢谢。", "zh"),
        ("I need a place to stay in the north, please.", "en"),
        ("The name 故宫 means palace museum.", "en"),
        ("Ich suche ein Hotel mit Frühstück, bitte.", "de"),
        ("أبحث عن فندق قريب من الميناء", "ar"),
        ("Мне нужна гостиница у моря.", "ru"),
        ("Bonjour, je cherche un restaurant.", "fr"),
        ("ATM 근처의 식당을 찾고 있습니다.", "ko"),
        ("मुझे एक सस्ता रेस्तरां चाहिए।", "hi"),
        ("12:30 ... ?!", ""),
        ("Vorrei prenotare un tavolo in zona est, in quel ristorante", ""),
        ("", ""),
    ],
)
def test_the_script_decides_then_everyday_words(text: str, language: str) -> None:
    assert guess_language(text) == language


@given(st.text())
def test_any_text_gets_one_of_the_known_answers_or_none(text: str) -> None:
    assert guess_language(text) in {"ar", "de", "en", "fr", "hi", "ko", "ru", "zh", ""}


def test_the_primary_language_of_a_code() -> None:
    assert [primary(code) for code in ("zh", "zh-CN", "ZH_tw", "")] == ["zh", "zh", "zh", ""]
