"""Statistics of a corpus, counted in one pass over its dialogues.

    counts = count_corpus(read_corpus(Path("val.json.zip")))
    counts.total.turns, len(counts.vocabulary), counts.by_type[GoalType.CM].no_offer_rate

`DialogueCounts` are Tables 6 and 7 of the CrossWOZ paper, `CorpusCounts` add what cannot be summed
per dialogue (vocabulary, slots, lengths). Counts of two parts of a corpus add up to those of the
whole. A rate is None if the corpus lacks what it needs (goals, acts, queries).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from itertools import islice
from operator import add

from crosstalk.dialogue.acts import GENERAL, NO_OFFER, NOTHING, SELECT
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import GoalType, Reference, SemanticTuple, count_subgoals
from crosstalk.errors import InputError
from crosstalk.language.tokenize import segmentation, words
from crosstalk.language.writing import guess_language


@dataclass(frozen=True, slots=True)
class DialogueCounts:
    """Counts over dialogues; counts that add."""

    dialogues: int = 0
    turns: int = 0
    """Utterances of either side."""
    tokens: int = 0
    goals: int = 0
    """Dialogues with a goal."""
    subgoals: int = 0
    tuples: int = 0
    annotated: int = 0
    """Dialogues with at least one act."""
    annotated_turns: int = 0
    """All turns of those dialogues."""
    acts: int = 0
    no_offers: int = 0
    """Dialogues with at least one `NoOffer` of the system."""
    queries: int = 0
    """System turns whose first and last query are known."""
    multi_queries: int = 0
    """... and differ in a constraint."""
    followed_goals: int = 0
    """Dialogues whose goal and final goal have the same tuples."""
    changed_goals: int = 0
    """... and differ in a constraint."""
    placed: int = 0
    """Dialogues whose domains are known."""
    domains: int = 0
    """Distinct domains of each dialogue, summed."""

    def __add__(self, other: "DialogueCounts") -> "DialogueCounts":
        return DialogueCounts(*map(add, astuple(self), astuple(other)))

    @property
    def turns_per_dialogue(self) -> float | None:
        return _ratio(self.turns, self.dialogues)

    @property
    def tokens_per_turn(self) -> float | None:
        return _ratio(self.tokens, self.turns)

    @property
    def subgoals_per_goal(self) -> float | None:
        return _ratio(self.subgoals, self.goals)

    @property
    def tuples_per_goal(self) -> float | None:
        return _ratio(self.tuples, self.goals)

    @property
    def acts_per_turn(self) -> float | None:
        return _ratio(self.acts, self.annotated_turns)

    @property
    def no_offer_rate(self) -> float | None:
        """Share of dialogues with a NoOffer act."""
        return _ratio(self.no_offers, self.annotated)

    @property
    def multi_query_rate(self) -> float | None:
        """Share of system turns that queried the database again with other constraints."""
        return _ratio(self.multi_queries, self.queries)

    @property
    def goal_change_rate(self) -> float | None:
        """Share of dialogues in which the user relaxed a constraint of the goal."""
        return _ratio(self.changed_goals, self.followed_goals)

    @property
    def domains_per_dialogue(self) -> float | None:
        return _ratio(self.domains, self.placed)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def count_dialogue(dialogue: Dialogue, tokens: int) -> DialogueCounts:
    """The counts of one dialogue with that many tokens."""
    tuples = dialogue.goal.tuples if dialogue.goal else ()
    acts = [act for turn in dialogue.turns for act in turn.acts]
    queried = [turn for turn in dialogue.system_turns if turn.first_query and turn.last_query]
    changed = goal_changed(dialogue)
    domains = dialogue_domains(dialogue)
    return DialogueCounts(
        dialogues=1,
        turns=len(dialogue.turns),
        tokens=tokens,
        goals=int(bool(tuples)),
        subgoals=count_subgoals(tuples),
        tuples=len(tuples),
        annotated=int(bool(acts)),
        annotated_turns=len(dialogue.turns) if acts else 0,
        acts=len(acts),
        no_offers=int(any(act.intent == NO_OFFER for act in acts)),
        queries=len(queried),
        multi_queries=sum(map(is_multi_query, queried)),
        followed_goals=int(changed is not None),
        changed_goals=int(changed or False),
        placed=int(bool(domains)),
        domains=len(domains),
    )


def is_multi_query(turn: Turn) -> bool:
    """Whether the system queried twice in a turn, with different constraints."""
    if turn.first_query is None or turn.last_query is None:
        return False
    return not turn.first_query.same_constraints(turn.last_query)


def goal_changed(dialogue: Dialogue) -> bool | None:
    """Whether a constraint of the goal ended with another value; None if that is not known.

    Filling in questions and references to other sub-goals is no change.
    """
    old = dialogue.goal.tuples if dialogue.goal else ()
    new = dialogue.final_goal or ()
    if not old or [_about(each) for each in old] != [_about(each) for each in new]:
        return None
    return any(
        _is_constraint(before) and before.value != after.value
        for before, after in zip(old, new, strict=True)
    )


def _about(each: SemanticTuple) -> tuple[int, str, str]:
    return each.subgoal, each.domain, each.slot


def _is_constraint(each: SemanticTuple) -> bool:
    return not each.is_open and not isinstance(each.value, Reference)


def dialogue_domains(dialogue: Dialogue) -> frozenset[str]:
    """The domains of the goal; without a goal, those its acts are about."""
    if dialogue.goal and dialogue.goal.tuples:
        return frozenset(each.domain for each in dialogue.goal.tuples)
    acts = (act for turn in dialogue.turns for act in turn.acts)
    return frozenset(act.domain for act in acts if act.intent != GENERAL)


BATCH = 256
"""Dialogues merged at a time: merging one by one would copy the whole vocabulary each time."""


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """The counts behind Tables 1, 6 and 7 and Figure 2 of the CrossWOZ paper."""

    by_type: Mapping[GoalType | None, DialogueCounts] = field(default_factory=dict, hash=False)
    """Goal type, None for dialogues without one -> counts."""
    lengths: Mapping[tuple[GoalType | None, int], int] = field(default_factory=dict, hash=False)
    """Goal type and number of turns -> dialogues."""
    intents: Mapping[tuple[Speaker, str], int] = field(default_factory=dict, hash=False)
    """Speaker and intent -> number of acts."""
    languages: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Language code, empty if unknown -> number of dialogues."""
    vocabulary: frozenset[str] = frozenset()
    """Distinct words, as written."""
    domains: frozenset[str] = frozenset()
    slots: frozenset[tuple[str, str]] = frozenset()
    """Distinct (domain, slot) of the acts; each hotel service is one. CrossWOZ has 72."""
    values: frozenset[tuple[str, str, str]] = frozenset()
    """Distinct (domain, slot, value) of the acts."""

    def __add__(self, other: "CorpusCounts") -> "CorpusCounts":
        return merged((self, other))

    @property
    def total(self) -> DialogueCounts:
        return sum(self.by_type.values(), DialogueCounts())

    @property
    def types(self) -> tuple[GoalType, ...]:
        """The goal types that occur, from easy to hard."""
        return tuple(each for each in GoalType if each in self.by_type)

    @property
    def language(self) -> str:
        """The language of most dialogues; empty if unknown."""
        known = sorted(code for code in self.languages if code)
        return max(known, key=lambda code: self.languages[code], default="")

    @property
    def segmentation(self) -> str:
        """How texts were split into words."""
        return "; ".join(sorted({segmentation(code) for code in self.languages}))


