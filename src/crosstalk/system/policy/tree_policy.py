"""The learned policy: of all acts the database supports, those that wizards would say.

Reads the form being answered, the acts of the whole dialogue so far and earlier selections.
"""

from pathlib import Path

from crosstalk.dialogue.acts import GENERAL, INFORM, RECOMMEND, Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.system import boosted
from crosstalk.system.boosted import Trees
from crosstalk.system.dst.tracker import DialogueState
from crosstalk.system.policy.candidates import CandidateActs
from crosstalk.system.policy.policy import Decision
from crosstalk.worlds.queries import Database

THRESHOLD = 0.35
"""Acts likelier than this are said; best exact F1 in cross-validation on CrossWOZ val."""


class TreePolicy:
    """The policy over trained trees."""

    def __init__(self, database: Database, trees: Trees, *, always_answers: bool = False) -> None:
        """`always_answers`: where no act is likely, the likeliest one is said.

        Of ten places that match, each is unlikely to be the one a wizard named; in a conversation
        silence helps nobody. Judged against wizards, it stays silent.
        """
        self._database = database
        self._trees = trees
        self._always_answers = always_answers

    @classmethod
    def load(
        cls, folder: Path, database: Database, *, always_answers: bool = False
    ) -> "TreePolicy":
        return cls(database, boosted.load(folder)[0], always_answers=always_answers)

    def as_judged(self) -> "TreePolicy":
        """The same policy against wizards: silent where no act is likely."""
        return TreePolicy(self._database, self._trees)

    def save(self, folder: Path) -> None:
        boosted.save(self._trees, {}, folder)

    def decide(self, belief: DialogueState, history: tuple[Turn, ...]) -> Decision:
        candidates = list(CandidateActs(self._database, belief, history))
        scores = self._trees.likelihoods([each.features for each in candidates])
        scored = [(each.act, score) for each, score in zip(candidates, scores, strict=True)]
        likely = {act for act, score in scored if score > THRESHOLD}
        if self._always_answers and all(act.intent == GENERAL for act in likely):
            about = [pair for pair in scored if pair[0].intent != GENERAL] or scored
            likely |= {max(about, key=lambda pair: pair[1])[0]} if about else set()
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
