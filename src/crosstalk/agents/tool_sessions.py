"""Tool sessions for agents elsewhere: each conversation gets an address of its own over MCP.

    server = ToolServer("127.0.0.1:0")
    session = server.open(tools, "session 1:0:0")     # its tables are those of one conversation
    session.url                                       # http://127.0.0.1:41234/<secret>/mcp
    session.take()                                    # the calls made since it was last asked

The path holds a secret, so that nobody but the agent of a conversation finds its session. The
server listens from the first session on, in a thread of this process, until nobody needs it.
"""

import contextlib
import json
import secrets
import socket
import threading
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from crosstalk.agents.chat_agent import MOST_CALLS
from crosstalk.errors import InputError, UnusableAgent
from crosstalk.worlds.action_events import ActionEvent, TableState
from crosstalk.worlds.tools import ToolOutcome, WorldTools

if TYPE_CHECKING:
    import uvicorn

ANY_PORT: Final = "127.0.0.1:0"
NOBODY: Final = "there is no conversation at this address, or it is over"
TOO_MANY: Final = f"more than {MOST_CALLS} tool calls in one turn; answer the user"
SECONDS: Final = 30.0
"""For the server to start, and to end."""


@dataclass(frozen=True, slots=True)
class CallsMade:
    """The calls of one turn."""

    calls: tuple[dict[str, Any], ...] = ()
    events: tuple[ActionEvent, ...] = ()
    refused: int = 0
    """Calls beyond those that a turn may have."""


@dataclass(slots=True)
class ToolSession:
    """The tools and tables of one conversation, called from another thread."""

    tools: WorldTools
    tables: TableState
    url: str
    _calls: list[dict[str, Any]] = field(default_factory=list)
    _events: list[ActionEvent] = field(default_factory=list)
    _refused: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        with self._lock:
            if len(self._calls) >= MOST_CALLS:
                self._refused += 1
                return ToolOutcome({"error": TOO_MANY}, self.tables)
            outcome = self.tools.call(name, arguments, self.tables)
            self.tables = outcome.state
            self._events += [outcome.event] if outcome.event else []
            made = {
                "name": name,
                "arguments": json.dumps(arguments, ensure_ascii=False),
                "result": outcome.text,
            }
            self._calls.append(made)
            return outcome

    def take(self) -> CallsMade:
        """The calls made since this was last asked."""
        with self._lock:
            made = CallsMade(tuple(self._calls), tuple(self._events), self._refused)
            self._calls, self._events, self._refused = [], [], 0
            return made


class ToolServer:
    """Serves any number of sessions over streamable HTTP."""

    def __init__(self, listen: str = ANY_PORT, address: str = "") -> None:
        """`listen`: HOST:PORT; `address`: where agents find it, if not there."""
        if find_spec("mcp") is None:
            raise InputError(
                "offering tools to agents over http and a2a needs the package mcp",
                remedy="pip install 'crosstalk-dialogue[mcp]'",
            )
        self._place = _place_of(listen)
        self._address = _public_address(address)
        self._sessions: dict[str, ToolSession] = {}
        self._lock = threading.Lock()
        self._base = ""

    def open(self, tools: WorldTools, session: str) -> ToolSession:
        """A session for a conversation, on whose id its booking codes depend."""
        secret = secrets.token_urlsafe(24)
        with self._lock:
            self._base = self._base or self._run(tools)
        opened = ToolSession(tools, tools.executor.begin(session), f"{self._base}/{secret}/mcp")
        self._sessions[secret] = opened
        return opened

    def close(self, session: ToolSession) -> None:
        """End a session; whoever calls its tools later is told so."""
        self._sessions.pop(session.url.split("/")[-2], None)

    def _run(self, tools: WorldTools) -> str:
        """Start the server; returns its address."""
        from crosstalk.agents.mcp_tools import tool_server

        sessions, (host, port) = self._sessions, self._place

        def call(name: str, arguments: dict[str, Any], request: Any) -> ToolOutcome:
            session = sessions.get(request.path_params["secret"])
            if session is None:
                return ToolOutcome({"error": NOBODY}, tools.executor.begin())
            return session.call(name, arguments)

        app = tool_server(tools, call).streamable_http_app(
            streamable_http_path="/{secret}/mcp",
            stateless_http=True,
            json_response=True,
            # the SDK checks the Host header where it is given a loopback address; behind another
            # address that header is the agent's affair, and the path is secret
            host="" if self._address else host,
        )
        bound = _bound(host, port)
        name, number = bound.getsockname()[:2]
        weakref.finalize(self, _stop, *_serving(app, bound), bound)
        return self._address or f"http://{f'[{name}]' if ':' in name else name}:{number}"


def _serving(app: Any, bound: socket.socket) -> "tuple[uvicorn.Server, threading.Thread]":
    import uvicorn

    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
    thread.start()
    ends = time.monotonic() + SECONDS
    while not server.started:
        if not thread.is_alive() or time.monotonic() > ends:
            raise UnusableAgent("the server of the agent's tools does not start")
        time.sleep(0.01)
    return server, thread


def _stop(server: "uvicorn.Server", thread: threading.Thread, bound: socket.socket) -> None:
    server.should_exit = True
    if thread is not threading.current_thread():
        thread.join(SECONDS)
    bound.close()


def _bound(host: str, port: int) -> socket.socket:
    with contextlib.ExitStack() as undone:
        try:
            family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
            bound = undone.enter_context(
                socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
            )
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind((host, port))
        except (OSError, OverflowError, UnicodeError) as error:
            raise UnusableAgent(
                f"the agent's tools cannot be offered on {host}, port {port}: {error}",
                remedy="Give another --mcp-listen HOST:PORT. Port 0 is any free one; with several "
                "processes (-j) it has to be 0.",
            ) from error
        undone.pop_all()
    return bound


def _place_of(listen: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`; raises for anything else."""
    host, colon, port = listen.rpartition(":")
    if not colon or not host or not port.isdecimal():
        raise InputError(
            f"--mcp-listen {listen!r} is no place to listen at",
            remedy="Give HOST:PORT, such as 0.0.0.0:8100; port 0 is any free one.",
        )
    return host.strip("[]"), int(port)


def _public_address(address: str) -> str:
    parts = urlsplit(address)
    if address and (parts.scheme not in ("http", "https") or not parts.netloc):
        raise InputError(
            f"--mcp-url {address!r} is no address",
            remedy="Give the address at which the agent reaches --mcp-listen, such as "
            "http://host.docker.internal:8100.",
        )
    return address.rstrip("/")
