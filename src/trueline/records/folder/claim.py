"""A model folder belongs to one setting."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, JsonValue, ValidationError

from trueline.errors import InputError
from trueline.records.base import Digest, Record
from trueline.records.folder.files import make_folder, sync_folder, write_file
from trueline.records.layout import SETTING_FILE
from trueline.records.setting import Setting, diff_settings
from trueline.text import printable
from trueline.validation import describe_validation_error


class SettingFile(Record):
    """setting.json of a model folder."""

    digest: Digest
    setting: Setting
    drawn: dict[str, JsonValue] = Field(default={})
    """What else its episodes share: the seed they draw from. Empty if unknown."""
    adopted: bool = False
    """Whether another system started the folder and recorded only part of its setting; the first run completes it."""


def claim_setting(
    model_folder: Path,
    setting: Setting,
    *,
    result_dir: Path | None = None,
    drawn: Mapping[str, JsonValue] | None = None,
) -> None:
    """Claim the folder for a setting, or check that it is claimed for it. Safe for concurrent processes.

    Args:
        model_folder: The folder that the setting's episodes go below.
        setting: What is about to be run.
        result_dir: The folder the user named: a refusal then suggests a free one beside it.
        drawn: What else all episodes of the folder must share.

    Raises:
        InputError: The folder holds results of another setting, or of none that is known.
    """
    try:
        make_folder(model_folder, exist_ok=True)
    except FileExistsError:
        raise InputError(f"{model_folder}: is a file where a folder should be; remove it") from None
    free = _free(result_dir or model_folder)
    # Looked at before the file: whoever makes an episode's folder has written the setting first.
    held = any(entry.is_dir() for entry in model_folder.iterdir())
    path = model_folder / SETTING_FILE
    if not path.exists():
        if held:
            raise InputError(
                f"{model_folder}: holds results but no {SETTING_FILE}, so their setting is unknown; "
                f"use another folder, for example {free}"
            )
        content = SettingFile(digest=setting.digest, setting=setting, drawn=dict(drawn or {})).model_dump(mode="json")
        try:
            write_file(path, json.dumps(content, indent=2).encode("ascii") + b"\n", exclusive=True)
            sync_folder(model_folder)
            return
        except FileExistsError:
            pass
    file = read_setting_file(path)
    if file.adopted:
        _complete(path, file, setting, free)
        return
    pairs = diff_settings(file.setting, setting) if file.setting.digest != setting.digest else {}
    if drawn and file.drawn:
        names = (*file.drawn, *(name for name in drawn if name not in file.drawn))
        pairs |= {
            name: (file.drawn.get(name), drawn.get(name)) for name in names if file.drawn.get(name) != drawn.get(name)
        }
    if pairs:
        differ = "; ".join(f"{name}: {_short(a)} there, {_short(b)} here" for name, (a, b) in pairs.items())
        raise InputError(
            f"{model_folder}: belongs to another setting ({differ}); use another folder, for example {free}"
        )


def has_setting(model_folder: Path, setting: Setting) -> bool:
    """Whether the folder is already claimed for this setting."""
    path = model_folder / SETTING_FILE
    return path.exists() and read_setting_file(path).setting.digest == setting.digest


def read_setting(path: Path) -> Setting:
    """Read setting.json.

    Raises:
        InputError: It cannot be read or is not one.
    """
    return read_setting_file(path).setting


def read_setting_file(path: Path) -> SettingFile:
    """Read setting.json with all that it says besides the setting.

    Raises:
        InputError: It cannot be read or is not one.
    """
    try:
        return SettingFile.model_validate(json.loads(path.read_bytes()))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {error}") from error


def write_adopted(model_folder: Path, setting: Setting) -> None:
    """Write the part of the setting that another system recorded.

    Raises:
        FileExistsError: The folder has a setting already.
    """
    content = SettingFile(digest=setting.digest, setting=setting, adopted=True).model_dump(mode="json")
    write_file(model_folder / SETTING_FILE, json.dumps(content, indent=2).encode("ascii") + b"\n", exclusive=True)
    sync_folder(model_folder)


def _complete(path: Path, file: SettingFile, setting: Setting, free: Path) -> None:
    """Replace the partial setting of another system by the whole one, if the two agree.

    Raises:
        InputError: They do not.
    """
    there, here = (one.model_dump(mode="json") for one in (file.setting, setting))
    options = [("agent_options", name) for name in there["agent_options"]]
    known = [("sampling", "temperature"), ("sampling", "top_p"), ("sampling", "max_tokens"), ("limits", "max_steps")]
    pairs: dict[str, tuple[JsonValue, JsonValue]] = {
        f"{part}.{name}": (there[part].get(name), here[part].get(name)) for part, name in (*known, *options)
    }
    pairs |= {name: (there[name], here[name]) for name in ("action_space", "observation_type")}
    bare = [(one.model or "").rpartition("|")[2] for one in (file.setting, setting)]
    pairs["model"] = (bare[0], bare[1])
    # What a model does not take is not sent, whatever another system has logged.
    differ = {name: pair for name, pair in pairs.items() if None not in pair and pair[0] != pair[1]}
    if differ:
        told = "; ".join(f"{name}: {_short(a)} there, {_short(b)} here" for name, (a, b) in differ.items())
        raise InputError(f"{path.parent}: has another setting ({told}); use another folder, such as {free}")
    content = SettingFile(digest=setting.digest, setting=setting).model_dump(mode="json")
    write_file(path, json.dumps(content, indent=2).encode("ascii") + b"\n")
    sync_folder(path.parent)


def _free(folder: Path) -> Path:
    number = 2
    while (free := folder.with_name(f"{folder.name}-{number}")).exists():
        number += 1
    return free


def _short(value: object) -> str:
    return printable(json.dumps(value), 60)
