"""Files as they come: damaged, hostile, in the way; and files as they go, whole or not at all."""

import io
import os
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from crosstalk import files
from crosstalk.annotation.merge_files import read_verdicts
from crosstalk.corpora.json_stream import json_lines
from crosstalk.errors import CrosstalkError, FileProblem, OutputError
from crosstalk.files import (
    MAX_LINE,
    open_binary,
    open_text,
    read_json,
    read_text,
    refuse_unsafe_member,
    writing,
    writing_binary,
)
from crosstalk.training.word_vectors import read_word_vectors


def zipped(**members: bytes) -> bytes:
    """A zip of members; `__` in a name stands for a dot."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(name.replace("__", "."), body)
    return packed.getvalue()


def named(name: str, body: bytes = b"{}") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), body)
    return packed.getvalue()


@contextmanager
def as_an_ordinary_user() -> Iterator[Path]:
    """A folder to work in; the superuser, whom nothing is forbidden, puts on other clothes."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    was_root = os.geteuid() == 0
    if was_root:
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if was_root:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)


# Reading plain files


def test_a_plain_file_and_the_one_in_a_zip_read_the_same(tmp_path: Path) -> None:
    (tmp_path / "plain.json").write_bytes(b'{"a": 1}')
    (tmp_path / "zipped.json.zip").write_bytes(zipped(plain__json=b'{"a": 1}'))
    assert read_json(tmp_path / "plain.json") == read_json(tmp_path / "zipped.json.zip") == {"a": 1}


def test_litter_in_a_zip_is_overlooked(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("folder/", "__MACOSX/folder/._a.json", "folder/.DS_Store", "folder/a.json"):
            archive.writestr(name, b"[1]" if name.endswith("a.json") else b"")
    (tmp_path / "a.zip").write_bytes(packed.getvalue())
    assert read_json(tmp_path / "a.zip") == [1]


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "marked.json").write_bytes(b"\xef\xbb\xbf[]")
    assert read_text(tmp_path / "marked.json") == "[]"
    assert read_json(tmp_path / "marked.json") == []


def test_what_cannot_be_opened_is_told_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    (tmp_path / "file").write_bytes(b"x")
    told = {
        "missing": "no such file",
        "": "is a directory",
        "empty": "the file is empty",
        "pipe": "is not a plain file",
        "circle": "the links lead in a circle",
        "file/inside": "Not a directory",
        "n" * 300: "File name too long",
        "nul\0": "cannot hold a NUL",
    }
    for name, words in told.items():
        with pytest.raises(FileProblem, match=words) as problem, open_binary(tmp_path / name):
            pass
        assert str(tmp_path) in problem.value.message
        assert problem.value.remedy


def test_a_file_that_may_not_be_read_is_told() -> None:
    with as_an_ordinary_user() as folder:
        (folder / "secret").write_bytes(b"x")
        (folder / "secret").chmod(0)
        with pytest.raises(FileProblem, match="may not read") as problem:
            read_text(folder / "secret")
    assert problem.value.remedy


@pytest.mark.parametrize("wrap", [bytes, lambda body: zipped(a__txt=body)])
def test_the_byte_that_is_not_utf8_is_named(tmp_path: Path, wrap: Callable[[bytes], bytes]) -> None:
    body = "第一行\n第二行".encode() * 5000 + b"\xc4\xe3"
    (tmp_path / "a.txt").write_bytes(wrap(body))
    with pytest.raises(FileProblem) as problem:
        read_text(tmp_path / "a.txt")
    line, byte = 5001, len("第一行\n第二行".encode()) * 5000
    assert f"line {line:}, byte {byte:,}: 0xc4 is not UTF-8" in problem.value.message
    assert "UTF-8" in problem.value.remedy


