"""Hundreds of broken files through the real command line: words, never a traceback.

Each is a small valid file with one thing wrong. Whatever the damage, a command ends (it never
hangs) with exit code 2 and one message that names the file, and nothing is written. Where the
damage may be harmless (a letter of an utterance), 0 will do, and 1 for `check`.
"""

import contextlib
import io
import json
import random
import shutil
import subprocess
import sys
import time
import traceback
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crosstalk.cli.main import run
from crosstalk.corpora.corpus import read_corpus, write_corpus

FORM = {
    "酒店": {"名称": "", "价格": "400-500元", "评分": "", "selectedResults": ["海角旅店"]},
    "地铁": {"出发地": "", "目的地": "", "selectedResults": []},
}
GOAL = [
    [1, "酒店", "价格", "400-500元", False],
    [1, "酒店", "名称", "", False],
    [1, "酒店", "周边景点", [], False],
    [2, "景点", "名称", "出现在id=1的周边景点里", False],
]


def said(*tuples: int) -> list[list[Any]]:
    return [[*each[:4], number in tuples] for number, each in enumerate(GOAL)]


CORPUS: dict[str, Any] = {
    "7": {
        "sys-usr": [1, 2],
        "goal": GOAL,
        "messages": [
            {
                "content": "你好，找一家400到500元的酒店。",
                "role": "usr",
                "dialog_act": [
                    ["General", "greet", "none", "none"],
                    ["Inform", "酒店", "价格", "400-500元"],
                    ["Request", "酒店", "名称", ""],
                ],
                "user_state": said(0, 1),
            },
            {
                "content": "为您推荐海角旅店。",
                "role": "sys",
                "dialog_act": [["Inform", "酒店", "名称", "海角旅店"]],
                "sys_state": FORM,
                "sys_state_init": FORM,
            },
        ],
        "final_goal": said(0, 1, 2, 3),
        "task description": ["你要找一家酒店。", "你要去附近的景点。"],
        "type": "不独立多领域",
    }
}
GOOD = json.dumps(CORPUS, ensure_ascii=False, indent=1).encode()

# CPU seconds, where the slowest command (`world check` of harbour) takes one or two: a command that
# takes this long is stuck on its input, however busy the machine is.
HANG = 30

Result = tuple[int, str, str]
Command = Callable[..., Result]


