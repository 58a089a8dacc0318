"""Descriptions of screenshots by a vision model, stored beside the episode, one per image."""

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
    """The answer that a caption was taken from."""

    model: str
    stop: str
    usage: Usage
    latency_s: float


class CaptionFile(Record):
    """`captions/<captioner>/<digest>.caption.json`; the first two keys are OS-Harm's."""

    caption: str
    response: CaptionResponse
    image: str
    """File of the image; equal images share a caption."""
    digest: Digest
    """Digest of the image."""
    prompt_digest: Digest


class Caption(NamedTuple):
    """A caption, and the usage of making it now."""

    text: str
    usage: Usage


class Captioner:
    """Describes images with one model, and stores the captions."""

    def __init__(self, name: str, model: Model) -> None:
        """Take the model, and its name as the user gave it."""
        self._folder = model_folder_name(name)
        self._model = model

    async def caption(self, episode: Path, file: str, image: Image) -> Caption:
        """Describe an image, or return its stored caption.

        Raises:
            ModelError: The captioner does not answer.
            InputError: The caption cannot be stored.
        """
        place = episode / "captions" / self._folder
        kept = await asyncio.to_thread(self.find_caption, episode, image)
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

    def find_caption(self, episode: Path, image: Image) -> str | None:
        """Return the stored caption of an image; `None` if there is none.

        Raises:
            InputError: A link leads out of the episode's folder.
        """
        place = episode / "captions" / self._folder
        check_inside(episode, place)
        found = _read_caption(place, image.digest)
        return found and found.caption


def caption_prompt() -> str:
    """The prompt of the captioner."""
    return read_prompt("trueline.judge", "caption.v1")


def caption_digest() -> str:
    """Digest of the captioner's prompt."""
    return sha256(caption_prompt().encode()).hexdigest()


def spent(answer: Answer) -> Usage:
    """Usage of an answer; none if it came from the cache."""
    return NO_USAGE if answer.cached else answer.usage


def load_pictures(episode: Path, names: Iterable[str]) -> tuple[dict[str, Image], list[str]]:
    """Read images of an episode; a file that cannot be read becomes a warning."""
    images: dict[str, Image] = {}
    warnings: list[str] = []
    for name in dict.fromkeys(names):
        path = episode / name
        try:
            if not path.is_file():
                raise InputError(f"{name}: is not there")
            if leads_out(episode, path):
                raise InputError(f"{name}: a link leads out of the episode's folder; the image is left out")
            images[name] = image_from_bytes(path.read_bytes(), name).model_copy(update={"detail": "high"})
        except (InputError, OSError) as error:
            warnings.append(str(error) if isinstance(error, InputError) else f"{name}: cannot be read")
    return images, warnings


def _read_caption(place: Path, digest: str) -> CaptionFile | None:
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
        raise InputError(f"{place}: cannot write captions ({error.strerror})") from error
