"""Training examples of Taskmaster 3 and 4: the beginning of a conversation and what follows it.

- `splits/*/*.tsv`: context, what follows, id of the conversation. Marks such as `<U>` tell who
  speaks; what came last stands before `<C>`, everything before it stands after.
- `reward/*.json`: context and what a model said next, as JSON texts, with a reward of 0 or 1.

An example becomes a dialogue: what follows is its last utterance, or a call after the last one.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.dialogue_parts import Utterance, identifier, merged, tool_call, turns_of
from crosstalk.corpora.formats import DOCUMENTS, Record, Shape, Signature, documents_reader
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import FormatError, Place
from crosstalk.files import Source, open_text

EXTRAS: Final = "taskmaster"
ROLES: Final = {"user": Speaker.USER, "agent": Speaker.SYSTEM, "assistant": Speaker.SYSTEM}
SAID: Final = {"U": Speaker.USER, "A": Speaker.SYSTEM}
MARK: Final = re.compile(r"[<\[](U|A|C|PN|PAN|PAV|PR|PRAN|PRAV)[>\]]")
"""Who speaks; name of a call, names and values of its arguments; the same of a response."""
COLUMNS: Final = 3
SPLIT_LINES: Final = Signature((Shape.COLUMNS,), needs=("3", r'1="?<(U|A|PR|PN)>.*'), excerpts=True)
REWARDED: Final = Signature(
    DOCUMENTS,
    needs=("conversation_id", "context", "generation"),
    usual=("reward",),
    excerpts=True,
)


@dataclass
class _Conversation:
    """Utterances and calls in their order; calls belong to the utterance before them."""

    utterances: list[Utterance] = field(default_factory=list)
    calls: list[list[Any]] = field(default_factory=list)
    """Of the last utterance: name, arguments, result."""

    def say(self, speaker: Speaker, text: str) -> None:
        self._keep_calls()
        self.utterances.append(Utterance(speaker, text.strip()))

    def call(self, name: str, arguments: Any) -> None:
        self.calls.append([name, arguments, None])

    def answer(self, name: str, result: Any) -> None:
        """The result of the first call of this name that has none; its call may be cut off."""
        open_calls = (each for each in self.calls if each[0] == name and each[2] is None)
        call = next(open_calls, None)
        if call is None:
            self.calls.append([name, {}, result])
        else:
            call[2] = result

    def _keep_calls(self) -> None:
        made = tuple(tool_call(*each) for each in self.calls)
        if made and not self.utterances:
            self.utterances.append(Utterance(Speaker.USER, ""))
        if made:
            last = self.utterances[-1]
            self.utterances[-1] = replace(last, calls=last.calls + made)
        self.calls = []

    def dialogue(self, id: str, extras: Record) -> Dialogue:
        self._keep_calls()
        return Dialogue(
            id=id,
            turns=turns_of(merged(self.utterances)),
            language="en",
            world="taskmaster",
            extras={EXTRAS: extras},
        )


# Lines of splits


def read_split_lines(source: Source) -> Iterator[Dialogue]:
    """One dialogue a line; of several lines of one conversation, later ones get a number."""
    seen: Counter[str] = Counter()
    with open_text(source) as lines:
        rows = csv.reader(lines, "excel-tab")
        for columns in rows:
            if len(columns) != COLUMNS:
                raise FormatError(
                    f"expected context, target and id, found {len(columns)} columns",
                    place=Place(str(source), line=rows.line_num),
                    remedy="A line of Taskmaster has three columns, separated by tabs.",
                )
            context, target, id = columns
            seen[id] += 1
            name = id if seen[id] == 1 else f"{id}-{seen[id]}"
            made = _conversation(f"{_in_order(context)}{target}")
            yield made.dialogue(name, {"conversation_id": id})


def _in_order(context: str) -> str:
    last, _, before = context.partition("<C>")
    return before + last


def _conversation(text: str) -> _Conversation:
    made = _Conversation()
    _, *parts = MARK.split(text)
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    for number, (mark, value) in enumerate(pairs):
        if mark in SAID:
            made.say(SAID[mark], value)
        elif mark == "PN":
            made.call(value, _fields(pairs[number + 1 :], "PAN", "PAV"))
        elif mark == "PR":
            made.answer(value, _fields(pairs[number + 1 :], "PRAN", "PRAV"))
    return made


def _fields(pairs: Iterable[tuple[str, str]], name: str, value: str) -> Record:
    """Name -> value, or several, of a call or response, up to the next mark of another kind."""
    found: dict[str, list[str]] = {}
    for mark, text in pairs:
        if mark == name:
            values = found.setdefault(text, [])
        elif mark == value and found:
            values.append(text)
        else:
            break
    return {key: each[0] if len(each) == 1 else each for key, each in found.items()}


# Rewards


def _rewarded(document: Record) -> Dialogue:
    made = _Conversation()
    context = _decoded(document, "context")
    for number, raw in enumerate((*json_types.items(context), _decoded(document, "generation"))):
        with json_types.within(f"context[{number}]"):
            _add(made, json_types.members(raw))
    texts = ("context", "generation")
    others = {key: value for key, value in document.items() if key not in texts}
    return made.dialogue(identifier(document, "conversation_id"), others)


def _decoded(document: Record, key: str) -> Any:
    """A value that is kept as JSON text."""
    value = json_types.needed(document, key)
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError as error:
        raise json_types.wrong("JSON in a text", value, field=key) from error


def _add(made: _Conversation, event: Record) -> None:
    for name, arguments in json_types.members(event.get("api", {}), "api").items():
        made.call(name, arguments)
    for name, result in json_types.members(event.get("response", {}), "response").items():
        made.answer(name, result)
    if "text" in event:
        role = json_types.needed(event, "role")
        speaker = json_types.one_of(role, ROLES, "user or agent", "role")
        made.say(speaker, json_types.text(event["text"], "text"))


read_rewards: Final = documents_reader(_rewarded, "conversation_id")
