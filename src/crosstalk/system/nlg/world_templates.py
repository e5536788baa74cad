"""Hand-written templates that a world ships: `templates/<code>.toml` in its folder.

    generator = written_generator(find_world("harbour"), world.schema, world.language, Speaker.USER)

Tables `user` and `system` hold sentences by act key; `user.then` and `system.then` hold sentences
that follow another about the same domain. `{price}` stands for every value of the slot, enumerated.
`possible_act_keys` lists every key that one side of a world may need.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final

from crosstalk.dialogue.acts import GENERAL, INFORM, NO_OFFER, NOTHING, RECOMMEND, REQUEST, SELECT
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.languages import SOURCE, LanguagePack
from crosstalk.dialogue.schema import Domain, DomainKind, Schema, Slot, SlotKind
from crosstalk.errors import WorldError
from crosstalk.language.number_forms import forms_of
from crosstalk.language.world_files import TEMPLATES, world_file
from crosstalk.problems import Problem, did_you_mean, refuse
from crosstalk.system.nlg.act_keys import GENERAL_ACTS, INTENTS, JOIN, PART, WHOLE, ActKeys
from crosstalk.system.nlg.template_bank import ALL, Hole, Template, WrittenTemplateBank, signature
from crosstalk.system.nlg.template_nlg import AnyTemplate, TemplateNLG
from crosstalk.toml_files import TomlFile, read_toml

_MANNERS = {
    Speaker.USER: ("greet", "thank", "bye"),
    Speaker.SYSTEM: ("greet", "thank", "welcome", "reqmore", "bye"),
}


def possible_act_keys(schema: Schema, language: LanguagePack, speaker: Speaker) -> list[str]:
    """The keys, each once: what goals want and ask, what tables answer."""
    manners = [PART.join((GENERAL, manner, NOTHING)) for manner in _MANNERS[speaker]]
    side = _user if speaker is Speaker.USER else _system
    return [*manners, *chain.from_iterable(side(domain, language) for domain in schema)]


def written_key(key: str, schema: Schema, language: LanguagePack) -> str:
    """A key as a file has it, `+none` for the language's word for a missing value."""
    *rest, value = key.split(PART)
    domain = schema.domain(rest[1]) if len(rest) == 3 else None
    slot = domain.slot(rest[2]) if domain else None
    if domain is None or slot is None:
        return key
    return next(
        (
            PART.join((*rest, word))
            for word, said in _values(domain, slot, language).items()
            if said == value
        ),
        key,
    )


def _values(domain: Domain, slot: Slot, language: LanguagePack) -> dict[str, str]:
    """Values that stay in a key, as files have them -> in this language."""
    free = forms_of(language, domain.key, slot).free
    return {"yes": language.yes, "no": language.no, NOTHING: language.nothing, "free": free}


def _user(domain: Domain, language: LanguagePack) -> Iterator[str]:
    for slot in domain.slots:
        key = PART.join((domain.key, slot.key))
        if slot.kind in (SlotKind.NAME, SlotKind.ENDPOINT) or slot.constrain:
            yes = [language.yes] if slot.kind is SlotKind.SERVICES else []
            yield PART.join((INFORM, key, *yes))
            yield from _free(domain, slot, language)
        if slot.request:
            yield PART.join((REQUEST, key))
        if slot.kind is SlotKind.NEARBY:
            source = language.source
            yield PART.join((SELECT, slot.target, source, domain.key))


def _system(domain: Domain, language: LanguagePack) -> Iterator[str]:
    if domain.kind is DomainKind.PLACE:
        yield PART.join((NO_OFFER, domain.key, NOTHING))
    for slot in domain.slots:
        key = PART.join((INFORM, domain.key, slot.key))
        if slot.kind is SlotKind.NAME:
            yield from (key, PART.join((RECOMMEND, domain.key, slot.key)))
        elif slot.kind is SlotKind.SERVICES:
            yield from (f"{key}{PART}{language.yes}", f"{key}{PART}{language.no}")
        elif slot.request:
            yield from (key, f"{key}{PART}{language.nothing}")
            yield from _free(domain, slot, language)


def _free(domain: Domain, slot: Slot, language: LanguagePack) -> Iterator[str]:
    free = forms_of(language, domain.key, slot).free
    if slot.kind is SlotKind.NUMBER and free:
        yield PART.join((INFORM, domain.key, slot.key, free))


THEN: Final = "then"

_HOLE: Final = re.compile(r"\{([^{}]*)\}")


