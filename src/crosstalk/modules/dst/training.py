"""Training the edit tracker from annotated dialogues: which candidate did the wizard type?"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from crosstalk.dialogue.acts import INFORM
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema, SlotKind
from crosstalk.dialogue.states import SystemState
from crosstalk.modules.boosted import Features, grow
from crosstalk.modules.dst.candidates import Rewordings
from crosstalk.modules.dst.edits import EditKnowledge, EditTracker, fields_of
from crosstalk.modules.dst.tracker import empty_form
from crosstalk.text.words import words


def train_edits(
    dialogues: Sequence[Dialogue], schema: Schema, language: LanguagePack, *, seed: int
) -> EditTracker:
    """A tracker trained on these dialogues."""
    learned = EditKnowledge(
        words=common_words(dialogues, language.code), rewordings=learn_rewordings(dialogues, schema)
    )
    rows: list[Features] = []
    labels: list[bool] = []
    for form, history, typed in samples(dialogues, schema):
        for each in fields_of(schema, language, learned, form, history):
            gold = typed.get(each.domain.key).get(each.slot.key)
            rows.extend(each.rows)
            labels.extend(value == gold for value in each.values)
    return EditTracker(schema, language, grow(rows, labels, seed=seed), learned)


def samples(
    dialogues: Iterable[Dialogue], schema: Schema
) -> Iterator[tuple[SystemState, tuple[Turn, ...], SystemState]]:
    """(form before, history up to the user's turn, form the wizard typed first), turn by turn."""
    for dialogue in dialogues:
        form = empty_form(schema)
        for position, turn in enumerate(dialogue.turns):
            if turn.speaker is Speaker.SYSTEM and turn.first_query and turn.last_query:
                yield form, dialogue.turns[:position], turn.first_query
                form = turn.last_query


def common_words(
    dialogues: Iterable[Dialogue], language: str, *, most: int = 60
) -> tuple[str, ...]:
    """The words users say in many of their turns, but not in most."""
    seen: Counter[str] = Counter()
    turns = 0
    for dialogue in dialogues:
        for turn in dialogue.user_turns:
            turns += 1
            seen.update({word for word in words(turn.text, language) if word.isalpha()})
    usual = [(word, count) for word, count in seen.items() if count < turns * 0.6]
    return tuple(word for word, _ in sorted(usual, key=lambda pair: (-pair[1], pair[0]))[:most])


def learn_rewordings(
    dialogues: Iterable[Dialogue], schema: Schema, *, least: int = 2
) -> Rewordings:
    """What wizards type, at least twice, when users say something else."""
    typed: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for dialogue in dialogues:
        for user, system in zip(dialogue.turns[0::2], dialogue.turns[1::2], strict=False):
            for act in user.acts:
                domain = schema.domain(act.domain)
                slot = domain.slot(act.slot) if domain else None
                if (
                    act.intent != INFORM
                    or slot is None
                    or slot.kind in (SlotKind.NAME, SlotKind.LIST)
                ):
                    continue
                value = (
                    system.first_query.get(act.domain).get(slot.key) if system.first_query else ""
                )
                if isinstance(value, str) and value and value != act.value and slot.key == act.slot:
                    typed[act.domain, act.slot, act.value][value] += 1
    kept = {said: tuple(v for v, n in found.items() if n >= least) for said, found in typed.items()}
    return {said: values for said, values in kept.items() if values}
