"""False words about actions: `python -m benchmarks.action_claims`.

Prints, for each file of dialogues beside it and each language, how many false claims were found of
those that there are (recall), and how many of those found are there (precision). Then, for the
transcripts by writers who had not seen the reader (`judging_transcripts/`, in which nothing is ever
booked), each claim that is found, to be read: was it said?
"""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.evaluation.action_findings import ActionFinding, ActionJudge, FindingKind
from crosstalk.evaluation.transcript_actions import turns_of as turns_of_transcript
from crosstalk.evaluation.transcripts import Transcript, read_transcripts
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.policy_rules import with_actions
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_world

LANGUAGES: Final = ("en", "de", "zh", "ru", "ar")
FILES: Final = ("first", "second")
TRANSCRIPTS: Final = Path(__file__).parent.parent / "judging_transcripts"


def dialogues(file: str) -> list[dict[str, Any]]:
    text = (Path(__file__).parent / f"{file}.toml").read_text(encoding="utf-8")
    read: list[dict[str, Any]] = tomllib.loads(text)["dialogues"]
    return read


@cache
def judge(code: str) -> tuple[Executor, ActionJudge]:
    executor = Executor(Database(load_world("harbour", language=code)))
    return executor, ActionJudge.of(executor, "harbour")


def turns_of(dialogue: Mapping[str, Any], code: str) -> list[Turn]:
    """A dialogue in one language, with its calls made on the tables of that language."""
    executor, _ = judge(code)
    names = executor.world.language.values.get("name", {})
    state, events = executor.begin("test"), []
    for call in dialogue["calls"]:
        arguments = {key: names.get(value, value) for key, value in call["arguments"].items()}
        state, event = executor.perform(state, call["action"], arguments)
        events.append(event)
    named = [call["arguments"].get("entity") for call in dialogue["calls"]]
    name = dialogue.get("entity") or named[0]
    given = events[-1].gives if events else {}
    filled = {"code": given.get("reference"), "total": given.get("total")}
    user, reply = dialogue[code]
    said = reply.format(name=names.get(name, name), **filled)
    return [Turn(Speaker.USER, user), with_actions(Turn(Speaker.SYSTEM, said), events)]


def untrue(dialogue: Mapping[str, Any], code: str) -> list[ActionFinding]:
    """The false claims that are found."""
    found = judge(code)[1].findings(turns_of(dialogue, code))
    return [each for each in found if each.kind is FindingKind.FALSE_CLAIM]


@dataclass(frozen=True, slots=True)
class Found:
    """False claims counted; counts that add."""

    right: int = 0
    found: int = 0
    wanted: int = 0

    def __add__(self, other: "Found") -> "Found":
        return Found(self.right + other.right, self.found + other.found, self.wanted + other.wanted)

    def __str__(self) -> str:
        return f"precision {self.right}/{self.found}, recall {self.right}/{self.wanted}"


def scored(dialogue: Mapping[str, Any], code: str) -> Found:
    found = Counter(each.rule for each in untrue(dialogue, code))
    wanted = Counter(dialogue["rules"])
    return Found((found & wanted).total(), found.total(), wanted.total())


def lines() -> Iterator[str]:
    for file in FILES:
        told = dialogues(file)
        total = Found()
        for code in LANGUAGES:
            counted = sum((scored(each, code) for each in told), Found())
            total += counted
            yield f"{file} {code}: {len(told)} dialogues, {counted}"
        yield f"{file}: {total}"


def strangers() -> Iterator[str]:
    """The claims that are found in transcripts without actions."""
    replies, found = 0, list[str]()
    for path in sorted(TRANSCRIPTS.glob("*.jsonl")):
        for entry in read_transcripts(path):
            if not isinstance(entry, Transcript) or entry.world != "harbour":
                continue
            executor, judging = judge(entry.language)
            replies += len(entry.said)
            findings = judging.findings(turns_of_transcript(entry, executor))
            found += [f"{entry.language} {each.rule}: {each.quote}" for each in findings]
    yield f"transcripts: {len(found)} claims found in {replies:,} replies"
    yield from found


def main() -> None:
    print("\n".join([*lines(), *strangers()]))
