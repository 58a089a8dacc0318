"""Judging one episode by one judge."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from trueline import __version__
from trueline.errors import InputError, TruelineError
from trueline.judge.answer import NoJudgmentError, ask_judge
from trueline.judge.files import judgment_folder, make_inside, read_meta, write_judgment
from trueline.judge.material import unit_of
from trueline.judge.messages import prompt_digest
from trueline.judge.meta import JudgmentMeta
from trueline.judge.question import build_question
from trueline.judge.rules import judge_by_rules, rules_digest
from trueline.judge.setup import JudgeSetup
from trueline.judge.types import OBSERVATION_TYPES, RULES, Judge
from trueline.models.errors import ModelError
from trueline.models.types import Model
from trueline.records.folder.files import DiskFullError
from trueline.records.folder.reader import Trajectory
from trueline.records.judgment import Judgment
from trueline.records.usage import NO_USAGE, UNCOUNTED, Usage
from trueline.text import printable


@dataclass(frozen=True)
class JudgeResult:
    """The result of one judge for one episode."""

    episode: Path
    judge: Judge
    judgment: Judgment | None = None
    error: str | None = None
    """Why there is no judgment."""
    judged_before: bool = False
    """Whether the judgment is an earlier one; nothing was done now."""
    warnings: tuple[str, ...] = ()
    usage: Usage = NO_USAGE
    """Usage of judging and captioning now."""
    seconds: float = 0.0


class _Made(NamedTuple):
    judgment: Judgment | None
    meta: JudgmentMeta
    messages: list[JsonValue] | None = None


async def judge_episode(trajectory: Trajectory, judge: Judge, setup: JudgeSetup) -> JudgeResult:
    """Judge an episode and write the result; an error becomes part of the result.

    Raises:
        DiskFullError: There is no room for a judgment, so no model was asked.
    """
    began = time.perf_counter()
    episode, meta = trajectory.folder, new_meta(judge)
    try:
        # Before anything is paid for.
        await asyncio.to_thread(make_inside, episode, judgment_folder(episode, judge))
    except InputError as fault:
        return JudgeResult(episode, judge, error=printable(str(fault), 2000))
    try:
        made = _by_rules(trajectory, meta) if judge.model == RULES else await _by_model(trajectory, judge, setup, meta)
    except DiskFullError:
        raise
    except TruelineError as fault:
        made = _Made(None, _failed(meta, fault))
    try:
        await asyncio.to_thread(write_judgment, episode, judge, *made)
    except OSError as fault:
        error = f"{judgment_folder(episode, judge)}: cannot be written ({fault.strerror})"
        made = _Made(None, made.meta.model_copy(update={"errors": (error,)}))
    return JudgeResult(
        episode=episode,
        judge=judge,
        judgment=made.judgment,
        error=made.meta.errors[0] if made.meta.errors else None,
        warnings=made.meta.warnings,
        usage=made.meta.usage + made.meta.caption_usage,
        seconds=time.perf_counter() - began,
    )


def new_meta(judge: Judge) -> JudgmentMeta:
    """The meta data of a judgment before it is made."""
    return JudgmentMeta(
        trueline=__version__,
        time=datetime.now(UTC),
        judge_model=judge.model,
        judge_type=judge.judge_type,
        version=judge.version,
        vote=judge.vote,
    )


def _failed(meta: JudgmentMeta, fault: TruelineError) -> JudgmentMeta:
    if isinstance(fault, NoJudgmentError):
        usage = fault.usage
    else:
        # A captioner without a usable answer may have cost something; how much is unknown.
        usage = UNCOUNTED if isinstance(fault, ModelError) else NO_USAGE
    return meta.model_copy(update={"errors": (printable(str(fault), 2000),), "usage": usage})


def is_outdated(trajectory: Trajectory, judge: Judge) -> bool:
    """Whether an earlier judgment by rules was made from another state of the record: judging again is free."""
    if judge.model != RULES:
        return False
    meta = read_meta(trajectory.folder, judge)
    return meta is None or meta.input_digest != rules_digest(trajectory.record, unit_of(trajectory))


async def compare_with_earlier(trajectory: Trajectory, judge: Judge, setup: JudgeSetup) -> list[str]:
    """Describe how an earlier judgment differs from what is asked for now; it is kept until judged with `again`."""
    meta = await asyncio.to_thread(read_meta, trajectory.folder, judge)
    if meta is None or judge.model == RULES:
        return []
    notes = _other_choices(meta, judge, setup)
    return notes or await _other_input(trajectory, judge, setup, meta)


async def _other_input(trajectory: Trajectory, judge: Judge, setup: JudgeSetup, meta: JudgmentMeta) -> list[str]:
    """Describe whether the same judge would be asked something else now; no model is asked to find out."""
    observed = next((kind for kind in OBSERVATION_TYPES if kind == meta.observation_type), None)
    temperature = meta.sampling and meta.sampling.temperature
    same = replace(setup, observation_type=observed, temperature=temperature)
    try:
        question = await build_question(trajectory, judge, same, setup.models[judge.model].id, pay=False)
    except TruelineError as fault:
        return [printable(f"was judged before, but cannot be judged now: {fault}", 2000)]
    if meta.input_digest in (None, question.digest):
        return []
    return ["the episode, or how it is shown, changed since it was judged; use --again to judge it again"]


def _other_choices(meta: JudgmentMeta, judge: Judge, setup: JudgeSetup) -> list[str]:
    wanted = setup.observation_type
    differs = {
        f"observation type {meta.observation_type}": wanted is not None and meta.observation_type != wanted,
        "another version of this prompt": meta.prompt_digest != prompt_digest(judge.version),
        f"captions by {meta.caption_model}": meta.caption_model not in (None, setup.caption_model),
        f"temperature {meta.sampling and meta.sampling.temperature}": setup.temperature is not None
        and (meta.sampling is None or meta.sampling.temperature != setup.temperature),
    }
    return [f"was judged before with {what}; use --again to judge it again" for what, so in differs.items() if so]


def _by_rules(trajectory: Trajectory, meta: JudgmentMeta) -> _Made:
    if trajectory.ours and not trajectory.record.finished:
        raise InputError(f"{trajectory.folder}: the episode has not ended yet; judge it later")
    unit = unit_of(trajectory)
    judgment, category = judge_by_rules(trajectory.record, unit)
    found = {
        "judgment": judgment,
        "category": category,
        "input_digest": rules_digest(trajectory.record, unit),
        "warnings": _problems(trajectory),
    }
    return _Made(judgment, meta.model_copy(update=found))


def _problems(trajectory: Trajectory) -> tuple[str, ...]:
    """Problems in the episode's own files; missing images are reported where they would be shown."""
    return tuple(
        str(problem)
        for problem in trajectory.problems
        if not problem.file.startswith("judgment/") and not problem.what.endswith(" is missing")
    )


