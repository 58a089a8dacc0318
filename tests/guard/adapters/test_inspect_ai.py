"""The approver inside the real Inspect: its own policies, messages and a whole evaluation."""

from __future__ import annotations

import asyncio
import base64
import importlib
from pathlib import Path
from typing import Any

import pytest

from support.guarding import WordGuard, png
from trueline.errors import MissingExtraError
from trueline.guard.adapters.inspect_ai import guard_approver

pytestmark = pytest.mark.full
SCREEN = f"data:image/png;base64,{base64.b64encode(png()).decode()}"


def inspect(name: str) -> Any:
    return importlib.import_module(f"inspect_ai.{name}")


def call(words: str, id: str = "now", function: str = "computer") -> Any:
    arguments = {"action": "type", "text": words} if function == "computer" else {"query": words}
    return inspect("tool").ToolCall(id=id, function=function, arguments=arguments)


def conversation(rejection: str = "It deletes files.") -> list[Any]:
    """One call that ran, one that was rejected, one that waits beside the present one."""
    model, tool = inspect("model"), inspect("tool")
    return [
        model.ChatMessageSystem(content="You use a computer."),
        model.ChatMessageUser(content="Rename the file"),
        model.ChatMessageAssistant(content="", tool_calls=[call("one", "c1")]),
        model.ChatMessageTool(tool_call_id="c1", content=[model.ContentImage(image=SCREEN)]),
        model.ChatMessageAssistant(content="", tool_calls=[call("delete 1", "c2")]),
        model.ChatMessageTool(
            tool_call_id="c2", content="no", error=tool.ToolCallError("approval", rejection)
        ),
        model.ChatMessageAssistant(content="", tool_calls=[call("two", "c3"), call("x", "now"), call("later", "c4")]),
    ]  # fmt: skip


def decide(words: str, guard: WordGuard | None = None, function: str = "computer", **options: Any) -> Any:
    approve = guard_approver(guard or WordGuard(), **options)
    policy = importlib.import_module("inspect_ai.approval._policy").policy_approver
    policies = [inspect("approval").ApprovalPolicy(approve, "*")]
    view = inspect("tool").ToolCallView()

    async def work() -> Any:
        return await policy(policies)(
            message="I go on", call=call(words, function=function), view=view, history=conversation()
        )

    return asyncio.run(work())


@pytest.mark.parametrize(
    ("words", "options", "decision"),
    [
        ("fine", {}, "approve"),
        ("delete", {}, "reject"),
        ("delete", {"on_misaligned": "terminate"}, "terminate"),
        ("delete", {"terminate_after": 1}, "terminate"),
        ("delete", {"terminate_after": 2}, "reject"),
        ("doubt", {}, "reject"),
        ("doubt", {"on_misaligned": "terminate"}, "reject"),
        ("doubt", {"on_error": "allow"}, "approve"),
        ("doubt", {"on_error": "ask"}, "reject"),  # escalated, and nobody else approves
        ("boom", {}, "reject"),
        ("hang", {"timeout_s": 0.05}, "reject"),
    ],
)
def test_verdicts_in_inspects_words(words: str, options: dict[str, Any], decision: str) -> None:
    assert decide(words, **options).decision == decision


def test_a_rejection_tells_the_model_what_to_do_instead() -> None:
    approval = decide("delete")
    assert "Instead: Rename the file." in approval.explanation
    assert approval.metadata["trueline"]["decision"] == "misaligned"


def test_what_it_cannot_read_it_passes_on_and_what_does_not_fit_it_rejects() -> None:
    guard = WordGuard()
    assert "No approval granted" in decide("x", guard, function="web_search").explanation
    approve, tool = guard_approver(guard), inspect("tool")
    broken = tool.ToolCall(id="now", function="computer", arguments={"action": "explode"})
    assert asyncio.run(approve("", broken, tool.ToolCallView(), conversation())).decision == "reject"
    assert guard.seen == []


def test_the_context_is_read_from_the_conversation() -> None:
    guard = WordGuard()
    decide("fine", guard)
    (seen,) = guard.seen
    assert (seen.instruction, seen.step, seen.proposal.thought) == ("Rename the file", 3, "I go on")
    assert [step.proposal.id for step in seen.history] == ["c1", "c3"]
    assert [rejection.proposal.id for rejection in seen.rejections] == ["c2"]
    assert seen.observation.screenshot == png() and seen.history[0].observation != seen.observation
    decide("fine", guard, instruction="Something else")
    assert guard.seen[-1].instruction == "Something else"


@pytest.mark.parametrize(
    ("words", "decision"),
    [("delete", "misaligned"), ("doubt", "undecided"), ("boom", "undecided"), (None, "undecided")],
)
def test_only_what_was_found_misaligned_is_a_flag_later(words: str | None, decision: str) -> None:
    explanation = "A person said no." if words is None else decide(words).explanation
    guard, tool = WordGuard(), inspect("tool")
    approve = guard_approver(guard)
    asyncio.run(approve("", call("fine"), tool.ToolCallView(), conversation(explanation)))
    assert [rejection.verdict.decision for rejection in guard.seen[-1].rejections] == [decision]


# Warnings of Inspect about its own use of other packages.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_whole_evaluation_runs_only_what_is_approved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran: list[str] = []
    tool, model = inspect("tool"), inspect("model")

    async def execute(action: str, text: str) -> str:
        """Use the computer.

        Args:
            action: What to do.
            text: What to type.
        """
        ran.append(text)
        return "done"

    computer = tool.ToolDef(execute, name="computer").as_tool()
    answers = [
        model.ModelOutput.for_tool_call("mockllm/model", "computer", {"action": "type", "text": words})
        for words in ("one", "delete it", "two")
    ]
    answers.append(model.ModelOutput.from_content("mockllm/model", "done"))
    for output in answers:
        output.usage = model.ModelUsage()  # else Inspect counts tokens with a table from the network
    subject = model.get_model("mockllm/model", custom_outputs=answers)
    task = importlib.import_module("inspect_ai").Task(
        dataset=[importlib.import_module("inspect_ai.dataset").Sample(input="Rename the file")],
        solver=[inspect("solver").use_tools(computer), inspect("solver").generate()],
        approval=[inspect("approval").ApprovalPolicy(guard_approver(WordGuard()), "computer*")],
    )
    (log,) = importlib.import_module("inspect_ai").eval(task, model=subject, display="none", log_dir=str(tmp_path))
    assert log.status == "success", log.error
    assert ran == ["one", "two"]
    approvals = [event for event in log.samples[0].events if event.event == "approval"]
    assert [event.decision for event in approvals] == ["approve", "reject", "approve"]
    assert {event.approver for event in approvals} == {"trueline/trueline_guard"}


def test_without_inspect_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "inspect_ai.approval", None)
    with pytest.raises(MissingExtraError, match=r"trueline\[inspect\]"):
        guard_approver(WordGuard())
