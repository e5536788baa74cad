"""Bounds, locks and the reasons of dependencies fit each other."""

import re
import tomllib
from pathlib import Path

from recipes.supply.hashes import hashes_of
from recipes.supply.sbom import bill_of_materials

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
    name, version = re.split("[>=]=", requirement.partition(",")[0])
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


def test_every_dependency_has_a_maintainer_and_a_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    named = {re.split(r"[^a-z0-9-]", line)[0] for line in lines}
    page = (ROOT / "design" / "DEPENDENCIES.md").read_text(encoding="utf-8")
    rows = [row.split(" | ") for row in re.findall(r"^\| (.*) \|$", page, re.MULTILINE)[2:]]
    assert {row[0] for row in rows} == named
    assert all(maintainer and reason for _, maintainer, reason in rows)


def test_every_locked_version_has_digests() -> None:
    for file in ("base.txt", "dev.txt"):
        text = (ROOT / "requirements" / file).read_text(encoding="utf-8")
        assert set(hashes_of(text)) == {f"{name}=={each}" for name, each in pinned(file).items()}


def test_the_bill_of_materials_lists_what_is_locked() -> None:
    text = (ROOT / "requirements" / "base.txt").read_text(encoding="utf-8")
    bill = bill_of_materials(text)
    assert bill["bomFormat"] == "CycloneDX"
    found = {each["purl"] for each in bill["components"]}
    assert found == {f"pkg:pypi/{name}@{each}" for name, each in pinned("base.txt").items()}
    assert all(each["externalReferences"] for each in bill["components"])


def test_tests_that_the_security_policy_names_are_there() -> None:
    policy = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    for name in re.findall(r"`(tests/[\w/.]+)`", policy):
        assert (ROOT / name).exists(), name
