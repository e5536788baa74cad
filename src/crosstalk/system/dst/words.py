"""Our tracker from words alone: texts and what was understood of them, never a wizard's form.

What it believed before is all it knows of the form, so it was trained on its own beliefs. For every
field it judges all values that ever came up there, not only the edits of the last turn.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import Domain, Slot
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.system import boosted
from crosstalk.system.boosted import Trees
from crosstalk.system.dst.rule import open_requests
from crosstalk.system.dst.tracker import DialogueState
from crosstalk.system.dst.tree_tracker import Field
from crosstalk.system.dst.understood_dialogue import Doubts, Hearing
from crosstalk.system.dst.value_history import SeenValue, SeenValues, judged, sighted
from crosstalk.system.dst.words_candidates import WordsCandidateMaker
from crosstalk.system.dst.words_features import WordsFeatureMaker
from crosstalk.system.dst.words_knowledge import WordsKnowledge
from crosstalk.worlds.queries import Database

Place = tuple[str, str]
"""Domain and slot."""


@dataclass(frozen=True, slots=True)
class WordsBelief(DialogueState):
    """A belief with all that might be in the form."""

    sightings: Mapping[Place, SeenValues] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TurnCandidates:
    """The fields of one turn with what they might hold."""

    fields: tuple[Field, ...]
    sightings: Mapping[Place, dict[SlotValue, SeenValue]]
    hearing: Hearing


class SceneMaker:
    """From a belief and the words so far to the candidates of every field."""

    def __init__(self, database: Database, knowledge: WordsKnowledge) -> None:
        self._schema = database.world.schema
        self._language = database.world.language
        self._database = database
        self._knowledge = knowledge
        self._fields = [(domain, slot) for domain in self._schema for slot in domain.form]

    def scene(
        self, belief: DialogueState, history: tuple[Turn, ...], doubts: Doubts
    ) -> TurnCandidates:
        hearing = Hearing.of(self._schema, self._language.yes, history, doubts)
        candidates = WordsCandidateMaker(self._database, hearing, self._knowledge)
        features = WordsFeatureMaker(self._database, hearing, belief.form, self._knowledge)
        known = belief.sightings if isinstance(belief, WordsBelief) else {}
        fields, sightings = [], {}
        for domain, slot in self._fields:
            before = known.get((domain.key, slot.key), {})
            found = candidates.candidates(belief.form, domain, slot, before)
            now = sighted(before, found, hearing.discourse.exchange)
            sightings[domain.key, slot.key] = now
            if len(now) > 1:
                full = {value: found.get(value, set()) for value in now}
                rows = features.describe_words(domain, slot, full, now)
                fields.append(Field(domain, slot, tuple(full), tuple(rows)))
        return TurnCandidates(tuple(fields), sightings, hearing)


def believed(scene: TurnCandidates, before: DialogueState, scores: list[float]) -> WordsBelief:
    """The likeliest value of each field."""
    form, discourse, heard = before.form, scene.hearing.discourse, scene.hearing.heard
    sightings: dict[Place, SeenValues] = dict(scene.sightings)
    start = 0
    for each in scene.fields:
        mine = scores[start : start + len(each.values)]
        start += len(each.values)
        best = each.values[mine.index(max(mine))]
        form = with_value(form, each.domain, each.slot, best)
        place = each.domain.key, each.slot.key
        sightings[place] = judged(scene.sightings[place], dict(zip(each.values, mine, strict=True)))
    requests = open_requests(before.requests, discourse.system_acts, heard.acts)
    return WordsBelief(form, discourse.focus(heard), requests, discourse, sightings)


def with_value(form: SystemState, domain: Domain, slot: Slot, value: SlotValue) -> SystemState:
    tab = form.get(domain.key)
    if tab.get(slot.key) == value:
        return form
    return form.with_domain(tab.with_slot(slot.key, value))


class WordsTracker:
    """The tracker over trained trees; reads texts and acts, ignores forms in the history."""

    def __init__(self, database: Database, trees: Trees, knowledge: WordsKnowledge) -> None:
        self._scenes = SceneMaker(database, knowledge)
        self._trees = trees
        self._knowledge = knowledge

    def update(
        self, belief: DialogueState, history: tuple[Turn, ...], doubts: Doubts | None = None
    ) -> WordsBelief:
        """`doubts`: all acts the last turn may stand for; without, its acts are taken as sure."""
        if doubts is None:
            doubts = dict.fromkeys(history[-1].acts, 1.0)
        scene = self._scenes.scene(belief, history, doubts)
        scores = self._trees.likelihoods([row for each in scene.fields for row in each.rows])
        return believed(scene, belief, scores)

    @classmethod
    def load(cls, folder: Path, database: Database) -> "WordsTracker":
        trees, told = boosted.load(folder)
        return cls(database, trees, WordsKnowledge.from_json(told))

    def save(self, folder: Path) -> None:
        boosted.save(self._trees, self._knowledge.to_json(), folder)
