"""Bad input is told in words, turn by turn: nothing is passed over, nothing is invented."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.translation.conftest import SEGMENTS

from crosstalk.errors import FormatError
from crosstalk.translation.appendix_files import read_segments
from crosstalk.translation.checks import FindingCode, check_translation, mixed_words
from crosstalk.translation.glossary import (
    Glossary,
    glossary_of,
    inconsistencies,
    read_glossary,
    write_glossary,
)
from crosstalk.translation.translation_segments import Segment


def codes(segment: Segment, target: str = "de") -> set[tuple[FindingCode, str]]:
    found = check_translation([segment], "en", target).findings
    return {(each.code, each.slot) for each in found if each.code is not FindingCode.UNFINISHED}


def edited(text: str, **values: str) -> Segment:
    pairs = {f"hotel-{slot}": value for slot, value in values.items()}
    old = dict(SEGMENTS[0].machine_values)
    return SEGMENTS[0].with_edit(text, tuple({**old, **pairs}.items()))


GOOD = "Ein Hotel im Norden für 3 Nächte ab Freitag."


def test_words_that_the_machine_left_and_nobody_has_translated_since() -> None:
    extras = {"provenance": {"untranslated": ["A hotel in the", "Ely"]}}
    left = replace(edited("A hotel in the Norden, 3 Nächte ab Freitag, Ely."), extras=extras)
    assert codes(left) == {(FindingCode.LANGUAGE, "")}
    assert codes(replace(edited(GOOD), extras=extras)) == set()


def test_half_of_an_edit_is_told_as_such() -> None:
    (found,) = check_translation([replace(SEGMENTS[0], edited=GOOD)], "en", "de").findings
    assert (found.code, found.is_problem) == (FindingCode.UNFINISHED, False)
    assert found.message == "the text is edited, its values are not: fixTransSlotValues is empty"


def test_a_good_translation_has_nothing_to_complain_about(town: Path) -> None:
    assert codes(edited(GOOD)) == set()
    for language in ("zh", "de", "ru", "ar"):
        glossary = read_glossary(town / f"en-{language}.glossary.json")
        segments = read_segments(town / f"en-{language}.json")
        found = check_translation(segments, "en", language, glossary)
        assert (found.findings, found.inconsistent) == ((), ())
        assert found.alignments["missing"] == 0 and found.alignments["found"] > 50


def test_particles_of_korean_follow_words_of_any_alphabet() -> None:
    assert list(mixed_words("ATM을 찾는 北京대학교 H\u043etel")) == ["H\u043etel"]


@pytest.mark.parametrize(
    ("segment", "expected"),
    [
        (edited(""), (FindingCode.EMPTY, "")),
        (edited("Ein Hotel im Norden ab Freitag."), (FindingCode.FIGURES, "")),
        (
            edited("Ein Hotel im Süden für 3 Nächte ab Freitag."),
            (FindingCode.MISSING, "hotel-area"),
        ),
        (edited(GOOD, day=""), (FindingCode.VALUES, "hotel-day")),
        (edited(GOOD.replace("Hotel", "H\u043etel")), (FindingCode.SCRIPTS, "")),
        (edited(GOOD + "\u202e"), (FindingCode.DIRECTION, "")),
        (edited(GOOD, day="Frei\u200etag"), (FindingCode.DIRECTION, "hotel-day")),
        (edited(GOOD + "\ufffd"), (FindingCode.UNREADABLE, "")),
        (edited(SEGMENTS[0].utterance), (FindingCode.LANGUAGE, "")),
        (edited("Отель на севере на 3 ночи с пятницы."), (FindingCode.LANGUAGE, "")),
        (edited("从星期五起在北部住3晚的旅馆"), (FindingCode.LANGUAGE, "")),
        (edited(GOOD, area="север"), (FindingCode.LANGUAGE, "hotel-area")),
        (edited(GOOD, stars="4"), (FindingCode.VALUES, "hotel-stars")),
    ],
)
def test_each_kind_of_mistake(segment: Segment, expected: tuple[FindingCode, str]) -> None:
    assert expected in codes(segment)


def test_marks_that_arabic_needs_are_fine() -> None:
    segment = Segment("d", 0, "Call 0482-7628813.", machine="اتصل على \u20660482-7628813\u2069.")
    assert codes(segment, "ar") == set()
    turned = replace(segment, machine="اتصل على \u202e0482-7628813.")
    assert (FindingCode.DIRECTION, "") in codes(turned, "ar")


def test_a_missing_turn_is_a_gap() -> None:
    segments = [SEGMENTS[0], replace(SEGMENTS[1], turn=3)]
    found = check_translation([*segments, replace(SEGMENTS[1], turn=5)], "en", "de").findings
    gaps = [(each.turn, each.message) for each in found if each.code is FindingCode.MISSING_TURN]
    assert gaps == [(1, "turns 1 to 2 are missing"), (4, "this turn is missing")]


def test_names_and_codes_may_stay_as_they_are() -> None:
    segment = Segment(
        "d",
        0,
        "Curry Prince, reference AB12CD34.",
        (("restaurant-name", "Curry Prince"), ("restaurant-ref", "AB12CD34")),
        machine="咖喱 Curry Prince，参考编号AB12CD34。",
        machine_values=(("restaurant-name", "Curry Prince"), ("restaurant-ref", "AB12CD34")),
    )
    assert codes(segment, "zh") == set()


def test_one_form_per_value() -> None:
    other = replace(SEGMENTS[0], dialogue="X", machine_values=(("hotel-day", "Fr."),))
    (found,) = inconsistencies([SEGMENTS[0], replace(SEGMENTS[0], dialogue="Y"), other])
    assert (found.slot, found.value, found.wanted) == ("hotel-day", "friday", "Freitag")
    assert found.forms == (("Freitag", 2), ("Fr.", 1)) and found.where == (("X", 0),)
    wanted = Glossary({("hotel-day", "friday"): "Fr."})
    assert len(inconsistencies([SEGMENTS[0]], wanted)[0].where) == 1


def test_glossaries_in_and_out(tmp_path: Path) -> None:
    glossary = glossary_of(SEGMENTS)
    write_glossary(glossary, tmp_path / "g.json")
    assert read_glossary(tmp_path / "g.json") == glossary
    assert glossary.translate("hotel-day", "Friday") == "Freitag"
    assert glossary.translate("train-day", "friday") == "Freitag"
    (tmp_path / "g.csv").write_text(
        "source,target,slot\nfriday,Freitag,\nnorth,Norden,hotel-area\n"
    )
    assert read_glossary(tmp_path / "g.csv").translate("train-day", "FRIDAY") == "Freitag"
    (tmp_path / "flat.json").write_text('{"friday": "Freitag"}')
    assert read_glossary(tmp_path / "flat.json").translate("", "friday") == "Freitag"


def test_a_glossary_that_contradicts_itself(tmp_path: Path) -> None:
    (tmp_path / "g.tsv").write_text("source\ttarget\nfriday\tFreitag\nFriday\tFr.\n")
    with pytest.raises(FormatError) as caught:
        read_glossary(tmp_path / "g.tsv")
    assert "'Freitag' (line 2) and 'Fr.' (line 3)" in str(caught.value)
    (tmp_path / "ok.tsv").write_text("source\ttarget\tslot\nleft\tlinks\ta\nleft\tübrig\tb\n")
    assert read_glossary(tmp_path / "ok.tsv").translate("b", "left") == "übrig"


@pytest.mark.parametrize("text", ["[]", '{"a": {"b": 1}}', '{"a": {"b": " "}}'])
def test_a_glossary_of_another_kind(tmp_path: Path, text: str) -> None:
    (tmp_path / "g.json").write_text(text)
    with pytest.raises(FormatError, match=r"g\.json"):
        read_glossary(tmp_path / "g.json")
