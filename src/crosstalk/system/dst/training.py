"""Training the edit tracker from annotated dialogues: which candidate did the wizard type?"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crosstalk.dialogue.acts import INFORM
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.schema import Schema, SlotKind
from crosstalk.dialogue.states import SystemState
from crosstalk.language.tokenize import words
from crosstalk.system.boosted import Features, grow
from crosstalk.system.dst.candidates import Rewordings
from crosstalk.system.dst.tracker import empty_form
from crosstalk.system.dst.tree_tracker import EditKnowledge, TreeTracker, fields_of
from crosstalk.training.boosting import Rounds
from crosstalk.training.stages import Stages
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.worlds.queries import Database


@dataclass(frozen=True, slots=True)
class EditConfig:
    """How the trees of the edit tracker grow."""

    rounds: int = 300
    patience: int = 0
    """So many rounds without a lower loss on one dialogue in ten; 0: all rounds."""
    seed: int = 1


def train_edits(
    dialogues: Sequence[Dialogue],
    database: Database,
    config: EditConfig | None = None,
    *,
    told: StepCallback = nobody,
    stages: Stages | None = None,
) -> TreeTracker:
    """A tracker trained on these dialogues."""
    config = config or EditConfig()
    schema, language = database.world.schema, database.world.language
    said = (turn.text for dialogue in dialogues for turn in dialogue.user_turns)
    learned = EditKnowledge(common_words(said, language.code), learn_rewordings(dialogues, schema))
    rows: list[Features] = []
    labels: list[bool] = []
    owners: list[int] = []
    for number, dialogue in enumerate(dialogues):
        for form, history, typed in samples(dialogue, schema):
            for each in fields_of(database, learned, form, history):
                gold = typed.get(each.domain.key).get(each.slot.key)
                rows.extend(each.rows)
                labels.extend(value == gold for value in each.values)
                owners.extend([number] * len(each.rows))
    rounds = Rounds(config.rounds, config.patience, told, "edits", stages)
    trees = grow(rows, labels, seed=config.seed, owners=owners, rounds=rounds)
    return TreeTracker(database, trees, learned)


def samples(
    dialogue: Dialogue, schema: Schema
) -> Iterator[tuple[SystemState, tuple[Turn, ...], SystemState]]:
    """(form before, history up to the user's turn, form the wizard typed first), turn by turn."""
    form = empty_form(schema)
    for position, turn in enumerate(dialogue.turns):
        if turn.speaker is Speaker.SYSTEM and turn.first_query and turn.last_query:
            yield form, dialogue.turns[:position], turn.first_query
            form = turn.last_query


def common_words(texts: Iterable[str], language: str, *, most: int = 60) -> tuple[str, ...]:
    """The words that stand in many of the texts, but not in most."""
    seen: Counter[str] = Counter()
    count = 0
    for text in texts:
        count += 1
        seen.update({word for word in words(text, language) if word.isalpha()})
    usual = [(word, times) for word, times in seen.items() if times < count * 0.6]
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
