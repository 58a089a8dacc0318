"""The description is valid OpenAPI 3.1, and the service does what it says."""

from __future__ import annotations

import asyncio
import importlib
import json
import re
from typing import Any

import pytest
from starlette.routing import Route

from support.guarding import TREE, WordGuard
from support.serving import PICTURE, TOKEN, Client, running
from trueline.guard.serve.app import build_app
from trueline.guard.serve.openapi import openapi

BASE = "urn:document"
DOCUMENT: dict[str, Any] = json.loads(json.dumps(openapi()))
METHODS = {"get", "post", "delete"}


def validator() -> Any:
    return importlib.import_module("jsonschema").Draft202012Validator


def fits(schema: dict[str, Any], value: object) -> list[str]:
    """What is wrong with a value, where references go into the document."""
    resource = importlib.import_module("referencing.jsonschema").DRAFT202012.create_resource(DOCUMENT)
    registry = importlib.import_module("referencing").Registry().with_resource(BASE, resource)
    absolute = json.loads(json.dumps(schema).replace('"#/', f'"{BASE}#/'))
    return [error.message for error in validator()(absolute, registry=registry).iter_errors(value)]


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method, entry) for path, item in DOCUMENT["paths"].items() for method, entry in item.items()]


def test_the_document_has_the_shape_that_openapi_asks_for() -> None:
    assert re.fullmatch(r"3\.1\.\d+", DOCUMENT["openapi"])
    assert set(DOCUMENT) <= {"openapi", "info", "paths", "components", "security", "servers", "tags"}
    assert {"title", "version"} <= set(DOCUMENT["info"])
    assert len({entry["operationId"] for _, _, entry in operations()}) == len(operations())
    for path, method, entry in operations():
        assert method in METHODS
        named = {p["name"] for p in entry.get("parameters", []) if p["in"] == "path" and p["required"] is True}
        assert named == set(re.findall(r"{(\w+)}", path))
        assert entry["responses"]
        for status, response in entry["responses"].items():
            assert re.fullmatch(r"[1-5]\d\d", status) and response["description"]
            assert all("schema" in media for media in response.get("content", {}).values())
        for media in entry.get("requestBody", {"content": {}})["content"].values():
            assert set(media) <= {"schema", "encoding"}
    schemes = DOCUMENT["components"]["securitySchemes"]
    for _, _, entry in operations():
        for need in entry.get("security", DOCUMENT["security"]):
            assert set(need) <= set(schemes)


@pytest.mark.full
def test_every_schema_is_valid_and_every_reference_leads_somewhere() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        validator().check_schema(schema)
    for reference in re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(DOCUMENT)):
        place: Any = DOCUMENT
        for key in reference.split("/"):
            place = place[key]


def test_paths_and_methods_are_those_of_the_service() -> None:
    app = build_app(WordGuard(), [TOKEN])
    routes = [route for route in app.routes if isinstance(route, Route)]
    served = {(route.path, method.lower()) for route in routes for method in route.methods or ()}
    assert served - {(path, "head") for path, _ in served} == {(path, method) for path, method, _ in operations()}


@pytest.mark.full
@pytest.mark.parametrize("name", ["CheckRequest", "SessionRequest", "ExecutedRequest"])
def test_unknown_fields_are_refused_by_the_description_too(name: str) -> None:
    assert fits({"$ref": f"#/components/schemas/{name}"}, {"surprise": 1})


@pytest.mark.full
def test_real_requests_and_answers_fit_the_description() -> None:
    def described(path: str, method: str, status: int) -> dict[str, Any]:
        return DOCUMENT["paths"][path][method]["responses"][str(status)]["content"]["application/json"]["schema"]

    async def work(client: Client) -> None:
        async def post(path: str, document: dict[str, object], status: int) -> Any:
            body = DOCUMENT["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
            if status < 400:
                assert fits(body, document) == []
            got, answer = await client.post(path, document)
            assert got == status
            assert fits(described(path, "post", status), answer) == []
            return answer

        status, document = await client.as_(None).ask("GET", "/openapi.json")
        assert (status, document) == (200, DOCUMENT)
        begun = await post("/v1/sessions", {"instruction": "x", "screen": [64, 48], "display": [32, 24]}, 201)
        session: dict[str, object] = {"session": begun["session"]}
        done = await post("/v1/check", {**session, "action": "WAIT", "screenshot": PICTURE, "tree": TREE}, 200)
        await post("/v1/check", {**session, "action": ["pyautogui.write('delete')"], "format": "pyautogui"}, 200)
        await post("/v1/check", {**session, "action": {}}, 422)
        await post("/v1/check", {**session, "action": "pyautogui.write('doubt')"}, 200)
        await post("/v1/executed", {**session, "check": done["check"]}, 404)
        await post("/v1/sessions", {"instruction": ""}, 422)
        status, answer = await client.as_(None).post("/v1/check", {})
        assert status == 401 and fits(described("/v1/check", "post", 401), answer) == []
        status, answer = await client.ask("GET", "/health")
        assert fits(described("/health", "get", status), answer) == []

    async def main() -> None:
        async with asyncio.timeout(60), running() as client:
            await work(client)

    asyncio.run(main())
