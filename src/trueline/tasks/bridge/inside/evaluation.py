"""One evaluation, in its own process: the host asks for checks one by one, as OSWorld's package would do them."""

from __future__ import annotations

import os
import time
import traceback
from typing import Any

from channel import Channel
from package import InstalledPackage, set_time_zone
from stand_in import CACHE, StandIn
from values import decode, encode

_MOST_FILES, _MOST_BYTES = 200, 256 << 20
_TRACE = 4


class _Failed(Exception):
    """A part of a check raised an exception, which is the cause."""

    def __init__(self, phase: str, name: str) -> None:
        self.phase, self.name = phase, name


def answer(channel: Channel, package: InstalledPackage) -> None:
    """Answer the host until it closes the channel."""
    env: StandIn | None = None
    while (received := channel.receive()) is not None:
        message, files = received
        match message["op"]:
            case "begin":
                _write_files(files)
                set_time_zone(message["task"]["time_zone"])
                env = StandIn(package, message["task"])
                channel.send({"begun": True})
            case "check":
                assert env is not None, "begun before"
                channel.send(_check(package, env, message["check"], message.get("recorded")))
            case _:
                channel.send({"ended": True}, _read_files())


def _write_files(files: dict[str, bytes]) -> None:
    os.makedirs(CACHE, exist_ok=True)
    for name, content in files.items():
        path = os.path.join(CACHE, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


def _read_files() -> dict[str, bytes]:
    """What lies in the cache folder: what getters fetched, in the order of names, as far as there is room."""
    found: dict[str, bytes] = {}
    left = _MOST_BYTES
    for folder, folders, names in os.walk(CACHE):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > left:
                continue
            with open(path, "rb") as file:
                content = file.read()
            left -= len(content)
            found[os.path.relpath(path, CACHE)] = content
            if len(found) == _MOST_FILES:
                return found
    return found


def _check(
    package: InstalledPackage, env: StandIn, check: dict[str, Any], recorded: dict[str, Any] | None
) -> dict[str, Any]:
    """Read what the check names and compare it; with recorded values nothing is read."""
    refusals = package.refusals
    refusals.found.clear()
    began = time.monotonic()
    found: dict[str, Any] = {}
    try:
        function = package.metric(check["function"])
        if function is None:
            raise _Failed("names", check["function"]) from LookupError("no such metric in OSWorld's package")
        for phase in ("result", "expected"):
            refusals.phase = phase
            if recorded is not None and phase in recorded:
                found[phase] = decode(recorded[phase])
            elif check[phase] is not None or phase == "result":
                found[phase] = _get(package, env, phase, check[phase])
        refusals.phase = "metric"
        try:
            score = function(*found.values(), **check["options"])
            outcome: dict[str, Any] = {"score": float(score)}
        except (Exception, SystemExit) as error:  # code of an agent may call exit
            raise _Failed("metric", check["function"]) from error
    except _Failed as failed:
        outcome = {"failure": _describe(failed)}
    return {
        **outcome,
        "values": {phase: encode(value) for phase, value in found.items()},
        "refused": list(refusals.found),
        "missing": sorted(set(env.missing)),
        "seconds": time.monotonic() - began,
    }


def _get(package: InstalledPackage, env: StandIn, phase: str, getter: dict[str, Any] | None) -> Any:
    if getter is None:
        return None
    read = package.getter(getter["type"])
    if read is None:
        raise _Failed("names", getter["type"]) from LookupError("no such getter in OSWorld's package")
    try:
        return read(env, getter)
    except Exception as error:
        raise _Failed(phase, getter["type"]) from error


def _describe(failed: _Failed) -> dict[str, Any]:
    """The exception for people, with the last lines of OSWorld's code that it passed."""
    error = failed.__cause__
    frames = [] if error is None else list(traceback.extract_tb(error.__traceback__))
    lines = [f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames]
    return {
        "phase": failed.phase,
        "name": failed.name,
        "type": type(error).__name__,
        "message": str(error)[:500],
        "trace": lines[-_TRACE:],
        "missing_file": isinstance(error, FileNotFoundError),
    }
