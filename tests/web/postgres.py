"""A real PostgreSQL for tests: its own cluster in a temporary folder, started and stopped here."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
SETTINGS = "-c listen_addresses= -c fsync=off -c max_connections=400 -c shared_buffers=16MB"


@contextmanager
def running_postgres() -> Iterator[str]:
    """The address of a fresh server, reached by a socket in its own folder."""
    initdb = shutil.which("initdb") or next((str(each / "initdb") for each in BINARIES), None)
    if initdb is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    control = _control(initdb)
    folder = Path(tempfile.mkdtemp(prefix="crosstalk-pg-"))
    user = _owner(folder)
    try:
        _run(user, initdb, "-D", str(folder / "data"), "-U", "crosstalk", "-A", "trust", "-N")
        options = f"{SETTINGS} -k {folder} -p {_port()}"
        log = str(folder / "log")
        _run(user, control, "-D", str(folder / "data"), "-w", "-l", log, "-o", options, "start")
        port = next(folder.glob(".s.PGSQL.*")).name.split(".")[3]
        yield f"postgresql://crosstalk@/postgres?host={folder}&port={port}"
        _run(user, control, "-D", str(folder / "data"), "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _control(initdb: str) -> str:
    return str(Path(initdb).with_name("pg_ctl"))


@contextmanager
def outage(address: str) -> Iterator[None]:
    """The server of an address is down, as after a crash, and then up again."""
    folder, port = address.split("?host=")[1].split("&port=")
    initdb = shutil.which("initdb") or next(str(each / "initdb") for each in BINARIES)
    user, data = pwd.getpwuid(Path(folder).stat().st_uid).pw_name, f"{folder}/data"
    owner = user if os.geteuid() == 0 else None
    _run(owner, _control(initdb), "-D", data, "-w", "-m", "immediate", "stop")
    yield
    options = f"{SETTINGS} -k {folder} -p {port}"
    log = f"{folder}/log"
    _run(owner, _control(initdb), "-D", data, "-w", "-l", log, "-o", options, "start")


def _owner(folder: Path) -> str | None:
    """PostgreSQL refuses to run as root: then the folder is given to another user."""
    if os.geteuid() != 0:
        return None
    name = next(
        (each.pw_name for each in pwd.getpwall() if each.pw_name in ("postgres", "nobody")), None
    )
    if name is None:
        pytest.skip("PostgreSQL does not run as root, and there is no other user")
    shutil.chown(folder, name)
    folder.chmod(0o755)
    return name


def _run(user: str | None, *command: str) -> None:
    subprocess.run(command, user=user, check=True, stdout=subprocess.DEVNULL, timeout=60, cwd="/")


def _port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port
