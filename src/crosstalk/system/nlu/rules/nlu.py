"""NLU by rules alone: no training, five languages, any world.

    RulesNLU(world, folder).understand(turn, history)

The path of an utterance: `written.py` reads it back if it is a sentence of the world's templates;
otherwise `spotting.py` finds names, values, numbers and cues, `segmentation.py` divides it into
parts about one domain, `segment_reader.py` turns each part into acts (constraints, requests,
rankings, comparisons), and this module joins answers to what the system asked before.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

from crosstalk.dialogue.acts import (
    AMONG,
    COMPARE,
    CONFIRM,
    EXCLUDE,
    GENERAL,
    IGNORED,
    INFORM,
    MULTIPLY,
    PICK,
    REFINE,
    REQUEST,
    SORT,
    UNSUPPORTED,
    WHICH,
    Act,
    in_order,
)
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import LISTS, Schema, SlotKind
from crosstalk.language.normalize import plain
from crosstalk.language.phrases import Phrasebook, load_phrases
from crosstalk.language.world_files import ASSISTANT, world_file
from crosstalk.system.nlg.world_templates import has_templates
from crosstalk.system.nlu.rules.context import ContextReader, TurnContext
from crosstalk.system.nlu.rules.number_slots import Amounts
from crosstalk.system.nlu.rules.reading import UtteranceReading
from crosstalk.system.nlu.rules.segments import ReadingRules
from crosstalk.system.nlu.rules.spotting import Spotter
from crosstalk.system.nlu.rules.template_values import QUESTION_MARKS, TemplateValues
from crosstalk.system.nlu.rules.written import WrittenSentences, spoken_of
from crosstalk.worlds.tables import World

Read = Callable[[str, TurnContext], list[Act]]

ASIDE: Final = frozenset({GENERAL, IGNORED, REFINE})
CHOOSING: Final = frozenset({PICK, SORT})
"""Acts that say which place is meant, and nothing else."""


def answered(
    schema: Schema, acts: Sequence[Act], context: TurnContext, read: Read
) -> Sequence[Act]:
    """The acts of a turn; an answer to a question is joined to what was asked before it."""
    asked = context.question
    content = [act for act in acts if act.intent not in ASIDE]
    if asked and content and (joined := _joined(schema, asked, content, context, read)):
        return joined
    if not asked and content and (more := list(_elliptic(schema, content, context))):
        return [*acts, *more]
    return acts


def wished_for(
    schema: Schema, acts: Sequence[Act], context: TurnContext, yes: str
) -> Sequence[Act]:
    """`Which one has that, then?`: what was asked of a place is searched for instead."""
    wishes: list[Act] = []
    for act in context.acts:
        domain = schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        if act.intent == REQUEST and slot and act.slot != slot.key:
            wishes += [replace(act, intent=INFORM, value=yes), Act(REFINE, act.domain)]
        elif act.intent == CONFIRM and slot and slot.kind is SlotKind.LIST:
            wishes += [replace(act, intent=INFORM), Act(REFINE, act.domain)]
    return [*wishes, *(act for act in acts if act.intent not in (GENERAL, COMPARE, WHICH))]


def counted_again(acts: Sequence[Act], context: TurnContext, number: int) -> Sequence[Act]:
    """`I meant four`, of nights or people: the same price times another number."""
    before = [act for act in context.acts if act.intent in (REQUEST, MULTIPLY)]
    if not number or any(act.intent not in ASIDE for act in acts):
        return acts
    if not any(act.intent == MULTIPLY for act in before):
        return acts
    return [replace(a, value=str(number)) if a.intent == MULTIPLY else a for a in before]


def put_right(schema: Schema, acts: Sequence[Act], context: TurnContext) -> Iterator[Act]:
    """`I mean the museum`, `no, a sight`: what was near the wrong place, or of the wrong domain."""
    content = [act for act in acts if act.intent not in ASIDE]
    wished = [act for act in context.acts if act.intent == INFORM and _target(schema, act)]
    if len(content) != 1 or not wished or not _is_name(schema, content[0]):
        yield from acts
        return
    said, before = content[0], wished[-1]
    if said.intent == INFORM and _slot_near(schema, before.domain, said.domain):
        slot = _slot_near(schema, before.domain, said.domain)
        yield Act(INFORM, before.domain, slot, said.value)
        yield Act(REFINE, before.domain)
        return
    yield from acts
    slot = _slot_near(schema, said.domain, _target(schema, before))
    if said.intent == REQUEST and said.domain != before.domain and slot:
        yield Act(INFORM, said.domain, slot, before.value)


def _target(schema: Schema, act: Act) -> str:
    """The domain of the place that an act wants something to be near."""
    domain = schema.domain(act.domain)
    slot = domain.slot(act.slot) if domain else None
    return slot.target if slot and slot.kind is SlotKind.NEARBY else ""


def _slot_near(schema: Schema, key: str, target: str) -> str:
    domain = schema.domain(key)
    slots = domain.of_kind(SlotKind.NEARBY) if domain else ()
    return next((slot.key for slot in slots if slot.target == target), "")


def _joined(
    schema: Schema, asked: Act, content: Sequence[Act], context: TurnContext, read: Read
) -> list[Act]:
    names = _names(schema, content)
    same = {act.domain for act in content} == {content[0].domain}
    if asked.slot == "domain" and same and any(_is_search(schema, act) for act in content):
        key = content[0].domain
        again = read(context.text, replace(context, domain=key, place_domain=key, question=None))
        return [*again, *content]
    if len(content) != len(names) or not names:
        return []
    name = names[-1]
    if asked.slot in ("departure", "destination"):
        return _ride(schema, asked, name, context)
    if asked.slot == "near":
        return _near(schema, asked, name, context)
    if asked.slot in ("place", "name"):
        before = [act for act in context.acts if act.intent in (REQUEST, CONFIRM)]
        return [
            name,
            *(replace(act, domain=name.domain) for act in before if not _is_name(schema, act)),
        ]
    return []


def _names(schema: Schema, acts: Sequence[Act]) -> list[Act]:
    return [
        act
        for act in acts
        if act.intent in (INFORM, PICK) and (_is_name(schema, act) or act.intent == PICK)
    ]


def _is_name(schema: Schema, act: Act) -> bool:
    domain = schema.domain(act.domain)
    return bool(domain and domain.name_slot and domain.name_slot.key == act.slot)


def _is_search(schema: Schema, act: Act) -> bool:
    """Nothing but a word for a domain."""
    return act.intent == REQUEST and _is_name(schema, act)


def _ride(schema: Schema, asked: Act, name: Act, context: TurnContext) -> list[Act]:
    domain = schema.domain(asked.domain)
    if domain is None:
        return []
    ends = [slot.key for slot in domain.of_kind(SlotKind.ENDPOINT)]
    slot = next(
        (key for key in ends if asked.slot in key), ends[0 if asked.slot == "departure" else -1]
    )
    before = [act for act in context.acts if act.domain == asked.domain and act.slot != slot]
    return [*before, Act(INFORM, asked.domain, slot, name.value)]


def _near(schema: Schema, asked: Act, name: Act, context: TurnContext) -> list[Act]:
    domain = schema.domain(asked.domain) or schema.domain(context.place_domain)
    slots = domain.of_kind(SlotKind.NEARBY) if domain else ()
    slot = next((slot for slot in slots if slot.target == name.domain), None)
    if domain is None or slot is None:
        return []
    before = [act for act in context.acts if not (act.intent == INFORM and not act.value)]
    return [*before, Act(INFORM, domain.key, slot.key, name.value)]


def _elliptic(schema: Schema, content: Sequence[Act], context: TurnContext) -> Iterator[Act]:
    """`And the first?`, `the hotel's too`: the same question about another place."""
    if any(not (_is_name(schema, act) or act.intent in CHOOSING) for act in content):
        return
    if any(act.intent == EXCLUDE for act in content):
        return
    key = content[-1].domain
    domain = schema.domain(key)
    if domain is None or not (context.last.get(key) or content[-1].intent == PICK):
        return
    ranks = any(act.intent == SORT for act in content)
    for act in context.acts:
        if act.intent == COMPARE and act.domain == key and content[-1].intent == INFORM:
            yield replace(act, value=AMONG.join((act.value.split(AMONG)[0], content[-1].value)))
            yield from (each for each in context.acts if each.intent == SORT)
        asks = act.intent == REQUEST or (act.intent == CONFIRM and not ranks)
        if not asks or _is_name(schema, act):
            continue
        before = schema.domain(act.domain)
        slot = before.slot(act.slot) if before else None
        own = domain.slot(act.slot) or next(
            iter(domain.of_kind(slot.kind)) if slot else iter(()), None
        )
        if own:
            yield replace(act, domain=key, slot=act.slot if domain.slot(act.slot) else own.key)


class RulesNLU:
    """Understands one world in one language by its words."""

    def __init__(self, world: World, folder: Path, *, templates: bool = True) -> None:
        """`folder` is the world's folder, whose `assistant/<code>.toml` has its everyday words.

        `templates`: whether the sentences of the world's templates are known word for word.
        """
        self._templates = templates
        self._world = world
        self._folder = folder
        self._has_words = (folder / world_file(folder, ASSISTANT, world.language.code)).exists()
        self._sentences: dict[Speaker, WrittenSentences] = {}
        self.book: Phrasebook = load_phrases(folder, world.language, world.schema)
        spotter = Spotter(world, self.book)
        self._rules = ReadingRules(
            world.schema,
            world.language,
            self.book.grammar,
            spotter,
            Amounts(world, spotter.quantities),
        )
        places = {
            str(row[domain.name_slot.key]): domain.key
            for domain in reversed(world.schema.places)
            if domain.name_slot
            for row in world.tables[domain.key]
        }
        self._contexts = ContextReader(world.schema, world.language.yes, places)

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> tuple[Act, ...]:
        """The acts of an utterance in the context of the turns before, sorted.

        An utterance that consists of sentences of the world's templates means what these were
        written for; questions that the rules see beyond that count too.
        """
        if not (written := self._written(utterance.speaker)):
            return self._in_free_words(utterance, history)
        reading = written.read(utterance.text, spoken_of(history))
        if utterance.speaker is Speaker.SYSTEM:
            return in_order(reading.acts)
        if reading.rest and not self._has_words:
            rest = self._in_free_words(replace(utterance, text=reading.rest), history)
            return in_order({*reading.acts, *rest})
        if reading.rest:
            return self._in_free_words(utterance, history)
        acts = self._by_rules(utterance, history)
        return acts if _asks_more(acts, reading.acts) else in_order(reading.acts)

    def _in_free_words(self, utterance: Turn, history: Sequence[Turn]) -> tuple[Act, ...]:
        """The acts by rules, and wishes by the words of the templates.

        In worlds without everyday words these come first. Elsewhere they are asked for what the
        rules do not read: days, times, numbers without a unit, yes and no.
        """
        acts = self._by_rules(utterance, history)
        schema = self._world.schema
        if not has_templates(self._folder, self._world.language.code):
            return acts
        named = [a for a in acts if a.intent in (INFORM, CONFIRM) and _is_name(schema, a)]
        about = [act.domain for act in (named or acts) if schema.domain(act.domain)]
        latest = next(filter(schema.domain, [*about[-1:], *spoken_of(history)]), "")
        text = utterance.text
        for act in named:  # what stands in a name is no wish
            text = re.sub(re.escape(act.value), " ", text, flags=re.IGNORECASE)
        wishes = self._values.read(text, latest)
        if named and text.rstrip().endswith(tuple(QUESTION_MARKS)):  # is it open on Monday?
            wishes = [replace(act, intent=CONFIRM) for act in wishes]
        if self._has_words:
            return self._with_unread(acts, wishes)
        if not wishes:
            asked = self._values.asks_hours(text, latest)
            return in_order({*acts, asked}) if asked and not _is_about_places(acts) else acts
        told = {(act.domain, act.slot) for act in wishes}
        kept = [
            act
            for act in acts
            if (act.intent in (GENERAL, REQUEST) or self._is_of_rules(act))
            and (act.domain, act.slot) not in told
            and (act.intent == GENERAL or any(act.domain == key for key, _ in told))
        ]
        return in_order({*wishes, *named, *kept})

    def _with_unread(self, acts: tuple[Act, ...], wishes: Sequence[Act]) -> tuple[Act, ...]:
        """The acts by rules, and wishes of kinds that the rules do not read."""
        domains = {act.domain for act in acts if self._world.schema.domain(act.domain)}
        unread = [
            act
            for act in wishes
            if self._kind(act) in TemplateValues.KINDS_OF_ITS_OWN and act.domain in domains
        ]
        told = {(act.domain, act.slot) for act in unread}
        kept = [act for act in acts if (act.domain, act.slot) not in told]
        return in_order({*unread, *kept}) if unread else acts

    def _is_of_rules(self, act: Act) -> bool:
        """Whether an act is a wish of a kind that words of the templates do not tell: a list."""
        return act.intent == INFORM and self._kind(act) in LISTS

    def _kind(self, act: Act) -> SlotKind | None:
        domain = self._world.schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        return slot.kind if slot else None

    @cached_property
    def _values(self) -> TemplateValues:
        return TemplateValues(self._world, self._folder, self.book)

    def _written(self, speaker: Speaker) -> WrittenSentences | None:
        code = self._world.language.code
        if not self._templates or not has_templates(self._folder, code):
            return None
        if speaker not in self._sentences:
            strict = self._has_words and speaker is Speaker.USER
            self._sentences[speaker] = WrittenSentences(
                self._world,
                self._folder,
                speaker,
                strict=strict,
                unknown=not self._has_words and speaker is Speaker.USER,
            )
        return self._sentences[speaker]

    def _by_rules(self, utterance: Turn, history: Sequence[Turn]) -> tuple[Act, ...]:
        context = self._contexts.read(history)
        acts = self._read(utterance.text, context)
        words = plain(utterance.text)
        cues = self._rules.spotter.cues
        if cues.says("correction", words) or cues.says("instead_of", words):
            acts = list(put_right(self._world.schema, acts, context))
            acts = list(counted_again(acts, context, cues.last_number(words)))
        if cues.says("having", words):
            acts = list(wished_for(self._world.schema, acts, context, self._world.language.yes))
        return in_order(answered(self._world.schema, acts, context, self._read))

    def _read(self, text: str, context: TurnContext) -> list[Act]:
        said = self._rules.spotter.spot(text, context)
        return UtteranceReading(self._rules, said, context).acts()


def _is_about_places(acts: Sequence[Act]) -> bool:
    return any(act.intent not in (GENERAL, UNSUPPORTED) and act.domain for act in acts)


def _asks_more(acts: Sequence[Act], written: Sequence[Act]) -> bool:
    """Whether a reading has all of another, and questions beside."""
    beside = set(acts) - set(written)
    return set(written) <= set(acts) and all(act.intent == REQUEST for act in beside)
