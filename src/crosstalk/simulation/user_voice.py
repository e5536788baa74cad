"""A language model that phrases the turns of a simulated user: `--user-voice openai:MODEL[@URL]`.

    voice = build_voice("openai:qwen@http://localhost:8080/v1", context, options, replies)
    voice.of_session(goal, seed).phrase(turn, history, template)

The simulator decides what is said and when to stop. The model gets the acts, the register and the
agent's last reply, and writes one utterance, which is read back: it must say the acts and nothing
else (`UserChecks`). What fails is phrased again, at most twice; then the template is said. Prompts
are data: `language/data/<code>/user_voice.toml`.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

from crosstalk.agents.build import AgentOptions, chat_client, parse_agent
from crosstalk.agents.chat_client import ChatClient, ChatReply, ContextTooLong, Message, Usage
from crosstalk.dialogue.actions import ENTITY
from crosstalk.dialogue.acts import NOTHING, Act
from crosstalk.dialogue.goals import Goal, Reference
from crosstalk.errors import InputError
from crosstalk.language.normalize import comparable
from crosstalk.language.writing import DATA, primary
from crosstalk.reading.conversation import ConversationReader
from crosstalk.reading.user_turns import UserTurnReader, holds_phrase
from crosstalk.system.actions.action_turns import ActionTurnReader
from crosstalk.system.parts import PartContext
from crosstalk.system.text_adapters import History
from crosstalk.users.perturbations import Perturb
from crosstalk.worlds.tables import World

FILE: Final = "user_voice.toml"
MOST_CHARACTERS: Final = 400
RETRIES: Final = 2
"""How often a turn is phrased again."""
RETRY_TEMPERATURE: Final = 0.7
STOP_MARK: Final = "###DONE###"
"""What a freely prompted user writes when it is done."""
_TOOL: Final = re.compile(r"```|<tool|tool_call|\"arguments\"|\{\s*\"|^\s*\{", re.IGNORECASE)
_MARKER: Final = re.compile(r"###|<\|[^|]*\||\[/?(?:INST|END|STOP|DONE)\]|</s>", re.IGNORECASE)
_REASONING: Final = re.compile(r"</?(?:think|thinking|reason|reasoning|analysis)>", re.IGNORECASE)
_ROLE: Final = re.compile(r"^\W*(?:user|assistant|agent|system|customer)\s*:", re.IGNORECASE)
_QUOTES: Final = ('""', "''", "“”", "„“", "«»", "「」")


@dataclass(frozen=True, slots=True)
class VoiceWords:
    """The prompts of a language, and how agents sound in it."""

    voice: str
    """Prompt for phrasing acts."""
    free: str
    """Prompt for talking freely about a goal."""
    again: str
    begin: str
    """What the freely talking model is asked before its first message."""
    closing: str
    """Said where a user ends a conversation without words."""
    registers: tuple[str, ...]
    doing: str
    """Ends both prompts where something is to be done."""
    ask: str
    """Stands behind the data of a turn: without it, small models repeat the data."""
    agents: tuple[str, ...]
    """What an agent says and a user does not."""
    problems: Mapping[str, str]

    def with_actions(self) -> "VoiceWords":
        """The same for users who also want something done."""
        voice, free = (f"{prompt}\n{self.doing}" for prompt in (self.voice, self.free))
        return replace(self, voice=voice, free=free)

    @property
    def digest(self) -> str:
        """SHA-256 of the prompts: another prompt is another user."""
        texts = [
            self.voice,
            self.free,
            self.again,
            self.begin,
            *self.registers,
            self.ask,
            *self.problems.values(),
        ]
        return hashlib.sha256(json.dumps(texts, ensure_ascii=False).encode()).hexdigest()


@cache
def voice_words(code: str) -> VoiceWords:
    """The texts of a language; English where it has none."""
    file = DATA / primary(code) / FILE
    if not file.is_file():
        file = DATA / "en" / FILE
    table: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    return VoiceWords(
        table["voice"].strip(),
        table["free"].strip(),
        table["again"].strip(),
        table["begin"],
        table["closing"],
        tuple(table["registers"]),
        table["doing"].strip(),
        table["ask"],
        tuple(table["agents"]),
        table["problems"],
    )


class PhrasingProblem(StrEnum):
    """Why the words of a user are not accepted."""

    EMPTY = "empty"
    LONG = "long"
    AGENT = "agent"
    """It speaks as an agent: offers, asks how it can help."""
    TOOL = "tool"
    """Calls, code, JSON."""
    MARKER = "marker"
    """Stop markers, role labels, tokens of a chat format."""
    REASONING = "reasoning"
    LANGUAGE = "language"
    LEAK = "leak"
    """A value of the goal that the acts do not say yet: it would make the task easier."""
    OTHER_VALUE = "other_value"
    MISSING = "missing"
    """Something of the acts is not said."""
    ADDED = "added"
    """Something is said that is not in the acts."""


@dataclass(frozen=True, slots=True)
class UserChecks:
    """Whether words are those of a user, and say what the acts say."""

    reader: UserTurnReader
    agents: tuple[str, ...]
    actions: ActionTurnReader | None = None
    """Reads what users say about actions; None: nothing is to be done."""

    def understand(self, text: str, history: History) -> tuple[Act, ...]:
        """The acts of a turn, by the rules."""
        reader = self.actions or self.reader
        return reader.understand(text, history)

    def is_about_actions(self, acts: Sequence[Act]) -> bool:
        """Whether a turn with these acts is about something to be done."""
        return self.actions is not None and self.actions.is_about_actions(acts)

    def as_user(self, text: str) -> list[PhrasingProblem]:
        """Whether it is a user who speaks, whatever is said."""
        if not text:
            return [PhrasingProblem.EMPTY]
        found = {
            PhrasingProblem.LONG: len(text) > MOST_CHARACTERS,
            PhrasingProblem.AGENT: bool(holds_phrase(text, self.agents)),
            PhrasingProblem.TOOL: bool(_TOOL.search(text)),
            PhrasingProblem.MARKER: bool(_MARKER.search(text) or _ROLE.search(text)),
            PhrasingProblem.REASONING: bool(_REASONING.search(text)),
        }
        problems = [problem for problem, is_found in found.items() if is_found]
        if not problems and self.reader.foreign(text):
            return [PhrasingProblem.LANGUAGE]
        return problems

    def as_acts(
        self, text: str, acts: tuple[Act, ...], history: History, unsaid: frozenset[str]
    ) -> list[PhrasingProblem]:
        """Whether a text says its acts and nothing else; `unsaid`: values of the goal."""
        if self.actions and self.is_about_actions(acts):
            left_out, more = self.actions.said_otherwise(text, acts)
            named = {PhrasingProblem.MISSING: left_out, PhrasingProblem.ADDED: more}
            return [problem for problem, found in named.items() if found]
        others = [comparable(each) for each in self.reader.other_values(text, acts)]
        leaks = [each for each in others if any(each in value for value in unsaid)]
        missing, added = self.reader.said_otherwise(text, acts, history)
        found = {
            PhrasingProblem.LEAK: bool(leaks),
            PhrasingProblem.OTHER_VALUE: len(others) > len(leaks),
            PhrasingProblem.MISSING: bool(missing),
            PhrasingProblem.ADDED: bool(added),
        }
        return [problem for problem, is_found in found.items() if is_found]


@dataclass(slots=True)
class PhrasingWork:
    """The requests for one turn, and what became of them."""

    usage: Usage = field(default_factory=Usage)
    requests: list[str] = field(default_factory=list)
    rejected: list[list[str]] = field(default_factory=list)
    """Problems of each utterance that was not accepted."""
    model: str = ""

    def add(self, reply: ChatReply) -> None:
        self.usage += reply.usage
        self.requests.append(reply.request)
        self.model = reply.model

    def record(self, how: str) -> dict[str, Any]:
        """What is kept with the turn."""
        kept: dict[str, Any] = {"how": how, "requests": self.requests}
        if self.rejected:
            kept["rejected"] = self.rejected
        if self.usage != Usage():
            kept["usage"] = self.usage.record()
        return {**kept, "model": self.model} if self.model else kept


PHRASED, REPHRASED, TEMPLATE, UNCHECKED = "phrased", "rephrased", "template", "unchecked"
"""How a turn was said: at once, after a rejection, by the template, or with its problems."""


@dataclass(frozen=True, slots=True)
class UserVoice:
    """A language model that speaks for the users of a run."""

    client: ChatClient
    checks: UserChecks
    words: VoiceWords
    prompt: str
    world: World
    perturb: Perturb = lambda text, rng: text

    @property
    def card(self) -> dict[str, str]:
        return {"user_voice": self.client.endpoint.name}

    def of_session(self, goal: Goal, seed: str) -> "SessionVoice":
        register = Random(f"register {seed}").choice(self.words.registers)
        return SessionVoice(self, goal, seed, register)


@dataclass(frozen=True, slots=True)
class SessionVoice:
    """The voice of one user."""

    voice: UserVoice
    goal: Goal
    seed: str
    register: str

    def phrase(
        self, acts: tuple[Act, ...], history: History, template: str
    ) -> tuple[str, dict[str, Any]]:
        """The words of a turn and the record of how they came about."""
        work = PhrasingWork()
        text = self._accepted(acts, history, template, work)
        how = TEMPLATE if not text else REPHRASED if work.rejected else PHRASED
        text = text or template
        if not self.voice.checks.is_about_actions(acts):  # dates and codes stay as they are
            text = self.voice.perturb(text, Random(f"perturbation {self.seed} {len(history)}"))
        return text, work.record(how)

    def _accepted(
        self, acts: tuple[Act, ...], history: History, template: str, work: PhrasingWork
    ) -> str:
        """The first utterance that passes the checks; empty where none does."""
        messages = self._messages(acts, history, template)
        unsaid = goal_values(self.goal) - {comparable(act.value) for act in acts}
        for attempt in range(RETRIES + 1):
            try:
                reply = written(self.voice.client, messages, f"voice {self.seed}", attempt)
            except ContextTooLong:
                return ""
            work.add(reply)
            text = cleaned(reply)
            checks = self.voice.checks
            problems = checks.as_user(text) or checks.as_acts(text, acts, history, unsaid)
            if not problems:
                return text
            work.rejected.append([str(problem) for problem in problems])
            messages = [*messages, *asked_again(reply, problems, self.voice.words)]
        return ""

    def _messages(self, acts: tuple[Act, ...], history: History, template: str) -> list[Message]:
        """Values of tables and words of agents are quoted: they are data, never instructions."""
        world = self.voice.world
        heard = history[-1].text if history else ""
        turn = {
            "acts": [shown_act(act, world) for act in acts],
            "plainly": template,
            "register": self.register,
            "last_reply": heard,
        }
        data = json.dumps(turn, ensure_ascii=False)
        return [
            {"role": "system", "content": self.voice.prompt},
            {"role": "user", "content": f"{data}\n\n{self.voice.words.ask}"},
        ]


def shown_act(act: Act, world: World) -> dict[str, str]:
    """An act for a prompt, with the names that people use."""
    pack, action = world.language, world.schema.action(act.domain)
    domain, slot = pack.domain_name(act.domain), pack.slot_name(act.domain, act.slot)
    if action:
        named = pack.domain_name(action.domain), pack.slot_name(action.domain, act.slot)
        domain, slot = pack.action_name(action.key), named[act.slot != ENTITY]
    shown = {"act": act.intent, "about": domain, "slot": slot, "value": act.value}
    return {key: value for key, value in shown.items() if value not in ("", NOTHING)}


def asked_again(
    reply: ChatReply, problems: Sequence[PhrasingProblem], words: VoiceWords
) -> list[Message]:
    """What the model wrote, and why it has to write it again."""
    told = " ".join(words.problems[problem] for problem in problems)
    return [
        {"role": "assistant", "content": reply.text},
        {"role": "user", "content": words.again.format(problems=told)},
    ]


def written(
    client: ChatClient, messages: Sequence[Message], session: str, attempt: int
) -> ChatReply:
    """What the model writes; warmer the second time, for cold models repeat themselves."""
    warmer = attempt and "temperature" in client.endpoint.sampling
    fields: dict[str, Any] = {"temperature": RETRY_TEMPERATURE} if warmer else {}
    return client.complete(messages, session=session, **fields)


def cleaned(reply: ChatReply) -> str:
    """The utterance of a reply on one line, without quotation marks around it."""
    if reply.tool_calls:
        return ""
    text = " ".join(reply.text.split())
    for opening, closing in _QUOTES:
        inner = text[1:-1]
        if text[:1] == opening and text[-1:] == closing and len(text) > 1:
            return text if opening in inner or closing in inner else inner.strip()
    return text


def goal_values(goal: Goal) -> frozenset[str]:
    """The values that a goal names, without case and width."""
    values: set[str] = set()
    for each in goal.tuples:
        if not isinstance(each.value, Reference):
            values |= {each.value} if isinstance(each.value, str) else set(each.value)
    return frozenset(comparable(value) for value in values if value)


def build_voice(
    name: str, context: PartContext, options: AgentOptions, replies: Path | None
) -> UserVoice:
    """The voice that `openai:MODEL[@URL]` names."""
    client = model_client(name, "--user-voice", options, replies)
    words = user_words(context, options)
    pack = context.world.language
    prompt = words.voice.format(world=context.world.name, language=pack.name)
    checks = user_checks(context, "--user-voice", actions=options.actions)
    return UserVoice(client, checks, words, prompt, context.world)


def user_words(context: PartContext, options: AgentOptions) -> VoiceWords:
    """The prompts of the user's language."""
    words = voice_words(context.world.language.code)
    return words.with_actions() if options.actions else words


def model_client(name: str, option: str, options: AgentOptions, replies: Path | None) -> ChatClient:
    """The client of a language model that takes the user's part."""
    kind, _, model = name.partition(":")
    if kind != "openai" or not model.partition("@")[0].strip():
        raise InputError(
            f"{option} {name!r} names no language model",
            remedy="Give openai:MODEL or openai:MODEL@URL.",
        )
    return chat_client(parse_agent(name), replace(options, stream=False), replies)


def user_checks(context: PartContext, option: str, *, actions: bool = False) -> UserChecks:
    """The checks of a world; raises where its language has no phrases to read users with.

    `actions`: users also want something done.
    """
    world = context.world
    if context.book is None:
        raise InputError(
            f"{option} needs the phrases of {world.name} in {world.language.name}, and there are "
            "none: what a model says for the user could not be checked",
            remedy="Add assistant phrases to the world (docs/worlds.md), or leave the option out.",
        )
    reader = ConversationReader.of(str(context.folder), world.language.code, context.data)
    acting = ActionTurnReader(world, reader) if actions else None
    agents = voice_words(world.language.code).agents
    return UserChecks(UserTurnReader(reader), agents, acting)
