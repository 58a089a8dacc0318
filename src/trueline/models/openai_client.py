"""OpenAI's official client, for OpenAI, Azure and every compatible server. Importing this imports the client.

Errors leave here as ours, with nothing of the request attached: the client's own exceptions hold headers, and so keys.
"""

from __future__ import annotations

import httpx2
import openai
import orjson

from trueline.models.errors import AttemptTimeoutError, ConnectionLostError, ModelError
from trueline.models.keys import Access, Redactor
from trueline.models.wire import CONNECT_S, Call, status_error

_TIMEOUT = httpx2.Timeout(None, connect=CONNECT_S)


class OpenAIClient:
    """Sends a call once and returns the body of the response."""

    def __init__(self, access: Access, redactor: Redactor) -> None:
        self._redactor = redactor
        self._azure = access.provider == "azure"
        if self._azure:
            self._sdk: openai.AsyncOpenAI = openai.AsyncAzureOpenAI(
                api_key=access["key"],
                azure_endpoint=access["url"],
                api_version=access["version"],
                max_retries=0,
                timeout=_TIMEOUT,
            )
        else:
            self._sdk = openai.AsyncOpenAI(
                api_key=access["key"], base_url=access["url"], max_retries=0, timeout=_TIMEOUT
            )

    async def post(self, call: Call) -> bytes:
        """Send one call.

        Raises:
            ModelError: there was no response of status 200.
        """
        try:
            if self._azure:
                # The client finds the deployment's path in the body.
                response = await self._sdk.post(
                    call.path, cast_to=httpx2.Response, body=call.body, options={"headers": call.headers}
                )
            else:
                # Encoded here because the client's own encoder takes five times as long for pictures.
                response = await self._sdk.post(
                    call.path,
                    cast_to=httpx2.Response,
                    content=orjson.dumps(call.body),
                    options={"headers": {"Content-Type": "application/json", **call.headers}},
                )
        except openai.OpenAIError as e:
            error = _ours(e, self._redactor)
        else:
            return response.content
        raise error

    async def close(self) -> None:
        """Close the connections."""
        await self._sdk.close()


def _ours(e: openai.OpenAIError, redactor: Redactor) -> ModelError:
    if isinstance(e, openai.APIStatusError):
        return status_error(e.status_code, e.response.headers, e.response.content, redactor)
    if isinstance(e, openai.APITimeoutError):
        return AttemptTimeoutError(f"no connection within {CONNECT_S:g} s")
    if isinstance(e, openai.APIConnectionError):
        return ConnectionLostError(f"the connection failed: {redactor.clean(repr(e.__cause__ or e))}")
    return ModelError(redactor.clean(f"{type(e).__name__}: {e}"))
