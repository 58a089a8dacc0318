"""Calling LLMs: `provider|model`, images, structured answers, retries, limits, cache and replay, tokens and money."""

from trueline.models.build import Config, open_model
from trueline.models.errors import (
    BudgetSpentError,
    DeadlineError,
    InvalidAnswerError,
    MissingKeyError,
    ModelError,
    NoAnswerError,
    SpecError,
    TooLongError,
    UnpricedError,
    UnsupportedError,
)
from trueline.models.images import image_from_bytes, read_image
from trueline.models.ledger import CostLedger
from trueline.models.limits import Limiters, ProviderLimits
from trueline.models.provider import Provider, Variable, server_credentials
from trueline.models.retry import RetryPolicy
from trueline.models.specs import Spec, parse_spec
from trueline.models.types import (
    Answer,
    ComputerTool,
    FunctionTool,
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
    "FunctionTool",
    "Image",
    "ImagePolicy",
    "InvalidAnswerError",
    "Limiters",
    "Message",
    "MissingKeyError",
    "Model",
    "ModelError",
    "ModelId",
    "NoAnswerError",
    "Provider",
    "ProviderLimits",
    "Request",
    "RetryPolicy",
    "Schema",
    "Spec",
    "SpecError",
    "Text",
    "TooLongError",
    "ToolCall",
    "ToolResult",
    "UnpricedError",
    "UnsupportedError",
    "Variable",
    "assistant",
    "image_from_bytes",
    "open_model",
    "parse_spec",
    "read_image",
    "server_credentials",
    "user",
]
