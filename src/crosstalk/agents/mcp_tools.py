"""A world's tools behind the Model Context Protocol, whoever keeps the tables that they change.

    server = tool_server(WorldTools(database), lambda name, arguments, request: ...)

The tools, their schemas and their answers are those of `worlds/tools.py`. `crosstalk serve mcp`
(serve/mcp_server.py) serves them to anybody, `ToolSessions` (tool_sessions.py) to the agents of a
run, a session a conversation. Needs the package `mcp`.
"""

import json
from collections.abc import Callable
from typing import Any, Final

import mcp_types as types
from mcp.server.lowlevel import Server

import crosstalk
from crosstalk.agents.prompts import agent_prompt
from crosstalk.worlds.tools import ToolOutcome, WorldTools

HINTS: Final = types.ToolAnnotations(
    read_only_hint=True, idempotent_hint=True, open_world_hint=False
)
CHANGING: Final = types.ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)
SCHEMA_URI: Final = "world://schema"

Calls = Callable[[str, dict[str, Any], Any], ToolOutcome]
"""Name, arguments and HTTP request (None over stdio) of a call -> what came of it."""


def tool_server(tools: WorldTools, call: Calls) -> Server[Any]:
    """The server of a world in one language; `call` decides whose tables are changed."""
    world = tools.world

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=tool.parameters,
                    annotations=CHANGING if tool.action else HINTS,
                )
                for tool in tools.tools.values()
            ]
        )

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        outcome = call(params.name, params.arguments or {}, context.request)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=outcome.text)],
            structured_content=outcome.result,
            is_error="error" in outcome.result,
        )

    async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
        schema = types.Resource(
            uri=SCHEMA_URI,
            name="schema",
            description="Domains and slots of the world.",
            mime_type="application/json",
        )
        return types.ListResourcesResult(resources=[schema])

    async def read_resource(
        context: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        if str(params.uri) != SCHEMA_URI:
            raise ValueError(f"there is no resource {params.uri}; there is {SCHEMA_URI}")
        text = json.dumps(schema_of(tools), ensure_ascii=False)
        content = types.TextResourceContents(
            uri=SCHEMA_URI, mime_type="application/json", text=text
        )
        return types.ReadResourceResult(contents=[content])

    return Server(
        f"crosstalk-{world.name}",
        version=crosstalk.__version__,
        instructions=agent_prompt(world, actions=tools.acts),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def schema_of(tools: WorldTools) -> dict[str, Any]:
    """Domains and slots, with what the language calls them."""
    world = tools.world
    pack = world.language
    return {
        "world": world.name,
        "language": pack.code,
        "domains": {
            domain.key: {
                "name": pack.domain_name(domain.key),
                "slots": {
                    slot.key: {
                        "name": pack.slot_name(domain.key, slot.key),
                        "kind": str(slot.kind),
                    }
                    for slot in domain.slots
                },
            }
            for domain in world.schema
        },
    }
