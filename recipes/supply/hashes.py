"""Write the SHA-256 of every published file into the lock files: `make lock`.

    python -m recipes.supply.hashes requirements/base.txt requirements/dev.txt

Digests come from the package index that pip is set up with, and from its local folders of wheels
(`find-links`). pip then installs nothing whose digest is not in the file. A build for CPUs only, as
of torch, is not in the index: its digest is that of the local wheel alone, since the index's own
files for Linux want libraries for GPUs that are not in the lock.
"""

import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote
from urllib.request import Request, urlopen

PIN = re.compile(r"^[A-Za-z0-9._-]+==[^\s\\;]+", re.MULTILINE)
LOCAL_BUILDS = frozenset({"torch"})
"""Packages of which only local wheels are locked."""
NOTE = "# torch: the digest of the CPU wheel for Linux and Python 3.11; elsewhere, by hand."


def main() -> None:
    files = [Path(name) for name in sys.argv[1:]]
    texts = [file.read_text(encoding="utf-8") for file in files]
    known = {pin: digests for text in texts for pin, digests in hashes_of(text).items()}
    wanted = {pin[0] for text in texts for pin in PIN.finditer(text)} - set(known)
    with ThreadPoolExecutor(8) as several:
        known |= dict(zip(sorted(wanted), several.map(_digests, sorted(wanted)), strict=True))
    if missing := sorted(pin for pin, digests in known.items() if not digests):
        raise SystemExit(f"no file was found for {', '.join(missing)}; nothing was written")
    for file, text in zip(files, texts, strict=True):
        lines = [line for each in text.splitlines() for line in _hashed(each, known)]
        if any(line.startswith("torch==") for line in lines) and NOTE not in lines:
            lines.insert(0, NOTE)
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def hashes_of(text: str) -> dict[str, list[str]]:
    """`name==version` -> the digests that a lock file has for it."""
    found: dict[str, list[str]] = {}
    pin = ""
    for line in text.splitlines():
        if started := PIN.match(line):
            pin = started[0]
        if digest := re.search(r"--hash=sha256:([0-9a-f]{64})", line):
            found.setdefault(pin, []).append(digest[1])
    return found


def _hashed(line: str, known: dict[str, list[str]]) -> Iterator[str]:
    pin = PIN.match(line)
    if not pin or line.endswith("\\"):
        yield line
        return
    yield " \\\n".join([pin[0], *(f"    --hash=sha256:{each}" for each in known[pin[0]])])
    if comment := line[pin.end() :].strip():
        yield f"    {comment}"


def _digests(pin: str) -> list[str]:
    name, version = pin.split("==")
    local = _local(name, version)
    published = [] if name in LOCAL_BUILDS else _published(name, version)
    return sorted({*local, *published})


def _local(name: str, version: str) -> list[str]:
    start = f"{name.replace('-', '_')}-{version}"
    return [
        hashlib.sha256(file.read_bytes()).hexdigest()
        for folder in _settings("find-links")
        for file in sorted(Path(folder).glob("*.whl"))
        if file.name.lower().startswith((f"{start}-", f"{start}+"))
    ]


def _published(name: str, version: str) -> list[str]:
    # The default is pip's own; it is asked, not written down here.
    from pip._internal.models.index import PyPI

    index = next(iter(_settings("index-url")), PyPI.simple_url)
    url = f"{index.rstrip('/')}/{re.sub('[-_.]+', '-', name).lower()}/"
    with urlopen(Request(url, headers={"Accept": "text/html"}), timeout=60) as page:
        links = re.findall(r"/([^/\"#]+)#sha256=([0-9a-f]{64})", page.read().decode())
    return [digest for file, digest in links if _is_of(unquote(file), name, version)]


def _is_of(file: str, name: str, version: str) -> bool:
    """Whether a file name is that of a wheel or source archive of this version."""
    plain = re.sub("[-_.]+", "-", name).lower()
    known = re.match(r"(.+?)-([0-9][^-]*?)(-.*\.whl|\.tar\.gz|\.zip)$", file)
    return known is not None and (re.sub("[-_.]+", "-", known[1]).lower(), known[2]) == (
        plain,
        version,
    )


def _settings(name: str) -> list[str]:
    """The words of a setting of pip, wherever it is made."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    values = re.findall(rf"^(?:global|install|:env:)\.{name}='(.*)'$", listed, re.MULTILINE)
    return [word for value in values for word in value.replace("\\n", " ").split()]


if __name__ == "__main__":
    main()
