"""Words written with signs that sound alike."""

from crosstalk.language.spelling import Homophones

KNOWN = ["动物园", "游船码头", "健身房", "酒店"]


def slips(text: str, understood: str = "") -> list[tuple[str, str]]:
    left = text.replace(understood, " " * len(understood))
    return list(Homophones("zh", KNOWN).slips(text, left, left))


def test_a_sign_that_sounds_alike_is_put_right() -> None:
    assert slips("动务园门票多少") == [("动务园", "动物园")]
    assert slips("游船马头附近") == [("游船马头", "游船码头")]
    assert slips("有健生房吗") == [("健生房", "健身房")]  # shēng and shēn


def test_words_that_are_right_or_understood_stay() -> None:
    assert slips("动物园门票") == []
    assert slips("健身放", understood="放") == []


def test_two_signs_are_too_few() -> None:
    assert slips("酒点") == []


def test_a_language_without_a_table_has_none() -> None:
    assert not list(Homophones("en", ["zoo"]).slips("zuu", "zuu", "zuu"))
