"""Transcripts composed of hand-made sentences, sound or with one planted fault.

    for made in transcripts("de", 20, seed=1, half=0): made.transcript, made.flaw

Goals are drawn by the sampler, places from the tables; sentences come from `<code>.toml`. `half` 0
uses the odd sentences, for development; 1 the even ones, of which only totals are looked at.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples, subgoals
from crosstalk.dialogue.schema import Domain, DomainKind, SlotKind
from crosstalk.evaluation.transcripts import Transcript
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.reading.conversation import SaidExchange
from crosstalk.worlds.display import answer
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row, World
from crosstalk.worlds.truth import Truth
from crosstalk.worlds.world import load_world

WORLD: Final = "harbour"
INVENTED: Final = {
    "en": "Crooked Teapot",
    "zh": "歪茶壶小馆",
    "de": "Zum krummen Teekessel",
    "ar": "إبريق الشاي المائل",
    "ru": "Кривой чайник",
}
VALUE_FAULTS: Final = (
    "phone", "address", "rating", "price", "cost", "fee", "hours", "duration", "type",
    "nearby_attractions", "nearby_restaurants", "nearby_hotels", "services",
)  # fmt: skip
FAULTS: Final = (*VALUE_FAULTS, "drop", "unmet", "refusal", "invented", "not near")


@dataclass(frozen=True, slots=True)
class Made:
    """A transcript and the one flaw in it; None: it is sound."""

    transcript: Transcript
    flaw: tuple[int, str, str] | None
    """Sub-goal, slot, kind."""
    fault: str = ""


@dataclass(slots=True)
class _Writer:
    """Writes the exchanges of one goal."""

    world: World
    truth: Truth
    phrases: dict[str, Any]
    rng: Random
    half: int
    fault: str
    said: list[SaidExchange] = field(default_factory=list)
    flaw: tuple[int, str, str] | None = None
    rows: dict[int, tuple[str, Row]] = field(default_factory=dict)

    def pick(self, ways: list[str]) -> str:
        mine = ways[self.half :: 2] or ways
        return self.rng.choice(mine)

    def name(self, domain: Domain, row: Row) -> str:
        return str(row[domain.name_slot.key]) if domain.name_slot else ""


def transcripts(language: str, count: int, seed: int, half: int) -> Iterator[Made]:
    """Sound transcripts, and for each a faulty one where a fault of the turn's kind fits."""
    world = load_world(WORLD, language=language)
    path = Path(__file__).parent / f"{language}.toml"
    phrases = tomllib.loads(path.read_text(encoding="utf-8"))
    truth = Truth(Database(world))
    sampler = goal_sampler(world)
    made = number = 0
    while made < count:
        number += 1
        goal = sampler.sample(goal_rng(seed, number))
        if any(truth.domain(each.domain).kind is not DomainKind.PLACE for each in goal.tuples):
            continue
        fault = FAULTS[made % len(FAULTS)]
        sound = _write(goal, language, world, truth, phrases, f"{seed}:{number}", half, "")
        faulty = _write(goal, language, world, truth, phrases, f"{seed}:{number}", half, fault)
        if sound is None:
            continue
        made += 1
        yield sound
        if faulty is not None and faulty.flaw is not None:
            yield faulty


def _write(
    goal: Goal,
    language: str,
    world: World,
    truth: Truth,
    phrases: dict[str, Any],
    seed: str,
    half: int,
    fault: str,
) -> Made | None:
    writer = _Writer(world, truth, phrases, Random(seed), half, fault)
    for number, group in subgoals(goal.tuples):
        if not _subgoal(writer, number, group) or not _can_tell(writer, number, group):
            return None
    thanks = writer.pick(phrases["words"]["thanks"])
    said = (*writer.said, SaidExchange(thanks, ""))
    name = f"{language}-{seed}-{fault or 'sound'}"
    transcript = Transcript(name, WORLD, language, goal, said)
    return Made(transcript, writer.flaw, fault)


