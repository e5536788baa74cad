"""Templates from a corpus: extracting them, the template files of CrossWOZ, generators over them.

`auto_user_template_nlg.json` holds what people said, by group of acts; `manual_...` one act at a
time. Utterances of people may keep values that no act had: "the tickets at Beihai Park cost
[price]" is true of one park only. `UnsupportedValueFilter` finds such templates; they are not used.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema, SlotKind
from crosstalk.errors import FileProblem, FormatError, Place
from crosstalk.files import read_json
from crosstalk.language.gazetteer import SAID, Gazetteer
from crosstalk.language.normalize import folded
from crosstalk.language.number_forms import forms_of
from crosstalk.system.nlg.act_keys import JOIN, PART, ActKeys, SpokenAct, group_key
from crosstalk.system.nlg.generator import PublishedTemplateNLG, Texts
from crosstalk.system.nlg.template_bank import HOLE, CorpusTemplateBank, numbered
from crosstalk.system.nlg.template_nlg import AnyTemplate, InOrder, MostCentral, TemplateNLG
from crosstalk.system.nlg.template_ranks import RankedBank, Ranks, rank
from crosstalk.worlds.tables import World

COMMON: Final = 0.003
"""Values in more than this share of all templates are ordinary words: a dish called "others"."""

_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True)
class UnsupportedValueFilter:
    """Finds values of a world's tables in the text around holes."""

    gazetteer: Gazetteer
    ordinary: frozenset[str]
    free: frozenset[str]
    """The words for "free", which stay in keys."""

    @classmethod
    def of(cls, world: World, texts: Texts) -> "UnsupportedValueFilter":
        gazetteer = Gazetteer.of(world.columns(*SAID))
        plain = [_plain(text) for group in texts.values() for text in group]
        found = Counter(value for text in plain for value in set(_values(gazetteer, text)))
        ordinary = (value for value, count in found.items() if count > COMMON * len(plain))
        return cls(gazetteer, frozenset(ordinary), frozenset(_free_words(world)))

    def tells(self, text: str, group: str) -> bool:
        """Whether a template of a group of act keys holds a number or a value of its own."""
        plain = _plain(text)
        if _DIGIT.search(plain) or any(word in plain for word in self.free if word not in group):
            return True
        return not self.ordinary.issuperset(_values(self.gazetteer, plain))


def _plain(text: str) -> str:
    """The text around the holes."""
    return HOLE.sub("\n", text)


def _values(gazetteer: Gazetteer, text: str) -> Iterable[str]:
    return (folded(text[match.start : match.end]) for match in gazetteer.find(text))


def _free_words(world: World) -> Iterable[str]:
    for domain in world.schema:
        for slot in domain.of_kind(SlotKind.NUMBER):
            if free := forms_of(world.language, domain.key, slot).free:
                yield free


_NUMBERED: Final = re.compile(r"(.*?)(\d+)")


def template_file(folder: Path, origin: str, speaker: Speaker) -> Path:
    """Origin: `auto` or `manual`."""
    return folder / f"{origin}_{speaker}_template_nlg.json"


def read_auto(folder: Path, speaker: Speaker) -> Texts:
    return _read(template_file(folder, "auto", speaker))


def read_manual(folder: Path, speaker: Speaker, schema: Schema) -> Texts:
    """Hand-written templates; empty if the folder has none.

    A key that lists a numbered slot (`dishes1+dishes2`) is a group of that many acts; a key of a
    domain that the world does not have is a pattern for all domains and slots.
    """
    file = template_file(folder, "manual", speaker)
    if not file.exists():
        return {}
    texts: dict[str, list[str]] = {}
    for key, templates in _read(file).items():
        for group, text in _expanded(key, list(templates), schema):
            texts.setdefault(group, []).append(text)
    return texts


def published_generator(
    folder: Path, schema: Schema, language: LanguagePack, speaker: Speaker
) -> PublishedTemplateNLG:
    """Says a random template of the folder, as published."""
    keys = ActKeys.of(schema, language, speaker)
    return PublishedTemplateNLG(
        keys, read_auto(folder, speaker), read_manual(folder, speaker, schema)
    )


@dataclass(frozen=True, slots=True)
class TemplateFiles:
    """The template files of one world."""

    folder: Path
    """The template files."""
    own: Path | None = None
    """A folder with hand-written corrections, `user.json` and `system.json`. A group that has one
    uses it alone."""

    def texts(self, speaker: Speaker, schema: Schema) -> Texts:
        said = {**read_manual(self.folder, speaker, schema), **read_auto(self.folder, speaker)}
        return {**said, **(read_world_corrections(self.own, speaker) if self.own else {})}

    def digest(self, speaker: Speaker) -> str:
        """SHA-256 of the files of one side."""
        files = [template_file(self.folder, origin, speaker) for origin in ("auto", "manual")]
        digest = hashlib.sha256()
        for file in (*files, *([_own_file(self.own, speaker)] if self.own else [])):
            digest.update(file.read_bytes() if file.exists() else b"")
        return digest.hexdigest()


def read_world_corrections(folder: Path, speaker: Speaker) -> Texts:
    """The hand-written corrections of one side that a world ships; empty without any."""
    file = _own_file(folder, speaker)
    return _read(file) if file.exists() else {}


def _own_file(folder: Path, speaker: Speaker) -> Path:
    return folder / f"{speaker}.json"