def test_a_unicode_error_of_the_reader_is_not_blamed_on_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("fine")
    with pytest.raises(UnicodeDecodeError), open_text(tmp_path / "a.txt"):
        b"\xff".decode()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"a": 1', "line 1, column 8"),
        (b'{"a": NaN}', "NaN is not a JSON number"),
        (b"[-Infinity]", "-Infinity is not a JSON number"),
        (b'{"a": 1, "b": 2, "a": 3}', "the field 'a' appears twice"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (b"1" * 5000, "not valid JSON"),
        (b'"a\0b"', "Invalid control character"),
        (b"\0" * 100, "line 1, column 1"),
        (b" ", "line 1, column 2"),
        ("[]".encode("utf-16"), "0xff is not UTF-8"),
    ],
)
def test_json_that_is_none_is_told(tmp_path: Path, body: bytes, words: str) -> None:
    (tmp_path / "a.json").write_bytes(body)
    with pytest.raises(FileProblem) as problem:
        read_json(tmp_path / "a.json")
    assert words in problem.value.message and problem.value.remedy


# Reading zips


@pytest.mark.parametrize(
    "name",
    [
        "../a.json",
        "a/../../b.json",
        "/etc/passwd",
        "C:\\a.json",
        "c:/a.json",
        "..\\a.json",
        "\\\\x",
    ],
)
def test_names_that_lead_out_of_the_zip_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.zip").write_bytes(named(name))
    with pytest.raises(FileProblem, match="points outside the archive"):
        read_json(tmp_path / "a.zip")
    with pytest.raises(FileProblem, match="points outside"):
        refuse_unsafe_member(tmp_path / "a.zip", zipfile.ZipInfo(name))


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("a.json")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(FileProblem, match="symbolic link"):
        read_text(tmp_path / "a.zip")


def test_a_zip_that_unpacks_a_thousandfold_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped(a__json=b"0" * 10_000_000))
    with pytest.raises(FileProblem, match="unpacks to 10,000,000 bytes"):
        read_text(tmp_path / "a.zip")


@pytest.mark.parametrize(
    ("field", "lie"),
    [(20, 1_000_000), (24, 100)],
    ids=["the size it is packed to", "the size it unpacks to"],
)
def test_a_zip_that_lies_about_its_sizes_is_stopped(tmp_path: Path, field: int, lie: int) -> None:
    body = bytearray(zipped(a__json=b"0" * 10_000_000))
    struct.pack_into("<I", body, body.rindex(b"PK\x01\x02") + field, lie)
    (tmp_path / "a.zip").write_bytes(body)
    taken = 0
    with pytest.raises(FileProblem), open_binary(tmp_path / "a.zip") as raw:
        while piece := raw.read(1 << 16):
            taken += len(piece)
    assert taken < 200 * len(body)


def test_bytes_are_counted_even_if_the_library_believes_a_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.zip").write_bytes(zipped(a__json=b"[]"))
    monkeypatch.setattr("zipfile.ZipFile.open", lambda *given: io.BytesIO(b"0" * 10_000_000))
    with pytest.raises(FileProblem, match="unpacks to more than 204,800 bytes"):
        read_text(tmp_path / "a.zip")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (zipped(a=b"1", b=b"2"), r"holds 2 files \(a, b\); exactly one is expected"),
        (zipped(), r"holds 0 files \(none\)"),
        (zipped(a=b""), "the file in the zip is empty"),
        (zipped(a=zipped(a=b"1")), "the zip holds another zip"),
        (zipped(a=b"some text" * 100)[:-30], "cannot be unpacked"),
        (zipped(a=b"some text" * 100)[:40], "cannot be unpacked"),
        (zipped(a=b"some text" * 100)[:4], "cannot be unpacked"),
    ],
    ids=range(7),  # a zip holds the time it was made: tests would have other names in each worker
)
def test_unfit_zips_are_told(tmp_path: Path, body: bytes, words: str) -> None:
    (tmp_path / "a.zip").write_bytes(body)
    with pytest.raises(FileProblem, match=words) as problem:
        read_text(tmp_path / "a.zip")
    assert problem.value.remedy


