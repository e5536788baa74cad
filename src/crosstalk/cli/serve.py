"""`crosstalk serve`: our system as an endpoint, a world's database as tools."""

from typing import Annotated

import typer

from crosstalk.cli import options

app = typer.Typer(help="Serve our system or a world's database to others.", no_args_is_help=True)

Host = Annotated[
    str,
    typer.Option(
        "--host", help="Address to listen on; others than 127.0.0.1 need CROSSTALK_SERVE_TOKEN."
    ),
]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes any free port.")]


@app.command("openai")
def openai(
    world: options.World = "harbour",
    language: options.Language = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    data: options.Data = None,
    models: options.Models = None,
    nlu: options.Nlu = "best",
    dst: options.Dst = "best",
    policy: options.Policy = "best",
    nlg: options.Nlg = "best",
    actions: Annotated[
        bool,
        typer.Option(
            "--actions",
            help="The system also does the world's actions; each conversation has its own tables.",
        ),
    ] = False,
) -> None:
    """Serve our system as an OpenAI-compatible endpoint (/v1/models, /v1/chat/completions)."""
    from crosstalk.serve.access import TokenMiddleware, token_for
    from crosstalk.serve.openai_api import openai_app
    from crosstalk.web.app import listening, serve

    token = token_for(host)
    parts = {"nlu": nlu, "dst": dst, "policy": policy, "nlg": nlg}
    served = openai_app(
        world, language=language, data=data, models=models, parts=parts, actions=actions
    )
    with listening(host, port) as place:
        base = f"{place.base}/v1"
        serve(TokenMiddleware(served, host, token), place, lambda: _announce(base))


def _announce(base: str) -> None:
    print(f"listening on {base}", flush=True)


@app.command("mcp")
def mcp(
    world: options.World = "harbour",
    language: options.Language = None,
    transport: Annotated[
        str, typer.Option("--transport", help="stdio, or http (at /mcp).")
    ] = "stdio",
    host: Host = "127.0.0.1",
    port: Port = 8000,
    data: options.Data = None,
    actions: Annotated[
        bool,
        typer.Option(
            "--actions",
            help="Offer the world's actions too; each client session changes its own tables.",
        ),
    ] = False,
) -> None:
    """Serve a world's search, details, places nearby, rides and actions as MCP tools."""
    import asyncio
    from importlib.util import find_spec

    from crosstalk.errors import InputError
    from crosstalk.system.parts import context_of
    from crosstalk.worlds.tools import WorldTools

    if find_spec("mcp") is None:
        raise InputError(
            "serving MCP needs the package mcp", remedy="pip install 'crosstalk-dialogue[mcp]'"
        )
    if transport not in ("stdio", "http"):
        raise InputError(f"there is no transport {transport!r}", remedy="Known: stdio, http.")
    from crosstalk.serve.mcp_server import mcp_app, serve_stdio

    database = context_of(world, language=language, data=data).database
    tools = WorldTools(database, actions=actions)
    if transport == "stdio":
        asyncio.run(serve_stdio(tools))
        return
    from crosstalk.serve.access import TokenMiddleware, token_for
    from crosstalk.web.app import listening, serve

    token = token_for(host)
    with listening(host, port) as place:
        base = f"{place.base}/mcp"
        serve(TokenMiddleware(mcp_app(tools, host), host, token), place, lambda: _announce(base))
