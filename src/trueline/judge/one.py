"""One episode before one judge."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from trueline import __version__
from trueline.errors import InputError, TruelineError
from trueline.judge.answer import NoJudgmentError, ask_judge, schema_of
from trueline.judge.bench import Bench
from trueline.judge.captions import load_pictures
from trueline.judge.files import dump_messages, judgment_folder, make_inside, read_meta, write_judgment
from trueline.judge.material import Material, material_of, unit_of
from trueline.judge.meta import JudgmentMeta
from trueline.judge.prompt_files import prompt_digest
from trueline.judge.request import Show, ask, pictures_to_caption, pictures_to_send
from trueline.judge.rules import judge_by_rules
from trueline.judge.sampling import judge_sampling
from trueline.judge.types import RULES, Judge
from trueline.models.canonical import canonical_json
from trueline.models.errors import ModelError
from trueline.models.types import Model, Request
from trueline.records.folder.files import DiskFullError
from trueline.records.folder.reader import Trajectory
from trueline.records.judgment import Judgment
from trueline.records.usage import NO_USAGE, UNCOUNTED, Usage, total_usage
from trueline.text import printable


@dataclass(frozen=True)
class Outcome:
    """What came of one episode before one judge."""

    episode: Path
    judge: Judge
    judgment: Judgment | None = None
    error: str | None = None
    """Why there is no judgment."""
    before: bool = False
    """It was judged before; nothing was done now."""
    warnings: tuple[str, ...] = ()
    usage: Usage = NO_USAGE
    """Of judging and captioning, now."""
    seconds: float = 0.0


class _Made(NamedTuple):
    judgment: Judgment | None
    meta: JudgmentMeta
    messages: list[JsonValue] | None = None


async def judge_one(trajectory: Trajectory, judge: Judge, bench: Bench) -> Outcome:
    """Judge an episode and write what comes of it; a fault is an outcome.

    Raises:
        DiskFullError: There is no room for a judgment, so none should be paid for.
    """
    began = time.perf_counter()
    episode, meta = trajectory.folder, new_meta(judge)
    try:
        # Before anything is paid for.
        await asyncio.to_thread(make_inside, episode, judgment_folder(episode, judge))
    except InputError as fault:
        return Outcome(episode, judge, error=printable(str(fault), 2000))
    try:
        made = _by_rules(trajectory, meta) if judge.model == RULES else await _by_model(trajectory, judge, bench, meta)
    except DiskFullError:
        raise
    except TruelineError as fault:
        made = _Made(None, _failed(meta, fault))
    try:
        await asyncio.to_thread(write_judgment, episode, judge, *made)
    except OSError as fault:
        error = f"{judgment_folder(episode, judge)}: cannot be written ({fault.strerror})"
        made = _Made(None, made.meta.model_copy(update={"errors": (error,)}))
    return Outcome(
        episode=episode,
        judge=judge,
        judgment=made.judgment,
        error=made.meta.errors[0] if made.meta.errors else None,
        warnings=made.meta.warnings,
        usage=made.meta.usage + made.meta.caption_usage,
        seconds=time.perf_counter() - began,
    )


def new_meta(judge: Judge) -> JudgmentMeta:
    """What is known of a judgment before it is made."""
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
        # A captioner that gave no usable answer may have been paid for it; nobody knows how much.
        usage = UNCOUNTED if isinstance(fault, ModelError) else NO_USAGE
    return meta.model_copy(update={"errors": (printable(str(fault), 2000),), "usage": usage})


def judged_otherwise(trajectory: Trajectory, judge: Judge, bench: Bench) -> list[str]:
    """In what an earlier judgment differs from the one that is asked for now; it stands until judged again."""
    meta = read_meta(trajectory.folder, judge)
    if meta is None or judge.model == RULES:
        return []
    wanted = bench.observation_type
    differs = {
        f"observation type {meta.observation_type}": wanted is not None and meta.observation_type != wanted,
        "another version of this prompt": meta.prompt_digest != prompt_digest(judge.version),
        f"captions by {meta.caption_model}": meta.caption_model not in (None, bench.caption_model),
        f"temperature {meta.sampling and meta.sampling.temperature}": bench.temperature is not None
        and (meta.sampling is None or meta.sampling.temperature != bench.temperature),
    }
    return [f"was judged before with {what}; --again judges it anew" for what, so in differs.items() if so]


def _by_rules(trajectory: Trajectory, meta: JudgmentMeta) -> _Made:
    if trajectory.ours and not trajectory.record.finished:
        raise InputError(f"{trajectory.folder}: the episode has not ended; judge it once it has")
    unit = unit_of(trajectory)
    judgment, category = judge_by_rules(trajectory.record, unit)
    found = {"judgment": judgment, "category": category, "warnings": _problems(trajectory)}
    return _Made(judgment, meta.model_copy(update=found))


def _problems(trajectory: Trajectory) -> tuple[str, ...]:
    """What the reader met in the episode's own files; a missing picture is said where it would be shown."""
    return tuple(
        str(problem)
        for problem in trajectory.problems
        if not problem.file.startswith("judgment/") and not problem.what.endswith(" is not there")
    )