def _subgoal(writer: _Writer, number: int, group: Tuples) -> bool:
    domain = writer.truth.domain(group[0].domain)
    name_slot = domain.name_slot.key if domain.name_slot else ""
    fixed = next(
        (e.value for e in group if e.slot == name_slot and isinstance(e.value, str) and e.value), ""
    )
    wishes = [each for each in group if not each.is_open and each.slot != name_slot]
    near = next((e.value for e in group if isinstance(e.value, Reference)), None)
    if fixed:
        row = writer.truth.entity(domain.key, fixed)
        if row is None:
            return False
        writer.rows[number] = domain.key, row
        _answers(writer, number, domain, row, group, str(fixed))
        return True
    fitting = list(_fitting(writer, domain, wishes, near))
    refused = not fitting
    best = fitting[0] if fitting else _closest(writer, domain, wishes, near)
    row, shown, refused = _offered(writer, number, domain, wishes, near, best, refused)
    writer.rows[number] = domain.key, row
    opening = writer.pick(writer.phrases["open"][domain.key])
    user = opening.format(wishes=_wishes(writer, wishes, near))
    way = "refused" if refused else "any"
    word = writer.phrases["words"][domain.key]
    reply = writer.pick(writer.phrases["offer"][way]).format(name=shown, domain=word)
    writer.said.append(SaidExchange(user, reply))
    _answers(writer, number, domain, row, group, "")
    return True


def _offered(
    writer: _Writer,
    number: int,
    domain: Domain,
    wishes: list[SemanticTuple],
    near: Reference | None,
    best: Row,
    refused: bool,
) -> tuple[Row, str, bool]:
    """The place put forward; with a fault, another than the right one."""
    name = writer.name(domain, best)
    if writer.flaw or refused:
        return best, name, refused
    if writer.fault == "invented":
        writer.flaw = number, domain.name_slot.key if domain.name_slot else "", "no such entity"
        return best, f"«{INVENTED[writer.world.language.code]}»", False
    if writer.fault in ("unmet", "refusal") and wishes:
        wish = wishes[-1]
        others = [each for each in wishes if each is not wish]
        kind = "wish not met" if writer.fault == "unmet" else "refused though there was something"
        for row in _fitting(writer, domain, others, near):
            if not _meets(writer, domain, row, wish):
                writer.flaw = number, wish.slot, kind
                return row, writer.name(domain, row), writer.fault == "refusal"
    if writer.fault == "not near" and near is not None:
        for row in _fitting(writer, domain, wishes, None):
            if not _is_near(writer, domain, row, near):
                writer.flaw = number, domain.name_slot.key if domain.name_slot else "", "not near"
                return row, writer.name(domain, row), False
    return best, name, refused


def _fitting(
    writer: _Writer, domain: Domain, wishes: list[SemanticTuple], near: Reference | None
) -> Iterator[Row]:
    rows = list(writer.world.tables[domain.key].rows)
    writer.rng.shuffle(rows)
    for row in rows:
        fits = all(_meets(writer, domain, row, each) for each in wishes)
        if fits and (near is None or _is_near(writer, domain, row, near)):
            yield row


def _closest(
    writer: _Writer, domain: Domain, wishes: list[SemanticTuple], near: Reference | None
) -> Row:
    def missed(row: Row) -> int:
        far = near is not None and not _is_near(writer, domain, row, near)
        return 5 * far + sum(not _meets(writer, domain, row, each) for each in wishes)

    return min(writer.world.tables[domain.key].rows, key=missed)


def _meets(writer: _Writer, domain: Domain, row: Row, wish: SemanticTuple) -> bool:
    return writer.truth.meets(domain.key, row, wish.slot, wish.value)


def _is_near(writer: _Writer, domain: Domain, row: Row, near: Reference) -> bool:
    other = writer.rows.get(near.subgoal)
    if other is None:
        return False
    name = writer.name(writer.truth.domain(other[0]), other[1])
    return writer.truth.is_near(domain.key, writer.name(domain, row), other[0], name)


def _wishes(writer: _Writer, wishes: list[SemanticTuple], near: Reference | None) -> str:
    parts = []
    for each in wishes:
        key = each.slot.partition("-")[0]
        value = each.slot.partition("-")[2] or each.value
        shown = writer.phrases["words"]["and"].join(value) if isinstance(value, tuple) else value
        parts.append(writer.pick(writer.phrases["wish"][key]).format(value=shown))
    if near is not None and near.subgoal in writer.rows:
        key, row = writer.rows[near.subgoal]
        name = writer.name(writer.truth.domain(key), row)
        parts.append(NEAR[writer.world.language.code].format(name=name))
    comma = "，" if writer.world.language.code == "zh" else ", "
    return comma.join(parts)


