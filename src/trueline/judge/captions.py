"""Descriptions of screenshots by a vision model, one for each picture, kept beside the episode."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from trueline.errors import InputError
from trueline.judge.files import check_inside, leads_out, make_inside
from trueline.judge.sampling import caption_sampling
from trueline.models.images import image_from_bytes
from trueline.models.prompt_files import read_prompt
from trueline.models.types import Answer, Image, Model, Request, user
from trueline.records.base import Digest, Record
from trueline.records.folder.files import write_file
from trueline.records.folder.json_values import load_file
from trueline.records.layout import model_folder_name
from trueline.records.usage import NO_USAGE, Usage


class CaptionResponse(Record):
    """How a caption came about."""

    model: str
    stop: str
    usage: Usage
    latency_s: float


class CaptionFile(Record):
    """`captions/<captioner>/<digest>.caption.json`; the first two keys are OS-Harm's."""

    caption: str
    response: CaptionResponse
    image: str
    """The file it was made from; equal pictures share a caption."""
    digest: Digest
    """Of the picture."""
    prompt_digest: Digest


class Caption(NamedTuple):
    """A description and what it took now."""

    text: str
    usage: Usage


class Captioner:
    """Describes pictures with one model, and remembers."""

    def __init__(self, name: str, model: Model) -> None:
        """Take the model's name as the user gave it, and the model."""
        self._folder = model_folder_name(name)
        self._model = model

    async def caption(self, episode: Path, file: str, image: Image) -> Caption:
        """Describe a picture, from the file beside the episode if it is there.

        Raises:
            ModelError: The captioner gives no answer.
            InputError: The caption cannot be kept.
        """
        place = episode / "captions" / self._folder
        kept = await asyncio.to_thread(self.kept, episode, image)
        if kept is not None:
            return Caption(kept, NO_USAGE)
        request = Request(
            messages=(user(caption_prompt(), image),),
            sampling=caption_sampling(self._model.id),
            purpose="caption",
            episode=str(episode),
        )
        answer = (await self._model.ask(request)).require()
        content = CaptionFile(
            caption=answer.text,
            response=CaptionResponse(
                model=answer.model, stop=answer.stop, usage=answer.usage, latency_s=answer.latency_s
            ),
            image=file,
            digest=image.digest,
            prompt_digest=caption_digest(),
        )
        await asyncio.to_thread(_keep, episode, place, content)
        return Caption(answer.text, spent(answer))

    def kept(self, episode: Path, image: Image) -> str | None:
        """The description of a picture that is kept beside the episode.

        Raises:
            InputError: Captions are kept outside of the episode, by a link.
        """
        place = episode / "captions" / self._folder
        check_inside(episode, place)
        found = _kept(place, image.digest)
        return found and found.caption


def caption_prompt() -> str:
    """What the captioner is asked."""
    return read_prompt("trueline.judge", "caption.v1")


def caption_digest() -> str:
    """Names the prompt that a caption was made with."""
    return sha256(caption_prompt().encode()).hexdigest()


def spent(answer: Answer) -> Usage:
    """What an answer took now: nothing if it was remembered."""
    return NO_USAGE if answer.cached else answer.usage


def load_pictures(episode: Path, names: Iterable[str]) -> tuple[dict[str, Image], list[str]]:
    """Read the pictures of an episode; what cannot be read is a warning."""
    images: dict[str, Image] = {}
    warnings: list[str] = []
    for name in dict.fromkeys(names):
        path = episode / name
        try:
            if not path.is_file():
                raise InputError(f"{name}: is not there")
            if leads_out(episode, path):
                raise InputError(f"{name}: leads out of the episode's folder; it is not shown")
            images[name] = image_from_bytes(path.read_bytes(), name).model_copy(update={"detail": "high"})
        except (InputError, OSError) as error:
            warnings.append(str(error) if isinstance(error, InputError) else f"{name}: cannot be read")
    return images, warnings


def _kept(place: Path, digest: str) -> CaptionFile | None:
    try:
        found = CaptionFile.model_validate(load_file(place, f"{digest}.caption.json"))
    except ValidationError:
        return None
    return found if (found.digest, found.prompt_digest) == (digest, caption_digest()) else None


def _keep(episode: Path, place: Path, content: CaptionFile) -> None:
    make_inside(episode, place)
    text = json.dumps(content.model_dump(mode="json"), indent=2)
    try:
        write_file(place / f"{content.digest}.caption.json", text.encode("ascii") + b"\n")
    except OSError as error:
        raise InputError(f"{place}: captions cannot be written there ({error.strerror})") from error