@pytest.fixture
def crosstalk(monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command in this process: its exit code, and what it printed."""

    def command(*words: str | Path) -> Result:
        monkeypatch.setattr("sys.argv", ["crosstalk", *map(str, words)])
        out, err = io.StringIO(), io.StringIO()
        begun = time.process_time()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = exit_code()
        if time.process_time() - begun > HANG:
            code, _ = -1, err.write(f"it took more than {HANG} seconds")
        return code, out.getvalue(), err.getvalue()

    return command


def exit_code() -> int:
    """What `run` ends with; 99 when it does not end in words, with the traceback on stderr."""
    try:
        run()
    except SystemExit as ended:
        return int(ended.code or 0)
    except Exception:
        traceback.print_exc(limit=-3)
        return 99
    return 0


# What can be wrong with bytes


def zipped(name: str, body: bytes, *, link: bool = False) -> bytes:
    member = zipfile.ZipInfo(name)
    member.external_attr = 0o120777 << 16 if link else 0o644 << 16
    member.compress_type = zipfile.ZIP_DEFLATED
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(member, body)
    return packed.getvalue()


def fatal(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Damage that no reader may overlook."""
    for percent in range(2, 98, 4):
        yield f"cut at {percent} percent", body[: max(1, len(body) * percent // 100)]
    yield "empty", b""
    yield "blank", b" \n\n"
    yield "zeros", bytes(1000)
    yield "number", b"5"
    yield "text", b'"dialogues"'
    yield "null", b"null"
    yield "list of numbers", b"[1, 2]"
    yield "list of lists", b"[[]]"
    yield "prose", b"Dear reader,\n"
    yield "deep", b"[" * 50_000
    yield "deep object", b'{"a":' * 50_000
    yield "latin-1", body + b"\xe9"
    yield "utf-16", body.decode().encode("utf-16")
    yield "gb18030", body.decode().encode("gb18030")
    yield "zip outwards", zipped("../a.json", body)
    yield "zip absolute", zipped("/a.json", body)
    yield "zip of a link", zipped("a.json", b"/etc/passwd", link=True)
    yield "zip bomb", zipped("a.json", b" " * 5_000_000)
    yield "zip in zip", zipped("a.zip", zipped("a.json", body))
    yield "zip of nothing", zipped("a.json", b"")
    yield "cut zip", zipped("a.json", body)[:-40]
    yield "half a zip", zipped("a.json", body)[:100]
    yield "image", b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    yield "parquet by name only", b"PAR1 is not enough PAR1"


def flipped(body: bytes, times: int) -> Iterator[tuple[str, bytes]]:
    """One byte changed; in an utterance it may do no harm."""
    rng = random.Random(2)
    for _ in range(times):
        at = rng.randrange(len(body))
        byte = rng.choice([0x00, 0x22, 0x2C, 0x5B, 0x7D, 0xFF, body[at] ^ 1])
        yield f"byte {at} is {byte:#04x}", body[:at] + bytes([byte]) + body[at + 1 :]


# What can be wrong with values


def places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every value in a JSON document."""
    yield here
    children = enumerate(value) if isinstance(value, list) else ()
    if isinstance(value, dict):
        children = value.items()  # type: ignore[assignment]
    for key, child in children:
        yield from places(child, (*here, key))


def replaced(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    if not place:
        return new
    copy = list(value) if isinstance(value, list) else dict(value)
    copy[place[0]] = replaced(value[place[0]], place[1:], new)
    return copy


def mistyped(document: Any, times: int) -> Iterator[tuple[str, Any]]:
    """One value of another type than it should be."""
    rng = random.Random(3)
    everywhere = [place for place in places(document) if not is_free(place)]
    for place in rng.sample(everywhere, min(times, len(everywhere))):
        found = document
        for key in place:
            found = found[key]
        choices: list[Any] = [None, 2.5, {"a": []}, [[{}]], True]
        new = rng.choice([each for each in choices if type(each) is not type(found)])
        yield f"{'.'.join(map(str, place))} is {new}", replaced(document, place, new)


def is_free(place: tuple[Any, ...]) -> bool:
    """Extras may hold anything."""
    return "extras" in place


def complaints(result: Result, path: Path, *codes: int) -> Iterator[str]:
    """What is wrong with the answer to a broken file."""
    code, _, err = result
    if code not in codes:
        yield f"ended with {code}"
    if code == 2 and not (err.startswith("crosstalk: ") and err.count("\ncrosstalk: ") == 0):
        yield "has not one message"
    if code == 2 and path.name not in err:
        yield "does not name the file"


def commands(path: Path, out: Path) -> list[list[str | Path]]:
    return [
        ["data", "stats", path],
        ["data", "check", path],
        ["data", "convert", path, out, "--to", "native"],
        ["data", "show", path],
        ["data", "convert", path, out, "--to", "crosswoz"],
    ]


def corpora(to: str, folder: Path) -> bytes:
    """The small corpus in another format."""
    (folder / "good.json").write_bytes(GOOD)
    write_corpus(read_corpus(folder / "good.json"), folder / f"good.{to}", to=to)
    return (folder / f"good.{to}").read_bytes()


def feed(
    crosstalk: Command, tmp_path: Path, broken: Iterable[tuple[str, bytes]], *codes: int
) -> None:
    """Each broken file to one command, in turn."""
    folder = tmp_path / "broken"
    wrong = []
    for number, (name, body) in enumerate(broken):
        folder.mkdir()
        path = folder / f"corpus-{number}.json"
        path.write_bytes(body)
        choice = commands(path, folder / "out.jsonl")
        words = choice[number % len(choice)]
        result = crosstalk(*words)
        allowed = (*codes, 1) if words[1] == "check" else codes
        found = list(complaints(result, path, *allowed))
        if result[0] and [each.name for each in folder.iterdir()] != [path.name]:
            found.append("left something behind")
        wrong += [f"{name}: {words[1]} {each}: {result[2]}" for each in found]
        shutil.rmtree(folder)
    assert not wrong, "\n".join(wrong)


def test_the_small_corpus_is_fine(crosstalk: Command, tmp_path: Path) -> None:
    (tmp_path / "good.json").write_bytes(GOOD)
    for words in commands(tmp_path / "good.json", tmp_path / "out"):
        code, out, err = crosstalk(*words)
        assert code in ((0, 1) if words[1] == "check" else (0,)), (words, out, err)


@pytest.mark.parametrize("format", ["crosswoz", "native", "convlab", "multiwoz"])
def test_broken_bytes(crosstalk: Command, tmp_path: Path, format: str) -> None:
    body = corpora(format, tmp_path)
    feed(crosstalk, tmp_path, fatal(body), 2)


@pytest.mark.parametrize("format", ["crosswoz", "native", "convlab", "multiwoz"])
def test_flipped_bytes(crosstalk: Command, tmp_path: Path, format: str) -> None:
    body = corpora(format, tmp_path)
    feed(crosstalk, tmp_path, flipped(body, 40), 0, 2)


def test_broken_parquet(crosstalk: Command, tmp_path: Path) -> None:
    body = corpora("parquet", tmp_path)
    cut = [(f"cut at {at}", body[:at]) for at in range(5, len(body), len(body) // 12)]
    feed(crosstalk, tmp_path, cut, 2)
    feed(crosstalk, tmp_path, flipped(body, 30), 0, 2)


def test_values_of_the_wrong_type(crosstalk: Command, tmp_path: Path) -> None:
    broken = [
        (name, json.dumps(document, ensure_ascii=False).encode())
        for name, document in mistyped(CORPUS, 120)
    ]
    feed(crosstalk, tmp_path, broken, 2)


@pytest.mark.parametrize("format", ["native", "convlab", "multiwoz"])
def test_values_of_the_wrong_type_in_other_formats(
    crosstalk: Command, tmp_path: Path, format: str
) -> None:
    document = json.loads(corpora(format, tmp_path))
    broken = [
        (name, json.dumps(broken, ensure_ascii=False).encode())
        for name, broken in mistyped(document, 40)
    ]
    feed(crosstalk, tmp_path, broken, 0, 2)


# What can be wrong with meaning


def with_(place: str, new: Any) -> bytes:
    """The small corpus with one value replaced."""
    keys = [int(key) if key.isdecimal() else key for key in place.split(".")]
    return json.dumps(replaced(CORPUS, ("7", *keys), new), ensure_ascii=False).encode()


MEANING = {
    "unknown domain": with_("goal.0.1", "飞机"),
    "unknown slot": with_("goal.0.2", "颜色"),
    "missing sub-goal": with_("goal.3.3", "出现在id=9的周边景点里"),
    "unknown role": with_("messages.0.role", "wizard"),
    "unknown type": with_("type", "很难"),
    "act of three": with_("messages.0.dialog_act.0", ["General", "greet", "none"]),
    "two corpora in one": GOOD + b"\n" + GOOD,
    "same id twice": b'{"7": ' + GOOD[7:-2].strip()[:-1] + b'}, "7": {}}',
}


@pytest.mark.parametrize("what", MEANING)
def test_what_makes_no_sense(crosstalk: Command, tmp_path: Path, what: str) -> None:
    path = tmp_path / "corpus.json"
    path.write_bytes(MEANING[what])
    result = crosstalk("data", "convert", path, tmp_path / "out", "--to", "native")
    assert not list(complaints(result, path, 2)), result
    assert "7" in result[2]
    assert not (tmp_path / "out").exists()
    assert crosstalk("data", "check", path, "--json")[0] in (1, 2)


# Goals and worlds


def test_broken_goals(crosstalk: Command, tmp_path: Path) -> None:
    good = tmp_path / "goals.jsonl"
    sampled = crosstalk(
        "goals", "sample", "--world", "harbour", "-n", "3", "--seed", "1", "--out", good
    )
    assert sampled[0] == 0, sampled
    body = good.read_bytes()
    line = json.loads(body.splitlines()[0])
    typed = [(name, json.dumps(value).encode()) for name, value in mistyped(line, 40)]
    whole = [each for each in fatal(body) if not ends_between_lines(each[1], body)]
    wrong = []
    for name, broken in [*whole, *flipped(body, 20), *typed]:
        good.write_bytes(broken)
        codes = (2,) if (name, broken) in whole else (0, 2)
        result = crosstalk("goals", "stats", good)
        wrong += [f"{name}: {each}: {result[2]}" for each in complaints(result, good, *codes)]
    assert not wrong, "\n".join(wrong)


def ends_between_lines(body: bytes, whole: bytes) -> bool:
    """Whether a cut took whole lines away, which nobody can notice."""
    return whole.startswith(body) and body.endswith((b"}", b"}\n"))


def world_damage(world: Path) -> Iterator[tuple[str, Path, bytes]]:
    """One thing that is wrong with each file of a world."""
    damage: list[tuple[str, Callable[[bytes], bytes]]] = [
        ("cut in half", lambda body: body[: len(body) // 2].rstrip()[:-3]),
        ("not UTF-8", lambda body: body + b"\xff\xfe"),
        ("nothing", lambda body: b""),
        ("brackets", lambda body: b"[" * 5000),
    ]
    files = [path for path in sorted(world.rglob("*")) if path.suffix in (".toml", ".jsonl")]
    for number, path in enumerate(files):
        name, spoil = damage[number % len(damage)]
        yield name, path, spoil(path.read_bytes())


def test_broken_worlds(crosstalk: Command, tmp_path: Path) -> None:
    world = tmp_path / "town"
    assert crosstalk("world", "new", world, "--from", "harbour")[0] == 0
    assert crosstalk("world", "check", world)[0] == 0
    wrong = []
    for name, path, body in list(world_damage(world)):
        good = path.read_bytes()
        path.write_bytes(body)
        code, out, err = crosstalk("world", "check", world, "--all")
        if code not in (1, 2) or path.name not in out + err:
            wrong.append(f"{path.relative_to(world)} {name}: exit {code}: {out[:500]}{err}")
        path.write_bytes(good)
    assert not wrong, "\n".join(wrong)


# From outside


@pytest.mark.parametrize(
    "body",
    [GOOD[:300], b"", b"\xff\xfe", zipped("../a", GOOD), b"[" * 100_000],
    ids=["cut", "empty", "no text", "a zip that leads out", "deep"],
)
def test_from_a_shell(tmp_path: Path, body: bytes) -> None:
    (tmp_path / "corpus.json").write_bytes(body)
    command = [sys.executable, "-m", "crosstalk", "data", "convert", "corpus.json", "out"]
    ended = subprocess.run(
        [*command, "--to", "native"], cwd=tmp_path, capture_output=True, text=True
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith("crosstalk: corpus.json") and "Traceback" not in ended.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["corpus.json"]


def test_places_instead_of_files(crosstalk: Command, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("folder", "missing.json", "n" * 300, "folder/inside/deep.json"):
        for words in commands(tmp_path / name, tmp_path / "out"):
            code, _, err = crosstalk(*words)
            assert code == 2 and err.startswith("crosstalk: "), (words, err)
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]