NEAR: Final = {
    "en": "near {name}",
    "zh": "在{name}附近",
    "de": "in der Nähe von {name}",
    "ar": "قرب {name}",
    "ru": "рядом с таким местом: {name}",
}


def _answers(
    writer: _Writer, number: int, domain: Domain, row: Row, group: Tuples, fixed: str
) -> None:
    asked = [each for each in group if each.is_open and each.slot != "name"]
    writer.rng.shuffle(asked)
    name = writer.name(domain, row)
    while asked:
        several, asked = asked[:2], asked[2:]
        questions = " ".join(_question(writer, each) for each in several)
        user = f"{name}: {questions}" if fixed else questions
        fixed = ""
        told = [_tell(writer, number, domain, row, each, name) for each in several]
        reply = " ".join(each for each in told if each) or writer.pick(
            writer.phrases["words"]["thanks"]
        )
        writer.said.append(SaidExchange(user, reply))


def _can_tell(writer: _Writer, number: int, group: Tuples) -> bool:
    """Whether the tables answer every question; these sentences have none for "not known"."""
    key, row = writer.rows[number]
    return all(_is_known(writer.truth.domain(key), row, each) for each in group if each.is_open)


def _is_known(domain: Domain, row: Row, each: SemanticTuple) -> bool:
    slot = domain.slot(each.slot)
    return (
        slot is None
        or slot.kind in (SlotKind.NEARBY, SlotKind.SERVICES)
        or row.get(slot.key) is not None
    )


def _question(writer: _Writer, each: SemanticTuple) -> str:
    key, _, service = each.slot.partition("-")
    return writer.pick(writer.phrases["ask"][key]).format(value=service)


def _tell(
    writer: _Writer, number: int, domain: Domain, row: Row, each: SemanticTuple, name: str
) -> str:
    key, _, service = each.slot.partition("-")
    source = row
    if writer.fault == "drop" and not writer.flaw:
        writer.flaw = number, each.slot, "unsettled"
        return ""
    if writer.fault == key and not writer.flaw:
        source = _other_row(writer, domain, row, each)
        if source is not row:
            writer.flaw = number, each.slot, "wrong answer"
    tell = writer.phrases["tell"]
    if service:
        yes = answer(writer.world.language, domain, source, each.slot)[0]
        way = "yes" if yes == writer.world.language.yes else "no"
        return writer.pick(tell[way]).format(value=service, name=name)
    slot = domain.slot(key)
    kind = slot.kind if slot else None
    cell = source.get(key)
    if kind is SlotKind.NEARBY:
        return _tell_nearby(writer, slot.target if slot else "", cell)
    if cell is None:
        return ""
    if cell == 0:
        return writer.pick(tell["free"])
    shown = _shown(writer, cell)
    return writer.pick(tell[key]).format(value=shown, name=name)


def _tell_nearby(writer: _Writer, target: str, cell: object) -> str:
    tell = writer.phrases["tell"]
    names = list(cell)[:3] if isinstance(cell, tuple) else []
    if not names:
        word = writer.phrases["words"][f"{target}s"]
        return writer.pick(tell["none_nearby"]).format(target=word)
    return writer.pick(tell["nearby"]).format(value=_joined(writer, names))


def _joined(writer: _Writer, names: list[str]) -> str:
    comma = "、" if writer.world.language.code == "zh" else ", "
    if writer.world.language.code == "ar":
        return "، و".join(names)
    last = writer.phrases["words"]["and"]
    return last.join([comma.join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _shown(writer: _Writer, cell: object) -> str:
    if isinstance(cell, float):
        text = f"{cell:.1f}"
        return text.replace(".", ",") if writer.world.language.code in ("de", "ru") else text
    if isinstance(cell, tuple):
        return _joined(writer, list(cell)[-3:])
    return str(cell)


def _other_row(writer: _Writer, domain: Domain, row: Row, each: SemanticTuple) -> Row:
    """A row whose answer to a question is another, and not part of the right one."""
    rows = list(writer.world.tables[domain.key].rows)
    writer.rng.shuffle(rows)
    right = answer(writer.world.language, domain, row, each.slot)
    for other in rows:
        said = answer(writer.world.language, domain, other, each.slot)
        if other.get(each.slot.partition("-")[0]) and not set(said) <= set(right):
            first = said[:3]
            if not set(first) <= set(right):
                return other
    return row
