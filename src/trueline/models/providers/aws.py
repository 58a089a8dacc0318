"""Claude on Amazon Bedrock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueline.models.anthropic_messages import MessagesCodec
from trueline.models.errors import SpecError
from trueline.models.provider import Provider, Variable

if TYPE_CHECKING:
    from trueline.models.keys import ProviderAccess, Redactor
    from trueline.models.wire import Client, Codec

BEDROCK_IDS = {
    "claude-3-5-haiku": "anthropic.claude-3-5-haiku-20241022-v1:0",
    "claude-3-5-sonnet": "anthropic.claude-3-5-sonnet-20241022-v2:0",
    "claude-3-7-sonnet": "anthropic.claude-3-7-sonnet-20250219-v1:0",
    "claude-sonnet-4": "anthropic.claude-sonnet-4-20250514-v1:0",
    "claude-opus-4": "anthropic.claude-opus-4-20250514-v1:0",
    "claude-opus-4-1": "anthropic.claude-opus-4-1-20250805-v1:0",
    "claude-sonnet-4-5": "anthropic.claude-sonnet-4-5-20250929-v1:0",
    "claude-haiku-4-5": "anthropic.claude-haiku-4-5-20251001-v1:0",
    "claude-opus-4-5": "anthropic.claude-opus-4-5-20251101-v1:0",
    "claude-sonnet-4-6": "anthropic.claude-sonnet-4-6",
    "claude-opus-4-6": "anthropic.claude-opus-4-6-v1",
}
"""Short names of Claude models and their ids on Bedrock."""

_GEOGRAPHIES = {"us": "us", "ca": "us", "eu": "eu", "ap": "apac"}


def bedrock_id(model: str, region: str) -> str:
    """Return the id that Bedrock wants: a short name gets its full id and the region's inference profile."""
    if "anthropic." in model or model.startswith("arn:"):
        return model
    if model not in BEDROCK_IDS:
        raise SpecError(
            f"aws|{model}: no short name for it; write the full model id of Bedrock, or one of {', '.join(BEDROCK_IDS)}"
        )
    geography = _GEOGRAPHIES.get(region.split("-")[0])
    return f"{geography}.{BEDROCK_IDS[model]}" if geography else BEDROCK_IDS[model]


def _codec(model: str) -> Codec:
    return MessagesCodec(model, bedrock=True)


def _open_client(access: ProviderAccess, redactor: Redactor) -> Client:
    from trueline.models.anthropic_client import BedrockClient

    return BedrockClient(access, redactor)


_REGION = Variable("region", ("AWS_REGION", "AWS_DEFAULT_REGION"))
_URL = Variable(
    "url", ("ANTHROPIC_BEDROCK_BASE_URL",), required=False, default="https://bedrock-runtime.{region}.amazonaws.com"
)

PROVIDER = Provider(
    "aws",
    "Claude on Amazon Bedrock; short names such as claude-3-7-sonnet, or a full model id",
    "messages",
    (
        (Variable("key", ("AWS_BEARER_TOKEN_BEDROCK",)), _REGION, _URL),
        (
            Variable("key", ("AWS_ACCESS_KEY", "AWS_ACCESS_KEY_ID")),
            Variable("secret", ("AWS_SECRET_KEY", "AWS_SECRET_ACCESS_KEY")),
            Variable("session", ("AWS_SESSION_TOKEN",), required=False),
            _REGION,
            _URL,
        ),
        (Variable("profile", ("AWS_PROFILE",)), _REGION, _URL),
    ),
    structured=True,
    server_model=bedrock_id,
    codec=_codec,
    open_client=_open_client,
)
