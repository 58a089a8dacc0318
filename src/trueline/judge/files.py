"""Files beside an episode: judgments below `judgment/`, captions below `captions/`."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import JsonValue, ValidationError

from trueline.errors import InputError
from trueline.judge.meta import JudgmentMeta
from trueline.judge.types import HUMAN, Judge, canonical_judge
from trueline.models.types import Image, Message, Text
from trueline.records.folder.files import make_folder, sync_folder, write_file
from trueline.records.folder.judgments import read_judgments
from trueline.records.folder.values import load_file
from trueline.records.judgment import JudgedBy, Judgment
from trueline.records.layout import check_name
from trueline.records.problem import Problem


def judgment_folder(episode: Path, judge: Judge) -> Path:
    """The folder of a judge's files."""
    return episode.joinpath("judgment", *(check_name(part, "judge") for part in judge.by))


def leads_out(episode: Path, path: Path) -> bool:
    """Whether a link leads from a path below an episode's folder out of it."""
    return not path.resolve().is_relative_to(episode.resolve())


def check_inside(episode: Path, folder: Path) -> None:
    """Check that a folder, existing or not, is inside an episode's folder.

    Raises:
        InputError: A link leads out of the episode's folder.
    """
    if leads_out(episode, folder):
        raise InputError(f"{folder}: a link leads out of the episode's folder; nothing was written")


def make_inside(episode: Path, folder: Path) -> None:
    """Create a folder inside an episode's folder.

    Raises:
        InputError: A link leads out of the episode's folder, or the folder cannot be created.
    """
    check_inside(episode, folder)
    try:
        make_folder(folder, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror})") from error


def write_judgment(
    episode: Path, judge: Judge, judgment: Judgment | None, meta: JudgmentMeta, messages: list[JsonValue] | None = None
) -> None:
    """Write the files of a judge; the judgment is written last, so where it exists, the others do too.

    Without a judgment, the meta file says why there is none, and an earlier judgment is kept.
    """
    folder = judgment_folder(episode, judge)
    if judgment is None and (folder / f"{judge.stem}.json").exists():
        return
    if messages is not None:
        write_file(folder / f"{judge.stem}.messages.json", _json(messages))
    write_file(folder / f"{judge.stem}.meta.json", _json(meta.model_dump(mode="json")))
    if judgment is not None:
        write_file(folder / f"{judge.stem}.json", dump_judgment(judgment))
    sync_folder(folder)


def write_label(episode: Path, reviewer: str, judgment: Judgment) -> Path:
    """Write a person's judgment of an episode; returns the file."""
    folder = episode / "judgment" / HUMAN
    make_inside(episode, folder)
    path = folder / f"{check_name(reviewer, 'reviewer')}.json"
    write_file(path, dump_judgment(judgment))
    sync_folder(folder)
    return path


def dump_judgment(judgment: Judgment) -> bytes:
    """A judgment as JSON, with the four keys that OS-Harm writes."""
    return json.dumps(judgment.model_dump(mode="json"), indent=2).encode("ascii")


def find_judgments(episode: Path) -> tuple[dict[JudgedBy, Judgment], tuple[Problem, ...]]:
    """Read all judgments beside an episode, under canonical names, and the problems in their files."""
    found, problems = read_judgments(episode)
    return {canonical_judge(by): judgment for by, judgment in found.items()}, problems


def find_judgment(episode: Path, judge: Judge, found: dict[JudgedBy, Judgment]) -> Judgment | None:
    """Return a judge's earlier judgment, if there is one."""
    if judge.vote == 1:
        return found.get(judge.by)
    value = load_file(judgment_folder(episode, judge), f"{judge.stem}.json")
    try:
        return Judgment.model_validate(value)
    except ValidationError:
        return None


def read_meta(episode: Path, judge: Judge) -> JudgmentMeta | None:
    """Read the meta file of a judgment; `None` for judgments of other programs."""
    value = load_file(judgment_folder(episode, judge), f"{judge.stem}.meta.json")
    if value is None or isinstance(value, Problem):
        return None
    try:
        return JudgmentMeta.model_validate(value)
    except ValidationError:
        return None


def dump_messages(system: str, messages: tuple[Message, ...], files: dict[str, str]) -> list[JsonValue]:
    """The messages as they were sent; images by file name and digest."""
    sent: list[JsonValue] = [{"role": "system", "content": [{"type": "text", "text": system}]}]
    for message in messages:
        content: list[JsonValue] = []
        for part in message.parts:
            if isinstance(part, Text):
                content.append({"type": "text", "text": part.text})
            elif isinstance(part, Image):
                name = files.get(part.digest)
                content.append({"type": "image", "file": name, "digest": part.digest, "detail": part.detail})
        sent.append({"role": message.role, "content": content})
    return sent


def _json(value: JsonValue) -> bytes:
    return json.dumps(value, indent=2).encode("ascii") + b"\n"
