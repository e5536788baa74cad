"""`crosstalk chat`, as people and programs use it."""

import contextlib
import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from crosstalk.cli.main import run
from crosstalk.files import MAX_LINE

Patch = pytest.MonkeyPatch
Shown = pytest.CaptureFixture[str]


def chat(monkeypatch: Patch, *words: str, typed: bytes = b"") -> int:
    monkeypatch.setattr("sys.argv", ["crosstalk", "chat", *words])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed)))
    with pytest.raises(SystemExit) as ended:
        run()
    return int(ended.value.code or 0)


def answers(capsys: Shown) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_one_object_a_line(monkeypatch: Patch, capsys: Shown) -> None:
    typed = b"hello\na cheap hotel near the City Zoo\nwhat is its phone number?\n"
    assert chat(monkeypatch, "--language", "en", "--json", typed=typed) == 0
    hello, found, phone = answers(capsys)
    assert list(hello) == ["understood", "state", "results", "acts", "text"]
    assert found["state"]["hotel"]["nearby_attractions"] == "City Zoo"
    assert found["results"][0]["count"] == len(found["results"][0]["names"])
    assert ["Request", "hotel", "phone", ""] in phone["understood"]
    number = next(act[3] for act in phone["acts"] if act[2] == "phone")
    assert number in phone["text"]


@pytest.mark.parametrize(
    ("language", "utterance"),
    [
        ("zh", "有没有便宜的酒店？"),
        ("de", "Ein günstiges Hotel, bitte"),
        ("ar", "أريد فندقا رخيصا"),
        ("ru", "Нужен недорогой отель"),
    ],
)
def test_other_languages(monkeypatch: Patch, capsys: Shown, language: str, utterance: str) -> None:
    assert chat(monkeypatch, "--language", language, "--json", "--say", utterance) == 0
    [answer] = answers(capsys)
    assert "price" in answer["state"]["hotel"]


def test_nothing_that_is_typed_ends_it(monkeypatch: Patch, capsys: Shown) -> None:
    typed = b"\xff\xfe\x00\n\n" + b"a" * 1_000_000 + "\n\u202e😀\r\n[/bold]\n{name}\nhotel".encode()
    assert chat(monkeypatch, "--json", typed=typed) == 0
    assert [bool(answer["text"]) for answer in answers(capsys)] == [True] * 7


def test_the_end_of_input_ends_it(monkeypatch: Patch, capsys: Shown) -> None:
    assert chat(monkeypatch, "--json") == 0
    assert capsys.readouterr().out == ""


def test_without_a_terminal_there_are_answers_and_nothing_else(
    monkeypatch: Patch, capsys: Shown
) -> None:
    assert chat(monkeypatch, typed=b"a cheap hotel\nthank you\n") == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 2
    assert not shown.err


def test_why_shows_what_is_behind_an_answer(monkeypatch: Patch, capsys: Shown) -> None:
    typed = b"/why\na hotel with [a] sauna\n/why\n/reset\n/why now\n/help\n/quit\nnever read\n"
    assert chat(monkeypatch, typed=typed) == 0
    shown = capsys.readouterr().out
    assert "Nothing has been said yet." in shown
    assert "services = sauna facilities" in shown
    assert "There is no command /why now." in shown
    assert "/reset" in shown and "never read" not in shown


def test_reset_begins_anew_for_programs_too(monkeypatch: Patch, capsys: Shown) -> None:
    assert chat(monkeypatch, "--json", typed=b"a hotel\n/reset\nanother one\n") == 0
    assert answers(capsys)[1]["state"] == {}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--language", "fr"], "'fr'"),
        (["--world", "atlantis"], "atlantis"),
        (["--world", "crosswoz"], "crosstalk fetch crosswoz"),
    ],
)
def test_wrong_names_are_refused_in_words(
    monkeypatch: Patch, capsys: Shown, words: list[str], named: str
) -> None:
    monkeypatch.delenv("CROSSTALK_DATA", raising=False)
    assert chat(monkeypatch, *words) == 2
    assert named in capsys.readouterr().err


def test_an_agent_that_ends_is_told(monkeypatch: Patch, capsys: Shown) -> None:
    assert chat(monkeypatch, "--agent", "cmd:false", "--say", "Hello") == 3
    assert "cmd:false: the program ended" in capsys.readouterr().err


def test_an_error_in_an_agents_code_is_told_with_its_place(
    tmp_path: Path, monkeypatch: Patch, capsys: Shown
) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def answer(messages):\n    return messages[7]\n")
    assert chat(monkeypatch, "--agent", f"python:{file}:answer", "--say", "Hello") == 3
    told = capsys.readouterr().err
    assert f"raised IndexError: list index out of range ({file}, line 2)" in told


def test_in_a_terminal(tmp_path: Path) -> None:
    """A prompt, an answer, and Ctrl-C without a traceback."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "crosstalk", "chat", "--language", "en"]
    with subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
        start_new_session=True,
        preexec_fn=_hears_interrupts,
    ) as process:
        os.close(theirs)
        seen = _until(ours, "> ")
        os.write(ours, b"a cheap hotel\n")
        seen += _until(ours, "> ", after=len("a cheap hotel"))
        # The line editor misses a Ctrl-C between its prompt and its waiting for keys:
        # people press again.
        for _ in range(20):
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=5)
                break
        else:
            process.kill()
        seen += _until(ours, "nothing ends this: all there is", seconds=1)
    os.close(ours)
    assert "/help" in seen and "> a cheap hotel" in seen
    assert "Traceback" not in seen
    assert process.returncode == 130


def _hears_interrupts() -> None:
    """Shells start background jobs deaf to Ctrl-C, and their children inherit it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _until(terminal: int, sign: str, after: int = 0, seconds: float = 60) -> str:
    """What a terminal shows up to a sign, or for so long at most."""
    shown, ends = "", time.monotonic() + seconds
    while sign not in shown[after:] and time.monotonic() < ends:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            shown += os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            break
    return shown


def test_crosswoz(monkeypatch: Patch, capsys: Shown, data_folder: Path) -> None:
    said = ["故宫附近人均100元以下的餐馆", "电话是多少", "从那里打车去颐和园"]
    options = [word for text in said for word in ("--say", text)]
    assert chat(monkeypatch, "--world", "crosswoz", "--json", *options) == 0
    found, phone, ride = answers(capsys)
    assert found["state"]["餐馆"] == {"人均消费": "100元以下", "周边景点": "故宫"}
    assert ["Request", "餐馆", "电话", ""] in phone["understood"]
    assert ride["state"]["出租"]["目的地"] == "颐和园"


def test_a_line_that_never_ends_is_refused(monkeypatch: Patch, capsys: Shown) -> None:
    assert chat(monkeypatch, "--json", typed=b"hello " * (MAX_LINE // 5)) == 2
    assert "more than 16 MiB" in capsys.readouterr().err
