"""Everything that is wrong with a world folder: `check_world(Path("myworld"))`."""

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from crosstalk.dialogue.languages import SOURCE, GoalPhrases, NumberForms
from crosstalk.dialogue.schema import Domain, Schema, Slot, SlotKind
from crosstalk.language.number_forms import Bounds, forms_of, say_band
from crosstalk.language.world_files import ASSISTANT, KEYWORDS, PHRASES, languages_with, world_file
from crosstalk.problems import Problem
from crosstalk.toml_files import Location, TomlFile, read_toml
from crosstalk.worlds.language_pack import IN_SENTENCES, LoadedLanguage, listed, read_language
from crosstalk.worlds.manifest import NUMBERS, WorldFile, read_manifest
from crosstalk.worlds.table_files import TableFile, read_tables
from crosstalk.worlds.tables import Row, texts
from crosstalk.worlds.world import languages_of, rendering_key, tables_folder


class LanguageCheck:
    """Looks through one language; that of the tables, `base`, needs no renderings."""

    def __init__(
        self, spoken: LoadedLanguage, schema: Schema, tables: Sequence[TableFile], base: str
    ) -> None:
        self.pack = spoken.pack
        self.file = spoken.file
        self.schema = schema
        self.tables = tables
        self.base = base

    def problems(self) -> Iterator[Problem]:
        yield from self._names()
        yield from self._forms()
        yield from self._sentences()
        if self.pack.code != self.base:
            yield from self._renderings()

    def _minor(self, at: Location, message: str, remedy: str) -> Problem:
        return replace(self.file.problem(at, message, remedy), fatal=False)

    # Names of domains and slots

    def _names(self) -> Iterator[Problem]:
        domains = {domain.key for domain in self.schema}
        for key in sorted(domains - self.pack.domains.keys()):
            message = f"the domain `{key}` has no name"
            yield self._minor(("domains",), message, f'Add {key} = "..." under [domains].')
        yield from self._unknown("domains", self.pack.domains, domains)
        slots = self._slot_keys()
        for domain in self.schema:
            for slot in domain.slots:
                both = {slot.key, f"{domain.key}.{slot.key}"}
                if not both & self.pack.slots.keys() and (slot.search or slot.request):
                    message = f"the slot `{domain.key}.{slot.key}` has no name"
                    yield self._minor(("slots",), message, f'Add {slot.key} = "..." under [slots].')
        yield from self._unknown("slots", self.pack.slots, slots | {SOURCE})

    def _slot_keys(self) -> set[str]:
        pairs = [(domain.key, slot.key) for domain in self.schema for slot in domain.slots]
        return {slot for _, slot in pairs} | {f"{domain}.{slot}" for domain, slot in pairs}

    def _unknown(
        self, section: str, given: Mapping[str, object], known: set[str]
    ) -> Iterator[Problem]:
        for key in given.keys() - known:
            message = f"`{key}` under [{section}] is nothing this world has"
            yield self._minor((*section.split("."), key), message, "Correct or remove it.")

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
        yield from self._unknown("values", self.pack.values, set(used))
        for key, values in used.items():
            renderings = self.pack.values.get(key, {})
            for value, place in values.items():
                if value not in renderings and needs_rendering(value):
                    message = f"{value!r} has no rendering in {self.pack.name}"
                    yield replace(place, message=message, remedy=self._remedy(key, value))
            yield from self._odd_renderings(key, renderings, set(values))

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
                yield replace(at, message=message, remedy="Correct or remove it.")
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
                for slot in file.table.domain.slots:
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
            yield field, f"no row has the term {term!r}", f"{_similar(term, known)}or remove it."


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
                remedy = f"{_similar(name, rows[slot.target])}or remove the link."
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


def _similar(term: str, known: dict[str, Row] | set[str]) -> str:
    near = difflib.get_close_matches(term, known, n=1)
    return f"Did you mean {near[0]!r}? Correct " if near else "Correct "


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
