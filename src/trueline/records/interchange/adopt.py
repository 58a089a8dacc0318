"""Turns an unfinished result folder of OS-Harm into one that `trueline run` resumes, in place.

Scored episodes stay as they are. Unfinished ones are moved aside as attempts. `setting.json` holds what
`better_log.json` says of the setting; the first run completes it with what OS-Harm does not record.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue, ValidationError

from trueline.errors import InputError
from trueline.records.folder.attempts import move_aside
from trueline.records.folder.better_log import BETTER_LOG_FILE
from trueline.records.folder.claim import write_adopted
from trueline.records.folder.json_values import as_object, load_file
from trueline.records.layout import OBSERVATION_TYPES, SETTING_FILE, Location, parse_location
from trueline.records.scan import scan
from trueline.records.setting import Environment, EpisodeLimits, Sampling, Setting
from trueline.text import printable
from trueline.validation import describe_validation_error

_AGENT_OPTIONS = ("max_trajectory_length", "a11y_tree_max_tokens")
_FLAGS = ("max_steps", "temperature", "top_p", "max_tokens", *_AGENT_OPTIONS)
_INDEXES = (("___", "test_misbehavior.json"), ("__", "test_injection.json"), ("_", "test_misuse.json"))


class Adopted(NamedTuple):
    """One model folder that was adopted."""

    folder: Path
    kept: int
    """Scored episodes that stay."""
    moved: tuple[Path, ...]
    """Where the unfinished ones are now."""
    commands: tuple[tuple[str, ...], ...]
    """The command lines that resume it, one for each task index."""


class _Episode(NamedTuple):
    folder: Path
    location: Location
    scored: bool


def adopt(root: Path) -> list[Adopted]:
    """Adopt the model folders at or below a folder; nothing is changed unless all can be adopted.

    Raises:
        InputError: It holds no episode, a setting differs inside a folder, or a folder is Trueline's already.
    """
    models = _by_model(root)
    settings = {folder: _setting(episodes) for folder, episodes in models.items()}
    for folder in models:
        if (folder / SETTING_FILE).exists():
            raise InputError(f"{folder}: has a {SETTING_FILE} already, so trueline run continues it as it is")
    done: list[Adopted] = []
    for folder, episodes in models.items():
        setting, params = settings[folder]
        home = _result_dir(episodes[0])
        write_adopted(folder, setting)
        moved = [move_aside(home, one.folder) for one in episodes if not one.scored]
        kept = sum(one.scored for one in episodes)
        commands = _commands(home, episodes, setting, params)
        done.append(Adopted(folder, kept, tuple(path for path in moved if path is not None), commands))
    return done


def _by_model(root: Path) -> dict[Path, list[_Episode]]:
    found: dict[Path, list[_Episode]] = defaultdict(list)
    for trial in scan(root):
        folder = Path(trial.folder)
        location = parse_location(folder)
        if location is None or location.observation_type not in OBSERVATION_TYPES:
            raise InputError(
                f"{folder}: its path does not say what it is; "
                "expected <action_space>/<observation_type>/<model>/<domain>/<task>"
            )
        episode = _Episode(folder, location, trial.score is not None)
        if not folder.is_relative_to(_result_dir(episode) / location.path):
            raise InputError(f"{folder}: the model's name has a slash; import it into another folder with --out first")
        found[folder.parents[1]].append(episode)
    if not found:
        raise InputError(f"{root}: holds no episode; name a result folder of OS-Harm")
    return dict(found)


def _result_dir(episode: _Episode) -> Path:
    levels = len(episode.location.path.parts)
    return episode.folder.parents[levels - 1]


def _setting(episodes: Sequence[_Episode]) -> tuple[Setting, dict[str, JsonValue]]:
    """The part of the setting in the logs, which must be the same in all of them."""
    first: tuple[Path, dict[str, JsonValue]] | None = None
    for episode in episodes:
        params = as_object(as_object(_log(episode.folder)).get("params"))
        if not params:
            continue
        if first is None:
            first = (episode.folder, params)
        differ = [
            f"{name}: {_short(first[1].get(name))} and {_short(params.get(name))}"
            for name in sorted({*first[1], *params})
            if first[1].get(name) != params.get(name)
        ]
        if differ:
            raise InputError(
                f"{episode.folder / BETTER_LOG_FILE}: was run with another setting than {first[0]} "
                f"({'; '.join(differ)}); keep each setting in a folder of its own"
            )
    if first is None:
        raise InputError(
            f"{episodes[0].folder.parents[1]}: no {BETTER_LOG_FILE} in it says with which setting it was run"
        )
    folder, params = first
    location = episodes[0].location
    for name, value in (("action_space", location.action_space), ("observation_type", location.observation_type)):
        if params.get(name, value) != value:
            raise InputError(
                f"{folder / BETTER_LOG_FILE}: params.{name} is {_short(params[name])}, but the folder's name is {value}"
            )
    fields = {name: params.get(name) for name in ("temperature", "top_p", "max_tokens")}
    try:
        setting = Setting(
            agent="prompt",
            model=str(params.get("model") or location.model),
            sampling=Sampling.model_validate(fields),
            agent_options={name: params[name] for name in _AGENT_OPTIONS if name in params},
            action_space=location.action_space,
            observation_type=location.observation_type,
            limits=EpisodeLimits.model_validate({"max_steps": params.get("max_steps")}),
            environment=Environment(provider="not recorded"),
        )
    except ValidationError as error:
        problems = describe_validation_error(error, most=3)
        raise InputError(f"{folder / BETTER_LOG_FILE}: params: {problems}") from error
    return setting, params


def _log(folder: Path) -> JsonValue:
    value = load_file(folder, BETTER_LOG_FILE)
    return value if isinstance(value, dict) else None


def _commands(
    home: Path, episodes: Sequence[_Episode], setting: Setting, params: dict[str, JsonValue]
) -> tuple[tuple[str, ...], ...]:
    words = ["trueline", "run", "--like", "osharm", "--model", setting.model or ""]
    words += ["--action_space", setting.action_space, "--observation_type", setting.observation_type]
    for name in _FLAGS:
        if isinstance(value := params.get(name), int | float):
            words += [f"--{name}", f"{value:g}" if isinstance(value, float) else str(value)]
    runs = [one.location.run for one in episodes if one.location.run is not None]
    more = ["--repeats", str(max(runs))] if runs else []
    more += ["--jailbreak"] if episodes[0].location.jailbreak else []
    more += ["--result_dir", str(home)]
    kinds = sorted({_index(one.location) for one in episodes})
    return tuple(
        (*words, "--test_all_meta_path", f"evaluation_examples/{index}", *(["--inject"] if inject else []), *more)
        for index, inject in kinds
    )


def _index(location: Location) -> tuple[str, bool]:
    """OS-Harm's index with this task, and whether it was run with injections."""
    if location.unit.vector is not None:
        return "test_injection.json", True
    task = location.unit.task
    return next((name for prefix, name in _INDEXES if task.startswith(prefix)), "test_osworld_all.json"), False


def _short(value: JsonValue) -> str:
    return printable(json.dumps(value), 60)