def most_central_generator(
    files: TemplateFiles, world: World, speaker: Speaker, ranks: Ranks | None = None
) -> TemplateNLG:
    """Says the most central template of each group; hand-written ones where the corpus has none.

    `ranks` of the same files save the time of ranking them.
    """
    keys = ActKeys.of(world.schema, world.language, speaker)
    if ranks is not None and ranks.sha256 == files.digest(speaker):
        bank = RankedBank(files.texts(speaker, world.schema), ranks)
        return TemplateNLG(keys, bank, InOrder(), world.language)
    sound = sound_bank(files, world, keys)
    return TemplateNLG(keys, sound, MostCentral(world.language.code), world.language)


def random_generator(files: TemplateFiles, world: World, speaker: Speaker) -> TemplateNLG:
    """Says a random sound template: the published generator without its defects."""
    return generator_of(files.texts(speaker, world.schema), world, speaker)


def rank_templates(files: TemplateFiles, world: World, speaker: Speaker) -> Ranks:
    """The ranks of all templates of one side: half a minute for those of CrossWOZ."""
    bank = sound_bank(files, world, ActKeys.of(world.schema, world.language, speaker))
    texts = files.texts(speaker, world.schema)
    return rank(texts, bank, MostCentral(world.language.code), files.digest(speaker))


def sound_bank(files: TemplateFiles, world: World, keys: ActKeys) -> CorpusTemplateBank:
    return bank_of(files.texts(keys.speaker, world.schema), world, keys)


def bank_of(texts: Texts, world: World, keys: ActKeys) -> CorpusTemplateBank:
    """The templates that say their acts and nothing else."""
    return CorpusTemplateBank(texts, keys.has_hole, UnsupportedValueFilter.of(world, texts).tells)


def generator_of(texts: Texts, world: World, speaker: Speaker) -> TemplateNLG:
    """Says any sound template of these texts."""
    keys = ActKeys.of(world.schema, world.language, speaker)
    return TemplateNLG(keys, bank_of(texts, world, keys), AnyTemplate(), world.language)


def _read(file: Path) -> Texts:
    if not file.exists():
        raise FileProblem(
            f"{file}: no such file",
            remedy="Make template files from a corpus (crosstalk train nlg --data FILE --out "
            "FOLDER) and give FOLDER/nlg to --templates; those of CrossWOZ come with its corpus.",
        )
    content = read_json(file)
    if not isinstance(content, dict):
        raise _wrong(file, "")
    for key, templates in content.items():
        if not isinstance(templates, list) or not all(isinstance(each, str) for each in templates):
            raise _wrong(file, key)
    texts: Texts = content
    return texts


def _wrong(file: Path, key: str) -> FormatError:
    return FormatError(
        "expected act keys, each with a list of templates",
        place=Place(str(file), field=key),
        remedy='Write {"Inform+hotel+price": ["It costs [Inform+hotel+price]."]}.',
    )


def _expanded(key: str, templates: list[str], schema: Schema) -> Iterator[tuple[str, str]]:
    intent, domain, *rest = key.split(PART)
    numbered = [_NUMBERED.fullmatch(part) for part in rest]
    if len(rest) > 1 and all(numbered):
        group = JOIN.join(PART.join((intent, domain, found[1])) for found in numbered if found)
        yield from ((group, text) for text in templates)
    elif intent == "General" or schema.domain(domain) or len(rest) < 2:
        yield from ((key, text) for text in templates)
    else:
        yield from _from_pattern(key, templates, schema)


def _from_pattern(key: str, templates: list[str], schema: Schema) -> Iterator[tuple[str, str]]:
    intent, any_domain, any_slot, value = key.split(PART)[:4]
    for domain in schema:
        for slot in domain.slots:
            group = PART.join((intent, domain.key, slot.key, value))
            for text in templates:
                named = text.replace(f"[{any_domain}]", domain.key)
                yield group, named.replace(f"[{any_slot}]", slot.key)


def extract(dialogues: Iterable[Dialogue], keys: ActKeys) -> dict[str, list[str]]:
    """Group key -> templates of the keys' side, each as often as it was said, sorted by key.

    Turns that do not say all their values word for word are skipped.
    """
    texts: dict[str, list[str]] = {}
    for dialogue in dialogues:
        for turn in dialogue.turns:
            if turn.speaker is keys.speaker and turn.text:
                spoken = keys.in_order(turn.acts)
                template = open_holes(turn.text, spoken)
                if template is not None:
                    texts.setdefault(group_key(spoken), []).append(template)
    return dict(sorted(texts.items()))


def open_holes(text: str, spoken: Sequence[SpokenAct]) -> str | None:
    """The text with every value replaced by its hole; None if a value is missing in it.

    Longer values first: one name may be part of another. Holes are numbered in the order of acts.
    """
    repeated = {each.key for each in spoken if [o.key for o in spoken].count(each.key) > 1}
    holes = [
        (each.value, f"[{key}{number if key in repeated else ''}]")
        for each, (key, number) in zip(spoken, numbered(e.key for e in spoken), strict=True)
        if each.has_hole
    ]
    for value, hole in sorted(holes, key=lambda pair: -len(pair[0])):
        pieces = HOLE.split(text)
        if not any(value in piece for piece in pieces[::2]):
            return None
        pieces[::2] = [piece.replace(value, hole) for piece in pieces[::2]]
        text = "".join(pieces)
    return text
