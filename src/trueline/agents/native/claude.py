"""Claude's computer tools."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trueline.actions import DecodedCall, Size
from trueline.actions.codecs import claude
from trueline.actions.codecs.claude import ClaudeTool
from trueline.actions.coordinates import Scale
from trueline.agents.conversation import phrase
from trueline.agents.native.dialect import Dialect
from trueline.agents.native.history import CallResult, History, ShownScreen, blur_old
from trueline.agents.native.options import NativeOptions
from trueline.agents.native.screenshots import fitting
from trueline.agents.types import AgentContext
from trueline.models import ComputerTool, Image, Message, Text, ToolCall, ToolResult
from trueline.models.types import Part

LONGEST_SIDE = 1280
"""The provider shrinks larger images, which makes positions less accurate."""
_OLDER = re.compile(r"claude-(?:3-7-sonnet|sonnet-4(?:-5)?|opus-4(?:-1)?|haiku-4-5)(?:$|-\d{8}|-v\d|-latest|@|:)")


class ClaudeOptions(NativeOptions):
    """Options of the agent `claude`."""

    tool: ClaudeTool | None = None
    """`None` chooses by the model's name."""


def open_claude(options: ClaudeOptions, ctx: AgentContext) -> Dialect:
    """Configure the tool for an episode."""
    version = options.tool or default_tool(ctx.model().id.model)
    display = Size(*options.display) if options.display else fitting(ctx.screen, LONGEST_SIDE)
    scale = Scale(ctx.screen, display)

    def read(call: ToolCall) -> DecodedCall:
        return DecodedCall(call.id, claude.decode_call(call.name, call.arguments, version, scale))

    tool = ComputerTool(version=version, width=display.width, height=display.height, zoom=version.endswith("1124"))
    return Dialect(tool, scale, read, _reply, blur_old)


def default_tool(model: str) -> ClaudeTool:
    """Return the tool that a model was made for."""
    return "computer_20250124" if _OLDER.search(model) else "computer_20251124"


def _reply(history: History, found: Sequence[CallResult], shown: ShownScreen) -> History:
    """Add one result per call. The screen goes into the last one, or beside it where that one is an error."""
    results: list[ToolResult] = []
    for result in found:
        parts: list[Text | Image] = [Text(text=result.words)] if result.words else []
        if result.picture:
            parts.append(result.picture)
        elif shown.new and result is found[-1] and not result.failed:
            parts.append(shown.picture)
        parts = parts or [Text(text=phrase("executed"))]
        results.append(ToolResult(id=result.id, parts=tuple(parts), is_error=result.failed))
    # An error result may hold nothing but text, and somebody who zoomed in has seen enough.
    beside: tuple[Part, ...] = (shown.picture,) if shown.new and (not found or found[-1].failed) else ()
    return (*history, Message(role="user", parts=(*results, *beside)))
