"""A world's database as MCP tools, over stdio or streamable HTTP (`pip install mcp`).

    server = mcp_server(WorldTools(database))

The tools, their schemas and their answers are those of `worlds/tools.py`.
"""

from collections import OrderedDict
from typing import Any, Final

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from starlette.applications import Starlette

from crosstalk.agents.mcp_tools import tool_server
from crosstalk.worlds.action_events import TableState
from crosstalk.worlds.tools import ToolOutcome, WorldTools

SESSION_HEADER: Final = "mcp-session-id"
MOST_SESSIONS: Final = 10_000
"""Sessions whose tables are kept; then the one that has been idle longest begins anew."""
NO_SESSION: Final = (
    "this request belongs to no session, and actions change the tables of one; send an "
    "Mcp-Session-Id header with a text of your own, the same in all requests, or connect with "
    "the protocol 2025-11-25 or an earlier one, which opens a session"
)


class SessionTables:
    """The changing tables of each client session; a session begins with those of the world."""

    def __init__(self, tools: WorldTools, most: int = MOST_SESSIONS) -> None:
        self._tools = tools
        self._most = most
        self._tables: OrderedDict[str, TableState] = OrderedDict()

    def call(self, name: str, arguments: dict[str, Any], session: str | None) -> ToolOutcome:
        """Call a tool in a session; None: there is none, and only tools that read answer."""
        start = self._tools.executor.begin()
        tool = self._tools.tools.get(name)
        if tool is None or not tool.action:
            return self._tools.call(name, arguments, start)
        if session is None:
            return ToolOutcome({"error": NO_SESSION}, start)
        outcome = self._tools.call(name, arguments, self._tables.get(session, start))
        self._tables[session] = outcome.state
        self._tables.move_to_end(session)
        if len(self._tables) > self._most:
            self._tables.popitem(last=False)
        return outcome


def session_of(request: Any) -> str | None:
    """The session of an HTTP request; over stdio, where there is no request, the only one."""
    return "stdio" if request is None else request.headers.get(SESSION_HEADER) or None


def mcp_server(tools: WorldTools) -> Server[Any]:
    """The server of a world in one language.

    Actions change the tables of the client's session; what only reads keeps no state.
    """
    tables = SessionTables(tools)
    return tool_server(
        tools, lambda name, given, request: tables.call(name, given, session_of(request))
    )


def mcp_app(tools: WorldTools, host: str) -> Starlette:
    """Over HTTP at `/mcp`, with answers in JSON.

    Stateless, for many clients lose session ids; only actions need sessions.
    """
    server = mcp_server(tools)
    if tools.acts:
        offer_sessions(server)
    return server.streamable_http_app(stateless_http=not tools.acts, json_response=True, host=host)


def offer_sessions(server: Server[Any]) -> None:
    """Lead clients to a version of the protocol that opens a session.

    A client that asks which versions there are, and names no session of its own, is told of those
    with sessions alone, for in the others it could change nothing.
    """

    async def discover(context: Any, params: types.RequestParams) -> types.DiscoverResult:
        named = session_of(context.request)
        versions = MODERN_PROTOCOL_VERSIONS if named else HANDSHAKE_PROTOCOL_VERSIONS
        return types.DiscoverResult(
            supported_versions=list(versions),
            capabilities=server.get_capabilities(protocol_version=context.protocol_version),
            instructions=server.instructions,
        )

    server.add_request_handler("server/discover", types.RequestParams, discover)


async def serve_stdio(tools: WorldTools) -> None:
    """Over stdin and stdout, until the client leaves."""
    from mcp.server.stdio import stdio_server

    server = mcp_server(tools)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
