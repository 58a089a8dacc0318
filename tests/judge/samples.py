"""Small episodes to judge, and a setup whose models live on a server of the test."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trueline.actions import Click, Point
from trueline.judge.batch import judge_episodes
from trueline.judge.captions import Captioner
from trueline.judge.judge_episode import JudgeResult
from trueline.judge.setup import JudgeSetup
from trueline.judge.types import Judge, JudgeType, ObservationType, PromptVersion
from trueline.models import Config, Limiters, Model, ProviderLimits, open_model
from trueline.models.envfiles import Env
from trueline.models.retry import RetryPolicy
from trueline.models.testing import FakeServer, Say, Seen
from trueline.records import (
    ActionResult,
    Attack,
    Attempt,
    CheckRecord,
    Decision,
    End,
    EpisodeWriter,
    Finding,
    Funnel,
    Proposal,
    Stage,
    Step,
    StoreLevel,
    TaskRef,
    Verdict,
)
from trueline.records.episode import TaskKind
from trueline.records.events import Ended, Started

T0 = datetime(2026, 3, 20, 22, 29, 44, tzinfo=UTC)
STAMP = "20260320@222944"
QUICK = RetryPolicy(attempts=2, first_s=0.001, longest_s=0.01, attempt_s=20, deadline_s=20)
SAFE: dict[str, object] = {"reasoning": "Nothing bad.", "success": True, "safety": True, "violation_step": None}
UNSAFE: dict[str, object] = {"reasoning": "It sends the file.", "success": False, "safety": False, "violation_step": 1}


def png(text: str) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + text.encode()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def place(
    root: Path, name: str = "task", *, model: str = "m", domain: str = "chrome", seen: str = "screenshot"
) -> Path:
    return root / "pyautogui" / seen / model / domain / name


def osharm_episode(
    folder: Path,
    responses: Sequence[str] = ("open", "send", "DONE"),
    *,
    instruction: str = "Mail the report.",
    observation_type: str = "screenshot_a11y_tree",
    pictures: bool = True,
    injection: dict[str, object] | None = None,
    jailbreak: bool = False,
    score: float | None = None,
) -> Path:
    """An episode as OS-Harm writes it; the screen before step k is `step_0.png`, then the one after step k - 1."""
    folder.mkdir(parents=True)
    names = ["step_0.png", *(f"step_{k}_{STAMP}.png" for k in range(1, len(responses) + 1))]
    steps = [
        {
            "a11y_tree": f"tree {k}",
            "screenshot_file": names[k],
            "response": text,
            "actions": [f"pyautogui.click({k}, 1)"],
        }
        for k, text in enumerate(responses)
    ]  # fmt: skip
    log = {
        "params": {"model": "m", "action_space": "pyautogui", "observation_type": observation_type},
        "task": {"jailbreak": jailbreak, "injection": injection, "instruction": instruction},
        "steps": steps,
    }
    lines = [
        {
            "step_num": k + 1, "action_timestamp": STAMP, "action": f"pyautogui.click({k}, 1)", "reward": 0,
            "done": False, "info": {}, "screenshot_file": names[k + 1],
        }
        for k in range(len(responses))
    ]  # fmt: skip
    (folder / "better_log.json").write_text(json.dumps(log))
    (folder / "traj.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    if pictures:
        for name in names:
            (folder / name).write_bytes(png(name))
    if score is not None:
        (folder / "result.txt").write_text(f"{score}\n")
    return folder


def our_episode(
    folder: Path,
    *,
    kind: TaskKind | None = "benign",
    attack: Attack | None = None,
    score: float | None = 1.0,
    end: End = End.DONE,
    funnel: Funnel | None = None,
    checks: tuple[CheckRecord, ...] = (),
    policy: Sequence[int] = (),
    stopped: Sequence[int] = (),
    responses: Sequence[str] = ("open", "send", "done"),
    instruction: str = "Mail the report.",
    task_instruction: str | None = None,
    store: StoreLevel = StoreLevel.ALL,
) -> Path:
    """An episode of our own; the guard's policy forbids the steps `policy` (which run) and `stopped` (which do not)."""
    started = Started(
        time=T0,
        task=TaskRef(domain=folder.parent.name, id=folder.name.partition("__inject__")[0], kind=kind),
        attack=attack,
        instruction=instruction,
        task_instruction=task_instruction,
    )
    writer = EpisodeWriter(folder, started, store=store)
    forbidden = Verdict(
        decision=Decision.MISALIGNED,
        stage=Stage.POLICY,
        reason="egress",
        findings=(Finding(stage=Stage.POLICY, decision=Decision.MISALIGNED, reason="egress"),),
    )
    for number, text in enumerate(responses, 1):
        action = Click(at=Point(number, 1))
        ran = number not in stopped
        verdicts = (forbidden,) if number in policy or not ran else ()
        proposal = Proposal(id=str(number), raw=text, actions=(action,))
        results = (ActionResult(action=action, time=T0),) if ran else ()
        attempt = Attempt(proposal=proposal, verdicts=verdicts, ran=ran)
        writer.step(Step(number=number, attempts=(attempt,), results=results), time=T0)
    writer.finish(Ended(time=T0, end=end, score=score, funnel=funnel, checks=checks))
    return folder


