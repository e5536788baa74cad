"""The template files of CrossWOZ on its val split; needs the data folder.

Twenty dialogues keep this quick; fewer references make scores lower than on the whole split,
where random templates get .57 and .66 and the most central ones .81 and .88.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import pytest

from crosstalk.database.worlds import load_schema
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.schema import SERVICE_MARK
from crosstalk.evaluation.generation import score_generation
from crosstalk.formats.corpus import read_corpus
from crosstalk.modules.nlg.banks import SaidBank
from crosstalk.modules.nlg.choosing import AnyTemplate
from crosstalk.modules.nlg.crosswoz import central_generator, published_generator, read_auto
from crosstalk.modules.nlg.generator import Generator
from crosstalk.modules.nlg.keys import JOIN, ActKeys
from crosstalk.modules.nlg.template import TemplateNLG

SCHEMA, CHINESE = load_schema("crosswoz")
MARKS = 0xE000
"""Private characters that no text holds."""


@cache
def val(data_folder: Path) -> list[Dialogue]:
    return list(read_corpus(data_folder / "crosswoz" / "val.json.zip"))


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
    central = central_generator(templates, SCHEMA, CHINESE, speaker)
    assert bleu(published, dialogues, speaker) == pytest.approx(random, abs=0.02)
    assert bleu(central, dialogues, speaker) == pytest.approx(best, abs=0.005)


@pytest.mark.parametrize("speaker", Speaker)
def test_every_value_of_real_turns_is_said_exactly_once(
    data_folder: Path, speaker: Speaker
) -> None:
    keys = ActKeys.of(SCHEMA, CHINESE, speaker)
    bank = SaidBank(read_auto(data_folder / "crosswoz" / "templates", speaker), keys.has_hole)
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
