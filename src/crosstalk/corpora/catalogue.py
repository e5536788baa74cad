"""The catalogue of corpora that can be fetched: licence, papers, files (`catalogue.toml`).

dataset = catalogue()["crosswoz"]
"""

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from crosstalk.errors import InputError


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file of a dataset, as it was published."""

    dataset: str
    path: str
    """Path in its repository."""
    to: str
    """Path in the dataset's folder of the data folder."""
    repository: str
    revision: str
    size: int | None = None
    blob: str = ""
    """Git blob id; empty when not known."""
    sha256: str = ""
    """Empty when not known."""
    address: str = ""
    """Where it lies, if not in its repository."""
    page: str = ""
    """Where a person finds it, if no program can fetch it."""

    @property
    def place(self) -> str:
        """Path in the data folder."""
        return f"{self.dataset}/{self.to}"

    @property
    def has_digest(self) -> bool:
        return bool(self.blob or self.sha256)

    def record(self, template: str) -> dict[str, Any]:
        """As JSON."""
        return {
            "url": self.url(template),
            "to": self.place,
            "size": self.size,
            "blob": self.blob or None,
            "sha256": self.sha256 or None,
            "by_hand": bool(self.page),
        }

    def url(self, template: str) -> str:
        """The address by a template of `templates`; only a mirror has files of other servers."""
        if (self.address or self.page) and template in templates():
            return self.address or self.page
        return template.format(
            repository=self.repository, revision=self.revision, path=quote(self.path)
        )


@dataclass(frozen=True, slots=True)
class Dataset:
    """A corpus that can be fetched."""

    name: str
    title: str
    licence: str
    attribution: tuple[str, ...]
    """The papers to cite."""
    repository: str
    revision: str
    files: tuple[RemoteFile, ...]

    @property
    def known_size(self) -> int:
        """Bytes of the files whose size is known."""
        return sum(file.size or 0 for file in self.files)

    @property
    def of_unknown_size(self) -> int:
        return sum(file.size is None for file in self.files)

    @property
    def size(self) -> str:
        """In words."""
        if not self.known_size:
            return "size not known"
        at_least = "at least " if self.of_unknown_size else ""
        return f"{at_least}{self.known_size / 1e6:.1f} MB"

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "licence": self.licence,
            "attribution": list(self.attribution),
            "repository": self.repository,
            "revision": self.revision,
            "files": len(self.files),
            "known_size": self.known_size,
            "files_of_unknown_size": self.of_unknown_size,
        }


@cache
def _content() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8"))


def catalogue() -> dict[str, Dataset]:
    """The datasets by name, in the order of the catalogue."""
    return {
        name: _dataset(name, entry) for name, entry in _content().items() if isinstance(entry, dict)
    }


def _dataset(name: str, entry: dict[str, Any]) -> Dataset:
    repository, revision = entry["repository"], entry["revision"]
    files = tuple(
        RemoteFile(dataset=name, **{"repository": repository, "revision": revision, **file})
        for line in entry["files"]
        for file in _numbered(line)
    )
    return Dataset(
        name=name,
        title=entry["title"],
        licence=entry["licence"],
        attribution=tuple(entry["attribution"]),
        repository=repository,
        revision=revision,
        files=files,
    )


def _numbered(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The files of one line: as many as its `count`, numbered from 001."""
    rest = {key: value for key, value in line.items() if key != "count"}
    if "count" not in line:
        yield rest
    for number in range(1, line.get("count", 0) + 1):
        yield {
            key: value.replace("{number}", f"{number:03}") if isinstance(value, str) else value
            for key, value in rest.items()
        }


def find(name: str) -> Dataset:
    datasets = catalogue()
    if name in datasets:
        return datasets[name]
    near = difflib.get_close_matches(name.lower(), datasets, n=3)
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    raise InputError(
        f"no dataset is called {name!r}", remedy=f"{hint}There are: {', '.join(datasets)}."
    )


def templates(mirror: str = "") -> tuple[str, ...]:
    """URL templates in order of preference; a mirror replaces all of them."""
    if not mirror:
        return tuple(_content()["urls"])
    if not mirror.startswith(("https://", "http://")):
        raise InputError(
            f"the mirror {mirror!r} is not an http(s) address",
            remedy="For files in a folder, use --from DIR.",
        )
    base = mirror.rstrip("/").replace("{", "{{").replace("}", "}}")
    return (base + "/{repository}/{revision}/{path}",)
