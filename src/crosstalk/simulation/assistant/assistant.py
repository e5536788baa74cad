"""The assistant as a whole: hear, decide, say; one value in, one value out.

assistant = build_assistant("harbour", language="en")
answer, session = assistant.reply("a cheap restaurant, please", assistant.begin())
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crosstalk.database.queries import Database
from crosstalk.database.tables import World
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.states import SystemState
from crosstalk.language.identify import primary
from crosstalk.language.normalize import tidy
from crosstalk.language.phrases import load_phrases
from crosstalk.simulation.assistant.clerk import Clerk
from crosstalk.simulation.assistant.desk import Office
from crosstalk.simulation.assistant.finding import Finder
from crosstalk.simulation.assistant.heard import Heard
from crosstalk.simulation.assistant.listening import Listener
from crosstalk.simulation.assistant.outcome import Outcome, Result, joined
from crosstalk.simulation.assistant.saying import Wording
from crosstalk.simulation.assistant.second import SecondOpinion
from crosstalk.simulation.assistant.sentences import steps
from crosstalk.simulation.assistant.session import Asked, Session

TAKEN_UP = (Asked.DOMAIN, Asked.NEAR, Asked.PLACE)
"""Questions after which the utterance that led to them is taken up again."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One turn of the assistant, with everything behind it."""

    understood: tuple[Act, ...]
    form: SystemState
    """The search form after the turn."""
    results: tuple[Result, ...]
    acts: tuple[Act, ...]
    text: str
    over: bool = False
    """The user has said goodbye."""

    def as_json(self) -> dict[str, Any]:
        return {
            "understood": [_fields(act) for act in self.understood],
            "state": {tab.domain: tab.constraints for tab in self.form if tab.constraints},
            "results": [_record(result) for result in self.results],
            "acts": [_fields(act) for act in self.acts],
            "text": self.text,
        }


def _fields(act: Act) -> list[str]:
    return [act.intent, act.domain, act.slot, act.value]


def _record(result: Result) -> dict[str, Any]:
    return {
        "domain": result.domain,
        "wishes": dict(result.wishes),
        "count": result.count,
        "names": list(result.names),
        "not_met": list(result.not_met),
    }


class Assistant:
    """Talks with one person at a time; the conversation is in the session."""

    def __init__(self, world: World, folder: Path, second: SecondOpinion | None = None) -> None:
        book = load_phrases(folder, world)
        self.world = world
        self._listener = Listener(world, book)
        finder = Finder(Database(world), self._listener.spotter.quantities)
        self._clerk = Clerk(Office(world, finder, book))
        self._wording = Wording(folder, world, book)
        self._second = second
        self._answer_first = primary(world.language.code) == "zh"

    def begin(self) -> Session:
        return self._clerk.begin()

    def prepare(self) -> None:
        """Load what is loaded late otherwise: no turn has to wait then."""
        if self._second:
            self._second.prepare()

    def welcome(self) -> str:
        """What is said before anybody has spoken."""
        return self._wording.say(self._clerk.welcome(), 0)

    def reply(self, text: str, session: Session) -> tuple[Answer, Session]:
        """The answer to an utterance; its sentences may be several things to do."""
        taken: list[Heard] = []
        outcomes: list[Outcome] = []
        after = session
        for step in steps(tidy(text), self._listener.spotter.leaning):
            taken.append(self._hear(step, after))
            after, outcome = self._clerk.answer(taken[-1], after)
            outcomes.append(outcome)
        outcome = joined(outcomes)
        said = self._wording.say(outcome, len(session.history))
        schema, pack = self.world.schema, self.world.language
        understood = tuple(sorted({act for heard in taken for act in heard.acts(schema, pack)}))
        over = any("bye" in heard.cues for heard in taken)
        answer = Answer(understood, outcome.form, outcome.results, outcome.acts, said, over)
        form = outcome.form
        turns = (
            Turn(Speaker.USER, tidy(text), understood),
            Turn(Speaker.SYSTEM, said, outcome.acts, first_query=form, last_query=form),
        )
        return answer, replace(after, said=said, history=(*session.history, *turns))

    def _hear(self, text: str, session: Session) -> Heard:
        """What was said; the short answer to a question is heard together with what led to it."""
        heard = self._listener.hear(text, session)
        if self._second and heard.unexplained:
            heard = self._second.on(heard, session)
        question = session.question
        if question is None or question.asked not in TAKEN_UP:
            return heard
        if not heard.answers(question.asked):
            return heard
        order = (text, question.text) if self._answer_first else (question.text, text)
        whole = self._listener.hear(" ".join(order), replace(session, question=None))
        return replace(whole, text=heard.text, plain=heard.plain, unexplained=heard.unexplained)
