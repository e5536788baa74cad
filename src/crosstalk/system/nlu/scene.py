"""The scene of an utterance: what was understood and named before it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from crosstalk.dialogue.acts import GENERAL, REQUEST, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.system.nlu.facts import Entity, Facts

NEVER: Final = 99
"""Age of what has not happened."""


@dataclass(slots=True)
class Scene:
    """Ages are in turns: 1 is the utterance before this one, 0 this one."""

    speaker: Speaker
    text: str
    turns: int
    """How many turns went before."""
    domains: dict[tuple[Speaker, str], int] = field(default_factory=dict)
    """Who last had an act of the domain how long ago."""
    acts: dict[Act, int] = field(default_factory=dict)
    slots: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """(intent, domain, slot), whatever the value."""
    values: dict[str, int] = field(default_factory=dict)
    """Values, whatever the act."""
    named: dict[Entity, int] = field(default_factory=dict)
    latest: dict[tuple[str, str], str] = field(default_factory=dict)
    """(domain, slot) -> the value given last."""
    last: dict[Speaker, tuple[Act, ...]] = field(default_factory=dict)
    """The acts of each side's last turn."""

    @property
    def pending(self) -> tuple[Act, ...]:
        """What the user's last turn asked for."""
        return tuple(act for act in self.last.get(Speaker.USER, ()) if act.intent == REQUEST)

    def domain_age(self, domain: str) -> int:
        return min(self.domains.get((speaker, domain), NEVER) for speaker in Speaker)


def scene_of(utterance: Turn, history: Sequence[Turn], facts: Facts) -> Scene:
    scene = Scene(utterance.speaker, utterance.text, len(history))
    for age, turn in enumerate((utterance, *reversed(history))):
        for _, entity in facts.entities_in(turn.text):
            scene.named.setdefault(entity, age)
        if age:
            scene.last.setdefault(turn.speaker, turn.acts)
            for act in turn.acts:
                _remember(scene, turn.speaker, act, age)
    return scene


def _remember(scene: Scene, speaker: Speaker, act: Act, age: int) -> None:
    scene.acts.setdefault(act, age)
    scene.slots.setdefault((act.intent, act.domain, act.slot), age)
    if act.intent != GENERAL:
        scene.domains.setdefault((speaker, act.domain), age)
    if act.value:
        scene.latest.setdefault((act.domain, act.slot), act.value)
        scene.values.setdefault(act.value, age)