def count_corpus(dialogues: Iterable[Dialogue], *, language: str = "") -> CorpusCounts:
    """Count dialogues one by one; `language` overrides the one they name."""
    counts = CorpusCounts()
    for batch in _batches(iter(dialogues)):
        counts = merged((counts, *(count_one(dialogue, language=language) for dialogue in batch)))
    return counts


def check_language_code(language: str) -> None:
    """Refuse a language name: Chinese would be split at spaces without notice."""
    if language and not re.fullmatch("[a-z]{2,3}([-_][A-Za-z]+)*", language):
        raise InputError(
            f"--language {language}: not a language code",
            remedy="Give a code of two letters: zh, en, de, ar, ru, ...",
        )


def _batches(dialogues: Iterator[Dialogue]) -> Iterator[list[Dialogue]]:
    while batch := list(islice(dialogues, BATCH)):
        yield batch


def count_one(dialogue: Dialogue, *, language: str = "") -> CorpusCounts:
    """The counts of one dialogue."""
    language = language or dialogue.language or guess_language(_text(dialogue))
    tokens = [word for turn in dialogue.turns for word in words(turn.text, language)]
    kind = dialogue.goal.type if dialogue.goal else None
    acts = [(turn.speaker, act) for turn in dialogue.turns for act in turn.acts]
    about = [act for _, act in acts if act.intent not in (GENERAL, SELECT) and act.slot != NOTHING]
    return CorpusCounts(
        by_type={kind: count_dialogue(dialogue, len(tokens))},
        lengths={(kind, len(dialogue.turns)): 1},
        intents=Counter((speaker, act.intent) for speaker, act in acts),
        languages={language: 1},
        vocabulary=frozenset(tokens),
        domains=dialogue_domains(dialogue),
        slots=frozenset((act.domain, act.slot) for act in about),
        values=frozenset((act.domain, act.slot, act.value) for act in about if act.value),
    )


def _text(dialogue: Dialogue) -> str:
    return "\n".join(turn.text for turn in dialogue.turns)


def merged(parts: Sequence[CorpusCounts]) -> CorpusCounts:
    """The counts of all parts together."""
    by_type: dict[GoalType | None, DialogueCounts] = {}
    lengths: Counter[tuple[GoalType | None, int]] = Counter()
    intents: Counter[tuple[Speaker, str]] = Counter()
    languages: Counter[str] = Counter()
    for part in parts:
        for kind, counts in part.by_type.items():
            by_type[kind] = by_type.get(kind, DialogueCounts()) + counts
        lengths.update(part.lengths)
        intents.update(part.intents)
        languages.update(part.languages)
    return CorpusCounts(
        by_type=by_type,
        lengths=lengths,
        intents=intents,
        languages=languages,
        vocabulary=frozenset().union(*(part.vocabulary for part in parts)),
        domains=frozenset().union(*(part.domains for part in parts)),
        slots=frozenset().union(*(part.slots for part in parts)),
        values=frozenset().union(*(part.values for part in parts)),
    )
