"""OpenAI's computer tools."""

from __future__ import annotations

from collections.abc import Sequence

from trueline.actions import Call, DecodeError, SafetyCheck, Size
from trueline.actions.codecs import openai
from trueline.actions.codecs.fields import dump
from trueline.actions.codecs.openai import OpenAITool
from trueline.actions.coordinates import Scale
from trueline.agents.conversation import phrase
from trueline.agents.native.dialect import Dialect
from trueline.agents.native.options import NativeOptions
from trueline.agents.native.story import Outcome, Shown, Story, drop_old
from trueline.agents.types import AgentContext
from trueline.models import ComputerTool, Message, Text, ToolCall, ToolResult, user
from trueline.models.types import Json

_PREVIEW = "computer-use-preview"


class OpenAIOptions(NativeOptions):
    """How the agent `openai` is set."""

    tool: OpenAITool | None = None
    """`None` chooses by the model's name."""


def open_openai(options: OpenAIOptions, ctx: AgentContext) -> Dialect:
    """Set the tool for an episode."""
    version = options.tool or default_tool(ctx.model().id.model)
    display = Size(*options.display) if options.display else ctx.screen
    scale = Scale(ctx.screen, display)

    def read(call: ToolCall) -> Call:
        if call.name != "computer":
            raise DecodeError(openai.CODEC, f"{call.name!r} is not the computer tool", dump(call.arguments))
        return openai.decode_call({"call_id": call.id, **call.arguments}, scale)

    tool = ComputerTool(version=version, width=display.width, height=display.height)
    return Dialect(tool, scale, read, _reply, drop_old)


def default_tool(model: str) -> OpenAITool:
    """Return the tool that a model was made for."""
    return "computer_use_preview" if model.startswith(_PREVIEW) else "computer"


def _reply(story: Story, found: Sequence[Outcome], shown: Shown) -> Story:
    """Add one screenshot per call, with words after it where there are any.

    A call that waits for a safety check has no result without acknowledging it. One that was not let through is taken
    out of the story instead, with all that was said beside it.
    """
    shot = shown.picture
    if any(outcome.checks and not outcome.ran for outcome in found):
        words = next(outcome.words for outcome in found if outcome.checks)
        return (*story[:-1], user(phrase("unanswered check"), words, shot))
    if not found:
        return (*story, user(phrase("see screenshot"), shot))
    results = tuple(
        ToolResult(
            id=outcome.id,
            parts=(shot, Text(text=outcome.words)) if outcome.words else (shot,),
            is_error=outcome.failed,
            acknowledged=tuple(_check(check) for check in outcome.checks),
        )
        for outcome in found
    )
    return (*story, Message(role="user", parts=results))


def _check(check: SafetyCheck) -> Json:
    data: Json = {"id": check.id, "code": check.code, "message": check.message}
    return {name: value for name, value in data.items() if value is not None}
