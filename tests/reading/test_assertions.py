"""What a reply asserts that no slot holds: praise, invented attributes, comparisons."""

import pytest

from crosstalk.reading.conversation import ConversationReader, SaidExchange
from crosstalk.reading.reader import ProseReader
from crosstalk.reading.readings import ReadingContext


def remarks(language: str, text: str, **context: object) -> list[tuple[str, str]]:
    reading = ProseReader.of("harbour", language).read(text, ReadingContext(**context))  # type: ignore[arg-type]
    assert "other" not in {claim.slot for claim in reading.claims}
    return [(each.quote, str(each.verdict)) for each in reading.remarks]


@pytest.mark.parametrize(
    ("language", "text", "quote"),
    [
        ("en", "Trout Pond costs 170 crowns and has a cosy atmosphere.", "a cosy atmosphere"),
        ("en", "Tamsin Hotel is comfort class. It offers ballroom dancing.", "ballroom dancing"),
        (
            "de",
            "Das Meeresaquarium kostet 180 Kronen. Es ist bei Familien sehr beliebt.",
            "Es ist bei Familien sehr beliebt",
        ),
        ("zh", "水磨坊博物馆门票20克朗。环境优美，装修典雅。", "环境优美，装修典雅"),
        ("ar", "حدائق المصاطب دخولها 35 كرونة، وأجواؤها ساحرة.", "وأجواؤها ساحرة"),
        ("ru", "Перечный склад: 125 крон. Там уютная атмосфера.", "Там уютная атмосфера"),
    ],
)
def test_what_no_column_holds_is_an_undecidable_remark(
    language: str, text: str, quote: str
) -> None:
    assert remarks(language, text) == [(quote, "undecidable")]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I'd recommend Trout Pond: 170 crowns per person. Enjoy your meal!"),
        ("en", "Would you like a table with a view at Trout Pond?"),
        ("en", "Trout Pond is a great choice and matches your criteria."),
        ("de", "Das Meeresaquarium ist eine hervorragende Wahl. Viel Spaß!"),
        ("zh", "推荐您去水磨坊博物馆，祝您玩得开心！"),
        ("ru", "Рекомендую «Перечный склад». Приятного аппетита!"),
    ],
)
def test_courtesy_asserts_nothing(language: str, text: str) -> None:
    assert remarks(language, text) == []


def test_nobody_knows_which_of_the_places_nearby_is_praised() -> None:
    text = "Near Warehouse Nine is Dry Dock Kitchen. Its terrace has stunning views."
    assert remarks("en", text, topic=("hotel", "Warehouse Nine")) == []


@pytest.mark.parametrize(
    ("language", "text", "verdict"),
    [
        ("en", "Trout Pond (170) and Green Container (70). Trout Pond is cheaper.", "false"),
        ("en", "Trout Pond (170) and Green Container (70). Green Container is cheaper.", "true"),
        ("en", "Green Container is more affordable than Trout Pond.", "true"),
        ("en", "Trout Pond has a higher rating than Green Container.", "undecidable"),
        ("de", "Das Hotel Tamsin ist teurer als das Hotel Hafenlichter.", "false"),
        ("zh", "肉桂论文比铜勺子菜馆便宜。", "true"),
        ("ru", "Отель «Тамсин» дешевле, чем отель «Огни порта».", "true"),
        ("ar", "حدائق المصاطب أغلى من سوق العطارين.", "true"),
    ],
)
def test_a_comparison_is_settled_by_the_cells_of_both_places(
    language: str, text: str, verdict: str
) -> None:
    assert [each[1] for each in remarks(language, text)] == [verdict]


def test_a_part_of_a_term_that_is_not_true_of_the_place_accuses_nobody() -> None:
    text = "Dry Dock Hotel has breakfast and a swimming pool."
    reading = ProseReader.of("harbour", "en").read(text, ReadingContext(wanted="hotel"))
    assert "false" not in {claim.verdict for claim in reading.claims}
    assert "swimming pool" in {each.quote for each in reading.remarks}


@pytest.mark.parametrize(
    ("language", "user", "reply", "name"),
    [
        ("zh", "找个酒店", "您可以入住“云顶花园酒店”，每晚约500克朗。", "云顶花园酒店"),
        ("en", "A free attraction?", "Lantern Maze. Entry is free, rated 4.7.", "Lantern Maze"),
    ],
)
def test_words_of_names_do_not_make_an_invented_place_a_known_one(
    language: str, user: str, reply: str, name: str
) -> None:
    reading = ConversationReader.of("harbour", language).read([SaidExchange(user, reply)])[0]
    assert [each.entity for each in reading.reading.unknown] == [name]
