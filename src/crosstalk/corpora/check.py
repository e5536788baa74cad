"""Checking a corpus: every violation of the regularities that task-oriented corpora keep.

    for violation in check(read_corpus(path, strict=False), source=str(path)): ...

Rules about turns and goals hold everywhere. Rules about acts, words and forms need the schema of
the world a dialogue comes from; where none is known (MultiWOZ, say) they stay silent.
"""

from collections.abc import Callable, Iterable, Iterator

from crosstalk.corpora.check_acts import check_acts, check_first_turn
from crosstalk.corpora.check_forms import check_form_fields, check_form_values, check_missing
from crosstalk.corpora.check_goals import (
    check_end,
    check_goal,
    check_goal_in_world,
    check_user_states,
)
from crosstalk.corpora.check_words import check_references, check_words
from crosstalk.corpora.crosswoz_words import crosswoz_schema
from crosstalk.corpora.violations import Finding, Findings, Violation
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.schema import Schema
from crosstalk.errors import FormatError, Place

SchemaOf = Callable[[Dialogue], Schema | None]
"""The schema of a dialogue's world, if it is known."""


def check(
    dialogues: Iterable[Dialogue], source: str = "", *, schema_of: SchemaOf = crosswoz_schema
) -> Iterator[Violation]:
    """Every violation, in the order of the corpus."""
    seen: set[str] = set()
    for dialogue in dialogues:
        findings = list(_findings(dialogue, schema_of(dialogue)))
        if dialogue.id in seen:
            findings.insert(0, Finding("duplicate id", "this id has appeared before", "id"))
        seen.add(dialogue.id)
        for found in findings:
            yield Violation(dialogue.id, found.turn, found.field, found.message, found.rule, source)


def refuse_broken(dialogue: Dialogue, source: str) -> None:
    """Raise where a dialogue speaks of what does not exist: no reader should go on from there."""
    schema = crosswoz_schema(dialogue)
    words = check_words(dialogue, schema) if schema else iter(())
    for findings in (check_references(dialogue), words):
        for found in findings:
            place = Place(source, dialogue=dialogue.id, turn=found.turn, field=found.field)
            remedy = "`crosstalk data check` lists every such place; mend them and try again."
            raise FormatError(found.message, place=place, remedy=remedy)


def _findings(dialogue: Dialogue, schema: Schema | None) -> Findings:
    yield from check_turns(dialogue)
    yield from check_goal(dialogue)
    yield from check_references(dialogue)
    yield from check_user_states(dialogue)
    yield from check_end(dialogue)
    if schema:
        yield from check_words(dialogue, schema)
        yield from check_goal_in_world(dialogue, schema)
        yield from check_acts(dialogue, schema)
        yield from check_first_turn(dialogue)
        yield from check_form_fields(dialogue)
        yield from check_form_values(dialogue)
        yield from check_missing(dialogue)


def check_turns(dialogue: Dialogue) -> Findings:
    """Who speaks when, who took part, and that something is said."""
    workers = dialogue.workers
    if len(set(workers)) < len(workers):
        yield Finding("workers", f"worker {workers[0]} spoke for both sides", "workers")
    if not dialogue.turns:
        yield Finding("turns", "there are no turns", "turns")
        return
    for number, turn in enumerate(dialogue.turns):
        expected = Speaker.SYSTEM if number % 2 else Speaker.USER
        if turn.speaker is not expected:
            message = f"the {turn.speaker} speaks, where it is the {expected}'s turn"
            yield Finding("turns", message, "speaker", number)
        if not turn.text.strip():
            yield Finding("no text", "nothing is said", "text", number)
    if dialogue.turns[-1].speaker is Speaker.USER:
        last = len(dialogue.turns) - 1
        yield Finding("turns", "the user speaks last", "speaker", last)
    yield from _unknown_fields(dialogue)


def _unknown_fields(dialogue: Dialogue) -> Findings:
    """Fields of a CrossWOZ file that the format does not have; a slip of the pen, mostly."""
    for field in dialogue.extras.get("crosswoz", {}):
        yield Finding("unknown field", "CrossWOZ has no such field", field)
    for number, turn in enumerate(dialogue.turns):
        for field in turn.extras.get("crosswoz", {}):
            yield Finding("unknown field", "CrossWOZ has no such field", field, number)
