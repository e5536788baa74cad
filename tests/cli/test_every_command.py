"""What holds for all commands: `--json`, help for every option, former names of options."""

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from crosstalk.cli.main import app
from crosstalk.cli.options import RENAMED, with_current_names

WITHOUT_JSON = {
    "collect": "serves a website until it is stopped",
    "translate edit": "serves a website until it is stopped",
    "translate judge": "serves a website until it is stopped",
    "serve openai": "serves an HTTP endpoint until it is stopped",
    "serve mcp": "speaks the Model Context Protocol on stdout or HTTP until it is stopped",
    "retrieve chat": "holds a conversation in the terminal; `retrieve ask --json` is for programs",
}


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Everything that can be run, by its words; groups only where they run by themselves."""
    below = getattr(command, "commands", {})
    if not below or (path and command.invoke_without_command):
        yield " ".join(path), command
    for name, each in below.items():
        yield from commands(each, (*path, name))


EVERY = dict(commands(typer.main.get_command(app)))


def names_of(command: Any) -> set[str]:
    return {name for option in command.params for name in option.opts}


def test_every_command_prints_json() -> None:
    without = {words for words, each in EVERY.items() if "--json" not in names_of(each)}
    assert without == set(WITHOUT_JSON)


@pytest.mark.parametrize("words", EVERY)
def test_every_command_and_option_has_help(words: str) -> None:
    assert EVERY[words].help
    silent = [
        each.name for each in EVERY[words].params if not each.help and each.opts[0] != "--help"
    ]
    assert not silent


@pytest.mark.parametrize("command", RENAMED)
def test_former_names_of_options(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    for former, name in RENAMED[command].items():
        known = names_of(EVERY[" ".join(command)])
        assert name in known
        assert former not in known
        assert with_current_names([*command, f"{former}=3"]) == [*command, f"{name}=3"]
        told = capsys.readouterr()
        assert told.out == ""
        assert f"{former} is now called {name}" in told.err


def test_names_of_other_commands_and_arguments_stay() -> None:
    assert with_current_names(["data", "show", "x", "--turns"]) == ["data", "show", "x", "--turns"]
    words = ["evaluate", "speech", "--", "--turns"]
    assert with_current_names(words) == words
