"""nginx and Caddy in front of servers, configured as the documentation says."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx
import pytest

from crosstalk.web.app import bind

DOCS = Path(__file__).parents[2] / "docs" / "collecting.md"
INSTALL = {"nginx": "nginx-light", "caddy": "caddy"}
LOCAL = "http://127.0.0.1:{}"
DOCUMENTED = (8000, 8001)
"""Ports of the servers in the examples."""


def examples(kind: str) -> list[str]:
    """The configurations of the documentation, for one server and for two."""
    return [part.split("```")[0] for part in DOCS.read_text().split(f"```{kind}\n")[1:]]


def program(kind: str) -> str:
    """Where the proxy is; skips the test if it is not installed."""
    found = shutil.which(kind) or shutil.which(kind, path="/usr/sbin")
    if found is None:
        pytest.skip(f"{kind} is not installed (Debian: apt-get install {INSTALL[kind]})")
    return found


def free_port() -> int:
    with bind("127.0.0.1", 0) as free:
        port: int = free.getsockname()[1]
    return port


@contextmanager
def proxy(kind: str, folder: Path, port: int, servers: Sequence[int]) -> Iterator[str]:
    """The public address of a proxy before servers at these ports."""
    write = {"nginx": _nginx, "caddy": _caddy}[kind]
    command = [program(kind), *write(folder, port, servers)]
    home = {name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    log = folder / "proxy.log"
    with (
        log.open("wb") as said,
        subprocess.Popen(command, stderr=said, env={**os.environ, **home}) as running,
    ):
        try:
            until_answering(LOCAL.format(port), log)
            yield LOCAL.format(port)
        finally:
            running.terminate()


def _nginx(folder: Path, port: int, servers: Sequence[int]) -> list[str]:
    """Without certificates."""
    site, several = examples("nginx")
    site = "\n".join(line for line in site.splitlines() if "ssl_certificate" not in line)
    site = site.replace("listen 443 ssl", f"listen 127.0.0.1:{port}")
    if len(servers) > 1:
        site = several + site.replace("http://127.0.0.1:8000", "http://crosstalk")
    temporary = "\n".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off;\n{temporary}\n{_at(site, servers)}\n}}\n"
    )
    return ["-p", str(folder), "-c", str(file)]


def _caddy(folder: Path, port: int, servers: Sequence[int]) -> list[str]:
    """Without https and without the port for administration."""
    site = examples("caddy")[len(servers) - 1]
    site = site.replace("collect.example.org", LOCAL.format(port))
    file = folder / "Caddyfile"
    file.write_text("{\n admin off\n}\n" + _at(site, servers))
    return ["run", "--config", str(file), "--adapter", "caddyfile"]


def _at(text: str, servers: Sequence[int]) -> str:
    """The servers of the example, at the ports where ours are."""
    ports = dict(zip(map(str, DOCUMENTED), servers, strict=False))
    return re.sub(r"127\.0\.0\.1:(800[01])\b", lambda at: f"127.0.0.1:{ports[at[1]]}", text)


def listening_port(process: int) -> int:
    """The port of a server whose printed address is the proxy's."""
    inodes = {
        link.readlink().name.removeprefix("socket:[").rstrip("]")
        for link in Path(f"/proc/{process}/fd").iterdir()
        if "socket" in str(link.readlink())
    }
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    [port] = {int(row[1].split(":")[1], 16) for row in rows if row[9] in inodes and row[3] == "0A"}
    return port


def until_answering(address: str, log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            httpx.get(f"{address}/healthz").raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"the proxy does not answer: {log.read_text()[-2000:]}")


def login(address: str, source: str, name: str, password: str = "a guess", forged: str = "") -> int:
    """The status of a login from an address of this machine."""
    transport = httpx.HTTPTransport(local_address=source)
    headers = {"X-Forwarded-For": forged} if forged else {}
    with httpx.Client(base_url=address, transport=transport, headers=headers) as client:
        token = {"X-CSRF-Token": client.get("/api/me").json()["csrf"]}
        body = {"name": name, "password": password}
        return client.post("/api/login", json=body, headers=token).status_code
