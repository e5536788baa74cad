"""Utterances typed by hand, with the acts a person would write beside them (`data/<code>.toml`)."""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosstalk.dialogue.acts import GENERAL, INFORM, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import SERVICE_MARK
from crosstalk.evaluation.scores import Hits
from crosstalk.language.training_phrases import TrainingPhrases
from crosstalk.system.nlg.world_templates import written_generator
from crosstalk.system.nlu.understanding import Acts, Understanding
from crosstalk.system.nlu.value_linking import ValueLinker, read_spec
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world

from random import Random  # isort: skip

DATA = Path(__file__).parent / "data"
PARTS = ("first", "second", "third")
LANGUAGES = ("en", "zh", "de", "ar", "ru")


@dataclass(frozen=True, slots=True)
class Typed:
    """An utterance, what the system said before, and its right readings."""

    text: str
    history: tuple[Turn, ...]
    readings: tuple[Acts, ...]


def typed(world: World, part: str) -> list[Typed]:
    code = world.language.code
    with (DATA / f"{code}.toml").open("rb") as file:
        cases = tomllib.load(file)[part]
    reader = _Notation(world)
    return [
        Typed(
            case["say"],
            tuple(reader.history(case.get("about", ()))),
            tuple(reader.acts(case[key]) for key in ("acts", "alt") if key in case),
        )
        for case in cases
    ]


def judge(
    understanding: Understanding, cases: Sequence[Typed]
) -> tuple[Hits, list[tuple[Typed, Acts]]]:
    """Counts over all acts, and the utterances that were not understood exactly."""
    total, wrong = Hits(), []
    for case in cases:
        said = understanding.understand(Turn(Speaker.USER, case.text), case.history)
        best = max((compared(said, gold) for gold in case.readings), key=lambda hits: hits.f1 or 0)
        total += best
        if best.wrong or best.missed:
            wrong.append((case, said))
    return total, wrong


def compared(said: Acts, gold: Acts) -> Hits:
    """Who states a wish wants a place: whether its name is asked for besides does not matter."""
    wishes = {act.domain for act in gold if act.intent in (INFORM, SELECT)}
    implied = {act for act in (*said, *gold) if _asks_for_place(act) and act.domain in wishes}
    return Hits.of([a for a in said if a not in implied], [a for a in gold if a not in implied])


def _asks_for_place(act: Act) -> bool:
    return act.intent == REQUEST and act.slot == "name"


class _Notation:
    """`Inform hotel price ..300` and `@` values in the words of a language."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._lookup = ValueLinker(world, TrainingPhrases())
        self._voice = written_generator(
            find_world("harbour"), world.schema, world.language, Speaker.SYSTEM
        )

    def acts(self, lines: Sequence[str]) -> Acts:
        return tuple(sorted(self._act(line) for line in lines))

    def _act(self, line: str) -> Act:
        intent, domain, *rest = line.split(" ", 2)
        if intent == GENERAL:
            return Act(intent, domain)
        slot, _, value = rest[0].partition(" ")
        key, mark, _ = slot.partition(SERVICE_MARK)
        if mark:
            service, _, value = rest[0].removeprefix(f"{key}{mark}").rpartition(" yes")
            name = self._local(key, (service or value).removeprefix("@"))
            yes = self._world.language.yes if intent == INFORM else ""
            return Act(intent, domain, f"{key}{mark}{name}", yes)
        return Act(intent, domain, slot, self._value(domain, slot, value))

    def _value(self, domain: str, slot: str, value: str) -> str:
        if value.startswith("@"):
            return self._local(slot, value[1:])
        found = self._world.schema.domain(domain)
        its = found.slot(slot) if found else None
        if ".." in value and its:
            return self._lookup.say_bounds(domain, its, read_spec(value))
        return value

    def _local(self, slot: str, value: str) -> str:
        renderings = self._world.language.values
        key = slot if value in renderings.get(slot, {}) else "name"
        return renderings.get(key, {}).get(value, value)

    def history(self, about: Sequence[str]) -> Iterator[Turn]:
        if not about:
            return
        domain, place = about
        if not place:
            asked = tuple(Act(REQUEST, domain, slot, "") for slot in ("car",))
            yield Turn(Speaker.USER, "", asked)
            row = self._world.tables[domain].rows[0]
            acts: Acts = (Act(INFORM, domain, "car", str(row["car"])),)
        else:
            yield Turn(Speaker.USER, "", (Act(REQUEST, domain, "name", ""),))
            acts = (Act(INFORM, domain, "name", self._local("name", place)),)
        yield Turn(Speaker.SYSTEM, self._voice.say(acts, Random(1)), acts)
