"""The lower bounds of pyproject.toml are those that `make test-oldest` tests, and nothing else."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
UNTESTED = {"torch"}
"""Its bound is that of transformers; the build that is tested is the one of development."""


def bounds() -> dict[str, str]:
    """Of everything but tools for development, Ray, and our own second distribution."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    kept = [extras[name] for name in ("neural", "postgres", "retrieval", "sentences")]
    return dict(read(line) for lines in [project["dependencies"], *kept] for line in lines)


def read(requirement: str) -> tuple[str, str]:
    name, version = re.split("[>=]=", requirement)
    return name, version


def pinned(file: str) -> dict[str, str]:
    lines = (ROOT / "requirements" / file).read_text(encoding="utf-8").splitlines()
    return dict(read(line.split()[0]) for line in lines if re.match(r"[a-z0-9\[\]-]+==", line))


def test_the_oldest_versions_are_the_lower_bounds() -> None:
    tested, allowed = pinned("oldest.txt"), bounds()
    assert set(tested) == set(allowed)
    assert {name for name in tested if tested[name] != allowed[name]} == UNTESTED


def test_development_pins_the_build_of_torch() -> None:
    assert pinned("dev.txt")["torch"] == pinned("constraints.txt")["torch"] == "2.13.0"
