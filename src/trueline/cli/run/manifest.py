"""What was run, in a file from which it can be run again."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from trueline import __version__
from trueline.errors import InputError

if TYPE_CHECKING:
    from trueline.cli.run.assemble import Assembled

MANIFEST = "manifest.json"


def write_manifest(args: argparse.Namespace, made: Assembled) -> None:
    """Write manifest.json into the result folder: the words of the command, and what they came to."""
    from trueline.records.folder.files import write_file

    document = {
        "trueline": __version__,
        "python": platform.python_version(),
        "words": _words(args.given_words),
        "setting_digest": made.setting.digest,
        "setting": made.setting.model_dump(mode="json"),
        **made.about,
        "seed": args.seed,
        "episodes": [str(job.path) for job in made.jobs],
    }
    write_file(args.result_dir / MANIFEST, json.dumps(document, indent=1).encode() + b"\n")


def reproduced(args: argparse.Namespace, parse: Callable[[list[str]], argparse.Namespace]) -> argparse.Namespace:
    """The flags of a manifest, with those of this call after them.

    Raises:
        InputError: The file cannot be read or is none.
    """
    path: Path = args.reproduce
    try:
        document: object = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"--reproduce {path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise InputError(f"--reproduce {path}: is no JSON: {error}") from None
    words = cast("dict[str, object]", document).get("words") if isinstance(document, dict) else None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in cast("list[object]", words)):
        raise InputError(f"--reproduce {path}: is no manifest of a run: it has no list of words")
    return parse([*cast("list[str]", words), *_words(args.given_words)])


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
