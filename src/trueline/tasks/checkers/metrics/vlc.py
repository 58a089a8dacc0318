"""Metrics of VLC's settings and of what it plays."""

from __future__ import annotations

import posixpath
from urllib.parse import urlparse
from xml.etree.ElementTree import Element

from trueline.tasks.checkers.archive import BadArchive, parse_xml
from trueline.tasks.checkers.values import (
    CheckResult,
    FileValue,
    Options,
    UnreadableResult,
    Value,
    pass_if,
    required,
    required_text,
    rules_of,
)
from trueline.tasks.errors import CheckerError

_DEFAULT_COLOURS = "153;210;153;20;210;20;255;199;15;245;39;29"
_FILE_PLACES = ("filename", "title", "uri", "location", "name")
_URL_PLACES = ("url", "URI", "location", "title", "filename")
_BLACKISH = 100


def check_qt_bgcone(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the cone in the background is shown (`expected_qt_bgcone`)."""
    return _setting(result, expected, "qt-bgcone", "1")


def check_qt_max_volume(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the highest volume is `expected_qt_max_volume`."""
    return _setting(result, expected, "qt-max-volume", "125")


def check_qt_minimal_view(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the minimal interface is on (`expected_qt_minimal_view`)."""
    return _setting(result, expected, "qt-minimal-view", "0")


def check_one_instance_when_started_from_file(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether files open in one instance (`expected_one_instance_when_started_from_file`)."""
    return _setting(result, expected, "one-instance-when-started-from-file", "1")


def check_play_and_exit(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether VLC ends after playing (`expected_play_and_exit`)."""
    return _setting(result, expected, "play-and-exit", "0")


def check_global_key_play_pause(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a global key for play and pause is set: `expected_global_key_play_pause` is 1 or 0."""
    wanted = _expected_setting(expected, "global-key-play-pause")
    key = _last(_config(result), "global-key-play-pause=", "")
    return pass_if(("1" if key else "0") == wanted, f"the key is {key!r}")


def check_qt_slider_colours(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the colours of the volume slider are `expected_qt_slider_colours`, or all nearly black."""
    rules = rules_of(expected)
    kind = required(rules, "type")
    colours = _last(_config(result), "qt-slider-colours", _DEFAULT_COLOURS)
    if kind == "match":
        return pass_if(colours == required(rules, "expected_qt_slider_colours"), f"the colours are {colours!r}")
    if kind != "blackish":
        raise CheckerError(f"check_qt_slider_colours: rules.type must be match or blackish, not {kind!r}")
    try:
        values = [int(part) for part in colours.split(";")]
    except ValueError:
        return CheckResult(0.0, f"the colours are {colours!r}")
    whole = values[: len(values) // 3 * 3]
    return pass_if(all(value < _BLACKISH for value in whole), f"the colours are {colours!r}")


def is_vlc_recordings_folder(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether recordings go to `recording_file_path`."""
    wanted = required(rules_of(expected), "recording_file_path")
    for line in _config(result).split("\n"):
        if not line.startswith("#") and "input-record-path" in line:
            folder = line.split("=")[-1].strip()
            return pass_if(folder == wanted, f"the folder is {folder!r}")
    return CheckResult(0.0, "no folder is set")


def _setting(result: Value, expected: Value, key: str, default: str) -> CheckResult:
    wanted = _expected_setting(expected, key)
    found = _last(_config(result), f"{key}=", default)
    return pass_if(found == wanted, f"{key} is {found!r}")


def _expected_setting(expected: Value, key: str) -> object:
    value = required(rules_of(expected), f"expected_{key.replace('-', '_')}")
    return str(value) if isinstance(value, int) else value


def _last(config: str, key: str, default: str) -> str:
    """The value of the last line that has the key, commented out or not."""
    lines = [line for line in config.split("\n") if key in line]
    return lines[-1].split("=")[-1].strip() if lines else default


def _config(result: Value) -> str:
    if not isinstance(result, FileValue):
        raise UnreadableResult("there is no file of settings")
    try:
        return result.content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableResult(f"{result.name}: is not UTF-8 text") from error


def is_vlc_playing(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether VLC plays the file `rules.file_name` or the stream `rules.url`."""
    rules = rules_of(expected)
    if not isinstance(result, FileValue):
        return CheckResult(0.0, "VLC does not answer")
    try:
        status = parse_xml(result.content, result.name)
    except BadArchive as error:
        raise UnreadableResult(str(error)) from error
    state = status.find("state")
    if state is None:
        raise UnreadableResult("VLC's status has no state")
    if state.text != "playing":
        return CheckResult(0.0, f"VLC is {state.text}")
    match required(rules, "type"):
        case "file_name":
            wanted, playing = required_text(rules, "file_name"), _information(status, _FILE_PLACES)
            good = playing.endswith(wanted) if playing else False
        case "url":
            wanted, playing = required_text(rules, "url"), _information(status, _URL_PLACES) or _stream(status)
            good = bool(playing) and _same_stream(wanted, playing)
        case _:
            return CheckResult(0.0, f"rules.type is {rules['type']!r}, which nothing fits")
    return pass_if(good, f"VLC plays {playing!r}")


def _information(status: Element, places: tuple[str, ...]) -> str:
    for name in places:
        found = status.findtext(f'information/category[@name="meta"]/info[@name="{name}"]')
        if found:
            return found
    return ""


def _stream(status: Element) -> str:
    for name in ("Codec", "Type", "Language"):
        found = status.findtext(f'information/category[@name="Stream 0"]/info[@name="{name}"]')
        if found:
            return found
    return ""


def _same_stream(wanted: str, playing: str) -> bool:
    """VLC may show a longer address, or only the last part."""
    if wanted in playing:
        return True
    try:
        first, second = urlparse(wanted), urlparse(playing)
    except ValueError:
        return False
    if playing == posixpath.basename(first.path):
        return True
    return "://" in playing and first.netloc == second.netloc and first.path in second.path
