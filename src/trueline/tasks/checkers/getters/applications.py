"""Getters of applications: VLC, GIMP, Visual Studio Code, the default video player."""

from __future__ import annotations

import contextlib
import uuid
from collections import Counter

from trueline.actions import Hotkey, Key, Type
from trueline.desktop.types import ActionTimeout, FileExists, Settled
from trueline.tasks.checkers.getters.browser_profile import read_file
from trueline.tasks.checkers.values import FileValue
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Getter, Part
from trueline.tasks.model.steps import Text
from trueline.tasks.workspace import Workspace

_VIDEO_TYPES = [
    "3gp",
    "3gpp",
    "3gpp2",
    "avi",
    "divx",
    "dv",
    "fli",
    "flv",
    "mp2t",
    "mp4",
    "mp4v-es",
    "mpeg",
    "mpeg-system",
    "msvideo",
    "ogg",
    "quicktime",
    "vnd.divx",
    "vnd.mpegurl",
    "vnd.rn-realvideo",
    "webm",
    "x-anim",
    "x-avi",
    "x-flc",
    "x-fli",
    "x-flv",
    "x-m4v",
    "x-matroska",
    "x-mpeg",
    "x-mpeg-system",
    "x-mpeg2",
    "x-ms-asf",
    "x-ms-asf-plugin",
    "x-ms-asx",
    "x-ms-wm",
    "x-ms-wmv",
    "x-ms-wmx",
    "x-ms-wvx",
    "x-msvideo",
    "x-nsv",
    "x-ogm",
    "x-ogm+ogg",
    "x-theora",
    "x-theora+ogg",
]
_PLAYERS = 'for kind in "$@"; do xdg-mime query default "video/$kind"; done'
_STATUS = """
import sys, urllib.request
request = urllib.request.Request("http://127.0.0.1:8080/requests/status.xml", headers={"Authorization": sys.argv[1]})
sys.stdout.buffer.write(urllib.request.urlopen(request, timeout=10).read())
"""
_PASSWORD = "Basic OnBhc3N3b3Jk"  # noqa: S105 - no name and `password`, which all tasks use
_WAIT = 5.0
_CALLS = 3


class FileFields(Part):
    """Fields of getters that read one file of an application."""

    dest: str


class NamedFileFields(FileFields):
    """Fields of `gimp_config_file`."""

    file_name: Text


class EditorFields(FileFields):
    """Fields of `vscode_config`."""

    vscode_extension_command: str
    path: Text


async def vlc_config(getter: Getter, workspace: Workspace) -> FileValue | None:
    """VLC's settings."""
    return await _file(workspace, "~/.config/vlc/vlcrc", getter.parse(FileFields).dest)


async def vlc_playing_info(getter: Getter, workspace: Workspace) -> FileValue | None:
    """What VLC's web interface says it plays; `None` if it does not answer."""
    done = await workspace.desktop.run(("python3", "-I", "-c", _STATUS, _PASSWORD))
    return None if done.returncode else FileValue(getter.parse(FileFields).dest, done.stdout)


async def gimp_config_file(getter: Getter, workspace: Workspace) -> FileValue | None:
    """A file of GIMP's settings; `None` if it is missing or empty."""
    fields = getter.parse(NamedFileFields)
    if "/" in fields.file_name:
        raise CheckerError(f"gimp_config_file: file_name must be a name, not {fields.file_name!r}")
    file = await _file(workspace, f"~/.config/GIMP/2.10/{fields.file_name}", fields.dest)
    return file if file is not None and file.content else None


async def vscode_config(getter: Getter, workspace: Workspace) -> FileValue | None:
    """A file that an extension of Visual Studio Code writes when its command is called."""
    fields = getter.parse(EditorFields)
    desktop = workspace.desktop
    call = (Hotkey(keys=("ctrl", "shift", "p")), Type(text=fields.vscode_extension_command), Key(key="enter"))
    for again in range(_CALLS):
        # A window that was just opened lists the commands of extensions only after a while.
        for action in (*((Key(key="escape"),) if again else ()), *call):
            await desktop.act(action, id=f"getter-{uuid.uuid4()}")
            await desktop.wait_for(Settled())
        with contextlib.suppress(ActionTimeout):
            await desktop.wait_for(FileExists(fields.path), time_limit=_WAIT)
            break
    return await _file(workspace, fields.path, fields.dest)


async def default_video_player(_: Getter, workspace: Workspace) -> str:
    """The application that opens most kinds of videos, `unknown` if there is none."""
    done = await workspace.desktop.run(("/bin/sh", "-c", _PLAYERS, "sh", *_VIDEO_TYPES), time_limit=60)
    players = [line for line in done.text.splitlines() if line.strip()]
    return f"{Counter(players).most_common(1)[0][0]}\n" if players else "unknown"


async def _file(workspace: Workspace, path: str, name: str) -> FileValue | None:
    content = await read_file(workspace, path)
    return None if content is None else FileValue(name, content)
