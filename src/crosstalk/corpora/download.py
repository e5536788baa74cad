"""The only place that uses the network: downloads files of the catalogue, resumed and verified.

A file appears under its name only when all of it has arrived and its size and digests are right.
Proxies are taken from HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, as httpx2 reads them.
"""

import contextlib
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import httpx2

from crosstalk import __version__
from crosstalk.corpora.catalogue import RemoteFile, templates
from crosstalk.corpora.dataset_files import FetchResult, FileOutcome, difference
from crosstalk.errors import FetchError, OutputError
from crosstalk.files import cannot_write, making_folder, writing


class Partial:
    """The unfinished copy of `target`."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = target.with_name(target.name + ".part")
        self._note = target.with_name(target.name + ".part.json")

    @property
    def size(self) -> int:
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def version(self, url: str) -> str:
        """The ETag or date of the file that the bytes are a part of; empty if unknown."""
        try:
            note = json.loads(self._note.read_text(encoding="utf-8"))
            return str(note["version"]) if note["url"] == url else ""
        except (OSError, ValueError, TypeError, LookupError):
            return ""

    def restart(self, url: str, version: str) -> None:
        with self._in_words():
            self.path.write_bytes(b"")
        with writing(self._note) as note:
            json.dump({"url": url, "version": version}, note)

    @contextmanager
    def appending(self) -> Iterator[BinaryIO]:
        with self._in_words(), self.path.open("ab") as raw:
            yield raw

    def finish(self) -> None:
        with self._in_words():
            with self.path.open("ab") as raw:
                os.fsync(raw.fileno())
            self.path.replace(self.target)
        self._note.unlink(missing_ok=True)

    def discard(self) -> None:
        """Empty it; the file itself stays, because the lock is on it."""
        with self._in_words():
            self.path.write_bytes(b"")
        self._note.unlink(missing_ok=True)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the file against other processes."""
        with ExitStack() as afterwards:
            with self._in_words():
                afterwards.enter_context(making_folder(self.target.parent))
                raw = afterwards.enter_context(self.path.open("ab"))
            self._lock(raw)
            afterwards.callback(self._leave_nothing_empty)
            yield

    def _leave_nothing_empty(self) -> None:
        if self.size == 0:
            self.path.unlink(missing_ok=True)
            self._note.unlink(missing_ok=True)

    def _lock(self, raw: BinaryIO) -> None:
        with contextlib.suppress(ImportError):  # Windows keeps others away by itself
            import fcntl

            try:
                fcntl.flock(raw, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise OutputError(
                    f"{self.target} is being fetched by another run",
                    remedy="Wait for it, or end it first.",
                ) from error

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise cannot_write(self.target, error) from error


MAX_REDIRECTS = 5
MAX_UNKNOWN_SIZE = 1 << 30
"""Maximum number of bytes if neither catalogue nor server gives the size: 1 GiB."""
SPARE = 1 << 20
"""Bytes to leave free on the disk."""

Report = Callable[[RemoteFile, int, int | None], None]
"""Called during a download: the file, bytes so far, total bytes if known."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Timeouts and numbers of attempts."""

    attempts: int = 5
    connects: int = 3
    """Attempts if no connection can be made; fewer, because later ones rarely succeed."""
    first_delay: float = 1.0
    """Seconds before the second attempt; each further delay is twice as long."""
    longest_delay: float = 60.0
    """Maximum delay, also if the server asks for more with Retry-After."""
    connect: float = 10.0
    """Timeout of a connection in seconds."""
    read: float = 30.0
    """Seconds without any data after which a download counts as stalled."""


class _TemporaryFailure(Exception):
    """A failure after which another attempt may succeed."""

    def __init__(self, message: str, *, wait: float = 0.0, unconnected: bool = False) -> None:
        super().__init__(message)
        self.wait = wait
        """Seconds that the server asked for."""
        self.unconnected = unconnected


class _Refused(Exception):
    """A failure of this address; the next one is tried."""


def _silent(file: RemoteFile, so_far: int, total: int | None) -> None:
    pass


class Downloader:
    """Fetches files one after the other."""

    def __init__(
        self,
        *,
        mirror: str = "",
        patience: Patience | None = None,
        sleep: Callable[[float], None] = time.sleep,
        report: Report = _silent,
    ) -> None:
        self._templates = templates(mirror)
        self._patience = patience or Patience()
        self._sleep = sleep
        self._report = report
        self._client = httpx2.Client(
            timeout=httpx2.Timeout(self._patience.read, connect=self._patience.connect),
            follow_redirects=False,
            trust_env=True,
            # Compressed on the way, a file could be neither resumed nor counted.
            headers={"User-Agent": f"crosstalk/{__version__}", "Accept-Encoding": "identity"},
        )

    def __enter__(self) -> "Downloader":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def fetch(self, file: RemoteFile, target: Path) -> FileOutcome:
        """Download the file to `target`; an incomplete part is kept for the next run.

        What only a person can fetch is missing, with the page that has it.
        """
        if file.page and file.url(self._templates[0]) == file.page:
            note = (
                f"comes by hand from {file.page}; then: crosstalk fetch {file.dataset} --from DIR"
            )
            return FileOutcome(file, FetchResult.MISSING, note=note)
        partial = Partial(target)
        failures = []
        with partial.held():
            for url in (file.url(template) for template in self._templates):
                try:
                    self._from(url, file, partial)
                    return FileOutcome(file, FetchResult.OBTAINED, verified=file.has_digest)
                except _Refused as problem:
                    failures.append(f"  {url}: {problem}")
            raise _unreachable(file, failures)

    def _from(self, url: str, file: RemoteFile, partial: Partial) -> None:
        """Download the file from one address, in several attempts."""
        for attempt in count(1):
            resumed = partial.size > 0
            try:
                if not _has_all(file, partial):
                    self._attempt(url, file, partial)
                return _verify(file, partial, again=resumed)
            except (httpx2.TransportError, httpx2.InvalidURL, _TemporaryFailure) as error:
                problem = self._temporary(error)
            most = self._patience.connects if problem.unconnected else self._patience.attempts
            if attempt >= most:
                raise _Refused(str(problem))
            self._sleep(self._delay(attempt, problem))

    def _temporary(self, error: Exception) -> _TemporaryFailure:
        """The problem of an attempt, if another one may succeed."""
        match error:
            case _TemporaryFailure():
                return error
            case httpx2.UnsupportedProtocol() | httpx2.InvalidURL():
                raise _Refused(str(error)) from error
            case httpx2.ConnectError() | httpx2.ConnectTimeout() | httpx2.ProxyError():
                return _TemporaryFailure(f"no connection: {error}", unconnected=True)
            case httpx2.TimeoutException():
                return _TemporaryFailure(
                    f"the server was silent for {self._patience.read:g} seconds"
                )
            case _:
                return _TemporaryFailure(f"the connection broke: {error}")

    def _delay(self, attempt: int, problem: _TemporaryFailure) -> float:
        ours = self._patience.first_delay * 2.0 ** (attempt - 1)
        return min(max(ours, problem.wait), self._patience.longest_delay)

    def _attempt(self, url: str, file: RemoteFile, partial: Partial) -> None:
        with closing(self._answer(url, _resuming(url, file, partial))) as response:
            if response.status_code == 416:  # nothing is left to send, or it is another file now
                if _total(response) != partial.size:
                    partial.discard()
                    raise _TemporaryFailure(
                        "the file on the server is shorter than what was fetched before"
                    )
                return
            _refuse_failure(response)
            _begin(response, url, partial)
            self._receive(response, file, partial)

    def _answer(self, url: str, headers: dict[str, str]) -> httpx2.Response:
        request = self._client.build_request("GET", url, headers=headers)
        for _ in range(MAX_REDIRECTS + 1):
            response = self._client.send(request, stream=True)
            if response.next_request is None:
                return response
            response.close()
            if response.next_request.url.scheme not in ("https", request.url.scheme):
                raise _Refused(f"it leads on to the unsafe address {response.next_request.url}")
            request = response.next_request
        raise _Refused(f"it leads on to other addresses more than {MAX_REDIRECTS} times")

    def _receive(self, response: httpx2.Response, file: RemoteFile, partial: Partial) -> None:
        total = _total(response)
        so_far = partial.size
        most = file.size or total or MAX_UNKNOWN_SIZE
        _refuse_full_disk(partial, (file.size or total or 0) - so_far)
        with partial.appending() as raw:
            for piece in response.iter_raw():
                raw.write(piece)
                so_far += len(piece)
                if so_far > most:
                    break
                self._report(file, so_far, file.size or total)
        if so_far > most:
            partial.discard()
            raise _Refused(f"it sends more than the {most:,} bytes that were expected")
        if so_far < (file.size or total or 0):
            raise _TemporaryFailure(f"it ended after {so_far:,} of {file.size or total:,} bytes")


def _has_all(file: RemoteFile, partial: Partial) -> bool:
    """Whether the part is complete: a run ended before renaming it."""
    if file.size is not None and partial.size > file.size:
        partial.discard()
    return partial.size == file.size


def _resuming(url: str, file: RemoteFile, partial: Partial) -> dict[str, str]:
    """Request the rest only if it is known to be of the same file."""
    version = partial.version(url)
    if partial.size == 0 or not (version or file.has_digest):
        return {}
    rest = {"Range": f"bytes={partial.size}-"}
    return {**rest, "If-Range": version} if version else rest


def _refuse_failure(response: httpx2.Response) -> None:
    status = f"{response.status_code} {response.reason_phrase}".strip()
    if response.status_code in (408, 425, 429) or response.status_code >= 500:
        seconds = response.headers.get("Retry-After", "")
        wait = float(seconds) if seconds.isdecimal() else 0.0
        raise _TemporaryFailure(f"the server answered {status}", wait=wait)
    if response.status_code not in (200, 206):
        raise _Refused(f"the server answered {status}")
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise _Refused("the server sent it compressed, although it was asked not to")


def _begin(response: httpx2.Response, url: str, partial: Partial) -> None:
    """Append if the server sends the rest, else start again."""
    if response.status_code == 200:
        version = response.headers.get("ETag", "")
        partial.restart(url, "" if version.startswith("W/") else version)
    elif _first(response) != partial.size:
        partial.discard()
        raise _TemporaryFailure("the server sent another part than the one it was asked for")


def _first(response: httpx2.Response) -> int | None:
    """Position of the first byte of a part."""
    found = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    return int(found[1]) if found else None


def _total(response: httpx2.Response) -> int | None:
    """Bytes of the whole file, as the server sees it."""
    found = re.search(r"/(\d+)$", response.headers.get("Content-Range", ""))
    length = found[1] if found else response.headers.get("Content-Length", "")
    return int(length) if length.isdecimal() and (found or response.status_code == 200) else None


def _refuse_full_disk(partial: Partial, wanted: int) -> None:
    free = shutil.disk_usage(partial.path.parent).free
    if free < wanted + SPARE:
        raise OutputError(
            f"{partial.target}: needs {wanted:,} bytes, and {free:,} are free",
            remedy="Free some space, or choose another data folder with --data DIR.",
        )


def _verify(file: RemoteFile, partial: Partial, *, again: bool) -> None:
    """Move the file into place, or delete it; `again` if an older part may be the cause."""
    wrong = difference(partial.path, file)
    if not wrong:
        return partial.finish()
    partial.discard()
    if again:
        raise _TemporaryFailure(f"what arrived is not the published file: {wrong}")
    raise FetchError(
        f"{file.place}: what arrived is not the published file: {wrong}; it was thrown away",
        remedy="Try again later or from another mirror; if it stays so, the publisher changed it.",
    )


def _unreachable(file: RemoteFile, failures: list[str]) -> FetchError:
    name = file.dataset
    return FetchError(
        "\n".join([f"{file.place} could not be fetched:", *failures]),
        remedy=(
            "Run the same command to go on where it stopped; behind a proxy, set HTTPS_PROXY. "
            f"Without a network, fetch the files elsewhere (`crosstalk fetch {name} --list` prints "
            f"their addresses) and hand them over with `crosstalk fetch {name} --from DIR`."
        ),
    )
