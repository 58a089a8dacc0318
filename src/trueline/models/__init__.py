"""Calling LLMs: `provider|model`, images, structured answers, retries, limits, cache and replay, tokens and money."""

from trueline.models.build import Config, open_model
from trueline.models.errors import BudgetSpentError, DeadlineError, ModelError, TooLongError
from trueline.models.images import image_from_bytes
from trueline.models.ledger import CostLedger
from trueline.models.limits import Limiters, ProviderLimits
from trueline.models.provider import Provider, server_credentials
from trueline.models.specs import Spec, parse_spec
from trueline.models.types import (
    Answer,
    ComputerTool,
    Image,
    ImagePolicy,
    Message,
    Model,
    ModelId,
    Request,
    Schema,
    Text,
    ToolCall,
    ToolResult,
    assistant,
    user,
)

__all__ = [
    "Answer",
    "BudgetSpentError",
    "ComputerTool",
    "Config",
    "CostLedger",
    "DeadlineError",
    "Image",
    "ImagePolicy",
    "Limiters",
    "Message",
    "Model",
    "ModelError",
    "ModelId",
    "Provider",
    "ProviderLimits",
    "Request",
    "Schema",
    "Spec",
    "Text",
    "TooLongError",
    "ToolCall",
    "ToolResult",
    "assistant",
    "image_from_bytes",
    "open_model",
    "parse_spec",
    "server_credentials",
    "user",
]
