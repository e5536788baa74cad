"""Figure 2 of what was collected, as the statistics page draws it."""

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType
from crosstalk.statistics.corpus_counts import CorpusCounts, count_corpus
from crosstalk.web.collect.live_statistics import HEIGHT, WIDTH, length_chart
from crosstalk.web.interface_words import words


def dialogue(number: int, turns: int, kind: GoalType) -> Dialogue:
    speakers = (Speaker.USER, Speaker.SYSTEM)
    said = tuple(Turn(speakers[each % 2], "Hello") for each in range(turns))
    return Dialogue(id=str(number), turns=said, goal=Goal((), kind), language="en")


def test_a_line_a_type_inside_the_box() -> None:
    talks = [dialogue(n, 4 + 2 * n, kind) for n in range(6) for kind in (GoalType.S, GoalType.CM)]
    chart = length_chart(count_corpus(talks))
    assert chart and [(line.kind, line.dialogues) for line in chart.lines] == [("S", 6), ("CM", 6)]
    assert [tick.label for tick in chart.across][:3] == ["2", "4", "6"]
    assert chart.up[0].label == "0%" and chart.up[0].at > chart.up[-1].at
    for line in chart.lines:
        assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in line.points)


def test_nothing_to_draw_yet() -> None:
    assert length_chart(CorpusCounts()) is None


def test_titles_of_tables_are_told_in_the_language_of_the_page() -> None:
    title = "Size (Table 6; words: words and punctuation)"
    assert words("en").told(title) == title
    assert words("zh").told(title) == "规模（表 6；分词：单词和标点）"
    assert words("zh").told("Size (Table 6; words: jieba 0.39)") == "规模（表 6；分词：jieba 0.39）"
    assert words("zh").told("Acts") == "对话行为"
