"""OpenAI's official client, for OpenAI, Azure and all compatible servers. Importing this imports the client.

Errors are converted to `ModelError`s without the request: the client's own exceptions contain headers, and so keys.
"""

from __future__ import annotations

from urllib.parse import quote

import httpx2
import openai

from trueline.models.errors import ModelError, UnreachableError
from trueline.models.http_client import CONNECT_S, TIMEOUT, CappedClient, connection_failed, http_client
from trueline.models.keys import ProviderAccess, Redactor
from trueline.models.wire import HttpCall, status_error


class _Remote(CappedClient, openai.DefaultAsyncHttpxClient):
    """With the official client's own defaults."""


class OpenAIClient:
    """Sends a call once and returns the body of the response."""

    def __init__(self, access: ProviderAccess, redactor: Redactor) -> None:
        self._redactor = redactor
        self._sdk = self._open_sdk(access)

    def _open_sdk(self, access: ProviderAccess) -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(
            api_key=access["key"],
            base_url=access["url"],
            max_retries=0,
            timeout=TIMEOUT,
            http_client=http_client(access["url"], _Remote),
        )

    async def post(self, call: HttpCall) -> bytes:
        """Send one call.

        Raises:
            ModelError: there was no response of status 200.
        """
        try:
            response = await self._sdk.post(
                self._path(call),
                cast_to=httpx2.Response,
                # Not given as `body`, because the client's own encoder takes five times as long for pictures.
                content=call.content,
                options={"headers": {"Content-Type": "application/json", **call.headers}},
            )
        except openai.OpenAIError as e:
            error = _model_error(e, self._redactor)
        else:
            return response.content
        raise error

    def _path(self, call: HttpCall) -> str:
        return call.path

    async def close(self) -> None:
        """Close the connections."""
        await self._sdk.close()


class AzureClient(OpenAIClient):
    """The same for Azure, where the model stands in the path, except in the Responses API."""

    def _open_sdk(self, access: ProviderAccess) -> openai.AsyncOpenAI:
        return openai.AsyncAzureOpenAI(
            api_key=access["key"],
            azure_endpoint=access["url"],
            api_version=access["version"],
            max_retries=0,
            timeout=TIMEOUT,
            http_client=http_client(access["url"], _Remote),
        )

    def _path(self, call: HttpCall) -> str:
        if call.path == "/responses":
            return call.path
        return f"/deployments/{quote(str(call.body['model']), safe='')}{call.path}"


def _model_error(e: openai.OpenAIError, redactor: Redactor) -> ModelError:
    if isinstance(e, openai.APIStatusError):
        return status_error(e.status_code, e.response.headers, e.response.content, redactor)
    if isinstance(e, openai.APITimeoutError):
        return UnreachableError(f"no connection within {CONNECT_S:g} s")
    if isinstance(e, openai.APIConnectionError):
        return connection_failed(e, redactor)
    return ModelError(redactor.clean(f"{type(e).__name__}: {e}"))
