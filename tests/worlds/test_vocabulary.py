from crosstalk.dialogue.schema import Domain, DomainKind, Slot, SlotKind
from crosstalk.worlds.tables import Table
from crosstalk.worlds.vocabulary import vocabulary_values

NAME, AREA, DAY = (
    Slot("name", SlotKind.NAME),
    Slot("area", SlotKind.CATEGORY),
    Slot("day", SlotKind.DAY),
)
COLLEGES = Table(
    Domain("college", DomainKind.PLACE, (NAME, AREA, DAY)),
    ({"name": "Christ's College", "area": "centre", "day": "monday"},),
)


def test_values_are_found_as_corpora_write_them() -> None:
    content = {"value_set": {"college": {"name": {"christ 's college": "基督学院"}}}}
    assert vocabulary_values(content, [COLLEGES]) == {"name": {"Christ's College": "基督学院"}}


def test_of_several_renderings_the_one_of_most_domains_counts() -> None:
    content = {
        "value_set": {
            "college": {"area": {"centre": "中间"}},
            "hotel": {"area": {"centre": "中心"}},
            "restaurant": {"area": {"centre": "中心"}},
        }
    }
    assert vocabulary_values(content, [COLLEGES])["area"] == {"centre": "中心"}


def test_blank_renderings_and_days_are_left_alone() -> None:
    content = {"value_set": {"college": {"area": {"centre": " "}, "day": {"monday": "周一"}}}}
    assert vocabulary_values(content, [COLLEGES]) == {}
