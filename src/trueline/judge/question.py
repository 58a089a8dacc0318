"""The question to a judge with everything that belongs to it: task, images, captions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from trueline.errors import InputError
from trueline.judge.answer import schema_of
from trueline.judge.captions import Caption, Captioner, load_pictures
from trueline.judge.files import dump_messages
from trueline.judge.material import Material, material_of
from trueline.judge.messages import Presentation, pictures_to_caption, pictures_to_send, write_messages
from trueline.judge.sampling import judge_sampling
from trueline.judge.setup import JudgeSetup
from trueline.judge.types import Judge, ObservationType
from trueline.models.canonical import canonical_json
from trueline.models.types import Image, ModelId, Request
from trueline.records.folder.reader import Trajectory
from trueline.records.usage import NO_USAGE, Usage, total_usage


class Question(NamedTuple):
    """What a judge is asked about an episode."""

    material: Material
    request: Request
    messages: list[JsonValue]
    """The messages as they are stored."""
    observation_type: ObservationType
    captioned: bool
    warnings: tuple[str, ...]
    caption_usage: Usage

    @property
    def digest(self) -> str:
        """Digest of everything that shapes the answer."""
        return sha256(canonical_json(self.request.shape()).encode("ascii")).hexdigest()


async def build_question(
    trajectory: Trajectory, judge: Judge, setup: JudgeSetup, model: ModelId, *, pay: bool = True
) -> Question:
    """Build the question; screenshots are captioned where the judge type needs it.

    Args:
        trajectory: The episode.
        judge: Who is asked.
        setup: What all judges share.
        model: The judge's model.
        pay: Whether missing captions are made; else only stored ones are used.

    Raises:
        InputError: There is nothing to judge, or something that the question needs is missing.
        ModelError: The captioner does not answer.
    """
    material, original = await asyncio.to_thread(_with_task, material_of(trajectory), setup)
    presentation, files, warnings, caption_usage = await _gather(material, judge, setup, original, pay=pay)
    asked = write_messages(material, presentation, call=str(judge))
    request = Request(
        messages=asked.messages,
        system=asked.system,
        sampling=judge_sampling(model, setup.temperature),
        expects=schema_of(judge.version),
        purpose="judge",
        stage=judge.judge_type,
        episode=str(material.folder),
        sample=judge.vote - 1,
    )
    return Question(
        material=material,
        request=request,
        messages=dump_messages(asked.system, asked.messages, files),
        observation_type=presentation.observation_type,
        captioned=bool(pictures_to_caption(material, presentation)),
        warnings=tuple(warnings),
        caption_usage=caption_usage,
    )


def _with_task(material: Material, setup: JudgeSetup) -> tuple[Material, str | None]:
    """The episode with its task text, and the text in the task's own file, if there is one."""
    original = setup.task_texts(material.unit.domain, material.unit.task) or None
    if not material.instruction.strip():
        if original is None or not original.strip():
            raise InputError(
                f"{material.folder}: no task text is recorded; name its folder with --test_config_base_dir"
            )
        material = replace(material, instruction=original)
    return material, original


class _Gathered(NamedTuple):
    presentation: Presentation
    files: dict[str, str]
    """Files of the images that are sent, by digest."""
    warnings: list[str]
    caption_usage: Usage


async def _gather(material: Material, judge: Judge, setup: JudgeSetup, original: str | None, *, pay: bool) -> _Gathered:
    """Read the images and get the captions that this judge type needs."""
    observation = setup.observation_type or material.observation_type
    if judge.judge_type == "a11y_tree":
        observation = "a11y_tree"
    presentation = Presentation(judge.judge_type, judge.version, observation, original)
    to_send, to_caption = pictures_to_send(material, presentation), pictures_to_caption(material, presentation)
    images, warnings = await asyncio.to_thread(load_pictures, material.folder, [*to_send, *to_caption])
    wanted = [name for name in dict.fromkeys(to_caption) if name in images]
    captioner = setup.captioner
    if wanted and captioner is None:
        raise InputError(f"the judge type {judge.judge_type} needs a captioner; set one with --caption_model")
    pictures = {name: images[name] for name in wanted}
    captions = await _captions(captioner, material.folder, pictures, pay=pay) if captioner else {}
    return _Gathered(
        presentation=replace(
            presentation, images=images, captions={name: caption.text for name, caption in captions.items()}
        ),
        files={images[name].digest: name for name in to_send if name in images},
        warnings=[*warnings, *_nothing_recorded(material, presentation)],
        caption_usage=total_usage(caption.usage for caption in captions.values()),
    )


async def _captions(
    captioner: Captioner, episode: Path, pictures: Mapping[str, Image], *, pay: bool
) -> dict[str, Caption]:
    if pay:
        made = await asyncio.gather(*(captioner.caption(episode, name, image) for name, image in pictures.items()))
        return dict(zip(pictures, made, strict=True))
    kept = {name: captioner.find_caption(episode, image) for name, image in pictures.items()}
    return {name: Caption(text, NO_USAGE) for name, text in kept.items() if text is not None}


def _nothing_recorded(material: Material, presentation: Presentation) -> list[str]:
    """Warnings about steps for which the record names nothing that the judge should see."""
    pictures = presentation.screenshots or presentation.judge_type in ("captioned_default", "all_step_aer")
    lines: list[str] = []
    for step in material.steps:
        if pictures and step.screenshot is None:
            lines.append(f"step {step.index}: no screenshot is recorded")
        if presentation.tree and presentation.judge_type not in ("aer", "all_step_aer") and not step.tree:
            lines.append(f"step {step.index}: no accessibility tree is recorded")
    return lines
