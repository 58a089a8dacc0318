"""The service described in OpenAPI 3.1."""

from __future__ import annotations

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from trueline import __version__
from trueline.guard.check_answer import CheckAnswer
from trueline.guard.serve.errors import TYPES
from trueline.guard.serve.schemas import (
    CheckRequest,
    ErrorAnswer,
    ExecutedAnswer,
    ExecutedRequest,
    Health,
    SessionAnswer,
    SessionRequest,
)

_MODELS: tuple[type[BaseModel], ...] = (
    SessionRequest, SessionAnswer, CheckRequest, CheckAnswer, ExecutedRequest, ExecutedAnswer, Health, ErrorAnswer,
)  # fmt: skip
_COMMON = (
    "unauthorized", "timeout", "too_large", "unsupported_media_type", "invalid_request", "rate_limited", "internal",
    "busy",
)  # fmt: skip


def openapi() -> dict[str, object]:
    """Return the document."""
    _, schema = models_json_schema(
        [(model, "validation") for model in _MODELS], ref_template="#/components/schemas/{model}"
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Trueline guard",
            "version": __version__,
            "summary": "Judges the actions of a computer-use agent before they run.",
            "description": "Run an action only after a 200 with `allowed: true`. Treat everything else as a block.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"token": []}],
        "paths": {
            "/v1/sessions": {
                "post": _operation("beginSession", "Begin an episode.", SessionRequest, SessionAnswer, 201,
                                   "too_many_sessions"),
            },
            "/v1/sessions/{session}": {"delete": _end_session()},
            "/v1/check": {
                "post": _operation("checkAction", "Ask about an action before it runs.", CheckRequest, CheckAnswer, 200,
                                   "not_found", "conflict"),
            },
            "/v1/executed": {
                "post": _operation("reportExecuted", "Report what became of a checked action.", ExecutedRequest,
                                   ExecutedAnswer, 200, "not_found"),
            },
            "/health": {"get": _open_operation("health", "Whether the service is up.", "application/json", Health)},
            "/metrics": {"get": _metrics()},
            "/openapi.json": {
                "get": _open_operation("describe", "This document.", "application/json", None),
            },
        },
        "components": {
            "schemas": schema["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }  # fmt: skip


def _operation(
    name: str, summary: str, request: type[BaseModel], answer: type[BaseModel], status: int, *errors: str
) -> dict[str, object]:
    ref = _ref(request)
    content: dict[str, object] = {"application/json": {"schema": ref}}
    if request is not SessionRequest:
        content["multipart/form-data"] = {
            "schema": {
                "type": "object",
                "required": ["request"],
                "properties": {
                    "request": {**ref, "description": "The same JSON, without the parts that come as files."},
                    "screenshot": {"type": "string", "contentMediaType": "application/octet-stream"},
                    "tree": {"type": "string", "contentMediaType": "application/xml"},
                },
                "additionalProperties": False,
            },
            "encoding": {"request": {"contentType": "application/json"}},
        }
    return {
        "operationId": name,
        "summary": summary,
        "requestBody": {"required": True, "content": content},
        "responses": {str(status): _response(summary, "application/json", _ref(answer)), **_errors(*_COMMON, *errors)},
    }


def _end_session() -> dict[str, object]:
    where = {"name": "session", "in": "path", "required": True, "schema": {"type": "string"}}
    responses = {
        "204": {"description": "It has ended."},
        **_errors("unauthorized", "not_found", "rate_limited", "busy"),
    }
    return {"operationId": "endSession", "summary": "End an episode.", "parameters": [where], "responses": responses}


def _metrics() -> dict[str, object]:
    summary = "Counts for Prometheus."
    text = _response(summary, "text/plain", {"type": "string"})
    return {"operationId": "metrics", "summary": summary, "responses": {"200": text, **_errors("unauthorized")}}


def _open_operation(name: str, summary: str, media_type: str, answer: type[BaseModel] | None) -> dict[str, object]:
    schema = _ref(answer) if answer else {"type": "object"}
    return {
        "operationId": name,
        "summary": summary,
        "security": [],
        "responses": {"200": _response(summary, media_type, schema)},
    }


def _errors(*types: str) -> dict[str, object]:
    by_status: dict[str, list[str]] = {}
    for type_ in types:
        by_status.setdefault(str(TYPES[type_]), []).append(type_)
    ref = _ref(ErrorAnswer)
    return {
        status: _response(f"Error: {', '.join(names)}.", "application/json", ref) for status, names in by_status.items()
    }


def _response(description: str, media_type: str, schema: dict[str, str]) -> dict[str, object]:
    return {"description": description, "content": {media_type: {"schema": schema}}}


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{model.__name__}"}
