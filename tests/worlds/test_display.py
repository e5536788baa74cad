from crosstalk.worlds.display import answer, label
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World


def test_cells_are_said_in_the_words_of_the_language(town: World, database: Database) -> None:
    domain = database.domain("museum_shop")
    shop, annexe, free, _ = town.tables["museum_shop"]
    assert answer(town.language, domain, shop, "price") == ("12 crowns",)
    assert answer(town.language, domain, shop, "rating") == ("4.5 points",)
    assert answer(town.language, domain, shop, "goods") == ("maps", "postcards", "gifts")
    assert answer(town.language, domain, free, "price") == ("free",)
    assert answer(town.language, domain, free, "goods") == ("none",)
    assert answer(town.language, domain, annexe, "price") == ("none",)


def test_a_service_is_there_or_not(town: World, database: Database) -> None:
    domain = database.domain("inn")
    oak = town.tables["inn"].rows[0]
    assert answer(town.language, domain, oak, "extras-breakfast") == ("yes",)
    assert answer(town.language, domain, oak, "extras-sauna") == ("no",)


def test_results_have_labels(crosswoz: World) -> None:
    database = Database(crosswoz)
    ends = {"出发地": "故宫", "目的地": "天坛"}
    metro, taxi = database.domain("地铁"), database.domain("出租")
    shown = [label(crosswoz, metro, row) for row in database.search("地铁", ends)]
    assert shown == ["(起点) 故宫", "(终点) 天坛"]
    (ride,) = database.search("出租", ends)
    assert label(crosswoz, taxi, ride) == "出租 (故宫 - 天坛)"
    assert (ride["车型"], ride["车牌"]) == ("#CX", "#CP")
