"""Commands of the terminal, called inside a test."""

from collections.abc import Callable

import pytest

from crosstalk.cli.main import run

Call = Callable[..., tuple[int, str, str]]
"""Words of a command, to its exit code and what it said on stdout and stderr."""


def caller(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *command: str
) -> Call:
    """What calls `crosstalk COMMAND ...` with the words it is given."""

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["crosstalk", *command, *map(str, words)])
        code = 0
        try:
            run()
        except SystemExit as ended:
            code = int(ended.code or 0)
        told = capsys.readouterr()
        return code, told.out, told.err

    return call
