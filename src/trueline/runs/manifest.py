"""Manifests: files from which a run can be reproduced, one for each distinct request of a result folder."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, JsonValue, ValidationError

from trueline import __version__
from trueline.errors import InputError
from trueline.records.base import Record
from trueline.records.observation import sha256
from trueline.records.setting import Setting, diff_settings
from trueline.runs.request_file import dump_request
from trueline.text import printable
from trueline.validation import describe_validation_error

if TYPE_CHECKING:
    from trueline.runs.plan import Planned
    from trueline.runs.prepare import Run
    from trueline.runs.request import RunRequest

_NAME = "manifest-{digest}.json"
_DIGITS = 12


class Manifest(Record):
    """A request and the resolved values it led to."""

    trueline: str
    python: str
    request: dict[str, JsonValue] | None = None
    """The fields that were set, without secrets."""
    words: tuple[str, ...] = ()
    """Instead of it, in manifests of Trueline 0.1.0: the command line, without secrets."""
    setting_digest: str
    setting: Setting
    about: dict[str, JsonValue] = Field(default={})
    like_defaults: dict[str, JsonValue] = Field(default={})
    seed: int
    paired_seeds: bool = False
    tasks_digest: str
    """Digest of the task files as read."""
    episodes: tuple[str, ...]


def write_manifest(request: RunRequest, run: Run) -> None:
    """Write the manifest into the result folder; the same request again changes nothing.

    Args:
        request: As it was given, before defaults were put in.
        run: What was made of it.
    """
    from trueline.records.folder.files import write_file

    manifest = Manifest(
        trueline=__version__,
        python=platform.python_version(),
        request=dump_request(request),
        setting_digest=run.setting.digest,
        setting=run.setting,
        about=dict(run.about),
        like_defaults={name: _plain(value) for name, value in run.completed.defaults.items()},
        seed=request.seed,
        paired_seeds=request.paired_seeds,
        tasks_digest=_tasks_digest(run.planned),
        episodes=tuple(str(job.path) for job in run.jobs),
    )
    content = json.dumps(manifest.model_dump(mode="json", exclude={"words"}), indent=1).encode() + b"\n"
    path = run.options.result_dir / _NAME.format(digest=sha256(content)[:_DIGITS])
    if not path.exists():
        write_file(path, content)


def find_manifest(path: Path) -> Path:
    """Return the manifest at a path: the file itself, or the only one of a result folder.

    Raises:
        InputError: The folder has none, or several.
    """
    if not path.is_dir():
        return path
    found = sorted(path.glob(_NAME.format(digest="*")))
    if len(found) != 1:
        names = ", ".join(one.name for one in found) or "none"
        raise InputError(f"--reproduce {path}: name one manifest of this folder, which has {names}")
    return found[0]


def is_manifest(path: Path) -> bool:
    """Whether a file is a manifest, rather than a request file.

    Raises:
        InputError: It cannot be read.
    """
    try:
        data: object = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"--reproduce {path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError):
        # Requests may be YAML; a damaged manifest keeps its name.
        return fnmatch(path.name, _NAME.format(digest="*"))
    return not isinstance(data, dict) or "setting_digest" in data or fnmatch(path.name, _NAME.format(digest="*"))


def read_manifest(path: Path) -> Manifest:
    """Read a manifest.

    Raises:
        InputError: It cannot be read, or is none.
    """
    try:
        manifest = Manifest.model_validate(json.loads(path.read_bytes()))
    except OSError as error:
        raise InputError(f"--reproduce {path}: cannot be read ({error.strerror})") from None
    except ValidationError as error:
        raise InputError(f"--reproduce {path}: is not a run manifest: {describe_validation_error(error)}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"--reproduce {path}: is not JSON: {error}") from None
    return manifest


def require_same(path: Path, manifest: Manifest, run: Run) -> None:
    """Check that the run is the one of the manifest.

    Raises:
        InputError: It is not; names what differs.
    """
    setting, request = run.setting, run.request
    differ = [f"{name}: {_short(a)} there, {_short(b)} here"
              for name, (a, b) in diff_settings(manifest.setting, setting).items()]  # fmt: skip
    if manifest.setting_digest != setting.digest and not differ:
        differ.append("the digest of the setting")
    others: tuple[tuple[str, JsonValue, JsonValue], ...] = (
        ("trueline", manifest.trueline, __version__),
        ("seed", manifest.seed, request.seed),
        ("paired_seeds", manifest.paired_seeds, request.paired_seeds),
    )
    differ += [f"{name}: {_short(a)} there, {_short(b)} here" for name, a, b in others if a != b]
    if set(manifest.episodes) != {str(job.path) for job in run.jobs}:
        differ.append("the list of episodes")
    elif manifest.tasks_digest != _tasks_digest(run.planned):
        differ.append("the tasks' files")
    if differ:
        raise InputError(
            f"--reproduce {path}: the run would differ ({'; '.join(differ)}); "
            "to run it anyway, pass its flags or its request instead of --reproduce"
        )


def _tasks_digest(planned: Iterable[Planned]) -> str:
    found: Mapping[str, str] = {one.task.ref.name: one.task.task.definition_json() for one in planned}
    return sha256(json.dumps(found, sort_keys=True).encode())


def _plain(value: object) -> JsonValue:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _short(value: JsonValue) -> str:
    return printable(json.dumps(value), 60)
