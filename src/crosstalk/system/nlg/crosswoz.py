"""The template files that come with CrossWOZ, and files of the same make from other corpora.

`auto_user_template_nlg.json` holds what people said, by group; `manual_...` one act at a time.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.errors import FileProblem, FormatError, Place
from crosstalk.files import read_json
from crosstalk.system.nlg.banks import SaidBank
from crosstalk.system.nlg.generator import Published, Texts
from crosstalk.system.nlg.keys import JOIN, PART, ActKeys
from crosstalk.system.nlg.ranks import RankedBank, Ranks, rank
from crosstalk.system.nlg.template import TemplateNLG
from crosstalk.system.nlg.template_choice import AnyTemplate, InOrder, MostCentral
from crosstalk.system.nlg.unsupported_values import UnsupportedValues
from crosstalk.worlds.tables import World

_NUMBERED: Final = re.compile(r"(.*?)(\d+)")


def template_file(folder: Path, origin: str, speaker: Speaker) -> Path:
    """Origin: `auto` or `manual`."""
    return folder / f"{origin}_{speaker}_template_nlg.json"


def read_auto(folder: Path, speaker: Speaker) -> Texts:
    return _read(template_file(folder, "auto", speaker))


def read_manual(folder: Path, speaker: Speaker, schema: Schema) -> Texts:
    """Templates written by hand; empty where a folder has none.

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
) -> Published:
    """Says a random template of the folder, as published."""
    keys = ActKeys.of(schema, language, speaker)
    return Published(keys, read_auto(folder, speaker), read_manual(folder, speaker, schema))


@dataclass(frozen=True, slots=True)
class SayingFiles:
    """Where one world's sayings lie."""

    folder: Path
    """The template files."""
    own: Path | None = None
    """A folder of our own sayings, `user.json` and `system.json`, for what nobody said well. Where
    there is one for a group, it stands for all others."""

    def texts(self, speaker: Speaker, schema: Schema) -> Texts:
        said = {**read_manual(self.folder, speaker, schema), **read_auto(self.folder, speaker)}
        return {**said, **(own_texts(self.own, speaker) if self.own else {})}

    def digest(self, speaker: Speaker) -> str:
        """SHA-256 of the files of one side."""
        files = [template_file(self.folder, origin, speaker) for origin in ("auto", "manual")]
        digest = hashlib.sha256()
        for file in (*files, *([_own_file(self.own, speaker)] if self.own else [])):
            digest.update(file.read_bytes() if file.exists() else b"")
        return digest.hexdigest()


def own_texts(folder: Path, speaker: Speaker) -> Texts:
    """The sayings of one side that a world brings along; empty where it has none."""
    file = _own_file(folder, speaker)
    return _read(file) if file.exists() else {}


def _own_file(folder: Path, speaker: Speaker) -> Path:
    return folder / f"{speaker}.json"


def central_generator(
    sayings: SayingFiles, world: World, speaker: Speaker, ranks: Ranks | None = None
) -> TemplateNLG:
    """Says the most central template of each group; hand-written ones where nobody said it.

    `ranks` of the very same files save the work of ranking.
    """
    keys = ActKeys.of(world.schema, world.language, speaker)
    if ranks is not None and ranks.sha256 == sayings.digest(speaker):
        bank = RankedBank(sayings.texts(speaker, world.schema), ranks)
        return TemplateNLG(keys, bank, InOrder(), world.language)
    sound = sound_bank(sayings, world, keys)
    return TemplateNLG(keys, sound, MostCentral(world.language.code), world.language)


def any_generator(sayings: SayingFiles, world: World, speaker: Speaker) -> TemplateNLG:
    """Says any sound template: the published generator without its slips."""
    return generator_of(sayings.texts(speaker, world.schema), world, speaker)


def rank_templates(sayings: SayingFiles, world: World, speaker: Speaker) -> Ranks:
    """The ranks of all templates of one side: half a minute for those of CrossWOZ."""
    bank = sound_bank(sayings, world, ActKeys.of(world.schema, world.language, speaker))
    texts = sayings.texts(speaker, world.schema)
    return rank(texts, bank, MostCentral(world.language.code), sayings.digest(speaker))


def sound_bank(sayings: SayingFiles, world: World, keys: ActKeys) -> SaidBank:
    return bank_of(sayings.texts(keys.speaker, world.schema), world, keys)


def bank_of(texts: Texts, world: World, keys: ActKeys) -> SaidBank:
    """The templates that say their acts and nothing else."""
    return SaidBank(texts, keys.has_hole, UnsupportedValues.of(world, texts).tells)


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