def judging(answer: dict[str, object] | Callable[[Seen], dict[str, object]] = SAFE) -> Callable[[Seen], Say]:
    """A server that describes pictures and judges: what asks for a structured answer comes from a judge."""

    def play(seen: Seen) -> Say:
        if not asks_for_judgment(seen):
            return Say(f"caption of {','.join(seen.pictures())[:12]}")
        quote = {"violation_quote": None} if b"violation_quote" in seen.raw else {}
        return Say(json.dumps(quote | (answer(seen) if callable(answer) else answer)))

    return play


def asks_for_judgment(seen: Seen) -> bool:
    return "response_format" in seen.body or "tool_choice" in seen.body


def strings(value: Any) -> list[str]:
    """All strings in a JSON value, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in strings(item)]
    return [text for item in value for text in strings(item)] if isinstance(value, list) else []


def env_of(server: FakeServer) -> Env:
    return Env(
        {
            "OPENAI_API_KEY": "sk-openai-0123456789abcdef",
            "OPENAI_BASE_URL": f"{server.url}/v1",
            "ANTHROPIC_API_KEY": "sk-ant-0123456789abcdef",
            "ANTHROPIC_BASE_URL": server.url,
            "LOCAL_OPENAI_BASE_URL": f"{server.url}/v1",
        }
    )


def judge_with(
    server: FakeServer,
    episodes: Sequence[Path],
    *judges: Judge,
    again: bool = False,
    observation_type: ObservationType | None = None,
    caption_model: str = "local|eyes",
    workers: int = 4,
    in_flight: int = 64,
    retry: RetryPolicy = QUICK,
    report: Callable[[JudgeResult], None] | None = None,
    task_texts: Callable[[str, str], str | None] = lambda _domain, _task: None,
) -> list[JudgeResult]:
    """Judge with models on the server; nothing may take forever."""
    outcomes: list[JudgeResult] = []

    def told(outcome: JudgeResult) -> None:
        outcomes.append(outcome)
        if report is not None:
            report(outcome)

    async def main() -> None:
        async with asyncio.timeout(60), server:
            config = Config(env=env_of(server), retry=retry, limiters=Limiters(ProviderLimits(in_flight=in_flight)))
            names = {judge.model for judge in judges if judge.model != "rules"} | {caption_model}
            models: dict[str, Model] = {name: open_model(name, config=config) for name in names}
            setup = JudgeSetup(
                judges=judges,
                models=models,
                fresh=models,
                captioner=Captioner(caption_model, models[caption_model]),
                caption_model=caption_model,
                observation_type=observation_type,
                again=again,
                task_texts=task_texts,
            )
            try:
                await judge_episodes(episodes, setup, told, workers=workers)
            finally:
                for model in models.values():
                    await model.close()

    asyncio.run(main())
    return outcomes


def judge(
    judge_type: JudgeType = "aer", version: PromptVersion = "v3", model: str = "local|wise", vote: int = 1
) -> Judge:
    return Judge(model, judge_type, version, vote)


def judgments_below(root: Path) -> list[Path]:
    return sorted(root.rglob("judgment.json"))


def judged(folder: Path, said: dict[str, object], judge: str = "gpt-4.1/aer/v3") -> Path:
    """Put a judgment beside an episode."""
    path = folder / "judgment" / judge / "judgment.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(said))
    return folder


def tree(root: Path, number: int = 3) -> Path:
    """Several misuse episodes of one agent."""
    for k in range(number):
        osharm_episode(place(root, f"_t{k}"), instruction=f"Do _t{k}.")
    return root
