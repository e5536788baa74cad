"""Questionnaires: files of questions in any language, what may be answered, and scores.

    sus = read_questionnaire(READY / "sus.toml", problems := [])
    answers = sus.read_answers({"use_often": 4, ...})       # raises Rejection for a wrong one
    sus.scores(answers)                                     # {"sus": 82.5}

`read_answers` is what the website calls; nothing else decides whether an answer is one.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field

from crosstalk.errors import Rejection
from crosstalk.problems import Problem
from crosstalk.toml_files import STRICT, parse_model, read_toml

READY: Final = Path(__file__).parent / "ready_questionnaires"
"""Those that come with the package."""
LONGEST: Final = 5000
"""Characters of an answer in words."""
Words = dict[str, str]
"""Language -> text."""
Answer = float | str | list[str]
SUS_ITEMS: Final = 10


class Choice(BaseModel):
    """One of the answers to choose from."""

    model_config = STRICT

    value: Annotated[str, Field(pattern=r"^[\w.-]{1,40}$")]
    text: Words


class Condition(BaseModel):
    """A question is asked only if another one has this answer."""

    model_config = STRICT

    question: str
    value: str


class Question(BaseModel):
    """One question; `kind` says how it is answered."""

    model_config = STRICT

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    kind: Literal["scale", "slider", "number", "choice", "several", "text"]
    text: Words
    required: bool = True
    points: Annotated[int, Field(ge=2, le=11)] = 5
    """Of a scale, from 1."""
    low: float = 0
    high: float = 100
    """Of a slider or a number."""
    step: Annotated[float, Field(gt=0)] = 1
    ends: dict[str, list[str]] = {}
    """Language -> what the lowest and the highest answer mean."""
    choices: list[Choice] = []
    shown_if: Condition | None = None
    expected: str | None = None
    """The right answer of an attention check."""
    asked_of: Literal["", "user", "wizard"] = ""
    """The side that is asked after a room; empty: both."""

    def fault(self) -> str:
        """What prevents the question from being asked; empty if nothing does."""
        if self.kind in ("choice", "several") and len(self.choices) < 2:
            return "needs at least two choices"
        return "" if self.low < self.high else "has a `low` that is not below `high`"

    def read(self, given: object) -> Answer:
        """The answer; raises Rejection if it is not one."""
        match self.kind:
            case "scale":
                return self._number(given, 1, self.points, whole=True)
            case "slider" | "number":
                return self._number(given, self.low, self.high)
            case "several":
                chosen = [str(each) for each in given] if isinstance(given, list) else [str(given)]
                return [self._chosen(each) for each in dict.fromkeys(chosen)]
            case "choice":
                return self._chosen(str(given))
        text = str(given).strip()
        if len(text) > LONGEST:
            raise self._refusal(f"is longer than {LONGEST:,} characters")
        return text

    def _number(self, given: object, low: float, high: float, *, whole: bool = False) -> float:
        try:
            number = float(str(given))
        except ValueError:
            raise self._refusal("is not a number") from None
        if not low <= number <= high or (whole and not number.is_integer()):
            raise self._refusal(f"is not from {low:g} to {high:g}")
        return number

    def _chosen(self, value: str) -> str:
        if value not in {choice.value for choice in self.choices}:
            raise self._refusal("is none of the choices")
        return value

    def _refusal(self, what: str) -> Rejection:
        return Rejection("bad_answer", f"the answer to {self.id!r} {what}")


class Questionnaire(BaseModel):
    """A file of questions."""

    model_config = STRICT

    title: Words
    intro: Words = {}
    scoring: Literal["", "sus", "mean"] = ""
    """`sus`: the System Usability Scale; `mean`: the mean of all scales and sliders."""
    questions: Annotated[list[Question], Field(min_length=1)]

    def faults(self) -> Iterator[tuple[int, str]]:
        """(number of the question, what is wrong with it), for what types alone cannot say."""
        before: list[str] = []
        for number, question in enumerate(self.questions):
            if fault := question.fault():
                yield number, fault
            if question.id in before:
                yield number, "has the id of an earlier one"
            if question.shown_if and question.shown_if.question not in before:
                yield number, f"depends on {question.shown_if.question!r}, which is not before it"
            before.append(question.id)
        scales = [each for each in self.questions if each.kind == "scale" and each.points == 5]
        if self.scoring == "sus" and len(scales) != SUS_ITEMS:
            yield 0, f"belongs to SUS, which has {SUS_ITEMS} scales of 5 points, not {len(scales)}"

    @property
    def digest(self) -> str:
        """What tells versions of the questionnaire apart."""
        return hashlib.sha256(self.record().encode()).hexdigest()

    def record(self) -> str:
        """The questionnaire as JSON, as it is kept with the answers."""
        return json.dumps(self.model_dump(exclude_defaults=True), ensure_ascii=False)

    def for_role(self, role: str) -> "Questionnaire":
        """Only what a side is asked, which may be nothing; without a role, everything."""
        asked = [each for each in self.questions if not role or each.asked_of in ("", role)]
        return self.model_copy(update={"questions": asked})

    def read_answers(self, given: Mapping[str, object]) -> dict[str, Answer]:
        """The answers; raises Rejection if one is missing, unknown or none."""
        unknown = given.keys() - {question.id for question in self.questions}
        if unknown:
            raise Rejection("bad_answer", f"there is no question {min(unknown)!r}")
        answers: dict[str, Answer] = {}
        for question in self.questions:
            if not _is_shown(question, answers):
                continue
            value = given.get(question.id)
            if value is None or value in ("", []):
                if question.required:
                    raise Rejection("unanswered", f"the question {question.id!r} has no answer")
                continue
            answers[question.id] = question.read(value)
        return answers

    def failed_checks(self, answers: Mapping[str, Answer]) -> int:
        """Number of attention checks whose answer is not the expected one."""
        return sum(
            question.expected is not None and _plain(answers.get(question.id)) != question.expected
            for question in self.questions
            if _is_shown(question, answers)
        )

    def scores(self, answers: Mapping[str, Answer]) -> dict[str, float]:
        """Name of the score -> value; empty where an answer that it needs is missing."""
        kinds = ("scale",) if self.scoring == "sus" else ("scale", "slider")
        wanted = [each.id for each in self.questions if each.kind in kinds and not each.expected]
        values = [value for each in wanted if isinstance(value := answers.get(each), float)]
        if not self.scoring or len(values) < len(wanted):
            return {}
        return {"sus": sus(values)} if self.scoring == "sus" else {"mean": _mean(values)}


def sus(answers: Sequence[float]) -> float:
    """The score of ten answers from 1 to 5: from 0 to 100, odd items count up, even ones down."""
    ups, downs = answers[::2], answers[1::2]
    return 2.5 * (sum(each - 1 for each in ups) + sum(5 - each for each in downs))


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 2)


def _is_shown(question: Question, answers: Mapping[str, Answer]) -> bool:
    condition = question.shown_if
    if condition is None:
        return True
    given = answers.get(condition.question)
    return condition.value in given if isinstance(given, list) else _plain(given) == condition.value


def _plain(answer: Answer | None) -> str:
    return f"{answer:g}" if isinstance(answer, float) else str(answer)


def worded(words: Words, language: str) -> str:
    """A text in a language, else in English, else in any."""
    return words.get(language) or words.get("en") or next(iter(words.values()), "")


def read_questionnaire(path: Path, problems: list[Problem]) -> Questionnaire | None:
    """A questionnaire's file; None and problems if it is none."""
    file = read_toml(path.parent, path.name)
    if isinstance(file, Problem):
        problems.append(file)
        return None
    found = parse_model(Questionnaire, file, problems)
    if found is None:
        return None
    for number, fault in found.faults():
        message = f"the question `{found.questions[number].id}` {fault}"
        problems.append(file.problem(("questions", number, "id"), message, "Correct it."))
    return found


def to_page(questionnaire: Questionnaire, language: str) -> dict[str, Any]:
    """A questionnaire as a page shows it, in a language."""
    return {
        "title": worded(questionnaire.title, language),
        "intro": worded(questionnaire.intro, language),
        "questions": [
            {
                "id": each.id,
                "kind": each.kind,
                "text": worded(each.text, language),
                "required": each.required,
                "points": list(range(1, each.points + 1)),
                "low": f"{each.low:g}",
                "high": f"{each.high:g}",
                "step": f"{each.step:g}",
                "ends": each.ends.get(language) or each.ends.get("en") or [],
                "choices": [
                    {"value": choice.value, "text": worded(choice.text, language)}
                    for choice in each.choices
                ],
                "shown_if": each.shown_if.model_dump() if each.shown_if else None,
            }
            for each in questionnaire.questions
        ],
    }
