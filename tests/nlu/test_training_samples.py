from random import Random

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlu.training_samples import (
    Filler,
    TemplateGroup,
    groups_of,
    pool_of,
    sample_of,
)
from crosstalk.worlds.tables import World


def test_spans_mark_the_values_that_were_filled_in(
    harbour: World, groups: list[TemplateGroup]
) -> None:
    filler, rng = Filler(harbour), Random(1)
    names = set(harbour.texts("hotel", "name"))
    [pair] = [group for group in groups if len(group.keys) == 2 and group.keys[0] == group.keys[1]]
    sample = filler.fill(pair, pair.templates[0], rng)
    one, other = (sample.text[span.start : span.end] for span in sample.spans)
    assert {one, other} <= names
    assert one != other


def test_users_say_bands_and_systems_say_numbers(harbour: World) -> None:
    user = pool_of(harbour, Speaker.USER, "Inform+hotel+price")
    system = pool_of(harbour, Speaker.SYSTEM, "Inform+hotel+price")
    assert len(user) < 20 < len(system)
    assert not set(user) & set(system)


def test_a_key_with_a_value_has_no_other(harbour: World) -> None:
    assert pool_of(harbour, Speaker.SYSTEM, "Inform+hotel+rating+none") == ["none"]


def test_a_template_without_acts_is_a_sample_too(harbour: World) -> None:
    [group] = groups_of({"": ["Hmm."]}, Speaker.USER)
    sample = Filler(harbour).fill(group, group.templates[0], Random(1))
    assert (sample.text, sample.spans, sample.keys) == ("Hmm.", (), frozenset())


def test_a_turn_is_a_sample_with_the_longest_of_overlapping_values(harbour: World) -> None:
    keys = ActKeys.of(harbour.schema, harbour.language, Speaker.USER)
    acts = (
        Act("Inform", "hotel", "name", "Grand Hotel Halmora"),
        Act("Inform", "hotel", "type", "Grand Hotel"),
        Act("Inform", "hotel", "rating", "4 points"),
    )
    sample = sample_of(Turn(Speaker.USER, "To the Grand Hotel Halmora.", acts), keys)
    assert [(span.start, span.key) for span in sample.spans] == [(7, "Inform+hotel+name")]
    assert len(sample.keys) == 3
