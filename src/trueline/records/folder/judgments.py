"""The judgments beside an episode, by OS-Harm's judges, ours and people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue, ValidationError

from trueline.records.folder.json_values import load_file
from trueline.records.judgment import JudgedBy, Judgment
from trueline.records.problem import Problem
from trueline.validation import describe_validation_error

_JUDGMENT_FILE = "judgment.json"
_HUMAN = "human"


def read_judgments(folder: Path) -> tuple[dict[JudgedBy, Judgment], tuple[Problem, ...]]:
    """Read `judgment/<model>/<type>/<version>/judgment.json` and `judgment/human/<reviewer>.json`."""
    found: dict[JudgedBy, Judgment] = {}
    problems: list[Problem] = []
    for by, path in _files(folder / "judgment"):
        name = path.relative_to(folder).as_posix()
        value = load_file(folder, name)
        if isinstance(value, Problem):
            problems.append(value)
            continue
        judgment, more = _judgment(value, name)
        problems += more
        if judgment is not None:
            found[by] = judgment
    return found, tuple(problems)


def _files(root: Path) -> Iterator[tuple[JudgedBy, Path]]:
    for path in sorted(path for path in root.rglob("*.json") if path.is_file()):
        *model, kind, last = path.relative_to(root).parts
        if [*model, kind] == [_HUMAN]:
            yield JudgedBy(judge_model=_HUMAN, judge_type=path.stem), path
        elif last == _JUDGMENT_FILE and len(model) >= 2:
            # A model's name may hold slashes, so it may be several folders.
            yield JudgedBy(judge_model="/".join(model[:-1]), judge_type=model[-1], version=kind), path


def _judgment(value: JsonValue | None, name: str) -> tuple[Judgment | None, list[Problem]]:
    if not isinstance(value, dict):
        return None, [Problem(file=name, what="a judgment must be a JSON object")]
    fields = Judgment.model_fields
    unknown = [key for key in value if key not in fields]
    problems = [Problem(file=name, what=f"keys that no judge writes: {', '.join(unknown)}")] if unknown else []
    try:
        return Judgment.model_validate({key: item for key, item in value.items() if key in fields}), problems
    except ValidationError as error:
        return None, [*problems, Problem(file=name, what=f"not a judgment: {describe_validation_error(error)}")]
