"""What is wrong with the tables and languages of a world folder, and with the names of its files.

check_world(Path("mytown"))
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from crosstalk.dialogue.actions import ENTITY
from crosstalk.dialogue.languages import SOURCE, GoalPhrases, NumberForms
from crosstalk.dialogue.schema import NUMBERS, Domain, Schema, Slot, SlotKind
from crosstalk.language.number_forms import Bounds, forms_of, say_band
from crosstalk.language.world_files import files_of_languages, language_of
from crosstalk.problems import Problem, did_you_mean
from crosstalk.scaffolds import toml_key
from crosstalk.toml_files import Location, TomlFile
from crosstalk.worlds.action_words_check import (
    check_action_words,
    check_brought,
    check_changing_rows,
    check_days,
)
from crosstalk.worlds.hours_check import check_hours
from crosstalk.worlds.language_pack import IN_SENTENCES, LoadedLanguage, listed, read_language
from crosstalk.worlds.manifest import WORLD_FILE, WorldFile, read_manifest
from crosstalk.worlds.table_files import TableFile, changing_rows, read_tables
from crosstalk.worlds.tables import Row, World, texts
from crosstalk.worlds.vocabulary import rendered_slots, with_vocabulary
from crosstalk.worlds.word_check import check_words
from crosstalk.worlds.world import languages_of, rendering_key, tables_folder, translated

DATA_SUFFIXES = (".toml", ".json", ".jsonl")
"""Files that somebody meant to be read, wherever they lie in the folder."""


def check_world(folder: Path, *, data: Path | None = None) -> list[Problem]:
    """Problems of tables, languages and words, those that keep the world from loading first.

    What generators and annotation read (`templates`, `sayings`, `keywords`) is checked by them;
    `crosstalk.check_world` calls all checks.
    """
    problems: list[Problem] = []
    found = read_manifest(folder, problems)
    if found is None:
        for code in languages_of(folder):
            read_language(folder, code, problems)
        return problems
    manifest, file = found
    root = tables_folder(folder, manifest, data)
    tables = read_tables(root, manifest, problems)
    changing = changing_rows(folder, manifest, problems)
    if not problems:  # links and bands make sense only between rows that are sound
        problems.extend(check_tables(tables))
        problems.extend(check_draws(manifest, file, tables))
        problems.extend(check_changing_rows(changing, tables))
        problems.extend(check_brought(manifest.value(), file, changing))
    problems.extend(_check_languages(folder, manifest, tables, root))
    problems.extend(_check_names_of_files(folder, manifest))
    return sorted(problems, key=lambda problem: not problem.fatal)


def _check_languages(
    folder: Path, manifest: WorldFile, tables: Sequence[TableFile], root: Path
) -> Iterator[Problem]:
    codes = languages_of(folder)
    if manifest.base not in codes:
        yield Problem(
            file=f"languages/{manifest.base}.toml",
            message=f"the base language {manifest.base!r} has no file",
            remedy="Add it; it names the slots and holds the sentences of goals.",
        )
    by_domain = {file.table.domain.key: file.table for file in tables if len(file.table)}
    base = read_language(folder, manifest.base, []) if manifest.base in codes else None
    base_pack = base.pack if base else None
    for code in codes:
        problems: list[Problem] = []
        spoken = read_language(folder, code, problems)
        if spoken is not None:
            by_file = [each.table for each in tables]
            spoken = with_vocabulary(spoken, root, by_file, problems, beyond=False)
        yield from problems
        if spoken is None:
            continue
        schema = manifest.value()
        is_base = code == manifest.base
        yield from check_action_words(folder, spoken, schema, is_base=is_base)
        yield from check_days(tables, spoken.pack.days) if is_base else ()
        told = not manifest.tableless
        yield from LanguageCheck(spoken, schema, tables, manifest.base, told=told).problems()
        world = World(manifest.name, schema, spoken.pack, by_domain, folder)
        yield from check_words(folder, code, world if is_base else translated(world))
        own = None if is_base else spoken.file
        if base_pack is not None:
            yield from check_hours(world, tables, base_pack, own)


def _check_names_of_files(folder: Path, manifest: WorldFile) -> Iterator[Problem]:
    """Files that nothing reads: misspelt names, and files of a language the world does not have."""
    codes = set(languages_of(folder))
    own = not manifest.fetched
    tables = {domain.table for domain in manifest.domains if domain.table} if own else set()
    changing = {table.file for table in manifest.tables if table.file}
    known = {WORLD_FILE, *tables, *changing, *files_of_languages(codes)}
    folders = {name.rpartition("/")[0] for name in known} - {""}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_file() or name in known or any(part[0] == "." for part in Path(name).parts):
            continue
        if path.parent.relative_to(folder).as_posix() in folders or path.suffix in DATA_SUFFIXES:
            yield _unread(name, known, codes)


def _unread(name: str, known: Collection[str], codes: Collection[str]) -> Problem:
    """A file by a name that no loader asks for."""
    code = language_of(name)
    if code and code not in codes and name in files_of_languages({code}):
        message = f"there is no language file beside it: the world has no language {code!r}"
        remedy = f"Add languages/{code}.toml, or remove the file."
        return Problem(file=name, message=message, remedy=remedy, fatal=False)
    remedy = did_you_mean(name, known, "Rename or remove it; docs/worlds.md lists the files.")
    return Problem(file=name, message="nothing reads this file", remedy=remedy, fatal=False)


# Languages


class LanguageCheck:
    """Looks through one language; that of the tables, `base`, needs no renderings.

    `told`: whether goals are told in it, which asks for names and sentences; a world without tables
    has no goals.
    """

    def __init__(
        self,
        spoken: LoadedLanguage,
        schema: Schema,
        tables: Sequence[TableFile],
        base: str,
        *,
        told: bool = True,
    ) -> None:
        self.pack = spoken.pack
        self.file = spoken.file
        self.schema = schema
        self.tables = tables
        self.base = base
        self.told = told

    def problems(self) -> Iterator[Problem]:
        if self.told:
            yield from self._missing_names()
            yield from self._sentences()
        yield from self._names()
        yield from self._forms()
        if self.pack.code != self.base:
            yield from self._renderings()

    def _minor(self, at: Location, message: str, remedy: str) -> Problem:
        return replace(self.file.problem(at, message, remedy), fatal=False)

    # Names of domains and slots

    def _missing_names(self) -> Iterator[Problem]:
        domains = {domain.key for domain in self.schema}
        for key in sorted(domains - self.pack.domains.keys()):
            message = f"the domain `{key}` has no name"
            remedy = f'Add {toml_key(key)} = "..." under [domains].'
            yield self._minor(("domains",), message, remedy)
        for domain in self.schema:
            for slot in domain.slots:
                both = {slot.key, f"{domain.key}.{slot.key}"}
                if not both & self.pack.slots.keys() and (slot.search or slot.request):
                    message = f"the slot `{domain.key}.{slot.key}` has no name"
                    remedy = f'Add {toml_key(slot.key)} = "..." under [slots].'
                    yield self._minor(("slots",), message, remedy)

    def _names(self) -> Iterator[Problem]:
        """Names of domains and slots that do not exist."""
        domains = {domain.key for domain in self.schema}
        yield from self._unknown("domains", self.pack.domains, domains)
        yield from self._unknown("slots", self.pack.slots, self._slot_keys() | {SOURCE})

    def _slot_keys(self) -> set[str]:
        domains = [*self.schema, *(table.domain for table in self.schema.changing)]
        pairs = [(domain.key, slot.key) for domain in domains for slot in domain.slots]
        given = {each.key for action in self.schema.actions for each in action.gives}
        named = {slot for _, slot in pairs} | {f"{domain}.{slot}" for domain, slot in pairs}
        return named | given | ({ENTITY} if self.schema.actions else set())

    def _unknown(
        self, section: str, given: Mapping[str, object], known: set[str]
    ) -> Iterator[Problem]:
        for key in given.keys() - known:
            message = f"`{key}` under [{section}] is nothing this world has"
            remedy = did_you_mean(key, known)
            yield self._minor((*section.split("."), key), message, remedy)

    # Number forms

    def _forms(self) -> Iterator[Problem]:
        yield from self._unknown("forms", self.pack.forms, self._slot_keys() | set(NUMBERS))
        for domain in self.schema:
            for slot in domain.slots:
                if slot.kind in NUMBERS:
                    yield from self._band_forms(domain, slot, forms_of(self.pack, domain.key, slot))

    def _band_forms(self, domain: Domain, slot: Slot, forms: NumberForms) -> Iterator[Problem]:
        for band in slot.bands:
            try:
                said = say_band(forms, band)
            except (KeyError, IndexError, ValueError):
                continue  # reported with the form itself
            if not said:
                bounds = f"low {band.low}, high {band.high}, form {band.form!r}"
                yield self._minor(
                    ("forms", slot.key),
                    f"no number form says the band of `{domain.key}.{slot.key}` with {bounds}",
                    f"Add it under [forms.{slot.key}] or [forms.{slot.kind}].",
                )

    # Goal sentences

    def _sentences(self) -> Iterator[Problem]:
        phrases = self.pack.goal
        if phrases is None:
            remedy = "Add [goal] with its sentences; goals cannot be told in words without them."
            yield self._minor((), "there is no section [goal]", remedy)
            return
        for section, needed in self._needed().items():
            given: Mapping[str, str] = getattr(phrases, section)
            for key in sorted(needed - given.keys()):
                message = f"there is no sentence `{key}` under [goal.{section}]"
                remedy = f"Add one with {listed(IN_SENTENCES[section])} in it."
                yield self._minor(("goal", section), message, remedy)
            yield from self._unknown(f"goal.{section}", given, needed | self._allowed(section))
        yield from self._whether(phrases)

    def _needed(self) -> dict[str, set[str]]:
        """Section -> keys a goal of this world can ask for."""
        places = {domain.key for domain in self.schema.places}
        slots = [(domain, slot) for domain in self.schema for slot in domain.slots]
        return {
            "some": places,
            "named": places,
            "near": {slot.target for _, slot in slots if slot.kind is SlotKind.NEARBY},
            "ride": {domain.key for domain in self.schema.rides},
            "want": {f"{domain.key}.{slot.key}" for domain, slot in slots if slot.constrain},
            "ask": {domain.key for domain, slot in slots if slot.request},
        }

    def _allowed(self, section: str) -> set[str]:
        """Keys that are never asked for and do no harm."""
        return self._slot_keys() if section == "want" else {domain.key for domain in self.schema}

    def _whether(self, phrases: GoalPhrases) -> Iterator[Problem]:
        asked = any(slot.request for d in self.schema for slot in d.of_kind(SlotKind.SERVICES))
        if asked and not phrases.whether:
            message = "there is no `whether`, with which services are asked for"
            yield self._minor(("goal",), message, 'Add whether = "... {service}" under [goal].')

    # Renderings

    def _renderings(self) -> Iterator[Problem]:
        used = self._values_in_tables()
        columns = {slot.key for table in self.schema.changing for slot in table.columns}
        yield from self._unknown("values", self.pack.values, set(used) | columns)
        for key, values in used.items():
            renderings = self.pack.values.get(key, {})
            for value, place in values.items():
                if value not in renderings and needs_rendering(value):
                    message = f"{value!r} has no rendering in {self.pack.name}"
                    yield replace(place, message=message, remedy=self._remedy(key, value))
            chosen = self._chosen_from(key)
            yield from self._odd_renderings(key, renderings, {*values, *chosen})

    def _chosen_from(self, key: str) -> set[str]:
        """What an argument of this name may be, beside the values of the tables."""
        columns = (slot for table in self.schema.changing for slot in table.columns)
        return {v for slot in columns if slot.key == key for v in (*slot.values, *slot.examples)}

    def _remedy(self, key: str, value: str) -> str:
        return f"Add {value!r} under {key} to languages/{self.pack.code}.values.json."

    def _odd_renderings(
        self, key: str, renderings: Mapping[str, str], used: set[str]
    ) -> Iterator[Problem]:
        first: dict[str, str] = {}
        for value, rendering in renderings.items():
            at = replace(self.file.problem(("values", key, value), ""), slot=key, fatal=False)
            if not rendering.strip():
                yield replace(
                    at, message=f"the rendering of {value!r} is blank", remedy="Write it."
                )
            elif value not in used:
                message = f"{value!r} has a rendering and stands in no table"
                yield replace(
                    at, message=message, remedy=did_you_mean(value, used, "Correct or remove it.")
                )
            elif rendering in first:
                message = f"{first[rendering]!r} and {value!r} are both rendered as {rendering!r}"
                remedy = "Give each its own, or nobody can tell which is meant."
                yield replace(at, message=message, remedy=remedy)
            first.setdefault(rendering, value)

    def _values_in_tables(self) -> dict[str, dict[str, Problem]]:
        """Slot key -> value -> where it first stands."""
        used: dict[str, dict[str, Problem]] = {}
        for file in self.tables:
            name_slot = file.table.domain.name_slot
            for row, line in file:
                entity = str(row[name_slot.key]) if name_slot else ""
                for slot in rendered_slots(file.table.domain):
                    values = used.setdefault(rendering_key(self.schema, slot), {})
                    at = Problem(
                        file=file.name, line=line, entity=entity, slot=slot.key, message=""
                    )
                    for value in texts(row.get(slot.key)):
                        values.setdefault(value, replace(at, fatal=False))
        return used


def needs_rendering(value: str) -> bool:
    """Phone numbers, opening hours and number plates (`HM 2741`) read the same everywhere."""
    return any(letter.isalpha() and not "A" <= letter <= "Z" for letter in value)


# Tables


def check_tables(files: Sequence[TableFile]) -> Iterator[Problem]:
    """Links between places, repeated and blank terms, one name in two domains."""
    places = {file.table.domain.key: file for file in files if file.table.domain.name_slot}
    names = {key: _rows_by_name(file) for key, file in places.items()}
    for file in places.values():
        for row, line in file:
            at = Problem(
                file=file.name, line=line, entity=_name(file, row), message="", fatal=False
            )
            yield from _terms(file.table.domain, row, at)
            yield from _links(file.table.domain, row, at, places, names)
    yield from _shared_names(places)


def check_draws(
    manifest: WorldFile, file: TomlFile, tables: Sequence[TableFile]
) -> Iterator[Problem]:
    """Bands, tags and exclusive services that nothing in the tables answers to."""
    by_domain = {each.table.domain.key: each for each in tables}
    for number, described in enumerate(manifest.domains):
        if described.key not in by_domain:
            continue
        for position, slot in enumerate(described.value().slots):
            cells = [row[slot.key] for row, _ in by_domain[described.key] if slot.key in row]
            known = {text for cell in cells for text in texts(cell)}
            numbers = [cell for cell in cells if isinstance(cell, int | float)]
            for field, message, remedy in _nothing_drawn(slot, known, numbers):
                found = file.problem(("domains", number, "slots", position, field), message, remedy)
                yield replace(found, slot=f"{described.key}.{slot.key}", fatal=False)


def _nothing_drawn(
    slot: Slot, known: set[str], numbers: Sequence[float]
) -> Iterator[tuple[str, str, str]]:
    for band in slot.bands:
        if not any(map(Bounds(band.low, band.high).hold, numbers)):
            low = "..." if band.low is None else f"{band.low:g}"
            high = "..." if band.high is None else f"{band.high:g}"
            message = f"no row falls into the band {low} to {high}"
            yield "bands", message, "Change or remove the band, or add rows."
    named = {"tags": slot.tags, "exclusive": frozenset().union(*slot.exclusive)}
    for field, terms in named.items():
        for term in sorted(terms - known):
            remedy = f"{did_you_mean(term, known, 'Correct it.', is_text=True)} Or remove it."
            yield field, f"no row has the term {term!r}", remedy


def _terms(domain: Domain, row: Row, at: Problem) -> Iterator[Problem]:
    for slot in domain.of_kind(SlotKind.LIST, SlotKind.SERVICES, SlotKind.NEARBY):
        for term, count in Counter(texts(row[slot.key])).items():
            if not term.strip():
                message, remedy = f"a blank text, {term!r}, stands in the list", "Remove it."
            elif count > 1:
                message, remedy = f"{term!r} stands in the list {count} times", "Keep one."
            else:
                continue
            yield replace(at, slot=slot.key, message=message, remedy=remedy)


def _links(
    domain: Domain,
    row: Row,
    at: Problem,
    places: dict[str, TableFile],
    rows: dict[str, dict[str, Row]],
) -> Iterator[Problem]:
    for slot in domain.of_kind(SlotKind.NEARBY):
        if slot.target not in rows:
            continue
        for name in dict.fromkeys(texts(row[slot.key])):
            other = rows[slot.target].get(name)
            if other is None:
                message = f"there is no {slot.target} called {name!r}"
                near = did_you_mean(name, rows[slot.target], "Correct it.", is_text=True)
                remedy = f"{near} Or remove the link."
            elif slot.target == domain.key and name == at.entity:
                message, remedy = "the place is near itself", "Remove the link."
            elif not _links_back(places[slot.target].table.domain, other, domain.key, at.entity):
                message = f"{name!r} is near, and does not have this one near it"
                remedy = f"Nearness goes both ways: add {at.entity!r} to the row of {name!r}."
            else:
                continue
            yield replace(at, slot=slot.key, message=message, remedy=remedy)


def _links_back(other: Domain, row: Row, domain: str, name: str) -> bool:
    """True also where the other domain keeps no places of this one at all."""
    slots = [slot for slot in other.of_kind(SlotKind.NEARBY) if slot.target == domain]
    return not slots or any(name in texts(row[slot.key]) for slot in slots)


def _shared_names(places: dict[str, TableFile]) -> Iterator[Problem]:
    """A ride finds its ends by name, so no two places of the world should share one."""
    first: dict[str, str] = {}
    for key, file in places.items():
        for row, line in file:
            name = _name(file, row)
            if name and first.setdefault(name, key) != key:
                message = f"a {first[name]} has the same name"
                remedy = "Rename one: rides find their ends by name."
                at = Problem(file=file.name, line=line, entity=name, message=message, fatal=False)
                yield replace(at, remedy=remedy)


def _rows_by_name(file: TableFile) -> dict[str, Row]:
    return {_name(file, row): row for row, _ in file}


def _name(file: TableFile, row: Row) -> str:
    slot = file.table.domain.name_slot
    return str(row[slot.key] or "") if slot else ""
