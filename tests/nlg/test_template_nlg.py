"""Our generator: every value once, few sentences."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import SlotKind
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlg.corpus_templates import extract
from crosstalk.system.nlg.template_bank import CorpusTemplateBank, WrittenTemplateBank
from crosstalk.system.nlg.template_nlg import AnyTemplate, MostCentral, TemplateNLG
from crosstalk.system.nlg.world_templates import written_generator
from crosstalk.worlds.world import find_world, load_schema

SCHEMA, ENGLISH = load_schema("harbour")
GENERATORS = {
    speaker: written_generator(find_world("harbour"), SCHEMA, ENGLISH, speaker)
    for speaker in Speaker
}


def recommend(*names: str) -> tuple[Act, ...]:
    return tuple(Act("Recommend", "hotel", "name", name) for name in names)


def from_corpus(corpus: list[Dialogue], keys: ActKeys, language: LanguagePack) -> TemplateNLG:
    bank = CorpusTemplateBank(extract(corpus, keys), keys.has_hole)
    return TemplateNLG(keys, bank, MostCentral(language.code), language)


def test_values_are_said_as_they_are_written(
    toy_corpus: list[Dialogue], system: ActKeys, english: LanguagePack
) -> None:
    say = from_corpus(toy_corpus, system, english).say
    assert say(recommend("A", "B", "C"), Random(0)) == "There are C, A and B."


def test_a_list_of_another_length(
    toy_corpus: list[Dialogue], system: ActKeys, english: LanguagePack
) -> None:
    say = from_corpus(toy_corpus, system, english).say
    assert say(recommend("A", "B", "C", "D", "E"), Random(0)) == "There are A, B, C, D and E."


def test_an_unknown_group_is_said_in_known_ones(
    toy_corpus: list[Dialogue], system: ActKeys, english: LanguagePack
) -> None:
    say = from_corpus(toy_corpus, system, english).say
    acts = (Act("General", "welcome"), Act("Inform", "hotel", "name", "Old Mint Hotel"))
    assert say(acts, Random(0)) == "You are welcome. Take Old Mint Hotel."


def test_without_templates_names_and_values_are_said(
    system: ActKeys, english: LanguagePack
) -> None:
    plain = TemplateNLG(system, WrittenTemplateBank(), AnyTemplate(), english)
    acts = (
        Act("Inform", "hotel", "price", "90 crowns"),
        Act("Inform", "hotel", "services-sauna", "no"),
        Act("Request", "hotel", "phone", ""),
    )
    assert plain.say(acts, Random(0)) == (
        "hotel, price per night: 90 crowns. hotel, services: sauna: no. hotel, phone number?"
    )


def test_sentences_that_follow_need_not_name_the_domain_again() -> None:
    acts = (
        Act("General", "greet"),
        Act("Inform", "hotel", "type", "budget"),
        Act("Inform", "hotel", "price", "90 crowns"),
        Act("Inform", "hotel", "services-sauna", "yes"),
        Act("Request", "hotel", "name", ""),
    )
    said = GENERATORS[Speaker.USER].say(acts, Random(0))
    assert said.count("hotel") == 1 and "It should" in said


def test_who_has_nothing_to_say_says_something() -> None:
    assert all(generator.say((), Random(0)) for generator in GENERATORS.values())


def acts_of(speaker: Speaker) -> st.SearchStrategy[list[Act]]:
    """Any acts of harbour; each value is one of a kind, so that it can be counted."""
    tellable = [
        (domain.key, slot.key + ("-{}" if slot.kind is SlotKind.SERVICES else ""))
        for domain in SCHEMA
        for slot in domain.slots
    ]
    intents = {
        Speaker.USER: ["Inform", "Request"],
        Speaker.SYSTEM: ["Inform", "Inform", "Recommend"],
    }[speaker]
    pairs = st.tuples(st.sampled_from(intents), st.sampled_from(tellable))
    return st.lists(pairs, max_size=9).map(
        lambda drawn: [
            numbered(intent, domain, slot, number)
            for number, (intent, (domain, slot)) in enumerate(drawn)
        ]
    )


def numbered(intent: str, domain: str, slot: str, number: int) -> Act:
    mark = f"<{number}>"
    if "{}" in slot:
        return Act(intent, domain, slot.format(mark), "" if intent == "Request" else "yes")
    return Act(intent, domain, slot, "" if intent == "Request" else mark)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_every_value_is_said_exactly_once(data: st.DataObject) -> None:
    for speaker, generator in GENERATORS.items():
        acts = data.draw(acts_of(speaker))
        said = generator.say(acts, Random(0))
        for number, act in enumerate(acts):
            mark = f"<{number}>"
            assert said.count(mark) == (mark in act.slot + act.value), (act, said)
