"""The template files of CrossWOZ on its val split; needs the data folder.

Twenty dialogues keep this quick; fewer references make scores lower than on the whole split,
where random templates get .57 and .66 and the most central ones .81 and .88.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import pytest

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.schema import SERVICE_MARK
from crosstalk.evaluation.nlg_scores import score_generation
from crosstalk.model_folders import find_model
from crosstalk.system.nlg.act_keys import JOIN, ActKeys
from crosstalk.system.nlg.corpus_templates import (
    TemplateFiles,
    UnsupportedValueFilter,
    most_central_generator,
    published_generator,
    read_auto,
)
from crosstalk.system.nlg.generator import Generator
from crosstalk.system.nlg.template_bank import CorpusTemplateBank
from crosstalk.system.nlg.template_nlg import AnyTemplate, TemplateNLG
from crosstalk.system.nlg.template_ranks import load_ranks
from crosstalk.worlds.world import find_world, load_schema, load_world

SCHEMA, CHINESE = load_schema("crosswoz")
MARKS = 0xE000
"""Private characters that no text holds."""


@cache
def val(data_folder: Path) -> list[Dialogue]:
    return list(read_corpus(data_folder / "crosswoz" / "val.json.zip"))


def sayings(data_folder: Path) -> TemplateFiles:
    return TemplateFiles(data_folder / "crosswoz" / "templates", find_world("crosswoz") / "sayings")


def bleu(generator: Generator, dialogues: list[Dialogue], speaker: Speaker) -> float:
    rng = Random(0)
    keys = ActKeys.of(SCHEMA, CHINESE, speaker)
    score = score_generation(lambda acts: generator.say(acts, rng), dialogues, keys, language="zh")
    return score.bleu.score


@pytest.mark.parametrize("speaker", Speaker)
def test_our_order_of_acts_is_that_of_the_files(data_folder: Path, speaker: Speaker) -> None:
    keys = ActKeys.of(SCHEMA, CHINESE, speaker)
    for group in read_auto(data_folder / "crosswoz" / "templates", speaker):
        parts = group.split(JOIN) if group else []
        assert parts == sorted(parts, key=keys.rank)


@pytest.mark.parametrize(
    ("speaker", "random", "best"),
    [(Speaker.USER, 0.345, 0.497), (Speaker.SYSTEM, 0.515, 0.676)],
)
def test_bleu(data_folder: Path, speaker: Speaker, random: float, best: float) -> None:
    dialogues = val(data_folder)[:20]
    templates = data_folder / "crosswoz" / "templates"
    published = published_generator(templates, SCHEMA, CHINESE, speaker)
    world = load_world("crosswoz", data=data_folder)
    ranks = load_ranks(find_model("nlg-crosswoz"), speaker)
    central = most_central_generator(sayings(data_folder), world, speaker, ranks)
    assert bleu(published, dialogues, speaker) == pytest.approx(random, abs=0.02)
    assert bleu(central, dialogues, speaker) == pytest.approx(best, abs=0.005)


def test_ranked_before_or_now_the_words_are_the_same(data_folder: Path) -> None:
    world = load_world("crosswoz", data=data_folder)
    ranks = load_ranks(find_model("nlg-crosswoz"), Speaker.USER)
    assert ranks.sha256 == sayings(data_folder).digest(Speaker.USER)
    before = most_central_generator(sayings(data_folder), world, Speaker.USER, ranks)
    now = most_central_generator(sayings(data_folder), world, Speaker.USER)
    for turn in val(data_folder)[0].user_turns:
        assert before.say(turn.acts, Random(0)) == now.say(turn.acts, Random(0))


def test_nothing_is_said_that_the_acts_do_not_say(data_folder: Path) -> None:
    """Sayings of one place, one price, one dish are no templates."""
    world = load_world("crosswoz", data=data_folder)
    texts = sayings(data_folder).texts(Speaker.SYSTEM, SCHEMA)
    foreign = UnsupportedValueFilter.of(world, texts)
    assert foreign.ordinary == {"其他", "没有", "租车", "都可以"}
    assert foreign.tells("故宫的门票是[Inform+景点+门票]。", "Inform+景点+门票")
    assert foreign.tells("门票免费。", "Inform+景点+名称")
    assert not foreign.tells("没有其他景点了。", "Inform+景点+周边景点+无")


@pytest.mark.parametrize("speaker", Speaker)
def test_every_value_of_real_turns_is_said_exactly_once(
    data_folder: Path, speaker: Speaker
) -> None:
    keys = ActKeys.of(SCHEMA, CHINESE, speaker)
    bank = CorpusTemplateBank(
        read_auto(data_folder / "crosswoz" / "templates", speaker), keys.has_hole
    )
    generator = TemplateNLG(keys, bank, AnyTemplate(), CHINESE)
    rng = Random(0)
    for turn in (turn for dialogue in val(data_folder) for turn in dialogue.turns):
        acts = [marked(act, number, keys) for number, act in enumerate(turn.acts)]
        if turn.speaker is speaker:
            said = generator.say(acts, rng)
            marks = [chr(MARKS + number) for number in range(len(acts))]
            wanted = [act != other for act, other in zip(turn.acts, acts, strict=True)]
            assert [said.count(mark) for mark in marks] == wanted, (acts, said)


def marked(act: Act, number: int, keys: ActKeys) -> Act:
    """The act with its value, if it has one to say, exchanged for one of a kind."""
    mark = chr(MARKS + number)
    value = keys.spoken(act).value
    if not value:
        return act
    if act.slot.endswith(SERVICE_MARK + value):
        return replace(act, slot=act.slot.removesuffix(value) + mark)
    return replace(act, value=mark)
