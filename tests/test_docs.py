"""Every code block of README and docs runs: what a page shows is what happens.

Python blocks of a page share one namespace; console blocks run their `$ crosstalk ...` lines.
A block under `<!-- exit N -->` must end with that code; one under `<!-- not run: why -->` is shown
and not run.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from crosstalk.cli.main import run

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(
    r"(?:<!-- (?P<note>[^\n]*?) -->\n)?```(?P<kind>python|console)\n(?P<body>.*?)```", re.DOTALL
)


@dataclass(frozen=True)
class Block:
    kind: str
    body: str
    exit_code: int


def blocks(page: Path) -> Iterator[Block]:
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        note = match["note"] or ""
        if note.startswith("not run:"):
            continue
        code = int(note.removeprefix("exit ")) if note.startswith("exit ") else 0
        yield Block(match["kind"], match["body"], code)


def commands(body: str) -> Iterator[list[str]]:
    joined = body.replace("\\\n", " ")
    for line in joined.splitlines():
        if line.startswith("$ crosstalk "):
            yield shlex.split(line.removeprefix("$ "), comments=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {}
    for block in blocks(page):
        if block.kind == "python":
            exec(compile(block.body, page.name, "exec"), namespace)
            continue
        for command in commands(block.body):
            assert _exit_code(command, monkeypatch) == block.exit_code, shlex.join(command)


def _exit_code(command: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.argv", command)
    try:
        run()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_page_is_listed() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {page.name for page in PAGES} - {"README.md", "index.md"}
    assert [name for name in sorted(pages) if f"({name})" not in index] == []


def test_pictures_stay_small() -> None:
    sizes = {file.name: file.stat().st_size for file in (ROOT / "docs" / "images").iterdir()}
    assert sizes
    assert max(sizes.values()) < 150_000
