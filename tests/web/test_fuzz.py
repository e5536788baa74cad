"""Anything at all, to every endpoint, as anybody: nothing breaks, and answers are as described."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    response_schema_conformance,
    status_code_conformance,
)
from tests.web.running import Browser, Running, paired

EXAMPLES = 4
CHECKS = [not_a_server_error, status_code_conformance, response_schema_conformance]
LATE = ("/api/logout", "/api/password", "/api/admin/workers")
"""What would lock the one who asks out."""


@pytest.fixture(scope="module")
def somebody(shared: Running) -> Iterator[dict[str, Browser]]:
    user, _, page, other = paired(shared)
    page.must("say", text="Hello", sure=True)
    for each in (page, other):
        each.close()  # pings are random numbers, which Hypothesis takes for those of a strategy
    yield {"anonymous": shared.browser(), "worker": user, "admin": shared.admin()}
    shared.everybody_leaves()


@pytest.mark.parametrize("role", ["anonymous", "worker", "admin"])
def test_nothing_breaks(shared: Running, somebody: dict[str, Browser], role: str) -> None:
    browser = somebody[role]
    description = browser.get("/api/openapi.json").json()
    schema = schemathesis.openapi.from_dict(json.loads(json.dumps(description)))
    headers = {"X-CSRF-Token": browser.csrf, "Cookie": browser.cookie}
    statuses: Counter[int] = Counter()
    tried = 0
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result
        operation = result.ok()
        if any(operation.path.startswith(path) for path in LATE):
            continue
        tried += 1

        @hypothesis.given(case=operation.as_strategy())
        @hypothesis.settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        def asked(case: schemathesis.Case[Any]) -> None:
            answer = case.call_and_validate(base_url=shared.url, headers=headers, checks=CHECKS)
            statuses[answer.status_code] += 1

        asked()
    assert tried > 20
    welcome = statuses[200] > 0 if role == "anonymous" else statuses[401] == 0
    assert welcome, statuses
