"""Anthropic's official client, for Anthropic and Bedrock. Importing this imports the client.

Errors are converted to `ModelError`s without the request: the client's own exceptions contain headers, and so keys.
"""

from __future__ import annotations

import importlib

import anthropic
import httpx2
import orjson
from anthropic.lib.bedrock import AsyncAnthropicBedrock

from trueline.models.errors import AuthError, ModelError, UnreachableError
from trueline.models.http_client import CONNECT_S, TIMEOUT, CappedClient, connection_failed, http_client
from trueline.models.keys import ProviderAccess, Redactor
from trueline.models.wire import HttpCall, status_error


class _Remote(CappedClient, anthropic.DefaultAsyncHttpxClient):
    """With the official client's own defaults."""


class AnthropicClient:
    """Sends a call once and returns the body of the response."""

    def __init__(self, access: ProviderAccess, redactor: Redactor) -> None:
        self._redactor = redactor
        self._sdk = anthropic.AsyncAnthropic(
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
                call.path,
                cast_to=httpx2.Response,
                # Not given as `body`, because the client's own encoder takes five times as long for pictures.
                content=call.content,
                options={"headers": {"Content-Type": "application/json", **call.headers}},
            )
        except anthropic.AnthropicError as e:
            error = _model_error(e, self._redactor)
        else:
            return response.content
        raise error

    async def close(self) -> None:
        """Close the connections."""
        await self._sdk.close()


class BedrockClient:
    """The same for Claude on Bedrock, where the client signs the request."""

    def __init__(self, access: ProviderAccess, redactor: Redactor) -> None:
        # Loaded now, because the client would load it inside the first request.
        importlib.import_module("boto3")
        from botocore.exceptions import BotoCoreError

        self._signing_errors = (BotoCoreError, RuntimeError)
        self._redactor = redactor
        by_token = access.get("secret") is None and access.get("profile") is None
        self._sdk = AsyncAnthropicBedrock(
            api_key=access["key"] if by_token else None,
            aws_access_key=None if by_token else access.get("key"),
            aws_secret_key=access.get("secret"),
            aws_session_token=access.get("session"),
            aws_profile=access.get("profile"),
            aws_region=access["region"],
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
            # The client moves the model from the body to the path, so it must have the body, made of valid text only.
            response = await self._sdk.post(
                call.path, cast_to=httpx2.Response, body=orjson.loads(call.content), options={"headers": call.headers}
            )
        except anthropic.AnthropicError as e:
            error = _model_error(e, self._redactor)
        except self._signing_errors as e:
            error = AuthError(f"no AWS credentials: {self._redactor.clean(str(e))}")
        else:
            return response.content
        raise error

    async def close(self) -> None:
        """Close the connections."""
        await self._sdk.close()


def _model_error(e: anthropic.AnthropicError, redactor: Redactor) -> ModelError:
    if isinstance(e, anthropic.APIStatusError):
        return status_error(e.status_code, e.response.headers, e.response.content, redactor)
    if isinstance(e, anthropic.APITimeoutError):
        return UnreachableError(f"no connection within {CONNECT_S:g} s")
    if isinstance(e, anthropic.APIConnectionError):
        return connection_failed(e, redactor)
    return ModelError(redactor.clean(f"{type(e).__name__}: {e}"))
