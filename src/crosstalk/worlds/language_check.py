"""What is wrong with `languages/<code>.toml`: missing names, number forms, sentences, values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from crosstalk.dialogue.languages import SOURCE, GoalPhrases, NumberForms
from crosstalk.dialogue.schema import Domain, Schema, Slot, SlotKind
from crosstalk.language.number_forms import forms_of, say_band
from crosstalk.problems import Problem, did_you_mean
from crosstalk.toml_files import Location
from crosstalk.worlds.language_pack import IN_SENTENCES, LoadedLanguage, listed
from crosstalk.worlds.manifest import NUMBERS
from crosstalk.worlds.table_files import TableFile
from crosstalk.worlds.tables import texts
from crosstalk.worlds.world import rendering_key


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
