"""What may be wrong with a file: bytes, JSON, tables, archives, and what lies under its name."""

import gzip
import io
import json
import os
import random
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from crosstalk.model_folders import CARD, seal

Change = Callable[[bytes, random.Random], bytes]
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    10**30,
    -(2**63),
    2**31,
    1e308,
    -0.0,
    "",
    " ",
    "x",
    "\0",
    "名称",
    "../../x",
    "\ud800",
    "a" * 5000,
    [],
    {},
    [[]],
    [None],
    {"": ""},
    {"x": {"y": []}},
    [1, "x", None],
)
"""Values of wrong types and sizes."""


def cut(body: bytes, rng: random.Random) -> bytes:
    return body[: rng.randrange(len(body) + 1)]


def flip(body: bytes, rng: random.Random) -> bytes:
    changed = bytearray(body)
    for _ in range(rng.choice((1, 1, 2, 8, 40))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def splice(body: bytes, rng: random.Random) -> bytes:
    """Drop, repeat or overwrite a stretch."""
    first = rng.randrange(len(body) + 1)
    last = min(len(body), first + rng.choice((1, 3, 30, 300)))
    stretch = body[first:last]
    instead = rng.choice(
        (b"", stretch * 3, bytes(rng.randrange(256) for _ in range(10)), b"\0" * 9)
    )
    return body[:first] + instead + body[last:]


def lines(body: bytes, rng: random.Random) -> bytes:
    """Drop, repeat, swap or lengthen lines."""
    parts = body.split(b"\n")
    place, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    match rng.randrange(6):
        case 0:
            del parts[place]
        case 1:
            parts.insert(other, parts[place])
        case 2:
            parts[place], parts[other] = parts[other], parts[place]
        case 3:
            parts[place] = parts[place] * 2
        case 4:
            parts = parts[:1]
        case _:
            parts[place] += b"\r"
    return b"\n".join(parts)


def cells(body: bytes, rng: random.Random) -> bytes:
    """Wrong columns: one more, one less, another separator, a quotation mark that stays open."""
    parts = body.split(b"\n")
    place = rng.choice((0, rng.randrange(len(parts))))
    row = parts[place].split(b",")
    match rng.randrange(5):
        case 0:
            row.append(b"more")
        case 1:
            row.pop()
        case 2:
            row.insert(0, b'"')
        case 3:
            return body.replace(b",", rng.choice((b";", b"\t", b"|")))
        case _:
            row[rng.randrange(len(row))] = rng.choice((b"", b"-1", b"nan", b"x" * 200_000, b"\xff"))
    parts[place] = b",".join(row)
    return b"\n".join(parts)


def whole(_: bytes, rng: random.Random) -> bytes:
    """Something else altogether."""
    return rng.choice(
        (
            b"",
            b" \n",
            b"\n" * 100,
            b"\0" * 1000,
            b"5",
            b'"x"',
            b"null",
            b"[]",
            b"{}",
            b"[{}]",
            b"[[]]",
            b"[1, 2]",
            b"true",
            b"\xff\xfe",
            b"\xef\xbb\xbf",
            b"hello\n",
            b"[" * 100_000,
            b'{"a":' * 9_000,
            b"[" * 150 + b"]" * 150,
            b"[" * 900 + b"]" * 900,
            b"a = [" * 3,
            b"PAR1\0\0PAR1",
            b"\x89PNG\r\n",
            b"{}\n{}\n",
            b'{"id": 1}\n',
            b",,,\n,,,\n",
            b"tree\n",
            b"PK\x03\x04",
            b"\x1f\x8b\x08",
            b"-" * 99,
        )
    )


def encoded(body: bytes, rng: random.Random) -> bytes:
    text = body.decode("utf-8", "replace")
    coding = rng.choice(("utf-16", "utf-32", "latin-1", "gb18030", "utf-8-sig", "cp1252"))
    return text.encode(coding, "replace")


def packed(body: bytes, rng: random.Random) -> bytes:
    """Archives: with the wrong members, cut off, inside one another, of too much."""
    match rng.randrange(7):
        case 0:
            return gzip.compress(body)
        case 1:
            return gzip.compress(body)[: -rng.randrange(1, 30)]
        case 2:
            return gzip.compress(b" " * 3_000_000)
        case 3:
            return zipped({"a.json": body})[: -rng.randrange(1, 60)]
        case 4:
            return zipped(
                {rng.choice(("../a.json", "/etc/x", "a/b.json", "a\\b", "x" * 300)): body}
            )
        case 5:
            return zipped({"a.zip": zipped({"a.json": body})})
        case _:
            return zipped({"a.json": body, "b.json": flip(body, rng), "c.txt": b"x"})


def zipped(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return made.getvalue()


def typed(body: bytes, rng: random.Random) -> bytes:
    """JSON, or a line of JSON, with a value of a wrong type, or a key lost, renamed or added."""
    parts = [body]
    if not _parsed(body):
        parts = body.split(b"\n")
    place = rng.randrange(len(parts))
    value = _parsed(parts[place])
    if not value:
        return flip(body, rng)
    for _ in range(rng.choice((1, 1, 1, 3))):
        value = _with_change(value, rng)
    parts[place] = json.dumps(value, ensure_ascii=rng.random() < 0.5).encode("utf-8", "replace")
    return b"\n".join(parts)


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _with_change(value: Any, rng: random.Random) -> Any:
    places = list(_places(value))
    if not places:
        return rng.choice(ODD)
    holder, key = rng.choice(places)
    odd = rng.choice(ODD) if rng.random() < 0.9 else _deep()
    if isinstance(holder, list):
        match rng.randrange(4):
            case 0:
                del holder[key]
            case 1:
                holder.append(holder[key])
            case _:
                holder[key] = odd
    else:
        match rng.randrange(5):
            case 0:
                del holder[key]
            case 1:
                holder[rng.choice(("x", "", "id", key.upper(), "__class__"))] = holder.pop(key)
            case _:
                holder[key] = odd
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if not isinstance(value, (dict, list)):
        return
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from _places(value[key])


def _deep() -> Any:
    value: Any = []
    for _ in range(180):
        value = [value]
    return value


def long_line(body: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(body) + 1)
    return body[:place] + b"a" * 17_000_000 + body[place:]


CHANGES: tuple[Change, ...] = (
    cut,
    flip,
    flip,
    splice,
    lines,
    cells,
    whole,
    encoded,
    packed,
    typed,
    typed,
    typed,
    typed,
)


def damaged(body: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.004:
        return long_line(body, rng)
    return rng.choice(CHANGES)(body, rng)


def put(sample: Path, case: Path, rng: random.Random) -> Path:
    """A damaged copy of a sample in the folder of a case; it may not be a file at all."""
    name = rng.choice(NAMES) if rng.random() < 0.1 else sample.name
    place = case / name
    if rng.random() < 0.06:
        return instead_of_a_file(place, rng)
    if sample.is_file():
        place.write_bytes(damaged(sample.read_bytes(), rng))
        return place
    _copy(sample, place)
    files = [each for each in sorted(place.rglob("*")) if each.is_file()]
    if rng.random() < 0.8:
        files = [each for each in files if not each.is_symlink()]
    chosen = rng.choice(files)
    if rng.random() < 0.12:
        chosen.unlink()
        if rng.random() < 0.5:
            instead_of_a_file(chosen, rng)
    else:
        chosen.write_bytes(damaged(chosen.read_bytes(), rng))
    if chosen.name != CARD and (chosen.parent / CARD).is_file() and rng.random() < 0.7:
        card = json.loads((chosen.parent / CARD).read_bytes())
        seal(chosen.parent, card) if chosen.is_file() and chosen.stat().st_size else None
    return place


NAMES = tuple(
    os.fsdecode(each)
    for each in (
        b"odd\xff.json",
        b"\xff\xfe",
        "名称.json".encode(),
        b"two words.csv",
        b"[bold]x.json",
        b"line\nbreak.json",
        b"-dash.json",
        b"x" * 200,
        b"tab\t.jsonl",
        b"#hash.txt",
        b"\x1b[31m.json",
    )
)


def instead_of_a_file(place: Path, rng: random.Random) -> Path:
    match rng.randrange(8):
        case 0:
            os.mkfifo(place)
        case 1:
            place.symlink_to(place)
        case 2:
            place.mkdir()
        case 3:
            place.symlink_to("/dev/zero")
        case 4:
            place.symlink_to("/nowhere/at/all")
        case 5:
            return place.with_name("y" * 300)
        case 6:
            place.touch()
        case _:
            return place / "inside"
    return place


def _copy(sample: Path, place: Path) -> None:
    for file in sorted(sample.rglob("*")):
        target = place / file.relative_to(sample)
        if file.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    place.mkdir(exist_ok=True)
