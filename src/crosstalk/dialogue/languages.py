"""Language packs: how one language names and writes what a world holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

SOURCE = "source"
"""The slot of Select acts, which name the domain to be near; no domain has a slot of that name."""


@dataclass(frozen=True, slots=True)
class NumberForms:
    """How a slot's numbers are written; placeholders are {low}, {high} and {value}."""

    exact: str = "{value}"
    range: str = "{low}-{high}"
    above: str = "≥ {low}"
    below: str = "≤ {high}"
    free: str = ""
    """For zero; empty where nothing is ever free."""
    not_free: str = ""
    """For one and more."""
    decimal: str = "."
    """Between a number's whole and its parts; a comma in German and Russian."""


@dataclass(frozen=True, slots=True)
class GoalPhrases:
    """Sentences that tell a goal; keys are domain keys, or `domain.slot`."""

    some: Mapping[str, str]
    """Opening for an unnamed place: {id}."""
    named: Mapping[str, str]
    """Opening for a place known by name: {id}, {name}."""
    near: Mapping[str, str]
    """Opening for a place near another: {id}, {other}."""
    ride: Mapping[str, str]
    """Opening for a ride: {id}, {from}, {to} (sub-goal numbers)."""
    want: Mapping[str, str]
    """One sentence a constraint, key `domain.slot`: {value}."""
    ask: Mapping[str, str]
    """Closing sentence, key domain: {slots}."""
    whether: str
    """How a service is asked for inside {slots}: {service}."""
    comma: str
    """Between the items of an enumeration."""
    last_comma: str
    """Before the last item of an enumeration."""
    sentence_space: str = " "
    """Between two sentences; empty in Chinese."""
    want_not: str = ""
    """One sentence an exclusion: {slot}, {value}. Empty: what `describe` makes of `no`."""
    do: Mapping[str, str] = field(default_factory=dict)
    """One sentence an action, key action; placeholders are its arguments, and {id}."""
    instead: str = ""
    """What is wanted if that cannot be done: {values}."""
    forbidden: str = ""
    """What a user should know who asks for something that an agent must refuse."""
    given: str = "..."
    """Stands for what an action gives, in the sentence of a later one: `the one you were given`."""


@dataclass(frozen=True, slots=True)
class ClaimPhrases:
    """How a reply says that some actions were done, or were not; phrases as in `assistant/`."""

    actions: tuple[str, ...]
    done: tuple[str, ...] = ()
    not_done: tuple[str, ...] = ()
    neither: tuple[str, ...] = ()
    """Phrases that hold words of the others and say nothing of the kind: `fully booked`."""
    about: tuple[str, ...] = ()
    """Words that tell that these actions are spoken of, and no others: `room`."""


@dataclass(frozen=True, slots=True)
class LanguagePack:
    """One language of one world."""

    code: str
    """ISO 639-1: zh, en, de, ar, ru."""
    name: str
    """The language's own name for itself."""
    direction: Literal["ltr", "rtl"] = "ltr"
    domains: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Domain key -> what people call it."""
    slots: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Slot key, or `domain.slot` where one domain needs its own -> what people call it."""
    yes: str = "yes"
    no: str = "no"
    nothing: str = "none"
    """The value that says that nothing exists."""
    term_separator: str = ""
    """Between the terms of a LIST or SERVICES value kept as one text; empty: kept apart."""
    forms: Mapping[str, NumberForms] = field(default_factory=dict, hash=False)
    """How numbers are written: by `domain.slot`, by slot key, or by kind (`number`, `rating`)."""
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    """Slot key -> table value -> how this language writes it. Nearby lists use the name slot's."""
    goal: GoalPhrases | None = None
    days: tuple[str, ...] = ()
    """The days of the week from Monday on; values of slots of kind `day`."""
    actions: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Action key -> what it does, in a few words: `book a table`."""
    refusals: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Reason of a refusal -> a sentence that says it."""
    rules: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Rule key -> a sentence that says what it demands."""
    claims: tuple[ClaimPhrases, ...] = ()
    """How replies say what was done."""
    counts: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """Argument of an action -> what is counted, as it stands behind the number: `people`."""

    @property
    def source(self) -> str:
        """The slot of Select acts: `源领域` in CrossWOZ."""
        return self.slots.get(SOURCE, SOURCE)

    def domain_name(self, domain: str) -> str:
        return self.domains.get(domain, domain)

    def action_name(self, action: str) -> str:
        return self.actions.get(action, action.replace("_", " "))

    def slot_name(self, domain: str, slot: str) -> str:
        return self.slots.get(f"{domain}.{slot}") or self.slots.get(slot, slot)
