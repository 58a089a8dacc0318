"""Azure OpenAI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueline.models.provider import Provider, Variable

if TYPE_CHECKING:
    from trueline.models.keys import ProviderAccess, Redactor
    from trueline.models.wire import Client

_VERSION = "2025-04-01-preview"


def _open_client(access: ProviderAccess, redactor: Redactor) -> Client:
    from trueline.models.openai_client import AzureClient

    return AzureClient(access, redactor)


PROVIDER = Provider(
    "azure",
    "OpenAI's models on Azure; the model is the name of your deployment",
    credentials=(
        (
            Variable("key", ("AZURE_OPENAI_API_KEY",)),
            Variable("url", ("AZURE_OPENAI_ENDPOINT",)),
            Variable(
                "version",
                ("AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION", "AZURE_API_VERSION"),
                required=False,
                default=_VERSION,
            ),
        ),
        (
            Variable("key", ("AZURE_API_KEY",)),
            Variable("url", ("AZURE_ENDPOINT",)),
            Variable("version", ("AZURE_API_VERSION",), required=False, default=_VERSION),
        ),
    ),
    structured=True,
    completion_tokens=True,
    responses=True,
    deployments=True,
    open_client=_open_client,
)
