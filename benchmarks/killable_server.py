"""A server that can be killed and started again quickly: `python -m benchmarks.killable_server`.

Takes the store and the port. Everything is imported once; each line on stdin starts a server in a
fork and prints its process number.
"""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from crosstalk.collection.world_context import WorldContext
from crosstalk.web.app import SiteAddress, bind, collect_app, make_server
from crosstalk.web.collect.site import Site, SiteRules
from crosstalk.web.store.store import Store, store_url
from crosstalk.worlds.world import load_world

ROOT = Path(__file__).parents[1]


def serve(context: WorldContext, store: str, port: int) -> None:
    site = Site(Store(store_url(store)), context, SiteRules(training=False, exchanges=1000))
    bound = bind("127.0.0.1", port)
    server = make_server(
        collect_app(site, SiteAddress(port)), lambda: print(os.getpid(), flush=True)
    )
    asyncio.run(server.serve([bound]))


@contextmanager
def killable(store: str, port: int) -> Iterator[Callable[[], int]]:
    """Starts a server on each call, in a process of its own; its number."""
    command = [sys.executable, "-m", "benchmarks.killable_server", store, str(port)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdin and process.stdout
    assert process.stdout.readline() == "ready\n"

    def start() -> int:
        assert process.stdin and process.stdout
        process.stdin.write("\n")
        process.stdin.flush()
        return int(process.stdout.readline())

    with process:
        yield start
        process.stdin.close()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


if __name__ == "__main__":
    context, store, port = WorldContext(load_world("harbour")), sys.argv[1], int(sys.argv[2])
    print("ready", flush=True)
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            serve(context, store, port)
            os._exit(0)
        os.waitpid(child, 0)
