"""Numbers, times and codes of the source, found again in the translation however they are said."""

import pytest

from crosstalk.language.figures import read_figures
from crosstalk.language.writing import writing_of
from crosstalk.translation.checks import lost_figures


@pytest.mark.parametrize(
    ("target", "source_text", "target_text", "lost"),
    [
        ("zh", "at 3:45 PM for 2 people", "下午3点45分，两个人", []),
        ("zh", "leaves at 15:30", "三点半出发", []),
        ("zh", "leaves at 9:45", "九点三刻出发", []),
        ("zh", "a bit cheaper, at 13:00", "便宜一点，13点", []),
        ("zh", "23 trains", "二十三趟火车", []),
        ("zh", "reference 6XJZP2J2", "参考编号6xjzp2j2", []),
        ("zh", "reference 6XJZP2J2", "参考编号6xjzp2j3", ["6xjzp2j2"]),
        ("zh", "for 7 at 17:15", "17:15的桌子", ["7"]),
        ("de", "1,200 crowns, 4.5 points", "1.200 Kronen, 4,5 Punkte", []),
        ("de", "at 15:45", "um 15.45 Uhr", []),
        ("de", "at 3 pm", "um drei", []),
        ("de", "at 15:45", "um 16:45", ["15:45"]),
        ("ru", "for 2 nights", "на двое суток для двух человек", []),
        ("ru", "a visit of 1 to 2 hours", "от часа до двух часов", []),
        ("ar", "at 3:45 pm", "الساعة ٣:٤٥ مساءً", []),
        ("ar", "2 to 4 hours", "من ساعتين إلى 4 ساعات", []),
        ("ar", "rated 4 points", "تقييمه 4 من 5", []),
        ("ar", "postcode cb21sj", "الرمز", ["cb21sj"]),
    ],
)
def test_what_is_lost(target: str, source_text: str, target_text: str, lost: list[str]) -> None:
    assert lost_figures(source_text, target_text, "en", target) == lost


def test_figures_of_a_text() -> None:
    found = read_figures("TR1149 at 5 pm, 3 people, two bags", writing_of("en"))
    assert found.codes == {"tr1149"}
    assert found.minutes == {17 * 60}
    assert found.numbers == {"3"} and found.named == {"2"}
