"""Words, language by language."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from crosstalk.language.tokenize import segmentation, words


def test_chinese_words_include_punctuation_and_spaces() -> None:
    assert words("你好，我想 去故宫。", "zh") == ["你好", "，", "我", "想", " ", "去", "故宫", "。"]


def test_a_region_does_not_change_how_words_are_divided() -> None:
    assert words("我想去故宫", "zh-CN") == words("我想去故宫", "zh")


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "I don't need one, thanks!", ["I", "don't", "need", "one", ",", "thanks", "!"]),
        ("en", "a guest-house at 19:45", ["a", "guest-house", "at", "19:45"]),
        ("en", "it costs 1,200.50.", ["it", "costs", "1,200.50", "."]),
        ("en", "what?! - ok...", ["what", "?", "!", "-", "ok", ".", ".", "."]),
        ("de", "Das Café hat 4,5 Sterne.", ["Das", "Café", "hat", "4,5", "Sterne", "."]),
        ("de", "scho\u0308n", ["scho\u0308n"]),
        ("ar", "مُتْحَف البحر، من فضلك؟", ["مُتْحَف", "البحر", "،", "من", "فضلك", "؟"]),
        ("ru", "Что-нибудь у моря?", ["Что-нибудь", "у", "моря", "?"]),
        ("", "", []),
    ],
)
def test_other_languages_divide_at_spaces_and_signs(
    language: str, text: str, expected: list[str]
) -> None:
    assert words(text, language) == expected


def test_reports_can_say_how_words_were_divided() -> None:
    assert segmentation("zh") == "jieba 0.39"
    assert segmentation("en") == "words and punctuation"


SEGMENT = "from crosstalk.language.tokenize import words; print(len(words('我想去故宫', 'zh')))"
WITHOUT_SETUPTOOLS = f"import sys; sys.modules['pkg_resources'] = None; {SEGMENT}"


@pytest.mark.parametrize("program", [SEGMENT, WITHOUT_SETUPTOOLS])
def test_jieba_is_silent_and_leaves_nothing_behind(program: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", program],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("4\n", "")
    assert list(tmp_path.iterdir()) == []
