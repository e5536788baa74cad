"""Whether a file is the one that was published: its size, git blob id and SHA-256."""

import hashlib
from enum import Enum
from pathlib import Path

from crosstalk.corpora.catalogue import RemoteFile
from crosstalk.errors import FileProblem


class Standing(Enum):
    """What is known of a file on disk."""

    ABSENT = "absent"
    VERIFIED = "verified"
    UNVERIFIED = "unverified"
    """There, and of the right size if that is known, but no digest was published."""
    DIFFERENT = "different"


def standing(path: Path, file: RemoteFile) -> Standing:
    if not path.is_file():
        return Standing.ABSENT
    if difference(path, file):
        return Standing.DIFFERENT
    return Standing.VERIFIED if file.has_digest else Standing.UNVERIFIED


def difference(path: Path, file: RemoteFile) -> str:
    """In what the file on disk differs from the published one, in words; empty when in nothing."""
    size = path.stat().st_size
    if file.size is not None and size != file.size:
        return f"it has {size:,} bytes, the published file {file.size:,}"
    if file.blob and (found := _digest(path, "sha1", b"blob %d\0" % size)) != file.blob:
        return f"its git blob id is {found}, that of the published file {file.blob}"
    if file.sha256 and (found := _digest(path, "sha256")) != file.sha256:
        return f"its SHA-256 is {found}, that of the published file {file.sha256}"
    return ""


def _digest(path: Path, algorithm: str, before: bytes = b"") -> str:
    """Hex digest of `before` and the bytes of the file; git puts the kind and size before."""
    digest = hashlib.new(algorithm, before, usedforsecurity=algorithm != "sha1")
    try:
        with path.open("rb") as raw:
            while piece := raw.read(1 << 20):
                digest.update(piece)
    except OSError as error:
        raise FileProblem(
            f"{path}: cannot be read: {error.strerror}", remedy="Check its permissions."
        ) from error
    return digest.hexdigest()
