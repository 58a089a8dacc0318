"""Forms, as browsers and `requests` send them."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qsl

from trueline.desktop.serve.replies import ReceivedRequest, Refused
from trueline.serving.body import FormError, header, multipart

_MOST_FIELDS = 8


def read_form(call: ReceivedRequest) -> dict[str, bytes]:
    """Return the fields of a form.

    Raises:
        Refused: It is a form that cannot be read, or one in which a name stands twice.
    """
    kind = header(call.content_type)
    match kind.get_content_type():
        case "application/x-www-form-urlencoded":
            try:
                # A path need not be UTF-8: then its bytes are written as %FF.
                pairs = parse_qsl(
                    call.body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="surrogateescape"
                )
            except ValueError:
                raise Refused(400, "the form cannot be read") from None
            return _unique((name, value.encode("utf-8", "surrogateescape")) for name, value in pairs)
        case "multipart/form-data":
            try:
                return _unique(multipart(kind, call.body, _MOST_FIELDS))
            except FormError as error:
                raise Refused(400, str(error)) from None
        case _:
            return {}


def _unique(pairs: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    fields: dict[str, bytes] = {}
    for name, value in pairs:
        if name in fields:
            raise Refused(400, f"{name}: appears twice in the form")
        fields[name] = value
    return fields
