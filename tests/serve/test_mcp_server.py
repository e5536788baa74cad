"""A world's database as MCP tools, asked by the real client over stdio and HTTP."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from subprocess import PIPE
from typing import Any

import pytest
from tests.serve.test_openai_api import running

from crosstalk.serve.access import TokenMiddleware
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tools import WorldTools
from crosstalk.worlds.world import load_world

mcp = pytest.importorskip("mcp", reason="pip install mcp")


@pytest.fixture(scope="module")
def tools() -> WorldTools:
    return WorldTools(Database(load_world("harbour", language="en")))


@pytest.fixture(scope="module")
def url(tools: WorldTools) -> Iterator[str]:
    from crosstalk.serve.mcp_server import mcp_app

    for base in running(TokenMiddleware(mcp_app(tools, "127.0.0.1"), "127.0.0.1", "")):
        yield base.removesuffix("/v1") + "/mcp"


def asked(place: Any, work: Callable[[Any], Awaitable[Any]], mode: str = "auto") -> Any:
    async def ask() -> Any:
        async with mcp.Client(place, mode=mode) as client:
            return await work(client)

    return asyncio.run(ask())


async def everything(client: Any) -> tuple[list[str], Any, Any, Any]:
    listed = await client.list_tools()
    found = await client.call_tool("search_hotel", {"price_max": 500, "limit": 2})
    wrong = await client.call_tool("search_hotel", {"prize": 1})
    schema = await client.read_resource("world://schema")
    return [tool.name for tool in listed.tools], found, wrong, schema


def check(answers: tuple[list[str], Any, Any, Any], tools: WorldTools) -> None:
    names, found, wrong, schema = answers
    expected = tools.run("search_hotel", {"price_max": 500, "limit": 2})
    assert names == list(tools.tools)
    assert found.structured_content == expected and not found.is_error
    assert json.loads(found.content[0].text) == expected
    assert wrong.is_error and "no field 'prize'" in wrong.content[0].text
    assert "hotel" in json.loads(schema.contents[0].text)["domains"]


def test_over_http(url: str, tools: WorldTools) -> None:
    check(asked(url, everything), tools)


def test_over_stdio(tools: WorldTools) -> None:
    from mcp.client.stdio import stdio_client

    command = ["-m", "crosstalk", "serve", "mcp", "--world", "harbour", "--language", "en"]
    server = mcp.StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    check(asked(stdio_client(server), everything), tools)


OLD_CLIENT = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "old", "version": "1"},
}


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def test_an_older_client_is_answered_over_stdio(tools: WorldTools) -> None:
    sent = [
        request(1, "initialize", **OLD_CLIENT),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request(2, "tools/call", name="search_hotel", arguments={"limit": 1}),
    ]
    command = [sys.executable, "-m", "crosstalk", "serve", "mcp", "--language", "en"]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) as server:
        assert server.stdin and server.stdout
        print(*map(json.dumps, sent), sep="\n", file=server.stdin, flush=True)
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        server.stdin.close()  # the end of its input ends the server
    assert answers[0]["result"]["protocolVersion"] == "2025-06-18"
    told = json.loads(answers[1]["result"]["content"][0]["text"])
    assert told == tools.run("search_hotel", {"limit": 1})


def test_an_older_client_is_answered_too(url: str) -> None:
    import httpx2

    body = request(1, "initialize", **OLD_CLIENT)
    accept = {"Accept": "application/json, text/event-stream"}
    answer = httpx2.post(url, json=body, headers=accept)
    assert answer.json()["result"]["protocolVersion"] == "2025-06-18"


def test_a_foreign_host_is_refused(url: str) -> None:
    import httpx2

    assert httpx2.post(url, json={}, headers={"Host": "evil.example"}).status_code == 421


async def booking(client: Any) -> tuple[Any, Any, Any]:
    stay = {"entity": "Laurel Hotel", "arrival": "2026-06-08", "nights": 2, "people": 2}
    hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
    booked = await client.call_tool("book_room", stay)
    code = {"reference": booked.structured_content["reference"]}
    return hints, await client.call_tool("cancel_room", code), await client.call_tool("pay", {})


def test_actions_change_the_tables_of_the_server() -> None:
    from mcp.client.stdio import stdio_client

    command = ["-m", "crosstalk", "serve", "mcp", "--actions"]
    server = mcp.StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    hints, cancelled, unknown = asked(stdio_client(server), booking)
    assert hints["search_hotel"].read_only_hint and not hints["book_room"].read_only_hint
    assert cancelled.structured_content == {"done": "cancel_room"}
    assert unknown.is_error


LAST_ROOM = {"entity": "Grand Hotel Halmora", "arrival": "2026-06-04", "nights": 1, "people": 1}


@pytest.fixture(scope="module")
def acting_url() -> Iterator[str]:
    from crosstalk.serve.mcp_server import mcp_app

    tools = WorldTools(Database(load_world("harbour", language="en")), actions=True)
    for base in running(TokenMiddleware(mcp_app(tools, "127.0.0.1"), "127.0.0.1", "")):
        yield base.removesuffix("/v1") + "/mcp"


async def booking_twice(client: Any) -> list[Any]:
    return [await client.call_tool("book_room", LAST_ROOM) for _ in range(2)]


async def two_at_once(first: Any, second: Any) -> list[list[Any]]:
    async with first as one, second as other:
        return [await booking_twice(one), await booking_twice(other)]


def test_two_sessions_both_get_the_last_room(acting_url: str) -> None:
    clients = mcp.Client(acting_url), mcp.Client(acting_url, mode="legacy")
    for booked, again in asyncio.run(two_at_once(*clients)):
        assert booked.structured_content["done"] == "book_room"
        assert again.structured_content["refused"] == "no_room"


def test_without_sessions_in_the_protocol_a_header_names_one(acting_url: str) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    @asynccontextmanager
    async def named(session: str) -> AsyncIterator[Any]:
        async with (
            httpx2.AsyncClient(headers={"Mcp-Session-Id": session}) as http,
            mcp.Client(streamable_http_client(acting_url, http_client=http)) as client,
        ):
            yield client

    for booked, again in asyncio.run(two_at_once(named("anna"), named("ben"))):
        assert booked.structured_content["done"] == "book_room"
        assert again.structured_content["refused"] == "no_room"


def test_without_a_session_nothing_is_done(acting_url: str) -> None:
    async def work(client: Any) -> tuple[Any, Any]:
        found = await client.call_tool("search_hotel", {"limit": 1})
        return found, await client.call_tool("book_room", LAST_ROOM)

    found, refused = asked(acting_url, work, mode="2026-07-28")
    assert not found.is_error
    assert refused.is_error and "Mcp-Session-Id" in refused.content[0].text


def test_sessions_idle_longest_begin_anew() -> None:
    from crosstalk.serve.mcp_server import SessionTables

    tools = WorldTools(Database(load_world("harbour", language="en")), actions=True)
    tables = SessionTables(tools, most=2)
    for session in ("anna", "ben", "cleo", "anna"):
        outcome = tables.call("book_room", LAST_ROOM, session)
        assert outcome.event is not None and outcome.event.done