def written_generator(
    folder: Path, schema: Schema, language: LanguagePack, speaker: Speaker
) -> TemplateNLG:
    """Says the acts of one side in the words of the world's own templates."""
    keys = ActKeys.of(schema, language, speaker)
    return TemplateNLG(
        keys, load_written(folder, schema, language, speaker), AnyTemplate(), language
    )


def load_written(
    folder: Path, schema: Schema, language: LanguagePack, speaker: Speaker
) -> WrittenTemplateBank:
    """The bank of one side; raises WorldError in the words of `crosstalk world check`."""
    name = world_file(folder, TEMPLATES, language.code)
    if not (folder / name).exists():
        raise WorldError(
            f"the world in {folder} has no templates in {language.name}",
            remedy=f"Write {name}, following another language's file.",
        )
    file = read_toml(folder, name)
    if isinstance(file, Problem):
        refuse(str(folder), [file])
        raise AssertionError("a file that cannot be read is always a fatal problem")
    reader = TemplateFileReader(file, schema, language, speaker)
    bank = reader.bank()
    refuse(str(folder), reader.problems)
    return bank


def has_templates(folder: Path, code: str) -> bool:
    """Whether the world brings templates along in a language."""
    return (folder / world_file(folder, TEMPLATES, code)).exists()


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line of the file: a key and its sentences, and where it stands."""

    at: tuple[str, ...]
    key: str
    sentences: object


class TemplateFileReader:
    """Reads one side of a templates file and collects its problems."""

    def __init__(
        self, file: TomlFile, schema: Schema, language: LanguagePack, speaker: Speaker
    ) -> None:
        self.problems: list[Problem] = []
        self._file = file
        self._schema = schema
        self._language = language
        self._speaker = speaker
        self._keys = ActKeys.of(schema, language, speaker)

    def bank(self) -> WrittenTemplateBank:
        side = str(self._speaker)
        first = self._table((side,), self._file.data.get(side, {}))
        then = self._table((side, THEN), first.pop(THEN, {}))
        return WrittenTemplateBank(self._read(first, ()), self._read(then, (THEN,)))

    def _table(self, at: tuple[str, ...], content: object) -> dict[str, object]:
        if isinstance(content, dict):
            return dict(content)
        remedy = f'Write [{".".join(at)}] and below it "Inform+hotel+price" = ["..."].'
        self.problems.append(self._file.problem(at, "expected a table of sentences", remedy))
        return {}

    def _read(self, table: Mapping[str, object], at: tuple[str, ...]) -> dict[str, list[Template]]:
        groups: dict[str, list[Template]] = {}
        for key, sentences in table.items():
            entry = _Entry((str(self._speaker), *at, key), key, sentences)
            keys = [self._localised(entry, each) for each in _split(key)]
            if all(keys):
                groups[self._signature(keys)] = list(self._templates(entry, keys))
        return groups

    def _signature(self, keys: Sequence[str]) -> str:
        """In the order in which acts are said, whatever the order in the file."""
        ranked = sorted(set(keys), key=self._keys.rank)
        return signature([(key, keys.count(key)) for key in ranked])

    def _localised(self, entry: _Entry, key: str) -> str:
        """The key with this language's words for yes, no, none and free; empty if it is wrong."""
        intent, *rest = key.split(PART)
        if not self._is_known(entry, intent, INTENTS[self._speaker], "intent"):
            return ""
        if intent == GENERAL and len(rest) == 2:
            act, nothing = rest
            is_known = self._is_known(entry, act, GENERAL_ACTS[self._speaker], "General act")
            return key if is_known and self._is_known(entry, nothing, [NOTHING], "end") else ""
        if len(rest) not in (2, 3) or not (domain := self._schema.domain(rest[0])):
            return self._wrong_key(entry, key)
        if intent in WHOLE and rest[1:] == [NOTHING]:
            return key
        if intent == SELECT and rest[1] == SOURCE and self._schema.domain(rest[-1]):
            source = self._language.source
            return PART.join((intent, rest[0], source, rest[2]))
        slot = domain.slot(rest[1])
        if slot is None:
            return self._wrong_key(entry, key)
        words = _values(domain, slot, self._language)
        if any(not words.get(value) for value in rest[2:]):
            return self._wrong_key(entry, key)
        return PART.join((intent, *rest[:2], *(words[value] for value in rest[2:])))

    def _is_known(self, entry: _Entry, given: str, known: Collection[str], what: str) -> bool:
        """Whether acts have such a word; if not, the file loads without its sentences."""
        if given not in known:
            message = f"{given!r} is no {what} of the acts of the {self._speaker}"
            self._complain(entry, message, did_you_mean(given, known), fatal=False)
        return given in known

    def _wrong_key(self, entry: _Entry, key: str) -> str:
        remedy = "Write Intent+domain+slot with the world's own keys, or remove the line."
        domain, slot, value = (*key.split(PART)[1:], "", "", "")[:3]
        if domain and not slot:  # `General+greet`, `NoOffer+hotel`
            self._complain(entry, f"{key!r} is no act of this world", f"Write `{key}+{NOTHING}`.")
            return ""
        if value and (of := self._schema.domain(domain)) and of.slot(slot):
            ends = " or ".join(f"`+{each}`" for each in ("yes", "no", NOTHING, "free"))
            remedy = f"No key ends in `+{value}`. End it in {ends}."
            self._complain(entry, f"{key!r} is no act of this world", remedy)
            return ""
        found = self._schema.domain(domain)
        known = [each.key for each in found.slots] if found else [d.key for d in self._schema]
        hint = did_you_mean(slot if found else domain, known, remedy)
        text = hint if hint == remedy else f"{hint} {remedy}"
        self._complain(entry, f"{key!r} is no act of this world", text)
        return ""

    def _templates(self, entry: _Entry, keys: Sequence[str]) -> Iterator[Template]:
        sentences = entry.sentences
        if not isinstance(sentences, list) or not sentences:
            self._complain(entry, "expected a list of sentences", 'Write ["...", "..."].')
            return
        wanted = sorted({key for key in keys if self._keys.has_hole(key)})
        counts = Counter(each for each in sentences if isinstance(each, str))
        for sentence in (each for each, count in counts.items() if count > 1):
            message = f"{sentence!r} stands there {counts[sentence]} times"
            self._complain(entry, message, "Keep one.", sentence, fatal=False)
        for sentence in sentences:
            if not isinstance(sentence, str):
                self._complain(entry, f"{sentence!r} is no sentence", 'Write it in quotes: "...".')
                continue
            by_key = dict(zip(_split(entry.key), keys, strict=True))
            template = self._parsed(sentence, by_key)
            for name in _HOLE.findall(sentence):
                if not _named(name, by_key):
                    message = f"{sentence!r} has the placeholder {{{name}}}, which nobody fills"
                    names = {each for key in by_key for each in _names(*key.split(PART)[1:])}
                    hint = did_you_mean(name, names)
                    self._complain(entry, message, hint, sentence, fatal=False)
            if sorted(hole.key for hole in template.holes) == wanted:
                yield template
            else:
                self._complain(entry, *self._wrong_holes(sentence, wanted), sentence)

    def _parsed(self, sentence: str, keys: Mapping[str, str]) -> Template:
        """`keys`: as the file writes them -> as this language has them."""
        parts: list[str | Hole] = []
        for number, part in enumerate(_HOLE.split(sentence)):
            if number % 2 and (key := keys.get(_named(part, keys))):
                goal = self._language.goal
                commas = (goal.comma, goal.last_comma) if goal else (", ", ", ")
                parts.append(Hole(key, ALL, *commas))
            elif part:
                parts.append(part)
        return Template(tuple(parts))

    def _wrong_holes(self, sentence: str, wanted: Sequence[str]) -> tuple[str, str]:
        names = ", ".join("{" + key.split(PART)[2] + "}" for key in wanted) or "no placeholder"
        return (
            f"{sentence!r} does not say each value once",
            f"It needs {names}, each once. Where two acts share a name, write {{domain.slot}}.",
        )

    def _complain(
        self, entry: _Entry, message: str, remedy: str, text: str = "", *, fatal: bool = True
    ) -> None:
        problem = self._file.problem(entry.at, message, remedy, text=text)
        self.problems.append(replace(problem, fatal=fatal))


def _split(group: str) -> list[str]:
    """The keys of a group; the empty group says turns without acts."""
    return group.split(JOIN) if group else []


def _named(name: str, keys: Iterable[str]) -> str:
    """The one key that a placeholder means: `price`, `hotel.price` or `services.yes`."""
    found = [key for key in keys if name in _names(*key.split(PART)[1:])]
    return found[0] if len(found) == 1 else ""


def _names(domain: str, slot: str, value: str = "") -> set[str]:
    plain = {slot, f"{domain}.{slot}"}
    return plain | {f"{name}.{value}" for name in plain} if value else plain