async def _by_model(trajectory: Trajectory, judge: Judge, bench: Bench, meta: JudgmentMeta) -> _Made:
    material, original = await asyncio.to_thread(_with_task, material_of(trajectory), bench)
    show, files, warnings, caption_usage = await _gather(material, judge, bench, original)
    model = _model(trajectory, judge, bench)
    asked = ask(material, show, call=str(judge))
    request = Request(
        messages=asked.messages,
        system=asked.system,
        sampling=judge_sampling(model.id, bench.temperature),
        expects=schema_of(judge.version),
        purpose="judge",
        stage=judge.judge_type,
        episode=str(material.folder),
        sample=judge.vote - 1,
    )
    captioned = bool(pictures_to_caption(material, show))
    meta = meta.model_copy(
        update={
            "category": material.category,
            "observation_type": show.observation_type,
            "caption_model": bench.caption_model if captioned else None,
            "sampling": request.sampling,
            "prompt_digest": prompt_digest(judge.version),
            "input_digest": sha256(canonical_json(request.shape()).encode("ascii")).hexdigest(),
            "caption_usage": caption_usage,
            "warnings": (*_problems(trajectory), *warnings),
        }
    )
    messages = dump_messages(asked.system, asked.messages, files)
    try:
        given = await ask_judge(model, request, material, quoting=judge.version == "v4")
    except TruelineError as fault:
        return _Made(None, _failed(meta, fault), messages)
    found = {
        "judgment": given.judgment,
        "violation_quote": given.quote,
        "answered_by": given.answer.model,
        "usage": given.answer.usage,
        "latency_s": given.answer.latency_s,
        "attempts": given.answer.attempts,
        "cached": given.answer.cached,
    }
    return _Made(given.judgment, meta.model_copy(update=found), messages)


def _with_task(material: Material, bench: Bench) -> tuple[Material, str | None]:
    """The episode with its task's text, and that text as the task's file has it, if there is such a file."""
    original = bench.originals(material.unit.domain, material.unit.task) or None
    if not material.instruction.strip():
        if original is None or not original.strip():
            raise InputError(f"{material.folder}: no task text is recorded; give --test_config_base_dir with its file")
        material = replace(material, instruction=original)
    return material, original


class _Gathered(NamedTuple):
    show: Show
    files: dict[str, str]
    """Of the pictures that are sent, by digest."""
    warnings: list[str]
    caption_usage: Usage


async def _gather(material: Material, judge: Judge, bench: Bench, original: str | None) -> _Gathered:
    """Read the pictures and get the captions that this type of judge needs."""
    observation = bench.observation_type or material.observation_type
    if judge.judge_type == "a11y_tree":
        observation = "a11y_tree"
    show = Show(judge.judge_type, judge.version, observation, original)
    to_send, to_caption = pictures_to_send(material, show), pictures_to_caption(material, show)
    images, warnings = await asyncio.to_thread(load_pictures, material.folder, [*to_send, *to_caption])
    wanted = [name for name in dict.fromkeys(to_caption) if name in images]
    captioner = bench.captioner
    if wanted and captioner is None:
        raise InputError(f"the judge type {judge.judge_type} needs a captioner; name one with --caption_model")
    made = [captioner.caption(material.folder, name, images[name]) for name in wanted] if captioner else []
    captions = dict(zip(wanted, await asyncio.gather(*made), strict=True))
    return _Gathered(
        show=replace(show, images=images, captions={name: caption.text for name, caption in captions.items()}),
        files={images[name].digest: name for name in to_send if name in images},
        warnings=[*warnings, *_nothing_recorded(material, show)],
        caption_usage=total_usage(caption.usage for caption in captions.values()),
    )


def _nothing_recorded(material: Material, show: Show) -> list[str]:
    """Steps of which the record does not even name what the judge should see."""
    pictures = show.screenshots or show.judge_type in ("captioned_default", "all_step_aer")
    lines: list[str] = []
    for step in material.steps:
        if pictures and step.screenshot is None:
            lines.append(f"step {step.index}: no screenshot is recorded")
        if show.tree and show.judge_type not in ("aer", "all_step_aer") and not step.tree:
            lines.append(f"step {step.index}: no accessibility tree is recorded")
    return lines


def _model(trajectory: Trajectory, judge: Judge, bench: Bench) -> Model:
    """The judge's model; whoever failed before, or is to judge again, is really asked."""
    meta = read_meta(trajectory.folder, judge)
    failed = meta is not None and bool(meta.errors)
    return (bench.fresh if bench.again or failed else bench.models)[judge.model]
