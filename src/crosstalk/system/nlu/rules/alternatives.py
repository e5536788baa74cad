"""Alternatives: `a museum or a garden`, `lamb or duck` are one wish that either fulfils."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from crosstalk.dialogue.acts import INFORM, Act
from crosstalk.dialogue.schema import EITHER, SERVICE_MARK
from crosstalk.language.names import Place
from crosstalk.system.nlu.rules.utterance import HARD, KIND, NAME, SLOT, SOFT, Hit, Utterance

CLOSE: Final = 16
"""Characters between two alternatives: `, or perhaps a `."""

Meant = tuple[Hit, Sequence[Act]]
Kinds = Mapping[tuple[str, str], Sequence[Place]]
"""Domain and word for a kind of places -> the places that are called so."""


def with_kinds(said: Utterance, name_slots: dict[str, str]) -> list[Hit]:
    """The hits; the one place of a kind is that kind beside another one: `a museum or a zoo`."""
    kinds = [hit for hit in said.hits if hit.kind == KIND]
    return [
        replace(hit, kind=KIND, key=name_slots[hit.domain], places=())
        if hit.kind == NAME and hit.value and _has_alternative(said, hit, kinds)
        else hit
        for hit in said.hits
    ]


def with_chains(said: Utterance, name_slots: dict[str, str], kinds: Kinds) -> list[Hit]:
    """The hits; a name that several houses have is their kind where any of them is looked for."""
    looked_for = said.has("search", "opener", "anyone") and not said.of(SLOT)
    return [_chain(hit, name_slots, kinds) if looked_for else hit for hit in said.hits]


def _chain(hit: Hit, name_slots: dict[str, str], kinds: Kinds) -> Hit:
    keys = {key for key, _ in hit.places}
    domain = keys.pop() if hit.kind == NAME and len(keys) == 1 else ""
    words = [word for key, word in kinds if key == domain]
    shared = [word for word in words if all(word in name for _, name in hit.places)]
    word = max(shared, key=len, default="")
    one = len(hit.places) == 1 and hit.places[0][1] != word
    if not word or one or len(kinds[domain, word]) == 1:
        return hit
    return replace(hit, kind=KIND, domain=domain, key=name_slots[domain], value=word, places=())


def _has_alternative(said: Utterance, hit: Hit, kinds: Sequence[Hit]) -> bool:
    pairs = [sorted((hit, kind), key=lambda each: each.start) for kind in kinds]
    return any(hit.domain == kind.domain for kind in kinds) and any(
        _joint(said, *pair) == "or" for pair in pairs
    )


def _joint(said: Utterance, one: Hit, other: Hit) -> str:
    """What joins two hits: `or`, a comma, or nothing that makes alternatives of them."""
    between = said.text[one.end : other.start]
    if len(between) > CLOSE or HARD in between or said.has_in(one.end, other.start, "and", "but"):
        return ""
    if any(hit.kind != "cue" and one.end <= hit.start < other.start for hit in said.hits):
        return ""
    if said.has_in(one.end, other.start, "or"):
        return "or"
    return SOFT if between.strip() == SOFT else ""


def joined(said: Utterance, meant: Sequence[Meant]) -> Iterator[Act]:
    """The acts of values, those of alternatives as one act."""
    runs: list[list[Meant]] = []
    for each in sorted(meant, key=lambda pair: pair[0].start):
        if runs and _continues(said, runs[-1][-1], each):
            runs[-1].append(each)
        else:
            runs.append([each])
    for run in runs:
        joints = [_joint(said, a[0], b[0]) for a, b in pairwise(run)]
        if "or" in joints:
            yield _either([acts[0] for _, acts in run])
        else:
            yield from (act for _, acts in run for act in acts)


def _continues(said: Utterance, one: Meant, other: Meant) -> bool:
    (before, acts), (hit, more) = one, other
    wanted = len(acts) == len(more) == 1 and acts[0].intent == more[0].intent == INFORM
    same = (before.domain, before.key) == (hit.domain, hit.key)
    return wanted and same and bool(_joint(said, before, hit))


def _either(acts: Sequence[Act]) -> Act:
    first = acts[0]
    slot, mark, _ = first.slot.partition(SERVICE_MARK)
    if mark:
        services = dict.fromkeys(act.slot.partition(SERVICE_MARK)[2] for act in acts)
        return replace(first, slot=slot + mark + EITHER.join(services))
    return replace(first, value=EITHER.join(dict.fromkeys(act.value for act in acts)))
