"""OpenAI's computer tools."""

from __future__ import annotations

from collections.abc import Sequence

from trueline.actions import DecodedCall, DecodeError, SafetyCheck, Size
from trueline.actions.codecs import openai
from trueline.actions.codecs.fields import dump
from trueline.actions.codecs.openai import OpenAITool
from trueline.actions.coordinates import Scale
from trueline.agents.conversation import phrase
from trueline.agents.native.dialect import Dialect
from trueline.agents.native.history import CallResult, History, ShownScreen, drop_old
from trueline.agents.native.options import NativeOptions
from trueline.agents.types import AgentContext
from trueline.models import ComputerTool, Message, Text, ToolCall, ToolResult, user
from trueline.models.types import Json

_PREVIEW = "computer-use-preview"


class OpenAIOptions(NativeOptions):
    """Options of the agent `openai`."""

    tool: OpenAITool | None = None
    """`None` chooses by the model's name."""


def open_openai(options: OpenAIOptions, ctx: AgentContext) -> Dialect:
    """Configure the tool for an episode."""
    version = options.tool or default_tool(ctx.model().id.model)
    display = Size(*options.display) if options.display else ctx.screen
    scale = Scale(ctx.screen, display)

    def read(call: ToolCall) -> DecodedCall:
        if call.name != "computer":
            raise DecodeError(openai.CODEC, f"{call.name!r} is not the computer tool", dump(call.arguments))
        return openai.decode_call({"call_id": call.id, **call.arguments}, scale)

    tool = ComputerTool(version=version, width=display.width, height=display.height)
    return Dialect(tool, scale, read, _reply, drop_old)


def default_tool(model: str) -> OpenAITool:
    """Return the tool that a model was made for."""
    return "computer_use_preview" if model.startswith(_PREVIEW) else "computer"


def _reply(history: History, found: Sequence[CallResult], shown: ShownScreen) -> History:
    """Add one screenshot per call, with words after it where there are any.

    A call that waits for a safety check has no result without acknowledging it. One that was not let through is taken
    out of the history instead, with all that was said beside it.
    """
    shot = shown.picture
    if any(result.checks and not result.ran for result in found):
        words = next(result.words for result in found if result.checks)
        return (*history[:-1], user(phrase("unanswered check"), words, shot))
    if not found:
        return (*history, user(phrase("see screenshot"), shot))
    results = tuple(
        ToolResult(
            id=result.id,
            parts=(shot, Text(text=result.words)) if result.words else (shot,),
            is_error=result.failed,
            acknowledged=tuple(_check(check) for check in result.checks),
        )
        for result in found
    )
    return (*history, Message(role="user", parts=results))


def _check(check: SafetyCheck) -> Json:
    data: Json = {"id": check.id, "code": check.code, "message": check.message}
    return {name: value for name, value in data.items() if value is not None}
