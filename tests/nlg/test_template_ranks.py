"""Ranks of templates: the same words as ranking on the spot, and a file anybody may have."""

from pathlib import Path
from random import Random

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import FileProblem
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlg.corpus_templates import UnsupportedValueFilter
from crosstalk.system.nlg.template_bank import CorpusTemplateBank
from crosstalk.system.nlg.template_nlg import InOrder, MostCentral, TemplateNLG
from crosstalk.system.nlg.template_ranks import RankedBank, load_ranks, rank, ranks_file, save_ranks
from crosstalk.worlds.world import load_world

PRICE, NAME = "Inform+hotel+price", "Recommend+hotel+name"
TEXTS = {
    PRICE: [
        f"It costs [{PRICE}] a night.",
        "90 crowns!",
        f"It costs [{PRICE}].",
        f"It costs [{PRICE}] a night, I think.",
    ],
    f"{NAME}*{NAME}*{NAME}": [f"There are [{NAME}1], [{NAME}2] and [{NAME}3]."],
}
DEAR = (Act("Inform", "hotel", "price", "300 crowns"),)
INNS = tuple(Act("Recommend", "hotel", "name", f"Inn {letter}") for letter in "ABCD")


@pytest.fixture
def bank(system: ActKeys) -> CorpusTemplateBank:
    return CorpusTemplateBank(TEXTS, system.has_hole)


@pytest.fixture
def ranked(bank: CorpusTemplateBank, tmp_path: Path) -> RankedBank:
    save_ranks(tmp_path, Speaker.SYSTEM, rank(TEXTS, bank, MostCentral("en"), "digest"))
    return RankedBank(TEXTS, load_ranks(tmp_path, Speaker.SYSTEM))


@pytest.mark.parametrize("acts", [DEAR, INNS, (*DEAR, *INNS)])
def test_the_words_are_those_of_ranking_on_the_spot(
    bank: CorpusTemplateBank, ranked: RankedBank, system: ActKeys, acts: tuple[Act, ...]
) -> None:
    english = load_world("harbour").language
    now = TemplateNLG(system, bank, MostCentral("en"), english)
    before = TemplateNLG(system, ranked, InOrder(), english)
    assert before.say(acts, Random(0)) == now.say(acts, Random(0))


def test_ways_are_other_words_for_the_same_values(ranked: RankedBank, system: ActKeys) -> None:
    generator = TemplateNLG(system, ranked, InOrder(), load_world("harbour").language)
    ways = list(generator.ways(DEAR, Random(0), 5))
    assert ways[0] == generator.say(DEAR, Random(0)) == "It costs 300 crowns a night."
    assert len(ways) == len(set(ways)) == 3
    assert all(way.count("300 crowns") == 1 for way in ways)


def test_ways_of_several_acts_end_with_one_sentence_each(
    ranked: RankedBank, system: ActKeys
) -> None:
    generator = TemplateNLG(system, ranked, InOrder(), load_world("harbour").language)
    *_, last = generator.ways((*DEAR, *INNS), Random(0), 3)
    assert last == "It costs 300 crowns a night. There are Inn A, Inn B, Inn C and Inn D."


def test_sayings_that_tell_more_than_their_acts_are_foreign() -> None:
    world = load_world("harbour")
    foreign = UnsupportedValueFilter.of(world, TEXTS)
    hotel = str(world.tables["hotel"].rows[0]["name"])
    assert foreign.tells(f"{hotel} costs [{PRICE}].", PRICE)
    assert foreign.tells(f"It costs [{PRICE}], breakfast 5.", PRICE)
    assert not foreign.tells(f"It costs [{PRICE}].", PRICE)


@pytest.mark.parametrize("content", ["[]", "{}", '{"sha256": "", "groups": {"x": 1}, "lists": {}}'])
def test_damaged_ranks_are_refused_in_words(tmp_path: Path, content: str) -> None:
    ranks_file(tmp_path, Speaker.USER).write_text(content)
    with pytest.raises(FileProblem, match="no ranks of templates"):
        load_ranks(tmp_path, Speaker.USER)
