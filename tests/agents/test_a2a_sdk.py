"""Agents behind the real A2A SDK, which is not among our dependencies: `pip install a2a-sdk`."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.booking_agent import BookingAgent
from tests.agents.test_tool_sessions import goals
from tests.serve.test_openai_api import running

import crosstalk
from crosstalk.evaluation.action_success import ActionCounts

a2a = pytest.importorskip("a2a", reason="pip install 'a2a-sdk[http-server]'")


def served(agent: BookingAgent) -> Any:
    """An application of the SDK: its own request handling, task store and card."""
    from a2a.helpers import new_text_message
    from a2a.server.agent_execution import AgentExecutor
    from a2a.server.request_handlers import DefaultRequestHandler
    from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
    from a2a.server.tasks import InMemoryTaskStore
    from a2a.types import AgentCapabilities, AgentCard, Role
    from starlette.applications import Starlette

    heard: dict[str, list[str]] = {}

    class Executor(AgentExecutor):  # type: ignore[misc]  # no stubs
        async def execute(self, context: Any, event_queue: Any) -> None:
            said = heard.setdefault(context.context_id, [])
            said.append(context.get_user_input())
            address = context.message.metadata["mcp"]
            text = await asyncio.to_thread(agent.answer, list(said), address)
            message = new_text_message(text, context_id=context.context_id, role=Role.ROLE_AGENT)
            await event_queue.enqueue_event(message)

        async def cancel(self, context: Any, event_queue: Any) -> None:
            """Nothing runs on."""

    card = AgentCard(
        name="desk", description="Books rooms.", version="1", capabilities=AgentCapabilities()
    )
    handler = DefaultRequestHandler(Executor(), InMemoryTaskStore(), card)
    routes = [*create_jsonrpc_routes(handler, "/rpc"), *create_agent_card_routes(card)]
    return Starlette(routes=routes)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    for base in running(served(BookingAgent())):
        yield base.removesuffix("/v1") + "/rpc"


def test_it_books_with_the_tools_in_the_metadata(url: str, tmp_path: Path) -> None:
    scores = crosstalk.judge_agent(f"a2a:{url}", goals=goals(tmp_path), actions=True, language="en")
    assert scores.success == 100.0 and scores.actions == ActionCounts(1, 1, 0, 0)
