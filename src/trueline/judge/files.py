"""The files beside an episode: judgments below `judgment/`, captions below `captions/`, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import JsonValue, ValidationError

from trueline.errors import InputError
from trueline.judge.meta import JudgmentMeta
from trueline.judge.types import HUMAN, Judge, canonical_judge
from trueline.models.types import Image, Message, Text
from trueline.records.folder.files import make_folder, sync_folder, write_file
from trueline.records.folder.json_values import load_file
from trueline.records.folder.judgments import read_judgments
from trueline.records.judgment import JudgedBy, Judgment
from trueline.records.layout import check_name
from trueline.records.problem import Problem


def judgment_folder(episode: Path, judge: Judge) -> Path:
    """Where a judge's files are."""
    return episode.joinpath("judgment", *(check_name(part, "judge") for part in judge.by))


def leads_out(episode: Path, path: Path) -> bool:
    """Whether a path below an episode's folder is, by a link, one outside of it."""
    return not path.resolve().is_relative_to(episode.resolve())


def check_inside(episode: Path, folder: Path) -> None:
    """Make sure that a folder, there or not, is inside of an episode's folder.

    Raises:
        InputError: It leads out of the episode.
    """
    if leads_out(episode, folder):
        raise InputError(f"{folder}: leads out of the episode's folder; nothing is written there")


def make_inside(episode: Path, folder: Path) -> None:
    """Make a folder inside of an episode's folder.

    Raises:
        InputError: It leads out of the episode, or cannot be made.
    """
    check_inside(episode, folder)
    try:
        make_folder(folder, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror})") from error


def write_judgment(
    episode: Path, judge: Judge, judgment: Judgment | None, meta: JudgmentMeta, messages: list[JsonValue] | None = None
) -> None:
    """Write what a judge said, the judgment last: where it is, all the rest is.

    Without a judgment the meta file says why there is none; an earlier judgment is then left as it is.
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
    """Write what a person says about an episode."""
    folder = episode / "judgment" / HUMAN
    make_inside(episode, folder)
    path = folder / f"{check_name(reviewer, 'reviewer')}.json"
    write_file(path, dump_judgment(judgment))
    sync_folder(folder)
    return path


def dump_judgment(judgment: Judgment) -> bytes:
    """The four keys as OS-Harm writes them."""
    return json.dumps(judgment.model_dump(mode="json"), indent=2).encode("ascii")


def find_judgments(episode: Path) -> tuple[dict[JudgedBy, Judgment], tuple[Problem, ...]]:
    """All judgments beside an episode, under the names that this program gives, and what is wrong in their files."""
    found, problems = read_judgments(episode)
    return {canonical_judge(by): judgment for by, judgment in found.items()}, problems


def find_judgment(episode: Path, judge: Judge, found: dict[JudgedBy, Judgment]) -> Judgment | None:
    """What a judge has said before."""
    if judge.vote == 1:
        return found.get(judge.by)
    value = load_file(judgment_folder(episode, judge), f"{judge.stem}.json")
    try:
        return Judgment.model_validate(value)
    except ValidationError:
        return None


def read_meta(episode: Path, judge: Judge) -> JudgmentMeta | None:
    """What is known of how a judgment came about; `None` beside judgments that others made."""
    value = load_file(judgment_folder(episode, judge), f"{judge.stem}.meta.json")
    if value is None or isinstance(value, Problem):
        return None
    try:
        return JudgmentMeta.model_validate(value)
    except ValidationError:
        return None


def dump_messages(system: str, messages: tuple[Message, ...], files: dict[str, str]) -> list[JsonValue]:
    """The question as it was sent; pictures by the name of their file and their digest."""
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
