"""What is wrong with the templates of a world folder, in words."""

from collections.abc import Iterator
from pathlib import Path

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.language.world_files import TEMPLATES, languages_with, world_file
from crosstalk.problems import Problem
from crosstalk.system.nlg.acts import sayable
from crosstalk.system.nlg.written import TemplateFileReader
from crosstalk.toml_files import TomlFile, read_toml
from crosstalk.worlds.language_pack import read_language
from crosstalk.worlds.manifest import read_manifest


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
        elif spoken is None:
            message = f"there is no language {code!r} that could be spoken"
            problems.append(Problem(file=file.name, message=message, remedy="See its own file."))
        else:
            problems += _check(file, schema, spoken.pack)
    return problems


def _check(file: TomlFile, schema: Schema, language: LanguagePack) -> Iterator[Problem]:
    for table in sorted(set(file.data) - set(Speaker)):
        remedy = f"Sides are {', '.join(Speaker)}."
        yield file.problem((table,), f"{table!r} is no side of a conversation", remedy)
    for speaker in Speaker:
        reader = TemplateFileReader(file, schema, language, speaker)
        bank = reader.bank()
        yield from reader.problems
        for key in sayable(schema, language, speaker):
            if not bank.find([(key, 1)]):
                message = f"no sentence of the {speaker} says {key} by itself"
                yield Problem(file=file.name, message=message, remedy="Add one.", fatal=False)
