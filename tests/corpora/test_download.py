"""Downloads from a real server on this machine that cuts, stalls, spoils, redirects and forgets.

Each request is answered by the server's next mood, and normally when it has no moods left.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from crosstalk.corpora.catalogue import RemoteFile
from crosstalk.corpora.dataset_files import FetchResult, FileOutcome, obtain
from crosstalk.corpora.download import Downloader, Patience, Report
from crosstalk.errors import CrosstalkError, FetchError, OutputError


class Answer(BaseHTTPRequestHandler):
    """One request; moods call its methods."""

    server: "Server"

    def do_GET(self) -> None:
        site = self.server.site
        site.asked.append(dict(self.headers.items()) | {"path": self.path})
        mood = site.moods.pop(0) if site.moods else Answer.give
        try:
            mood(self)
        except (BrokenPipeError, ConnectionResetError):
            site.hung_up += 1

    def log_message(self, format: str, *values: object) -> None:
        pass

    def give(self, *, ranges: bool = True) -> None:
        """The file, or the rest of it, as a well-behaved server would."""
        site = self.server.site
        if self.path not in site.content:
            return self.send_error(404)
        body, start = site.content[self.path], 0
        wanted = self.headers.get("Range", "")
        same = self.headers.get("If-Range", site.etag) == site.etag
        if ranges and wanted and same:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
        if start >= len(body) > 0 and start:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(body)}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self.begin(body, start)
        self.pour(body[start:])

    def begin(self, body: bytes, start: int = 0) -> None:
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        if self.server.site.etag:
            self.send_header("ETag", self.server.site.etag)
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()

    def pour(self, body: bytes) -> None:
        for at in range(0, len(body), 4096):
            self.wfile.write(body[at : at + 4096])
            self.server.site.sent += len(body[at : at + 4096])
            time.sleep(self.server.site.pause)


Mood = Callable[[Answer], None]


@dataclass
class Site:
    """What the server offers, how it will behave, and what it was asked."""

    base: str
    content: dict[str, bytes] = field(default_factory=dict)
    etag: str = '"one"'
    moods: list[Mood] = field(default_factory=list)
    pause: float = 0.0
    """Seconds between two pieces of 4,096 bytes."""
    asked: list[dict[str, str]] = field(default_factory=list)
    sent: int = 0
    hung_up: int = 0
    closing: threading.Event = field(default_factory=threading.Event)

    def offer(self, body: bytes, *, digest: bool = True, size: bool = True) -> RemoteFile:
        """Put a file on the server, and describe it as the catalogue would."""
        self.content["/owner/name/main/corpus.json"] = body
        return RemoteFile(
            dataset="corpus",
            path="corpus.json",
            to="corpus.json",
            repository="owner/name",
            revision="main",
            size=len(body) if size else None,
            sha256=hashlib.sha256(body).hexdigest() if digest else "",
            blob=hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest() if digest else "",
        )


class Server(ThreadingHTTPServer):
    daemon_threads = True
    site: Site

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    with Server(("127.0.0.1", 0), Answer) as server:
        server.site = Site(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.site
        server.site.closing.set()
        server.shutdown()
        thread.join()


# Moods


def cut_after(count: int) -> Mood:
    """Promise all of it, and hang up after `count` bytes."""

    def mood(answer: Answer) -> None:
        body = answer.server.site.content[answer.path]
        answer.begin(body)
        answer.pour(body[:count])

    return mood


def stall_after(count: int) -> Mood:
    """Send `count` bytes, and then nothing, without hanging up."""

    def mood(answer: Answer) -> None:
        cut_after(count)(answer)
        answer.wfile.flush()
        answer.server.site.closing.wait(5)

    return mood


def say(status: int, **headers: str) -> Mood:
    """A status and nothing else."""

    def mood(answer: Answer) -> None:
        answer.send_response(status)
        for name, value in headers.items():
            answer.send_header(name.replace("_", "-"), value)
        answer.send_header("Content-Length", "0")
        answer.end_headers()

    return mood


def spoil(answer: Answer) -> None:
    """The right number of bytes, one of them wrong."""
    body = answer.server.site.content[answer.path]
    answer.begin(body)
    answer.pour(b"?" + body[1:])


def no_ranges(answer: Answer) -> None:
    """All of it, whatever part was asked for."""
    answer.give(ranges=False)


def without_length(count: int) -> Mood:
    """Hang up after `count` bytes without having said how many there would be."""

    def mood(answer: Answer) -> None:
        answer.send_response(200)
        answer.end_headers()
        answer.pour(answer.server.site.content[answer.path][:count])

    return mood


def endless(answer: Answer) -> None:
    answer.send_response(200)
    answer.end_headers()
    while not answer.server.site.closing.is_set():
        answer.pour(b"x" * 65536)


def packed(answer: Answer) -> None:
    answer.send_response(200)
    answer.send_header("Content-Encoding", "gzip")
    answer.send_header("Content-Length", "4")
    answer.end_headers()
    answer.pour(b"abcd")


# Tests

BODY = bytes(range(256)) * 400
"""102,400 bytes, 25 pieces of the server's."""
QUICK = Patience(attempts=4, connects=2, first_delay=0.5, connect=2.0, read=0.3)


