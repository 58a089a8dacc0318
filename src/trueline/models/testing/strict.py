"""A server that rejects the parameters that the real ones reject, in their words: one at a time, with a status of 400.

async with FakeServer(default=strict()) as server: ...

What it knows of models is written down here once more, on purpose: it checks the table of the package.
"""

from __future__ import annotations

from collections.abc import Callable

import orjson

from trueline.models.testing.plays import Body, Play, Say
from trueline.models.testing.server import Seen
from trueline.models.types import Json

_REASONING = ("gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5-pro", "gpt-5-codex", "o1", "o3", "o3-mini", "o4-mini")
_ONE_SAMPLER = ("claude-opus-4-1", "claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-5", "claude-opus-4-6")
_NO_SAMPLER = ("claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", "claude-fable-5")


def strict(answer: Play | None = None, *, deployed: str = "") -> Callable[[Seen], Play]:
    """Return what plays such a server.

    Args:
        answer: What it says to a request that it accepts.
        deployed: The model behind a name of its user's choice, as on Azure.
    """

    def play(seen: Seen) -> Play:
        return _complaint(seen, deployed or seen.model) or answer or Say()

    return play


def _complaint(seen: Seen, model: str) -> Body | None:
    body = seen.body
    name = model.lower().rpartition("/")[2].rpartition("anthropic.")[2]
    if seen.protocol == "messages":
        return _of_anthropic(name, body, bedrock=seen.path.startswith("/model/"))
    if name.startswith(_ONE_SAMPLER + _NO_SAMPLER):
        return _of_anthropic(name, body, bedrock=False)
    if not any(name == one or name.startswith(f"{one}-") for one in _REASONING) or "-chat" in name:
        return None
    if seen.protocol == "chat" and "max_tokens" in body:
        words = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        return _of_openai("max_tokens", f"Unsupported parameter: {words}", "unsupported_parameter")
    for parameter in ("temperature", "top_p"):
        if body.get(parameter, 1) != 1:
            if name.startswith("o") or seen.protocol == "responses":
                words = f"Unsupported parameter: '{parameter}' is not supported with this model."
                return _of_openai(parameter, words, "unsupported_parameter")
            words = (
                f"Unsupported value: '{parameter}' does not support {body[parameter]} with this model. "
                "Only the default (1) value is supported."
            )
            return _of_openai(parameter, words, "unsupported_value")
    if "stop" in body:
        words = "Unsupported parameter: 'stop' is not supported with this model."
        return _of_openai("stop", words, "unsupported_parameter")
    return None


def _of_anthropic(model: str, body: Json, *, bedrock: bool) -> Body | None:
    words = ""
    if model.startswith(_NO_SAMPLER):
        parameter = next((name for name in ("temperature", "top_p") if name in body), None)
        words = f"`{parameter}` is deprecated for this model." if parameter else ""
    elif model.startswith(_ONE_SAMPLER) and {"temperature", "top_p"} <= body.keys():
        words = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
    if not words:
        return None
    if bedrock:
        return _rejected({"message": words})
    return _rejected({"type": "error", "error": {"type": "invalid_request_error", "message": words}})


def _of_openai(parameter: str, words: str, code: str) -> Body:
    error: Json = {"message": words, "type": "invalid_request_error", "param": parameter, "code": code}
    return _rejected({"error": error})


def _rejected(document: Json) -> Body:
    return Body(orjson.dumps(document), 400)
