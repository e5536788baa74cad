"""Broken requests for all servers: `python -m tests.fuzz.run_servers --inputs 500`.

Each server is started as people start it. Whatever comes, it answers or closes within ten seconds,
never with a status of 500 or more, writes no traceback, goes on running, and does not grow.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from tests.fuzz.samples import make_samples
from tests.fuzz.servers import Server, asked_of, collecting, serving, translating

GROWTH = 300 << 20
"""Bytes that a server may grow by."""


def servers(folder: Path, samples: Path) -> dict[str, Callable[[], AbstractContextManager[Server]]]:
    """Name -> how to start it, in a folder with files of its own."""
    work, control = folder / "work.json", folder / "control"
    return {
        "collect": lambda: collecting(folder),
        "translate edit": lambda: translating(
            folder, "edit", str(_copied(samples / "work.json", work)), "--editor", "Ada"
        ),
        "translate judge": lambda: translating(
            folder, "judge", str(_copied(samples / "control", control))
        ),
        "serve openai": lambda: serving(folder, "openai", asked_of("openai")),
        "serve mcp": lambda: serving(folder, "mcp", asked_of("mcp")),
    }


def _copied(source: Path, target: Path) -> Path:
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copyfile(source, target)
    return target


def fuzz(server: Server, inputs: int, seed: int) -> Iterator[str]:
    """Yield what went wrong."""
    before = server.memory()
    for number in range(inputs):
        rng = random.Random(f"{seed} {server.name} {number}")
        sent, wrong = server.ask(rng)
        told = server.trouble()
        if wrong or told:
            yield f"{server.name}, input {number}: {wrong}\n{sent[:1500]!r}\n{told}"
        if server.process.poll() is not None:
            return
        if (number + 1) % 200 == 0:
            print(f"{server.name}: {number + 1} inputs", file=sys.stderr, flush=True)
    grown = server.memory() - before
    if grown > GROWTH:
        yield f"{server.name}: grew by {grown >> 20} MB"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--inputs", type=int, default=500, help="of all servers together")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="", help="servers that begin with these words")
    options.add_argument("--samples", type=Path, help="a folder of valid files, made if missing")
    asked = options.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-servers-"))
    found = 0
    try:
        made = asked.samples or folder / "samples"
        made.mkdir(exist_ok=True)
        make_samples(made)
        chosen = [
            start for name, start in servers(folder, made).items() if name.startswith(asked.only)
        ]
        each = asked.inputs // len(chosen)
        for start in chosen:
            with start() as server:
                for finding in fuzz(server, each, asked.seed):
                    found += 1
                    print(finding, end="\n\n", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    done = each * len(chosen)
    print(f"{done:,} inputs to {len(chosen)} servers (seed {asked.seed}), {found} findings")
    sys.exit(found > 0)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.pop("CROSSTALK_DATA", None)
    main()
