"""What is wrong with the parts of a world folder that the system reads.

Templates, the answers of `assistant/<code>.toml`, sayings, and `[best]` of `world.toml`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from crosstalk.dialogue.acts import GENERAL, NOTHING
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.errors import CrosstalkError
from crosstalk.language.phrases import FORMER_KEYS
from crosstalk.language.world_files import ASSISTANT, SAYINGS, TEMPLATES, languages_with, world_file
from crosstalk.problems import Problem, did_you_mean
from crosstalk.system.build import KINDS
from crosstalk.system.nlg.act_keys import GENERAL_ACTS, INTENTS, JOIN, PART, WHOLE, ActKeys
from crosstalk.system.nlg.answer_nlg import ACT_PLACEHOLDERS, JOINED_PLACEHOLDERS
from crosstalk.system.nlg.corpus_templates import read_world_corrections
from crosstalk.system.nlg.template_bank import is_sound, parse
from crosstalk.system.nlg.world_templates import (
    TemplateFileReader,
    possible_act_keys,
    written_key,
)
from crosstalk.toml_files import TomlFile, read_toml
from crosstalk.worlds.language_pack import read_language
from crosstalk.worlds.manifest import read_manifest

_BRACES: Final = re.compile(r"\{([^{}]*)\}")


def check_best(folder: Path) -> Iterator[Problem]:
    """Kinds of parts and parts under `[best]` that there are not."""
    found = read_manifest(folder, [])
    if found is None:
        return
    manifest, file = found
    kinds = {kind.key: kind for kind in KINDS}
    for key, part in manifest.best.items():
        problem = None
        if key not in kinds:
            remedy = did_you_mean(key, kinds)
            problem = file.problem(("best", key), f"`{key}` is no kind of part", remedy)
        elif part not in kinds[key].parts:
            remedy = did_you_mean(part, kinds[key].parts)
            message = f"there is no {kinds[key].what} called {part!r}"
            problem = file.problem(("best", key), message, remedy)
        if problem:
            yield replace(problem, fatal=False)


def check_templates(folder: Path) -> list[Problem]:
    """All problems of all languages; a world or a language without templates is fine."""
    found = read_manifest(folder, [])
    if found is None:  # the check of the world itself says so
        return []
    schema = found[0].value()
    problems: list[Problem] = []
    for code in languages_with(folder, TEMPLATES):
        spoken = read_language(folder, code, [])
        file = read_toml(folder, world_file(folder, TEMPLATES, code))
        if isinstance(file, Problem):
            problems.append(file)
        elif spoken is not None:  # files without a language are named by the check of the world
            problems += _check(file, schema, spoken.pack)
    for code in languages_with(folder, ASSISTANT):
        problems += _check_answers(folder, code)
    base = read_language(folder, found[0].base, [])
    if base is not None and (folder / SAYINGS).is_dir():
        problems += _check_sayings(folder, schema, base.pack)
    return problems


def _check(file: TomlFile, schema: Schema, language: LanguagePack) -> Iterator[Problem]:
    for table in sorted(set(file.data) - set(Speaker)):
        remedy = did_you_mean(table, Speaker)
        yield file.problem((table,), f"{table!r} is no side of a conversation", remedy)
    for speaker in Speaker:
        reader = TemplateFileReader(file, schema, language, speaker)
        bank = reader.bank()
        yield from reader.problems
        for key in possible_act_keys(schema, language, speaker):
            if not bank.find([(key, 1)]):
                written = written_key(key, schema, language)
                message = f"no sentence of the {speaker} says {written} by itself"
                yield Problem(file=file.name, message=message, remedy="Add one.", fatal=False)


# Answers


def _check_answers(folder: Path, code: str) -> Iterator[Problem]:
    """Placeholders of the answers of `assistant/<code>.toml` that nobody fills."""
    file = read_toml(folder, world_file(folder, ASSISTANT, code))
    if isinstance(file, Problem):
        return
    for table in ("answers", "sentences"):
        for key, texts in _texts_by_key(file.data.get(table)):
            known = placeholders_of(FORMER_KEYS.get(key, key) if table == "sentences" else key)
            for text in texts:
                for name in sorted(set(_BRACES.findall(text)) - known):
                    message = f"{text!r} has the placeholder {{{name}}}, which nobody fills"
                    at = (table, key)
                    problem = file.problem(at, message, did_you_mean(name, known), text=text)
                    yield replace(problem, fatal=False)


def placeholders_of(answer: str) -> frozenset[str]:
    """What an answer may hold in braces, by its key."""
    return JOINED_PLACEHOLDERS.get(answer.split(PART)[0], ACT_PLACEHOLDERS)


def _texts_by_key(table: object) -> Iterator[tuple[str, list[str]]]:
    """The lists of a table; what has another type is reported with the model of the file."""
    for key, texts in table.items() if isinstance(table, Mapping) else ():
        if isinstance(texts, list):
            yield key, [text for text in texts if isinstance(text, str)]


# Sayings


def _check_sayings(folder: Path, schema: Schema, language: LanguagePack) -> Iterator[Problem]:
    """Groups with acts that the world does not have, and templates that do not say their acts."""
    for speaker in Speaker:
        file = f"{SAYINGS}/{speaker}.json"
        try:
            groups = read_world_corrections(folder / SAYINGS, speaker)
        except CrosstalkError as error:
            yield Problem(file=file, message=error.message, remedy=error.remedy)
            continue
        keys = ActKeys.of(schema, language, speaker)
        for group, texts in groups.items():
            for message, remedy in _saying_faults(group, texts, schema, keys):
                yield Problem(file=file, slot=group, message=message, remedy=remedy, fatal=False)


def _saying_faults(
    group: str, texts: Iterable[str], schema: Schema, keys: ActKeys
) -> Iterator[tuple[str, str]]:
    acts = group.split(JOIN)
    wrong = [fault for act in acts for fault in _act_faults(act, schema, keys.speaker)]
    yield from wrong
    counts = Counter(texts)
    if not counts:
        yield "the list is empty", "Fill it, or remove the line."
    holes = [] if wrong else [act for act in acts if keys.has_hole(act)]
    for text, count in counts.items():
        if count > 1:
            yield f"{text!r} stands there {count} times", "Keep one."
        if not wrong and not is_sound(parse(text, acts), holes):
            named = ", ".join(f"[{act}]" for act in holes) or "no placeholder"
            yield f"{text!r} does not say each value once", f"It needs {named}, each once."


def _act_faults(act: str, schema: Schema, speaker: Speaker) -> Iterator[tuple[str, str]]:
    intent, domain, slot, *_ = (*act.split(PART), "", "")
    found = schema.domain(domain)
    if intent not in INTENTS[speaker]:
        yield f"{intent!r} is no intent of the {speaker}", did_you_mean(intent, INTENTS[speaker])
    elif intent == GENERAL:
        if domain not in GENERAL_ACTS[speaker]:
            yield f"there is no General act {domain!r}", did_you_mean(domain, GENERAL_ACTS[speaker])
    elif found is None:
        known = [each.key for each in schema]
        yield f"{domain!r} is no domain of this world", did_you_mean(domain, known)
    elif intent not in (*WHOLE, "Select") and slot != NOTHING and found.slot(slot) is None:
        slots = [each.key for each in found.slots]
        yield f"{slot!r} is no slot of {domain}", did_you_mean(slot, slots)
