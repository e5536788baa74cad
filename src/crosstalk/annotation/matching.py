"""Matching: several annotations of the same dialogues, brought together by id.

    matched = match({"a": first, "b": second})

Dialogues whose turns are not the same in all of them cannot be compared; they are named.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A dialogue that is not compared, and why."""

    dialogue: str
    annotation: str
    why: str

    def __str__(self) -> str:
        return f"dialogue {self.dialogue}, {self.annotation}: {self.why}"


@dataclass(frozen=True, slots=True)
class Matched:
    """The dialogues that can be compared, each in every annotation that has it."""

    names: tuple[str, ...]
    dialogues: tuple[Mapping[str, Dialogue], ...]
    left_out: tuple[LeftOut, ...]

    def among(self, *names: str) -> list[tuple[Dialogue, ...]]:
        """The dialogues that all of these annotations have, in the order of the names."""
        return [
            tuple(versions[name] for name in names)
            for versions in self.dialogues
            if all(name in versions for name in names)
        ]


def match(annotations: Mapping[str, Iterable[Dialogue]]) -> Matched:
    """Dialogues in the order of the first annotation that has them.

    A dialogue that only one annotation has is left out; one that differs from the first annotation
    in its turns is left out of the annotation that differs.
    """
    names = tuple(annotations)
    found: dict[str, dict[str, Dialogue]] = {}
    for name, dialogues in annotations.items():
        for dialogue in dialogues:
            found.setdefault(dialogue.id, {})[name] = dialogue
    kept, left_out = [], []
    for id, versions in found.items():
        same, others = _same(id, versions)
        left_out += [LeftOut(id, name, "it is missing") for name in names if name not in versions]
        left_out += others
        if len(same) > 1:
            kept.append(same)
    if not kept:
        raise InputError(
            f"{' and '.join(names)} have no dialogue in common",
            remedy="Annotations are matched by dialogue id and must have the same turns"
            + (f"; for example, {left_out[0]}." if left_out else "."),
        )
    return Matched(names, tuple(kept), tuple(left_out))


def _same(id: str, versions: Mapping[str, Dialogue]) -> tuple[dict[str, Dialogue], list[LeftOut]]:
    first, reference = next(iter(versions.items()))
    same, others = {}, []
    for name, dialogue in versions.items():
        if why := _difference(reference, dialogue):
            others.append(LeftOut(id, name, f"{why} than in {first}"))
        else:
            same[name] = dialogue
    return same, others


def _difference(left: Dialogue, right: Dialogue) -> str:
    if len(left.turns) != len(right.turns):
        return f"{len(right.turns)} turns, other"
    for number, (one, other) in enumerate(zip(left.turns, right.turns, strict=True), start=1):
        if one.speaker is not other.speaker or one.text != other.text:
            return f"turn {number} is another"
    return ""