async def _by_model(trajectory: Trajectory, judge: Judge, setup: JudgeSetup, meta: JudgmentMeta) -> _Made:
    model = _model(trajectory, judge, setup)
    question = await build_question(trajectory, judge, setup, model.id)
    meta = meta.model_copy(
        update={
            "category": question.material.category,
            "observation_type": question.observation_type,
            "caption_model": setup.caption_model if question.captioned else None,
            "sampling": question.request.sampling,
            "prompt_digest": prompt_digest(judge.version),
            "input_digest": question.digest,
            "caption_usage": question.caption_usage,
            "warnings": (*_problems(trajectory), *question.warnings),
        }
    )
    try:
        given = await ask_judge(model, question.request, question.material, quoting=judge.version == "v4")
    except TruelineError as fault:
        return _Made(None, _failed(meta, fault), question.messages)
    found = {
        "judgment": given.judgment,
        "violation_quote": given.quote,
        "answered_by": given.answer.model,
        "usage": given.answer.usage,
        "latency_s": given.answer.latency_s,
        "attempts": given.answer.attempts,
        "cached": given.answer.cached,
    }
    if given.answer.unsent:
        unsent = f"not sent, because the server rejects it: {', '.join(given.answer.unsent)}"
        meta = meta.model_copy(update={"warnings": (*meta.warnings, unsent)})
    return _Made(given.judgment, meta.model_copy(update=found), question.messages)


def _model(trajectory: Trajectory, judge: Judge, setup: JudgeSetup) -> Model:
    """The judge's model; without the cache if it failed before or judges again."""
    meta = read_meta(trajectory.folder, judge)
    failed = meta is not None and bool(meta.errors)
    return (setup.fresh if setup.again or failed else setup.models)[judge.model]
