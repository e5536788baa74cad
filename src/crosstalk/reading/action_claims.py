"""What a reply says about actions, held against the calls: false claims with their words.

    reader = ActionClaimReader(ProseReader.of("harbour", "de"), executor)
    reader.read(reply, reading, ActionContext(events=..., earlier=..., state=..., users_words=...))

* *said done*: the reply says that something was done, and no call did it
* *said not done*: it says that something could not be done, and a call did it
* *wrong <slot>*: a code, price, time, date or number of people that is not that of the call

The words that say so stand in `[[claims]]` and `[counts]` of the world's language pack. Questions,
and sentences about other places or other actions, claim nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from crosstalk.dialogue.actions import Action, Insert, Update, is_reference
from crosstalk.dialogue.languages import ClaimPhrases
from crosstalk.dialogue.schema import DomainKind, SlotKind
from crosstalk.language.dates import SaidDate
from crosstalk.language.normalize import folded
from crosstalk.language.patterns import pattern
from crosstalk.reading.action_values import ActionFacts, ActionValues, SaidValue, ValueKind
from crosstalk.reading.clock import SaidTime
from crosstalk.reading.items import Found
from crosstalk.reading.positions import letters_in_place
from crosstalk.reading.prose import Prose, Sentence
from crosstalk.reading.reader import ProseReader
from crosstalk.reading.readings import Named, Reading
from crosstalk.worlds.action_events import ActionEvent, TableState
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.tables import Cell, Row

SAID_DONE: Final = "said_done"
"""Rule: what is said to be done was done by a call."""
SAID_NOT_DONE: Final = "said_not_done"
"""Rule: what is said not to be done was not done by a call."""
WRONG: Final = "wrong_"
"""Begins the rule that a value told is that of the call: `wrong_reference`."""
_OF_A_RIDE: Final = (Found.CAR, Found.PLATE)
"""Only a ride that was found has them."""
_CLOSE: Final = 0.005
_MINUTES: Final = 60


@dataclass(frozen=True, slots=True)
class ActionClaim:
    """A false statement about an action."""

    rule: str
    actions: tuple[str, ...]
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ActionContext:
    """What is known when a reply is read."""

    events: tuple[ActionEvent, ...] = ()
    """Calls made before this reply, since the last one."""
    earlier: tuple[ActionEvent, ...] = ()
    state: TableState = field(default_factory=lambda: TableState({}))
    """The tables when the reply is given."""
    users_words: str = ""

    @property
    def done(self) -> list[ActionEvent]:
        return [event for event in self.events if event.done]


@dataclass(frozen=True, slots=True)
class ActionReading:
    """What a reply says about actions."""

    false: tuple[ActionClaim, ...] = ()
    explained: tuple[tuple[int, int], ...] = ()
    """Where values stand that a call makes true; they claim nothing about a place."""


@dataclass(frozen=True, slots=True)
class _Cues:
    """The phrases of one entry of `[[claims]]`."""

    actions: frozenset[str]
    done: re.Pattern[str]
    not_done: re.Pattern[str]
    neither: re.Pattern[str]
    about: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _SaidOf:
    """A sentence with the actions it says to be done, or not to be done."""

    sentence: Sentence
    about: frozenset[str]
    """The actions that its words narrow everything down to; empty: they do not."""
    done: tuple[frozenset[str], ...]
    not_done: tuple[frozenset[str], ...]


class ActionClaimReader:
    """Reads replies in one language of a world that has actions."""

    def __init__(self, reader: ProseReader, executor: Executor) -> None:
        self._executor = executor
        self._values = ActionValues(reader)
        self._words = reader.words
        self._scanner = reader.scanner
        code = executor.world.language.code
        self._cues = [_cues(each, code) for each in executor.world.language.claims]

    def read(self, reply: str, reading: Reading, context: ActionContext) -> ActionReading:
        whole = Prose.of(self._values.with_whole_dates(reply)).sentences
        sentences = [replace(each, text=reply[each.start : each.end]) for each in whole]
        named = [(each.start, each.end) for each in reading.names]
        said = [self._said(each, named) for each in sentences if not each.is_asked]
        found = frozenset[str]().union(*map(self._rides_of, sentences))
        return _Reply(self, self._executor, said, reading, context, found).read()

    def values(self, sentence: Sentence) -> list[SaidValue]:
        return self._values.find(sentence)

    @cached_property
    def table_codes(self) -> frozenset[str]:
        """Codes of rows that nobody has booked: train numbers, postcodes."""
        world = self._executor.world
        return frozenset(
            folded(str(row[slot.key]))
            for domain in world.schema.places
            for slot in domain.of_kind(SlotKind.KEY)
            for row in world.tables.get(domain.key, ())
            if row.get(slot.key)
        )

    @cached_property
    def _ride_actions(self) -> frozenset[str]:
        """Actions whose entity is a ride with a car."""
        schema = self._executor.world.schema
        rides = {domain.key for domain in schema.rides if domain.kind is DomainKind.TAXI}
        return frozenset(action.key for action in schema.actions if action.domain in rides)

    def _rides_of(self, sentence: Sentence) -> frozenset[str]:
        """The actions of a ride that a sentence tells by its car or plate."""
        tells = self._scanner.scan(sentence).of(*_OF_A_RIDE)
        return self._ride_actions if tells else frozenset()

    def is_about_hours(self, sentence: Sentence) -> bool:
        return self._words.has("opening", letters_in_place(sentence.text)[0])

    def _said(self, sentence: Sentence, named: Sequence[tuple[int, int]]) -> _SaidOf:
        """`named`: where names stand in the reply; their words say nothing."""
        text = sentence.text
        for start, end in reversed(named):
            if sentence.start <= start and end <= sentence.end:
                text = text[: start - sentence.start] + "x" + text[end - sentence.start :]
        words = letters_in_place(text)[0].strip()
        spoken_of = (cues.actions for cues in self._cues if cues.about.search(words))
        about = frozenset[str]().union(*spoken_of)
        about = about | self._rides_of(sentence) if about else about
        done, not_done = list[frozenset[str]](), list[frozenset[str]]()
        for cues in self._cues:
            left = _without(cues.neither, words, (cues.done, cues.not_done))
            narrowed = cues.actions & about or cues.actions
            if cues.not_done.search(left):
                not_done.append(narrowed)
            if cues.done.search(cues.not_done.sub(" ", left)):
                done.append(narrowed)
        return _SaidOf(sentence, about, tuple(done), tuple(not_done))


def _without(neither: re.Pattern[str], words: str, others: Sequence[re.Pattern[str]]) -> str:
    """The words without what says nothing; a longer phrase around it counts, not it."""
    longer = [match.span() for other in others for match in other.finditer(words)]

    def left(match: re.Match[str]) -> str:
        start, end = match.span()
        inside = any(a <= start and end <= b and b - a > end - start for a, b in longer)
        return match[0] if inside else " "

    return neither.sub(left, words)


def _cues(phrases: ClaimPhrases, code: str) -> _Cues:
    return _Cues(
        frozenset(phrases.actions),
        pattern(phrases.done, code),
        pattern(phrases.not_done, code),
        pattern(phrases.neither, code),
        pattern(phrases.about, code),
    )


@dataclass
class _Reply:
    """One reply while it is judged."""

    reader: ActionClaimReader
    executor: Executor
    said: Sequence[_SaidOf]
    reading: Reading
    context: ActionContext
    found: frozenset[str]
    """Actions of a ride whose car or plate is told: it was found, and "ordered" is said of it."""
    explained: list[tuple[int, int]] = field(default_factory=list)

    def read(self) -> ActionReading:
        false = [claim for said in self.said for claim in self._false(said)]
        explained = (*self.explained, *self._given())
        return ActionReading(tuple(dict.fromkeys(false)), explained)

    def _given(self) -> Iterator[tuple[int, int]]:
        """Where texts stand that a call gave, such as the phone number of a taxi."""
        done = (event for event in (*self.context.earlier, *self.context.events) if event.done)
        texts = {cell for event in done for cell in event.gives.values() if isinstance(cell, str)}
        for said in self.said:
            for text in texts:
                for found in re.finditer(re.escape(text), said.sentence.text):
                    yield said.sentence.start + found.start(), said.sentence.start + found.end()

    def _false(self, said: _SaidOf) -> Iterator[ActionClaim]:
        names = self._names(said.sentence)
        is_untrue = False
        for actions in said.done:
            if not actions & self.found and not self._was_done(actions, names):
                is_untrue = True
                yield _claim(SAID_DONE, actions, said.sentence)
        for actions in said.not_done:
            if self._was_done_after_all(actions, names):
                yield _claim(SAID_NOT_DONE, actions, said.sentence)
        if not is_untrue:
            yield from self._wrong_values(said, names)

    # What is said to be done

    def _was_done(self, actions: frozenset[str], names: Sequence[str]) -> bool:
        now = any(self._supports(event, actions, names) for event in self.context.done)
        refused = {event.action for event in self.context.events if not event.done}
        if now or (actions & refused and not names):
            return now
        if any(self._supports(event, actions, names) for event in self.context.earlier):
            return True
        return any(self._is_as_done(row, table, actions, names) for table, row in self._own_rows())

    def _supports(self, event: ActionEvent, actions: frozenset[str], names: Sequence[str]) -> bool:
        """Whether a call did one of these actions, or left what one of them leaves."""
        if not event.done:
            return False
        texts = ActionFacts(self.executor, [event]).texts
        if names and not texts & set(names):
            return False
        return event.action in actions or any(
            self._is_as_done(change.after, change.table, actions, ())
            for change in event.changes
            if change.after
        )

    def _own_rows(self) -> Iterator[tuple[str, Row]]:
        """Rows whose code was spoken of, with their table."""
        words = folded(self.context.users_words)
        for table in self.executor.world.schema.changing:
            keys = [column.key for column in table.columns if column.kind is SlotKind.KEY]
            for row in self.context.state.tables.get(table.key, ()):
                if any(folded(str(row[key])) in words for key in keys if row.get(key)):
                    yield table.key, row

    def _is_as_done(
        self, row: Row, table: str, actions: frozenset[str], names: Sequence[str]
    ) -> bool:
        if names and not set(names) & {str(cell) for cell in row.values()}:
            return False
        left = (self._leaves(self.executor.action(key)).get(table) for key in actions)
        return any(bool(cells) and cells.items() <= row.items() for cells in left if cells)

    def _leaves(self, action: Action) -> Mapping[str, dict[str, Cell]]:
        """Table -> the literal values that an action puts into a row of it."""
        found: dict[str, dict[str, Cell]] = {}
        for step in action.steps:
            if not isinstance(step, Insert | Update):
                continue
            table = self.executor.table(step.table)
            for key, operand in step.values:
                slot = table.column(key)
                if slot and not is_reference(operand):
                    cells = found.setdefault(step.table, {})
                    cells[key] = self.executor.arguments.literal(slot, operand)
        return found

    def _was_done_after_all(self, actions: frozenset[str], names: Sequence[str]) -> bool:
        """Whether a call did what is said not to be done, and nothing of the kind was refused."""
        if any(event.action in actions and not event.done for event in self.context.events):
            return False
        if any(actions & done for said in self.said for done in said.done):
            return False
        done = [event for event in self.context.done if event.action in actions]
        texts = ActionFacts(self.executor, done).texts
        return bool(done) and (not names or bool(texts & set(names)))

    # Values

    def _wrong_values(self, said: _SaidOf, names: Sequence[str]) -> Iterator[ActionClaim]:
        values = self.reader.values(said.sentence)
        yield from self._wrong_codes(said, values, names)
        facts = self._facts(said, values)
        if not facts.events or self._is_about_something_else(said, facts, names):
            return
        for value in values:
            wrong = self._wrong(value, facts, said, values)
            if wrong:
                yield _claim(WRONG + wrong, self._actions(facts), said.sentence, value)
            elif wrong is not None:
                self.explained.append((value.start, value.end))

    def _facts(self, said: _SaidOf, values: Sequence[SaidValue]) -> ActionFacts:
        """The calls that a sentence may be about: those just made, else those it recalls."""
        if self.context.done:
            return ActionFacts(self.executor, self.context.done)
        recalled = [
            event
            for event in self.context.earlier
            if event.done
            and (
                any(event.action in actions for actions in said.done)
                or any(v.said in ActionFacts(self.executor, [event]).texts for v in values)
            )
        ]
        return ActionFacts(self.executor, recalled[-1:])

    def _is_about_something_else(
        self, said: _SaidOf, facts: ActionFacts, names: Sequence[str]
    ) -> bool:
        others = bool(said.about) and not said.about & set(self._actions(facts))
        elsewhere = bool(names) and not set(names) & facts.texts
        return others or elsewhere or bool(said.not_done)

    def _wrong_codes(
        self, said: _SaidOf, values: Sequence[SaidValue], names: Sequence[str]
    ) -> Iterator[ActionClaim]:
        """Codes that neither a call gave nor the user told, or that belong to another place."""
        told = folded(self.context.users_words).replace("-", "")
        for value in values:
            if value.kind is not ValueKind.CODE or folded(str(value.said)) in told:
                continue
            if folded(str(value.said)) in self.reader.table_codes:
                continue
            if value.said not in self._codes or self._is_of_another(str(value.said), names):
                yield _claim(WRONG + "reference", self._coded, said.sentence, value)
            else:
                self.explained.append((value.start, value.end))

    @cached_property
    def _codes(self) -> Mapping[str, ActionEvent]:
        """Code -> the last call that gave or took it; spaces inside do not count."""
        events = (*self.context.earlier, *self.context.events)
        return {
            text.replace(" ", "").replace("-", ""): event
            for event in events
            for text in ActionFacts(self.executor, [event]).texts
        }

    @property
    def _coded(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(event.action for event in self.context.events))

    def _is_of_another(self, code: str, names: Sequence[str]) -> bool:
        texts = ActionFacts(self.executor, [self._codes[code]]).texts
        places = {name for name in names if self._is_booked(name)}
        return bool(places) and not places & texts

    def _is_booked(self, name: str) -> bool:
        events = (*self.context.earlier, *self.context.events)
        return any(name in ActionFacts(self.executor, [event]).texts for event in events)

    def _wrong(
        self, value: SaidValue, facts: ActionFacts, said: _SaidOf, values: Sequence[SaidValue]
    ) -> str | None:
        """The slot that a value is wrong for; empty: it is right; None: it is of no slot."""
        if value.kind is ValueKind.MONEY:
            return self._wrong_price(value, facts)
        if value.kind is ValueKind.CODE:
            return None
        keys = [key for key in facts.kinds if self._is_of(key, value, facts)]
        if not keys or (value.kind is ValueKind.TIME and self._is_about_hours(said)):
            return None
        if any(_agrees(value, cell) for key in keys for cell in facts.cells.get(key, ())):
            return ""
        if isinstance(value.said, SaidDate) and any(map(value.said.is_in, facts.dates)):
            return ""
        if any(_agrees(value, cell) for key, cell in facts.before if key in keys):
            new = [each for each in values if each.kind is value.kind and each is not value]
            if any(_agrees(e, cell) for e in new for key in keys for cell in facts.cells[key]):
                return ""
        return keys[0]

    def _is_about_hours(self, said: _SaidOf) -> bool:
        return not said.done and self.reader.is_about_hours(said.sentence)

    def _is_of(self, key: str, value: SaidValue, facts: ActionFacts) -> bool:
        kinds = {ValueKind.TIME: SlotKind.TIME, ValueKind.DATE: SlotKind.DATE}
        if value.kind is ValueKind.COUNT:
            return key == value.slot
        known = facts.cells.get(key, ())
        return facts.kinds[key].kind is kinds.get(value.kind) and any(known)

    def _wrong_price(self, value: SaidValue, facts: ActionFacts) -> str | None:
        if not facts.results:
            return None
        assert isinstance(value.said, float)
        right = any(abs(value.said - amount) < _CLOSE for amount in facts.amounts)
        return "" if right else next(iter(facts.results))

    def _actions(self, facts: ActionFacts) -> tuple[str, ...]:
        return tuple(dict.fromkeys(event.action for event in facts.events))

    def _names(self, sentence: Sentence) -> list[str]:
        """The places that a sentence puts forward or names as ends of a ride."""

        def stands(named: Named) -> bool:
            return sentence.start <= named.start < sentence.end and named.role != "landmark"

        return [named.place[1] for named in self.reading.names if stands(named)]


def _claim(
    rule: str,
    actions: Sequence[str] | frozenset[str],
    sentence: Sentence,
    at: SaidValue | None = None,
) -> ActionClaim:
    start, end = (at.start, at.end) if at else (sentence.start, sentence.end)
    return ActionClaim(rule, tuple(sorted(actions)), sentence.text, start, end)


def _agrees(value: SaidValue, cell: Cell) -> bool:
    match value.said:
        case SaidTime(minutes=minutes):
            hour, _, minute = str(cell).partition(":")
            whole = hour.isdigit() and minute.isdigit()
            return whole and (int(hour) % 24 * _MINUTES + int(minute)) in minutes
        case SaidDate():
            return value.said.is_in(str(cell))
        case float():
            return isinstance(cell, int | float) and float(cell) == value.said
        case _:
            return str(cell) == value.said
