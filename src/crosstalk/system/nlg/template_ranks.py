"""Precomputed ranks: which templates of a file are the most central of their groups.

    bank = RankedBank(texts, load_ranks(folder, speaker))

Ranking tokenises all templates of a group, which is too slow for a conversation. Ranks name
templates by their numbers in the file, so they can be distributed without the corpus.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import FileProblem
from crosstalk.files import read_json, writing
from crosstalk.system.nlg.act_keys import JOIN
from crosstalk.system.nlg.generator import Texts
from crosstalk.system.nlg.template_bank import (
    CorpusTemplateBank,
    Template,
    Unit,
    group_of,
    parse,
    signature,
    with_open_list,
)
from crosstalk.system.nlg.template_nlg import MostCentral

KEPT: Final = 8
"""Templates kept of each group."""

Origin = tuple[str, int]
"""A group, and the number of a template in it."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best templates of a group, or of several groups that list any number of values."""

    count: int
    """Number of templates in the group, repetitions included."""
    best: tuple[Origin, ...]
    """The most central first."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """The ranks of one side."""

    sha256: str
    """Of the template files."""
    groups: Mapping[str, Ranked]
    lists: Mapping[str, Ranked]
    """By signature: templates that list any number of values."""


class RankedBank:
    """The most central templates of each group of a corpus."""

    def __init__(self, texts: Texts, ranks: Ranks) -> None:
        self._texts = texts
        self._ranks = ranks
        self._found: dict[tuple[Unit, ...], tuple[Template, ...]] = {}

    def find(self, units: Sequence[Unit], *, continuing: bool = False) -> Sequence[Template]:
        key = tuple(units)
        if key not in self._found:
            self._found[key] = tuple(self._templates(units))
        return self._found[key]

    def count(self, units: Sequence[Unit]) -> int:
        found = self._ranked(units)[0]
        return found.count if found else 0

    def _ranked(self, units: Sequence[Unit]) -> tuple[Ranked | None, bool]:
        """Also whether the templates are lists to be with_open_list."""
        if found := self._ranks.groups.get(group_of(units)):
            return found, False
        return self._ranks.lists.get(signature(units)), True

    def _templates(self, units: Sequence[Unit]) -> Iterator[Template]:
        found, is_list = self._ranked(units)
        for group, number in found.best if found else ():
            template = _template(self._texts, group, number)
            longer = with_open_list(template) if is_list else template
            if longer:
                yield longer


def _template(texts: Texts, group: str, number: int) -> Template:
    return parse(texts[group][number], group.split(JOIN) if group else [])


def rank(texts: Texts, bank: CorpusTemplateBank, chooser: MostCentral, sha256: str) -> Ranks:
    """Ranks of all sound templates; `bank` says which those are."""
    groups: dict[str, Ranked] = {}
    lists: dict[str, dict[Template, Origin]] = defaultdict(dict)
    all_of: dict[str, list[Template]] = defaultdict(list)
    for group in texts:
        origins = {_template(texts, group, at): (group, at) for at in range(len(texts[group]))}
        sound = bank.sound(group)
        if sound:
            groups[group] = _best(chooser, sound, origins)
        for name, template, longer in bank.longer(group):
            all_of[name].append(longer)
            lists[name].setdefault(longer, origins[template])
    ranked = {name: _best(chooser, all_of[name], lists[name]) for name in lists}
    return Ranks(sha256, groups, ranked)


def _best(
    chooser: MostCentral, templates: Sequence[Template], origins: Mapping[Template, Origin]
) -> Ranked:
    ranked = chooser.ranked(templates)[:KEPT]
    return Ranked(len(templates), tuple(origins[template] for template in ranked))


# Files


def ranks_file(folder: Path, speaker: Speaker) -> Path:
    return folder / f"{speaker}.json"


def save_ranks(folder: Path, speaker: Speaker, ranks: Ranks) -> None:
    """Write the count of each group and the numbers of its best templates, as JSON."""
    groups = {
        name: [each.count, *(number for _, number in each.best)]
        for name, each in ranks.groups.items()
    }
    lists = {name: [each.count, *each.best] for name, each in ranks.lists.items()}
    content = {"sha256": ranks.sha256, "groups": groups, "lists": lists}
    with writing(ranks_file(folder, speaker)) as text:
        json.dump(content, text, ensure_ascii=False, separators=(",", ":"))


def load_ranks(folder: Path, speaker: Speaker) -> Ranks:
    file = ranks_file(folder, speaker)
    content = read_json(file)
    try:
        groups = {
            name: Ranked(int(count), tuple((name, int(number)) for number in numbers))
            for name, (count, *numbers) in content["groups"].items()
        }
        lists = {
            name: Ranked(int(count), tuple((str(group), int(number)) for group, number in best))
            for name, (count, *best) in content["lists"].items()
        }
        return Ranks(str(content["sha256"]), groups, lists)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileProblem(
            f"{file}: these are no ranks of templates: {error!r}",
            remedy="Restore the folder, or make it anew: crosstalk train nlg --model best "
            "--out models",
        ) from error
