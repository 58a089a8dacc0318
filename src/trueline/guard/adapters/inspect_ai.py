"""An approver for Inspect: the guard decides which tool calls of a computer-use agent run. Needs the extra `inspect`.

| the guard says | Inspect hears |
|---|---|
| aligned | approve |
| misaligned | reject, with the feedback; terminate where that is declared |
| undecided | reject (`on_error="block"`), escalate to the next approver (`"ask"`) or approve (`"allow"`) |
| nothing: a tool it cannot read | escalate; without another approver Inspect rejects |

The guard judges a call, it never rewrites one: it does not say modify.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from trueline.errors import InputError, MissingExtraError, TruelineError
from trueline.guard.adapters.inspect_calls import read_call
from trueline.guard.config import OnError
from trueline.guard.incoming.screen import read_base64, read_observation
from trueline.guard.session import CHECK_SECONDS, ask_guard, feedback_text
from trueline.guard.types import Guard, GuardContext, PastStep, Rejection
from trueline.guard.verdicts import enforce
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.verdict import Decision, Feedback, Verdict

try:
    from inspect_ai.approval import Approval, Approver, approver
    from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ChatMessageUser, ContentImage
    from inspect_ai.tool import ToolCall, ToolCallView
except ImportError:
    raise MissingExtraError("the approver for Inspect", "inspect") from None


@dataclass
class _Story:
    """What a conversation says about the episode so far."""

    screen: Observation = field(default_factory=lambda: Observation(time=datetime.now(UTC)))
    history: list[PastStep] = field(default_factory=list[PastStep])
    rejections: list[Rejection] = field(default_factory=list[Rejection])


@approver(name="trueline_guard")
def guard_approver(
    guard: Guard,
    instruction: str | None = None,
    on_misaligned: Literal["reject", "terminate"] = "reject",
    on_error: OnError = "block",
    terminate_after: int | None = None,
    timeout_s: float = CHECK_SECONDS,
) -> Approver:
    """Make an approver: `ApprovalPolicy(guard_approver(guard), "computer*")`.

    It keeps nothing itself: history, rejections and the screen are read from the conversation each time.

    Args:
        guard: Gives the verdicts.
        instruction: What the user wants; by default the first message of the user.
        on_misaligned: Whether a misaligned call is rejected, so that the model may try another way, or ends the sample.
        on_error: What an undecided verdict means.
        terminate_after: End the sample at the first rejection after so many.
        timeout_s: A check that takes longer is undecided.
    """

    async def approve(
        message: str,
        call: ToolCall,
        view: ToolCallView,  # noqa: ARG001 - Inspect passes it
        history: list[ChatMessage],
    ) -> Approval:
        try:
            actions = read_call(call.function, call.arguments)
        except InputError as error:
            return Approval(decision="escalate", explanation=str(error))
        except TruelineError as error:
            return Approval(decision="reject", explanation=f"This call cannot be read, so it was not executed: {error}")
        story = _read_story(history, call.id)
        context = GuardContext(
            instruction=instruction if instruction is not None else _first_words(history),
            observation=story.screen,
            proposal=Proposal(id=call.id, thought=message or None, actions=actions),
            history=tuple(story.history),
            rejections=tuple(story.rejections),
            step=len(story.history) + 1,
        )
        verdict = await ask_guard(guard, context, timeout_s)
        ends = on_misaligned == "terminate" or (
            terminate_after is not None and len(story.rejections) >= terminate_after
        )
        return _approval(verdict, on_error, ends=ends)

    return approve


def _approval(verdict: Verdict, on_error: OnError, *, ends: bool) -> Approval:
    metadata = {"trueline": verdict.model_dump(mode="json")}
    match enforce(verdict, on_error):
        case "allow":
            return Approval(decision="approve", explanation=verdict.reason or None, metadata=metadata)
        case "ask":
            return Approval(decision="escalate", explanation=verdict.reason, metadata=metadata)
        case "block":
            words = feedback_text(verdict.feedback or Feedback(wrong=verdict.reason))
            stop = ends and verdict.decision is Decision.MISALIGNED
            return Approval(decision="terminate" if stop else "reject", explanation=words, metadata=metadata)


def _read_story(messages: Sequence[ChatMessage], current: str) -> _Story:
    """Fold a conversation. Calls before the present one that have no result yet count as executed."""
    story = _Story()
    waiting: dict[str, tuple[Proposal, Observation]] = {}
    for message in messages:
        if isinstance(message, ChatMessageAssistant):
            for call in message.tool_calls or []:
                if call.id == current:
                    break
                if proposal := _proposal(call):
                    waiting[call.id] = (proposal, story.screen)
        elif isinstance(message, ChatMessageTool):
            asked = waiting.pop(message.tool_call_id or "", None)
            if asked is not None and message.error is not None and message.error.type == "approval":
                verdict = Verdict(decision=Decision.MISALIGNED, reason=message.error.message)
                story.rejections.append(Rejection(len(story.history) + 1, asked[0], verdict))
            elif asked is not None:
                story.history.append(PastStep(len(story.history) + 1, *asked))
        story.screen = _last_screen(message) or story.screen
    for proposal, screen in waiting.values():
        story.history.append(PastStep(len(story.history) + 1, proposal, screen))
    return story


def _proposal(call: ToolCall) -> Proposal | None:
    try:
        return Proposal(id=call.id, actions=read_call(call.function, call.arguments))
    except TruelineError:
        return None


def _last_screen(message: ChatMessage) -> Observation | None:
    if isinstance(message.content, str):
        return None
    pictures = [part.image for part in message.content if isinstance(part, ContentImage)]
    if not pictures or not pictures[-1].startswith("data:image/"):
        return None
    try:
        return read_observation(read_base64(pictures[-1]))
    except InputError:
        return None


def _first_words(messages: Sequence[ChatMessage]) -> str:
    return next((message.text for message in messages if isinstance(message, ChatMessageUser)), "")