def fetch(
    site: Site,
    file: RemoteFile,
    folder: Path,
    *,
    naps: list[float] | None = None,
    report: Report | None = None,
) -> FileOutcome:
    naps = naps if naps is not None else []
    with Downloader(
        mirror=site.base,
        patience=QUICK,
        sleep=naps.append,
        report=report or (lambda file, so_far, total: None),
    ) as downloader:
        return downloader.fetch(file, folder / file.place)


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_file_arrives_and_is_verified(site: Site, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    file = site.offer(BODY)
    outcome = fetch(
        site, file, tmp_path, report=lambda file, so_far, total: seen.append((so_far, total))
    )
    assert outcome == FileOutcome(file, FetchResult.OBTAINED, verified=True)
    assert (tmp_path / "corpus/corpus.json").read_bytes() == BODY
    assert names(tmp_path) == {"corpus/corpus.json"}
    assert seen[-1] == (len(BODY), len(BODY))


def test_a_cut_connection_is_resumed_where_it_broke(site: Site, tmp_path: Path) -> None:
    site.moods = [cut_after(40_960), cut_after(0)]
    naps: list[float] = []
    fetch(site, site.offer(BODY), tmp_path, naps=naps)
    assert (tmp_path / "corpus/corpus.json").read_bytes() == BODY
    assert [asked.get("Range") for asked in site.asked] == [None, "bytes=40960-", None]
    assert site.asked[1]["If-Range"] == '"one"'
    assert naps == [0.5, 1.0]  # each delay is twice the one before


def test_a_stalled_server_is_noticed(site: Site, tmp_path: Path) -> None:
    site.moods = [stall_after(8192)]
    begun = time.monotonic()
    fetch(site, site.offer(BODY), tmp_path)
    assert time.monotonic() - begun < 30  # a stalled server would be waited for much longer
    assert site.asked[1]["Range"] == "bytes=8192-"


def test_a_server_that_stays_silent_is_given_up(site: Site, tmp_path: Path) -> None:
    site.moods = [stall_after(4096)] * 4
    with pytest.raises(FetchError, match=r"silent for 0\.3 seconds"):
        fetch(site, site.offer(BODY), tmp_path)
    assert "corpus/corpus.json" not in names(tmp_path)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_passing_failures_are_tried_again(site: Site, tmp_path: Path, status: int) -> None:
    site.moods = [say(status), say(status)]
    fetch(site, site.offer(BODY), tmp_path)
    assert (tmp_path / "corpus/corpus.json").read_bytes() == BODY


def test_the_server_may_ask_for_more_patience_but_not_for_ever(site: Site, tmp_path: Path) -> None:
    site.moods = [say(503, Retry_After="7"), say(503, Retry_After="86400")]
    naps: list[float] = []
    fetch(site, site.offer(BODY), tmp_path, naps=naps)
    assert naps == [7.0, 60.0]


def test_lasting_failure_ends_in_words(site: Site, tmp_path: Path) -> None:
    site.moods = [say(500)] * 4
    with pytest.raises(FetchError) as failed:
        fetch(site, site.offer(BODY), tmp_path)
    assert "500 Internal Server Error" in str(failed.value)
    assert "crosstalk fetch corpus --from DIR" in failed.value.remedy
    assert len(site.asked) == 4
    assert names(tmp_path) == set()
    assert not (tmp_path / "corpus").exists()


def test_what_is_not_there_is_asked_for_once(site: Site, tmp_path: Path) -> None:
    file = site.offer(BODY)
    site.content.clear()
    with pytest.raises(FetchError, match="404 Not Found"):
        fetch(site, file, tmp_path)
    assert len(site.asked) == 1


def test_a_spoilt_file_is_thrown_away_and_both_digests_are_told(site: Site, tmp_path: Path) -> None:
    site.moods = [spoil]
    file = site.offer(BODY)
    with pytest.raises(FetchError) as failed:
        fetch(site, file, tmp_path)
    found = b"?" + BODY[1:]
    assert hashlib.sha1(b"blob %d\0" % len(found) + found).hexdigest() in failed.value.message
    assert file.blob in failed.value.message
    assert names(tmp_path) == set()


def test_a_short_file_without_a_stated_length_is_noticed(site: Site, tmp_path: Path) -> None:
    site.moods = [without_length(12_288)]
    fetch(site, site.offer(BODY), tmp_path)
    assert (tmp_path / "corpus/corpus.json").read_bytes() == BODY
    assert site.asked[1]["Range"] == "bytes=12288-"


def test_more_than_was_promised_is_refused(site: Site, tmp_path: Path) -> None:
    site.moods = [endless]
    with pytest.raises(FetchError, match="more than the 102,400 bytes"):
        fetch(site, site.offer(BODY), tmp_path)
    assert names(tmp_path) == set()


def test_a_server_without_ranges_sends_all_of_it_again(site: Site, tmp_path: Path) -> None:
    site.moods = [cut_after(20_480), no_ranges]
    fetch(site, site.offer(BODY), tmp_path)
    assert (tmp_path / "corpus/corpus.json").read_bytes() == BODY


def test_a_file_that_changes_between_attempts_is_not_glued_together(
    site: Site, tmp_path: Path
) -> None:
    site.offer(b"the old version" * 5000)
    file = site.offer(BODY, digest=False, size=False)
    site.content["/owner/name/main/corpus.json"] = b"the old version" * 5000

    def cut_and_change(answer: Answer) -> None:
        cut_after(20_480)(answer)
        site.etag = '"two"'
        site.content["/owner/name/main/corpus.json"] = BODY

    site.moods = [cut_and_change]
    fetch(site, file, tmp_path)
    assert site.asked[1]["If-Range"] == '"one"'
    assert (tmp_path / "corpus/corpus.json").read_bytes() == BODY


def test_without_a_mark_of_the_version_a_digest_finds_the_glued_file(
    site: Site, tmp_path: Path
) -> None:
    file = site.offer(BODY)
    site.etag = ""
    part = tmp_path / "corpus/corpus.json.part"
    part.parent.mkdir()
    part.write_bytes(b"from an older version")
    fetch(site, file, tmp_path)
    assert [asked.get("Range") for asked in site.asked] == ["bytes=21-", None]
    assert (tmp_path / "corpus/corpus.json").read_bytes() == BODY


def test_without_mark_and_digest_nothing_is_resumed(site: Site, tmp_path: Path) -> None:
    site.etag = ""
    site.moods = [cut_after(20_480)]
    outcome = fetch(site, site.offer(BODY, digest=False, size=False), tmp_path)
    assert [asked.get("Range") for asked in site.asked] == [None, None]
    assert not outcome.verified


def test_a_weak_mark_is_not_trusted(site: Site, tmp_path: Path) -> None:
    site.etag = 'W/"one"'
    site.moods = [cut_after(20_480)]
    fetch(site, site.offer(BODY, digest=False), tmp_path)
    assert [asked.get("Range") for asked in site.asked] == [None, None]


def test_a_run_that_ended_before_the_renaming_asks_for_nothing(site: Site, tmp_path: Path) -> None:
    file = site.offer(BODY)
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/corpus.json.part").write_bytes(BODY)
    fetch(site, file, tmp_path)
    assert site.asked == []
    assert names(tmp_path) == {"corpus/corpus.json"}


def test_a_part_that_is_all_of_it_is_recognised_by_the_server(site: Site, tmp_path: Path) -> None:
    file = site.offer(BODY, size=False)
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/corpus.json.part").write_bytes(BODY)
    fetch(site, file, tmp_path)
    assert site.sent == 0
    assert names(tmp_path) == {"corpus/corpus.json"}


def test_a_part_longer_than_the_file_is_started_anew(site: Site, tmp_path: Path) -> None:
    file = site.offer(BODY, size=False)
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/corpus.json.part").write_bytes(BODY + b"more")
    fetch(site, file, tmp_path)
    assert (tmp_path / "corpus/corpus.json").read_bytes() == BODY


def test_one_redirect_is_followed(site: Site, tmp_path: Path) -> None:
    file = site.offer(BODY)
    site.content["/elsewhere"] = BODY
    site.moods = [say(302, Location="/elsewhere")]
    fetch(site, file, tmp_path)
    assert [asked["path"] for asked in site.asked][-1] == "/elsewhere"
    assert (tmp_path / "corpus/corpus.json").read_bytes() == BODY


def test_redirects_in_a_circle_are_left(site: Site, tmp_path: Path) -> None:
    file = site.offer(BODY)
    site.moods = [say(302, Location="/owner/name/main/corpus.json")] * 20
    with pytest.raises(FetchError, match="more than 5 times"):
        fetch(site, file, tmp_path)
    assert len(site.asked) == 6


def test_a_redirect_to_a_file_on_this_machine_is_refused(site: Site, tmp_path: Path) -> None:
    site.moods = [say(302, Location="file:///etc/passwd")]
    with pytest.raises(FetchError, match="unsafe address"):
        fetch(site, site.offer(BODY), tmp_path)


def test_compressed_answers_are_refused(site: Site, tmp_path: Path) -> None:
    site.moods = [packed]
    with pytest.raises(FetchError, match="compressed"):
        fetch(site, site.offer(BODY), tmp_path)
    assert site.asked[0]["Accept-Encoding"] == "identity"


def test_nobody_listening_is_told_with_a_way_out(site: Site, tmp_path: Path) -> None:
    file = site.offer(BODY)
    nowhere = Site("http://127.0.0.1:9")
    with pytest.raises(FetchError) as failed:
        fetch(nowhere, file, tmp_path)
    for word in ("no connection", "http://127.0.0.1:9/owner/name/main/corpus.json"):
        assert word in failed.value.message
    for word in ("--from DIR", "--list", "HTTPS_PROXY"):
        assert word in failed.value.remedy


def test_the_proxy_of_the_environment_is_used(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = site.offer(BODY)
    site.content["http://corpora.invalid/owner/name/main/corpus.json"] = BODY
    monkeypatch.setenv("HTTP_PROXY", site.base)
    fetch(Site("http://corpora.invalid"), file, tmp_path)
    assert (tmp_path / "corpus/corpus.json").read_bytes() == BODY


def test_what_is_there_already_is_left_alone(site: Site, tmp_path: Path) -> None:
    file = site.offer(BODY)
    fetch(site, file, tmp_path)
    with Downloader(mirror=site.base) as downloader:
        (outcome,) = obtain([file], tmp_path, downloader.fetch)
        assert outcome == FileOutcome(file, FetchResult.PRESENT, verified=True)
        (tmp_path / file.place).write_bytes(b"my notes")
        (outcome,) = obtain([file], tmp_path, downloader.fetch)
    assert outcome.state is FetchResult.DIFFERENT
    assert (tmp_path / file.place).read_bytes() == b"my notes"
    assert len(site.asked) == 1


def test_a_full_disk_is_noticed_before_the_first_byte(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=50_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(OutputError, match="needs 102,400 bytes, and 50,000 are free"):
        fetch(site, site.offer(BODY), tmp_path)


def test_a_second_run_keeps_away(site: Site, tmp_path: Path) -> None:
    site.pause = 0.02
    file = site.offer(BODY)
    first = threading.Thread(target=fetch, args=(site, file, tmp_path))
    first.start()
    while not site.sent:
        time.sleep(0.01)
    with pytest.raises(OutputError, match="another run"):
        fetch(site, file, tmp_path)
    first.join()
    assert (tmp_path / file.place).read_bytes() == BODY


COMMAND = """
import json, sys
import crosstalk.corpora.catalogue as catalogue
files = [json.loads(sys.argv[1])]
content = {"corpus": {"title": "t", "licence": "l", "attribution": ["a"], "files": files,
                      "repository": "owner/name", "revision": "main"}}
catalogue._content = lambda: content
sys.argv = ["crosstalk", "fetch", "corpus", "--data", sys.argv[2], "--mirror", sys.argv[3]]
from crosstalk.cli.main import run
run()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_stopped_is_resumed_by_the_next(
    site: Site, tmp_path: Path, how: signal.Signals
) -> None:
    site.pause = 0.02
    file = site.offer(BODY)
    entry = {"path": file.path, "to": file.to, "size": file.size, "blob": file.blob}
    command = [sys.executable, "-c", COMMAND, json.dumps(entry), str(tmp_path), site.base]
    first = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    while site.sent < 30_000:
        time.sleep(0.01)
    os.kill(first.pid, how)
    _, said = first.communicate(timeout=10)
    assert names(tmp_path) == {"corpus/corpus.json.part", "corpus/corpus.json.part.json"}
    if how is signal.SIGINT:
        assert first.returncode == 130
        assert b"goes on where it stopped" in said
        assert b"Traceback" not in said
    site.pause, site.sent = 0.0, 0
    subprocess.run(command, check=True, timeout=10, capture_output=True)
    assert names(tmp_path) == {"corpus/corpus.json"}
    assert (tmp_path / file.place).read_bytes() == BODY
    assert 0 < site.sent < len(BODY)


def test_every_failure_is_one_of_ours(site: Site, tmp_path: Path) -> None:
    with pytest.raises(CrosstalkError, match="not an http"):
        Downloader(mirror="ftp://corpora.invalid")
