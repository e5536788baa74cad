"""Everything that is wrong with a world folder: `check_world(Path("myworld"))`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from crosstalk.database.check_languages import LanguageCheck
from crosstalk.database.check_tables import check_draws, check_tables
from crosstalk.database.folder import TableFile, read_language, read_manifest, read_tables
from crosstalk.database.manifest import WorldFile
from crosstalk.database.worlds import languages_of, tables_folder
from crosstalk.language.world_files import ASSISTANT, KEYWORDS, PHRASES, languages_with, world_file
from crosstalk.problems import Problem
from crosstalk.toml_files import read_toml

WORD_LISTS = (ASSISTANT, KEYWORDS, PHRASES)


def check_world(folder: Path, *, data: Path | None = None) -> list[Problem]:
    """All problems, those that keep the world from loading first; empty where all is well."""
    problems: list[Problem] = []
    found = read_manifest(folder, problems)
    if found is None:
        for code in languages_of(folder):
            read_language(folder, code, problems)
        return problems
    manifest, file = found
    tables = read_tables(tables_folder(folder, manifest, data), manifest, problems)
    if not problems:  # links and bands make sense only between rows that are sound
        problems.extend(check_tables(tables))
        problems.extend(check_draws(manifest, file, tables))
    problems.extend(_check_languages(folder, manifest, tables))
    problems.extend(_check_word_lists(folder))
    return sorted(problems, key=lambda problem: not problem.fatal)


def _check_languages(
    folder: Path, manifest: WorldFile, tables: Sequence[TableFile]
) -> Iterator[Problem]:
    codes = languages_of(folder)
    if manifest.base not in codes:
        yield Problem(
            file=f"languages/{manifest.base}.toml",
            message=f"the base language {manifest.base!r} has no file",
            remedy="Add it; it names the slots and holds the sentences of goals.",
        )
    for stray in _values_without_language(folder, codes):
        remedy = f"Add languages/{stray.name.split('.')[0]}.toml, or remove the values."
        name = f"languages/{stray.name}"
        yield Problem(file=name, message="there is no language file beside it", remedy=remedy)
    for code in codes:
        problems: list[Problem] = []
        spoken = read_language(folder, code, problems)
        yield from problems
        if spoken is not None:
            yield from LanguageCheck(spoken, manifest.value(), tables, manifest.base).problems()


def _check_word_lists(folder: Path) -> Iterator[Problem]:
    """Lists that some modules read besides: who uses one says what is wrong inside it."""
    files = [(kind, code) for kind in WORD_LISTS for code in languages_with(folder, kind)]
    for kind, code in files:
        found = read_toml(folder, world_file(folder, kind, code))
        if isinstance(found, Problem):
            yield found
        elif not found.data:
            yield found.problem((), "it is empty", "Fill it, or remove it.")


def _values_without_language(folder: Path, codes: Sequence[str]) -> list[Path]:
    files = (folder / "languages").glob("*.values.json")
    return sorted(file for file in files if file.name.split(".")[0] not in codes)
