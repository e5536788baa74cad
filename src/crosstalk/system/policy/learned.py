"""The learned policy: of all acts the database supports, those that wizards would say.

Reads the form being answered, the acts of the whole dialogue so far and earlier selections.
"""

from pathlib import Path

from crosstalk.database.queries import Database
from crosstalk.dialogue.acts import INFORM, RECOMMEND, Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.system import boosted
from crosstalk.system.boosted import Trees
from crosstalk.system.dst.tracker import Belief
from crosstalk.system.policy.candidates import CandidateActs
from crosstalk.system.policy.policy import Decision

THRESHOLD = 0.35
"""Acts likelier than this are said; best exact F1 in cross-validation on CrossWOZ val."""


class LearnedPolicy:
    """The policy over trained trees."""

    def __init__(self, database: Database, trees: Trees) -> None:
        self._database = database
        self._trees = trees

    @classmethod
    def load(cls, folder: Path, database: Database) -> "LearnedPolicy":
        return cls(database, boosted.load(folder)[0])

    def save(self, folder: Path) -> None:
        boosted.save(self._trees, {}, folder)

    def decide(self, belief: Belief, history: tuple[Turn, ...]) -> Decision:
        candidates = list(CandidateActs(self._database, belief, history))
        scores = self._trees.likelihoods([each.features for each in candidates])
        likely = {
            each.act for each, score in zip(candidates, scores, strict=True) if score > THRESHOLD
        }
        acts = tuple(sorted(likely))
        return Decision(acts, self._selecting(belief.form, acts))

    def _selecting(self, form: SystemState, acts: tuple[Act, ...]) -> SystemState:
        """The form with the entities named ticked in their tabs."""
        for domain in self._database.world.schema.places:
            slot = domain.name_slot
            names = tuple(
                act.value
                for act in acts
                if slot
                and act.intent in (INFORM, RECOMMEND)
                and (act.domain, act.slot) == (domain.key, slot.key)
            )
            tab = form.get(domain.key)
            form = form.with_domain(DomainState(tab.domain, tab.slots, names))
        return form
