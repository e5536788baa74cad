"""`crosstalk chat`: talk to a system in the terminal, or line by line from a program."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from traceback import extract_tb
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.options import (
    Agent,
    AsJson,
    Data,
    Dst,
    Language,
    Models,
    Nlg,
    Nlu,
    Policy,
    World,
    with_agent_options,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from crosstalk.agents.build import AgentOptions
    from crosstalk.dialogue.dialogues import Turn
    from crosstalk.errors import InfrastructureError
    from crosstalk.system.chat import Answer
    from crosstalk.system.pipeline import System, SystemSession

COMMANDS = {
    "/why": "NLU result, state, search results and decision of the last turn",
    "/reset": "begin a new conversation",
    "/help": "these commands",
    "/quit": "leave (so does the end of input)",
}


@with_agent_options
def chat(
    *,
    asked: "AgentOptions",
    world: World = "harbour",
    language: Language = None,
    data: Data = None,
    models: Models = None,
    say: Annotated[
        list[str] | None,
        typer.Option("--say", help="An utterance to answer instead of input (repeatable)."),
    ] = None,
    agent: Agent = "system",
    nlu: Nlu = "best",
    dst: Dst = "best",
    policy: Policy = "best",
    nlg: Nlg = "best",
    actions: Annotated[
        bool,
        typer.Option(
            "--actions",
            help="The system also does something, such as bookings, where the world has actions.",
        ),
    ] = False,
    as_json: AsJson = False,
    why: Annotated[bool, typer.Option("--why", help="Explain every answer, as /why does.")] = False,
) -> None:
    """Chat with a dialogue system about a world: its places, and rides between them.

    It is the same system that `crosstalk simulate` measures.

    If the input is not a terminal, it reads one utterance per line. With --json every answer is one
    JSON object: understood, state, results, acts, text; with --actions also what was done.
    """
    from crosstalk.system.build import build_system

    if agent != "system":
        _with_agent(agent, world, language, data, replace(asked, actions=actions), say, as_json)
        return
    names = {"nlu": nlu, "dst": dst, "policy": policy, "nlg": nlg}
    system = build_system(
        world, language=language, data=data, models=models, actions=actions, **names
    )
    if as_json:
        _for_programs(system, say)
    else:
        _for_people(system, say, why)


def _with_agent(
    agent: str,
    world: str,
    language: str | None,
    data: "Path | None",
    asked: "AgentOptions",
    say: list[str] | None,
    as_json: bool,
) -> None:
    """Talk to an agent of somebody else's, whose replies are shown with its tool calls."""
    from crosstalk.agents.build import build_agents
    from crosstalk.dialogue.dialogues import Speaker, Turn
    from crosstalk.errors import AgentFault, CrosstalkError
    from crosstalk.system.parts import context_of

    context = context_of(world, language=language, data=data)
    built = build_agents(agent, context, asked).of_session("chat")
    talking = not say and sys.stdin.isatty() and sys.stdout.isatty()
    try:
        state = built.begin()
        for line in say or (_typed() if talking else _lines()):
            if line.strip() == "/quit":
                return
            if line.strip() == "/reset":
                state = built.begin()
                continue
            reply, state = built.reply(Turn(Speaker.USER, line), state)
            _show_reply(reply.turn, as_json)
    except AgentFault as fault:
        raise _ended(agent, fault.message) from fault
    except CrosstalkError:
        raise
    except Exception as error:
        if not agent.startswith("python:"):
            raise
        last = extract_tb(error.__traceback__)[-1]
        what = f"raised {type(error).__name__}: {error} ({last.filename}, line {last.lineno})"
        raise _ended(agent, what) from error


def _ended(agent: str, what: str) -> "InfrastructureError":
    """What ends the conversation with an agent of somebody else's."""
    from crosstalk.errors import InfrastructureError

    in_python = agent.startswith("python:")
    remedy = "" if in_python else "Start the program or the service by itself to see why."
    return InfrastructureError(f"{agent}: {what}", remedy=remedy)


def _show_reply(turn: "Turn", as_json: bool) -> None:
    calls = turn.extras.get("agent", {}).get("tool_calls", [])
    if as_json:
        print(json.dumps({"text": turn.text, "tool_calls": calls}, ensure_ascii=False), flush=True)
        return
    for call in calls:
        print(f"  {call['name']}({call['arguments']})", file=sys.stderr)
    print(turn.text, flush=True)


def _for_programs(system: "System", say: list[str] | None) -> None:
    from crosstalk.system.chat import reply

    session = system.begin()
    for line in say or _lines():
        if line.strip() == "/quit":
            return
        if line.strip() == "/reset":
            session = system.begin()
            continue
        answer, session = reply(system, line, session)
        print(json.dumps(answer.as_json(), ensure_ascii=False), flush=True)


def _for_people(system: "System", say: list[str] | None, why: bool) -> None:
    from rich.console import Console

    from crosstalk.system.chat import reply, welcome

    console = Console(highlight=False)
    talking = not say and sys.stdin.isatty() and sys.stdout.isatty()
    if talking:
        _speak(console, welcome(system), talking)
        console.print("[dim]/why shows what is behind an answer, /help the commands.[/dim]")
    session, answer = system.begin(), None
    for line in say or (_typed() if talking else _lines()):
        if line.strip().startswith("/"):
            if line.strip() == "/quit":
                return
            session = _command(console, system, line.strip(), session, answer)
            continue
        answer, session = reply(system, line, session)
        _speak(console, answer.text, talking)
        if why:
            _explain(console, answer)
        if talking and answer.over:
            return


def _command(
    console: "Console",
    system: "System",
    command: str,
    session: "SystemSession",
    answer: "Answer | None",
) -> "SystemSession":
    from rich.markup import escape

    if command == "/reset":
        console.print("[dim]A new conversation.[/dim]")
        return system.begin()
    if command == "/why" and answer:
        _explain(console, answer)
    elif command == "/why":
        console.print("[dim]Nothing has been said yet.[/dim]")
    else:
        if command != "/help":
            console.print(f"[dim]There is no command {escape(command[:40])}.[/dim]")
        for name, does in COMMANDS.items():
            console.print(f"  [bold]{name:<8}[/bold] {does}")
    return session


def _speak(console: "Console", text: str, talking: bool) -> None:
    from rich.text import Text

    console.print(Text(text, style="cyan" if talking else ""), soft_wrap=not talking)


def _explain(console: "Console", answer: "Answer") -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(show_header=False, box=None, padding=(0, 2, 0, 1))
    for name, lines in answer.explained().items():
        table.add_row(Text(name, style="bold dim"), Text("\n".join(lines) or "-", style="dim"))
    console.print(table)


def _lines() -> Iterator[str]:
    """Lines of the standard input; bytes that are no UTF-8 become question marks in diamonds."""
    from crosstalk.errors import InputError
    from crosstalk.files import MAX_LINE

    while raw := sys.stdin.buffer.readline(MAX_LINE):
        if len(raw) == MAX_LINE:
            raise InputError(
                f"a line of the input has more than {MAX_LINE >> 20} MiB",
                remedy="Give one message a line.",
            )
        yield raw.decode("utf-8", errors="replace").rstrip("\r\n")


def _typed() -> Iterator[str]:
    """Lines a person types, with the editing keys the terminal library has."""
    import contextlib

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  (importing it gives `input` its editing keys)
    while True:
        try:
            yield input("> ")
        except EOFError:
            print()
            return
        except UnicodeDecodeError:
            yield ""
