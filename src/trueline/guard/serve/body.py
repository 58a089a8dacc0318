"""The body of a request: as JSON or as a multipart form."""

from __future__ import annotations

from email.message import Message
from typing import NamedTuple

from trueline.guard.serve.errors import ApiError
from trueline.serving.body import header, multipart
from trueline.strict_json import parse_strict
from trueline.text import printable

_FORM_FIELDS = frozenset({"request", "screenshot", "tree"})
_MOST_PARTS = 7


class RequestBody(NamedTuple):
    """What a request says, and the files it carries beside."""

    data: object
    screenshot: bytes | None = None
    tree: bytes | None = None


def parse_body(content_type: str, body: bytes) -> RequestBody:
    """Read JSON, or a form with the JSON in `request` and the files `screenshot` and `tree`.

    Raises:
        ApiError: It is neither.
        FormError: It is a form that cannot be read.
    """
    kind = header(content_type)
    match kind.get_content_type():
        case "application/json":
            return RequestBody(_json(body))
        case "multipart/form-data":
            fields = _form(kind, body)
            if "request" not in fields:
                raise ApiError("invalid_request", "the form has no part with this name", field="request")
            return RequestBody(_json(fields["request"]), fields.get("screenshot"), fields.get("tree"))
        case _:
            raise ApiError("unsupported_media_type", "send application/json or multipart/form-data")


def _json(text: bytes) -> object:
    try:
        return parse_strict(text.decode())
    except ValueError as error:
        raise ApiError("invalid_request", f"the request is not JSON: {printable(str(error), 200)}") from None


def _form(content_type: Message, body: bytes) -> dict[str, bytes]:
    fields: dict[str, bytes] = {}
    for name, content in multipart(content_type, body, _MOST_PARTS):
        if name not in _FORM_FIELDS or name in fields:
            raise ApiError("invalid_request", f"the form may only have {', '.join(sorted(_FORM_FIELDS))}, each once")
        fields[name] = content
    return fields