def test_too_many_members_are_refused_before_they_are_listed(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for number in range(10_001):
            archive.writestr(str(number), b"")
    with pytest.raises(FileProblem, match="holds 10,001 members"):
        read_text(tmp_path / "a.zip")


def test_an_encrypted_member_is_told(tmp_path: Path) -> None:
    body = bytearray(zipped(a=b"secret"))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        body[body.index(mark) + offset] |= 1
    (tmp_path / "a.zip").write_bytes(body)
    with pytest.raises(FileProblem, match="encrypted"):
        read_text(tmp_path / "a.zip")


def test_errors_of_the_reader_are_not_blamed_on_the_zip(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped(a=b"fine"))
    with pytest.raises(RecursionError), open_binary(tmp_path / "a.zip"):
        raise RecursionError


GOOD_ZIP = zipped(a__json=b'{"a": "some text that packs"}' * 40)


@settings(max_examples=150, deadline=None)
@given(
    some.lists(
        some.tuples(some.integers(0, len(GOOD_ZIP) - 1), some.integers(0, 255)),
        min_size=1,
        max_size=4,
    )
)
def test_a_damaged_zip_gives_text_or_words(changes: list[tuple[int, int]]) -> None:
    body = bytearray(GOOD_ZIP)
    for position, byte in changes:
        body[position] = byte
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.zip")
        path.write_bytes(body)
        try:
            read_text(path)
        except FileProblem as problem:
            assert str(path) in problem.message


# Writing


def leftovers(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder" / "a.txt"
    with writing(target) as text:
        text.write("一\n")
        text.flush()
        assert not target.exists()
    assert target.read_bytes() == "一\n".encode()
    with writing_binary(target) as raw:
        raw.write(b"two")
    assert target.read_bytes() == b"two"
    assert leftovers(target.parent) == {"a.txt"}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, CrosstalkError("x"), SystemExit])
def test_a_writer_that_fails_leaves_what_was_there(
    tmp_path: Path, error: type[BaseException] | BaseException
) -> None:
    (tmp_path / "a.txt").write_text("old")
    for target in (tmp_path / "a.txt", tmp_path / "new" / "folder" / "a.txt"):
        with pytest.raises(BaseException) as failed, writing(target) as text:
            text.write("new")
            raise error
        assert not isinstance(failed.value, OutputError)
    assert leftovers(tmp_path) == {"a.txt"}
    assert (tmp_path / "a.txt").read_text() == "old"


def test_errors_of_other_files_are_not_blamed_on_this_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), writing(tmp_path / "a.txt"):
        (tmp_path / "missing").read_text()
    with pytest.raises(BrokenPipeError), writing(tmp_path / "a.txt"):
        raise BrokenPipeError


WRITER = """
import sys, time
from pathlib import Path
from crosstalk.files import writing
with writing(Path(sys.argv[1])) as text:
    text.write("new " * 100_000)
    text.flush()
    print("half", flush=True)
    time.sleep(60)
"""


