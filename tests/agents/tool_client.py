"""What agents do with the tools at an address: the real `mcp` client calls them."""

import asyncio
import json
from typing import Any

import pytest
from tests.agents.scripted_endpoint import Json

mcp = pytest.importorskip("mcp", reason="pip install mcp")


def used(url: str, *wanted: tuple[str, Json]) -> list[Any]:
    """The results of some calls at an address, made by one client."""

    async def call() -> list[Any]:
        async with mcp.Client(url) as client:
            made = [await client.call_tool(name, given) for name, given in wanted]
            return [json.loads(each.content[0].text) for each in made]

    return asyncio.run(call())


def listed(url: str) -> tuple[list[str], str]:
    """The names of the tools at an address, and its instructions."""

    async def ask() -> tuple[list[str], str]:
        async with mcp.Client(url) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            return names, client.instructions or ""

    return asyncio.run(ask())
