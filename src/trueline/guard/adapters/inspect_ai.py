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

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from trueline.errors import InputError, MissingExtraError, TruelineError
from trueline.guard.adapters.inspect_calls import read_call
from trueline.guard.config import OnError
from trueline.guard.incoming.screen import read_base64, read_observation
from trueline.guard.session import CHECK_SECONDS, ask_guard, feedback_text
from trueline.guard.stages import enforce
from trueline.guard.types import Guard, GuardContext, PastStep, Rejection
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.verdict import Decision, Feedback, Verdict

_FLAGGED = "Found misaligned. "
"""Prefix of the explanation of a misaligned verdict; a later check recognises prior rejections by it."""

Answer = Literal["approve", "reject", "terminate", "escalate"]
"""The decisions of Inspect that a guard can return."""


class _ToolCall(Protocol):
    """The part of Inspect's `ToolCall` that is used."""

    @property
    def id(self) -> str: ...
    @property
    def function(self) -> str: ...
    @property
    def arguments(self) -> Mapping[str, object]: ...


class _ChatMessage(Protocol):
    """The part of every message that is used; the rest depends on its role."""

    @property
    def role(self) -> str: ...
    @property
    def text(self) -> str: ...


class Approve(Protocol):
    """An `inspect_ai.approval.Approver`."""

    async def __call__(self, message: str, call: _ToolCall, view: object, history: Sequence[_ChatMessage]) -> Any:
        """Return an `inspect_ai.approval.Approval`."""
        ...


@dataclass
class _Story:
    """The episode so far, as read from a conversation."""

    screen: Observation = field(default_factory=lambda: Observation(time=datetime.now(UTC)))
    history: list[PastStep] = field(default_factory=list[PastStep])
    rejections: list[Rejection] = field(default_factory=list[Rejection])


def guard_approver(
    guard: Guard,
    *,
    instruction: str | None = None,
    on_misaligned: Literal["reject", "terminate"] = "reject",
    on_error: OnError = "block",
    terminate_after: int | None = None,
    timeout_s: float = CHECK_SECONDS,
) -> Approve:
    """Make an approver: `ApprovalPolicy(guard_approver(guard), "computer*")`.

    It keeps nothing itself: history, rejections and the screen are read from the conversation each time.

    Args:
        guard: Gives the verdicts.
        instruction: What the user wants; by default the first message of the user.
        on_misaligned: Whether a misaligned call is rejected, so that the model may try another way, or ends the sample.
        on_error: What an undecided verdict means.
        terminate_after: End the sample at the first misaligned call after so many rejections.
        timeout_s: A check that takes longer is undecided.

    Raises:
        MissingExtraError: Inspect is not installed.
    """
    try:
        inspect_approval = importlib.import_module("inspect_ai.approval")
    except ImportError:
        raise MissingExtraError("the approver for Inspect", "inspect") from None

    def answer(decision: Answer, explanation: str, verdict: Verdict | None = None) -> Any:
        metadata = None if verdict is None else {"trueline": verdict.model_dump(mode="json")}
        return inspect_approval.Approval(decision=decision, explanation=explanation, metadata=metadata)

    async def approve(message: str, call: _ToolCall, view: object, history: Sequence[_ChatMessage]) -> Any:
        del view  # a picture of the call for people
        try:
            actions = read_call(call.function, call.arguments)
        except InputError as error:
            return answer("escalate", str(error))
        except TruelineError as error:
            return answer("reject", f"This call cannot be read, so it was not executed: {error}")
        story = read_story(history, call.id)
        context = GuardContext(
            instruction=instruction if instruction is not None else _first_words(history),
            observation=story.screen,
            proposal=Proposal(id=call.id, thought=message or None, actions=actions),
            history=tuple(story.history),
            rejections=tuple(story.rejections),
            step=len(story.history) + 1,
        )
        verdict = await ask_guard(guard, context, timeout_s)
        enough = terminate_after is not None and len(story.rejections) >= terminate_after
        decision = _decide(verdict, on_error, ends=on_misaligned == "terminate" or enough)
        blocked = decision in ("reject", "terminate")
        words = feedback_text(verdict.feedback or Feedback(wrong=verdict.reason)) if blocked else verdict.reason
        flag = _FLAGGED if verdict.decision is Decision.MISALIGNED else ""
        return answer(decision, flag + words, verdict)

    # Inspect records who approved by the name under which an approver is registered.
    registered: Callable[[], Approve] = inspect_approval.approver(name="trueline_guard")(lambda: approve)
    return registered()


def _decide(verdict: Verdict, on_error: OnError, *, ends: bool) -> Answer:
    match enforce(verdict, on_error):
        case "allow":
            return "approve"
        case "ask":
            return "escalate"
        case "block":
            return "terminate" if ends and verdict.decision is Decision.MISALIGNED else "reject"


def read_story(messages: Sequence[_ChatMessage], current: str) -> _Story:
    """Read the episode from a conversation. Earlier calls without a result count as executed."""
    story = _Story()
    waiting: dict[str, tuple[Proposal, Observation]] = {}
    for message in messages:
        if message.role == "assistant":
            calls: Sequence[_ToolCall] = getattr(message, "tool_calls", None) or ()
            for call in calls:
                if call.id == current:
                    break
                if proposal := _proposal(call):
                    waiting[call.id] = (proposal, story.screen)
        elif message.role == "tool":
            asked = waiting.pop(getattr(message, "tool_call_id", None) or "", None)
            error = getattr(message, "error", None)
            if asked is not None and error is not None and error.type == "approval":
                story.rejections.append(Rejection(len(story.history) + 1, asked[0], _rejected(str(error.message))))
            elif asked is not None:
                story.history.append(PastStep(len(story.history) + 1, *asked))
        story.screen = _last_screen(message) or story.screen
    for proposal, screen in waiting.values():
        story.history.append(PastStep(len(story.history) + 1, proposal, screen))
    return story


def _rejected(explanation: str) -> Verdict:
    """Whether a rejection was a misaligned verdict; other approvers reject too, for other reasons."""
    flagged = explanation.startswith(_FLAGGED)
    decision = Decision.MISALIGNED if flagged else Decision.UNDECIDED
    return Verdict(decision=decision, reason=explanation.removeprefix(_FLAGGED))


def _proposal(call: _ToolCall) -> Proposal | None:
    try:
        return Proposal(id=call.id, actions=read_call(call.function, call.arguments))
    except TruelineError:
        return None


def _last_screen(message: _ChatMessage) -> Observation | None:
    content = getattr(message, "content", "")
    pictures = [part.image for part in content if not isinstance(part, str) and part.type == "image"]
    if not pictures or not str(pictures[-1]).startswith("data:image/"):
        return None
    try:
        return read_observation(read_base64(str(pictures[-1])))
    except InputError:
        return None


def _first_words(messages: Sequence[_ChatMessage]) -> str:
    return next((message.text for message in messages if message.role == "user"), "")
