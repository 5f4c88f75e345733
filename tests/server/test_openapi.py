"""schemathesis against the OpenAPI description: no request makes a server error."""

from __future__ import annotations

import os
from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings

from sparring.server.app import create_app
from tests.server.conftest import ACCESS

schema = schemathesis.openapi.from_asgi("/api/openapi.json", create_app(":memory:", ACCESS))


@schema.parametrize()
@settings(
    max_examples=int(os.environ.get("SPARRING_TRIALS", "80")) // 8,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_no_request_makes_a_server_error(case: schemathesis.Case[Any]) -> None:
    answer = case.call()
    assert answer.status_code < 500, answer.text


def test_the_description_has_every_route() -> None:
    assert len(schema) >= 33
