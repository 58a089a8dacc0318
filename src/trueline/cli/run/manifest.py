"""What was run, in a file from which it can be run again: one file for each distinct command of a result folder."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, JsonValue, ValidationError

from trueline import __version__
from trueline.cli.run.hidden_words import hide_words
from trueline.errors import InputError
from trueline.models.hidden import holds_hidden
from trueline.records.base import Record
from trueline.records.folder.events_file import first_error
from trueline.records.observation import sha256
from trueline.records.setting import Setting, diff_settings
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.cli.run.assemble import Assembled
    from trueline.runs.plan import Planned

_NAME = "manifest-{digest}.json"
_DIGITS = 12
_DEFAULT_DIR = "results"


class Manifest(Record):
    """The words of a command, and what they came to."""

    trueline: str
    python: str
    words: tuple[str, ...]
    """As given, without what is secret in them."""
    setting_digest: str
    setting: Setting
    about: dict[str, JsonValue] = Field(default={})
    like_defaults: dict[str, JsonValue] = Field(default={})
    seed: int
    paired_seeds: bool = False
    tasks_digest: str
    """Of the tasks' own files as read."""
    episodes: tuple[str, ...]


def write_manifest(args: argparse.Namespace, made: Assembled) -> None:
    """Write down in the result folder how its results come about; the same command again changes nothing."""
    from trueline.records.folder.files import write_file

    manifest = Manifest(
        trueline=__version__,
        python=platform.python_version(),
        words=tuple(hide_words(_words(args.given_words))),
        setting_digest=made.setting.digest,
        setting=made.setting,
        about=dict(made.about),
        like_defaults={name: _plain(value) for name, value in args.filled.items()},
        seed=args.seed,
        paired_seeds=args.paired_seeds,
        tasks_digest=_tasks_digest(made.planned),
        episodes=tuple(str(job.path) for job in made.jobs),
    )
    content = json.dumps(manifest.model_dump(mode="json"), indent=1).encode() + b"\n"
    path: Path = args.result_dir / _NAME.format(digest=sha256(content)[:_DIGITS])
    if not path.exists():
        write_file(path, content)


def reproduced(args: argparse.Namespace, parse: Callable[[list[str]], argparse.Namespace]) -> argparse.Namespace:
    """The flags of a manifest, with those of this call after them.

    Raises:
        InputError: The file cannot be read or is none, the results would go where they are already, or a secret that
            the manifest does not hold is not given.
    """
    path = _manifest_file(args.reproduce)
    manifest = _read(path)
    words = list(manifest.words)
    merged = parse([*words, *_words(args.given_words)])
    there = {path.parent.resolve(), Path(parse(words).result_dir or _DEFAULT_DIR).resolve()}
    if args.result_dir is None or Path(args.result_dir).resolve() in there:
        raise InputError(
            f"--reproduce {path}: name another folder with --result_dir; what was run there is not run again"
        )
    for name, value in vars(merged).items():
        if name != "given_words" and any(holds_hidden(text) for text in _texts(value)):
            raise InputError(f"--reproduce {path}: it does not hold the secret in --{name}; give the whole flag again")
    merged.reproduces = (path, manifest)
    return merged


def see_same(args: argparse.Namespace, setting: Setting, planned: Iterable[Planned], paths: Iterable[str]) -> None:
    """See that what is about to be run is what the manifest says, if one is to be reproduced.

    Raises:
        InputError: It is not; names what differs.
    """
    if not hasattr(args, "reproduces"):
        return
    path, manifest = args.reproduces
    assert isinstance(manifest, Manifest)
    differ = [f"{name}: {_short(a)} there, {_short(b)} here"
              for name, (a, b) in diff_settings(manifest.setting, setting).items()]  # fmt: skip
    if manifest.setting_digest != setting.digest and not differ:
        differ.append("the digest of the setting")
    others: tuple[tuple[str, JsonValue, JsonValue], ...] = (
        ("trueline", manifest.trueline, __version__),
        ("seed", manifest.seed, args.seed),
        ("paired_seeds", manifest.paired_seeds, args.paired_seeds),
    )
    differ += [f"{name}: {_short(a)} there, {_short(b)} here" for name, a, b in others if a != b]
    if set(manifest.episodes) != set(paths):
        differ.append("the list of episodes")
    elif manifest.tasks_digest != _tasks_digest(planned):
        differ.append("the tasks' files")
    if differ:
        raise InputError(
            f"--reproduce {path}: it would not be the same ({'; '.join(differ)}); "
            "to run it so all the same, give its words yourself instead of --reproduce"
        )


def _manifest_file(path: Path) -> Path:
    """The file meant: itself, or the only one of a result folder."""
    if not path.is_dir():
        return path
    found = sorted(path.glob(_NAME.format(digest="*")))
    if len(found) != 1:
        names = ", ".join(one.name for one in found) or "none"
        raise InputError(f"--reproduce {path}: name one manifest of this folder, which has {names}")
    return found[0]


def _read(path: Path) -> Manifest:
    try:
        return Manifest.model_validate(json.loads(path.read_bytes()))
    except OSError as error:
        raise InputError(f"--reproduce {path}: cannot be read ({error.strerror})") from None
    except ValidationError as error:
        raise InputError(f"--reproduce {path}: is no manifest of a run: {first_error(error)}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"--reproduce {path}: is no JSON: {error}") from None


def _tasks_digest(planned: Iterable[Planned]) -> str:
    found = {one.task.ref.name: one.task.task.model_dump_json() for one in planned}
    return sha256(json.dumps(found, sort_keys=True).encode())


def _words(words: list[str]) -> list[str]:
    """The words without `--reproduce FILE`."""
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word == "--reproduce":
            skip = True
        elif not word.startswith("--reproduce="):
            kept.append(word)
    return kept


def _texts(value: object) -> list[str]:
    values: list[object] = [*value] if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str)]


def _plain(value: object) -> JsonValue:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _short(value: JsonValue) -> str:
    return printable(json.dumps(value), 60)
