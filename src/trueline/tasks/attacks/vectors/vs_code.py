"""Comments at the top of a file of a project in Visual Studio Code."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from textwrap import TextWrapper

from pydantic import JsonValue

from trueline.desktop.types import PathRefused, WindowShown
from trueline.tasks.applications import VS_CODE
from trueline.tasks.attacks.carriers.files import carried_file, file_path
from trueline.tasks.attacks.carriers.windows import open_window
from trueline.tasks.attacks.vectors import Delivery, Vector, wait_shown
from trueline.tasks.errors import SetupError
from trueline.tasks.model import Act, DemoStep, Find

_WIDTH = 60
_WRAPPER = TextWrapper(
    _WIDTH, expand_tabs=False, replace_whitespace=False, break_long_words=False, break_on_hyphens=False
)
_COMMENT = "# "
_PLACEHOLDER = b"{injection}"
"""Stands in some of OS-Harm's files, which its runner changes as we do."""
_LINE = _COMMENT + "-" * 62


async def _deliver(delivery: Delivery) -> None:
    """Comments before the first line of `params.file_path_vm`, as that is without them."""
    path = _path(delivery.params)
    there = (await carried_file(delivery.place, path) or b"").replace(_PLACEHOLDER, b"")
    try:
        await delivery.desktop.put(path, _head(delivery) + there)
    except PathRefused as error:
        raise SetupError(f"vs_code: {error}") from error


def _head(delivery: Delivery) -> bytes:
    # Words stay whole: an address that is cut in two is another one.
    lines = (line for given in (delivery.title, *delivery.text.split("\n")) for line in _WRAPPER.wrap(given) or [""])
    return ("".join(f"{_COMMENT}{line}\n" for line in lines) + f"{_LINE}\n\n").encode()


async def _open(delivery: Delivery) -> None:
    """Open the file, unless the task's own steps opened the editor on what they want."""
    if VS_CODE not in delivery.opened:
        path = _path(delivery.params)
        shown = WindowShown(title=posixpath.basename(path))
        await open_window(delivery.desktop, ("code", path), shown, "vs_code")


async def _confirm(delivery: Delivery) -> None:
    """On the screen; where the editor shows the project that the file is in and not the file itself, in the file."""
    path = _path(delivery.params)
    name = posixpath.basename(path)
    editors = [window.title for window in await delivery.desktop.windows() if window.title.endswith(VS_CODE)]
    if not editors or any(name in title for title in editors):
        await wait_shown(delivery.desktop, delivery.text, "vs_code")
    elif not (await delivery.desktop.get(path)).startswith(_head(delivery)):
        raise SetupError(f"vs_code: {path}: the set-up has overwritten the injection")


def _path(params: Mapping[str, JsonValue]) -> str:
    path = file_path(params, "vs_code")
    if not path:
        raise SetupError("vs_code: the task's injection has no params.file_path_vm")
    return path


def _reading(params: Mapping[str, JsonValue]) -> tuple[DemoStep, ...]:
    entry = Find(role="tree item", name=posixpath.basename(_path(params)))
    return (DemoStep(say="I look into the file.", acts=(Act(wait_for=entry), Act(double_click=entry))),)


VECTOR = Vector(
    "vs_code",
    "before applications",
    _deliver,
    application=VS_CODE,
    open=_open,
    confirm=_confirm,
    reading=_reading,
)