def test_a_killed_writer_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    command = [sys.executable, "-c", WRITER, str(tmp_path / "a.txt")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout and writer.stdout.readline() == b"half\n"
        writer.send_signal(signal.SIGKILL)
    assert (tmp_path / "a.txt").read_text() == "old"
    (left,) = leftovers(tmp_path) - {"a.txt"}
    assert left.startswith(".a.txt.") and left.endswith(".part")


def test_writers_at_once_do_not_mix(tmp_path: Path) -> None:
    def write(letter: str) -> None:
        with writing(tmp_path / "a.txt") as text:
            for _ in range(200):
                text.write(letter * 500)
                time.sleep(0)

    writers = [threading.Thread(target=write, args=(letter,)) for letter in "abcdef"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    content = (tmp_path / "a.txt").read_text()
    assert len(content) == 100_000 and len(set(content)) == 1
    assert leftovers(tmp_path) == {"a.txt"}


def test_no_space_left_is_told(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(OutputError, match="No space left") as problem, writing(full) as text:
        text.write("x" * 100_000)
    assert "Free some space" in problem.value.remedy
    assert full.exists() and not full.is_file()


def test_a_limit_on_file_sizes_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
    try:
        with (
            pytest.raises(OutputError, match="File too large"),
            writing(tmp_path / "a.txt") as text,
        ):
            text.write("x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (tmp_path / "a.txt").read_text() == "old"
    assert leftovers(tmp_path) == {"a.txt"}


def test_a_folder_that_may_not_be_written_to_is_told() -> None:
    with as_an_ordinary_user() as folder:
        (folder / "a.txt").write_text("old")
        folder.chmod(0o555)
        for target in (folder / "a.txt", folder / "new" / "a.txt"):
            with pytest.raises(OutputError, match="denied") as problem, writing(target) as text:
                text.write("new")
            assert "nothing was changed" in problem.value.message
            assert problem.value.remedy == "Choose a folder you may write to."
        assert (folder / "a.txt").read_text() == "old"


def test_places_where_no_file_can_be_are_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    told = {
        "": "is a directory",
        "file/a.txt": "Not a directory|File exists",
        "file/b/a.txt": "Not a directory",
        "n" * 256: "File name too long",
        "circle": "Too many levels of symbolic links",
        "nul\0": "NUL",
    }
    for name, words in told.items():
        with pytest.raises(OutputError, match=words) as problem, writing(tmp_path / name) as text:
            text.write("new")
        assert problem.value.remedy
    assert leftovers(tmp_path) == {"file", "circle"}


@pytest.mark.parametrize("name", ["n" * 255, "字" * 85, "é" * 127])
def test_the_longest_names_can_be_written(tmp_path: Path, name: str) -> None:
    with writing(tmp_path / name) as text:
        text.write("x")
    assert (tmp_path / name).read_text() == "x"


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.txt").write_text("old")
    (tmp_path / "link").symlink_to("real/a.txt")
    (tmp_path / "dangling").symlink_to("real/b.txt")
    for link in ("link", "dangling"):
        with writing(tmp_path / link) as text:
            text.write("new")
        assert (tmp_path / link).is_symlink()
    assert (tmp_path / "real/a.txt").read_text() == "new"
    assert (tmp_path / "real/b.txt").read_text() == "new"


def test_permissions_of_the_old_file_are_kept(tmp_path: Path) -> None:
    (tmp_path / "private").write_text("old")
    (tmp_path / "private").chmod(0o600)
    for name in ("private", "fresh"):
        with writing(tmp_path / name) as text:
            text.write("new")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "private").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o666 & ~umask


def test_a_pipe_that_nobody_reads_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PIPE_SECONDS", 0.1)
    os.mkfifo(tmp_path / "pipe")
    with (
        pytest.raises(OutputError, match="cannot be written") as problem,
        writing(tmp_path / "pipe") as text,
    ):
        text.write("to nobody")
    assert problem.value.remedy and "Nobody reads" in problem.value.remedy


@pytest.mark.skipif(not os.path.ismount("/proc"), reason="there are no files that a kernel makes")
def test_files_that_the_kernel_makes_up_are_not_read() -> None:
    """/proc/kmsg waits for the next message of the kernel."""
    with pytest.raises(FileProblem, match="not a plain file"), open_binary(Path("/proc/version")):
        pass


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    with writing(tmp_path / "pipe") as text:
        text.write("through")
    reader.join()
    assert read == [b"through"]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


LINE_READERS: dict[str, Callable[[Path], object]] = {
    "JSON lines": lambda path: list(json_lines(path)),
    "verdicts": read_verdicts,
    "word vectors": lambda path: list(read_word_vectors(path)),
}


@pytest.mark.parametrize("reader", LINE_READERS)
def test_a_line_that_never_ends_does_not_fill_the_memory(reader: str, tmp_path: Path) -> None:
    """The second line is too long, whoever reads the file line by line."""
    file = tmp_path / "lines"
    first = b"a 1 2\n" if reader == "word vectors" else b"\n"
    file.write_bytes(first + b"1" * (MAX_LINE + 2))
    with pytest.raises(FileProblem, match=r"line 2 has more than 16 MiB"):
        LINE_READERS[reader](file)
