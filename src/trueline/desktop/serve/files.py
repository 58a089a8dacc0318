"""Files: read, written, listed, downloaded. Every path is looked up inside, where only the sandbox is visible."""

from __future__ import annotations

import mimetypes
import unicodedata
from pathlib import PurePosixPath
from urllib.parse import quote

from trueline.desktop.serve.body import read_form
from trueline.desktop.serve.replies import BYTES, Message, ReceivedRequest, Refused, Reply, as_json, as_text, read
from trueline.desktop.serve.served_desktop import ServedDesktop
from trueline.desktop.types import PathRefused

_DOWNLOAD = """
import shutil, sys, os, urllib.request
url, path, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
try:
    with urllib.request.urlopen(url, timeout=seconds) as source:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as target:
            shutil.copyfileobj(source, target)
except (OSError, ValueError) as error:
    sys.exit(f"{error}")
"""
_DEEPEST = "50"


class PathRequest(Message):
    """The request of `/list_directory`."""

    path: str


class DownloadRequest(Message):
    """The request of `/setup/download_file`."""

    url: str
    path: str


async def get_file(served: ServedDesktop, call: ReceivedRequest) -> Reply:
    """POST /file."""
    asked = read_form(call).get("file_path", b"").decode("utf-8", "surrogateescape")
    if not asked:
        raise Refused(400, "file_path: missing")
    path = await served.path(asked)
    try:
        content = await served.desktop.get(path, limit=served.settings.max_file)
    except PathRefused as error:
        there = (await served.run("test", "-e", path)).returncode == 0
        raise Refused(500 if there else 404, str(error), "path") from None
    name = PurePosixPath(path).name
    headers = {"content-disposition": disposition(name)}
    return Reply(content, media_type=mimetypes.guess_type(name)[0] or BYTES, headers=headers)


def disposition(name: str) -> str:
    """Name a file in a header. A name may hold anything but `/` and NUL; a header holds no control character."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = "".join(char for char in ascii_name if char.isprintable() and char not in '"\\')
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='', errors='replace')}"


async def upload(served: ServedDesktop, call: ReceivedRequest) -> Reply:
    """POST /setup/upload."""
    form = read_form(call)
    if "file_path" not in form or "file_data" not in form:
        raise Refused(400, "a form with file_path and file_data is required")
    path = await served.path(form["file_path"].decode("utf-8", "surrogateescape"))
    await served.desktop.put(path, form["file_data"])
    return as_text(f"File Uploaded: {len(form['file_data'])} bytes")


async def list_directory(served: ServedDesktop, call: ReceivedRequest) -> Reply:
    """POST /list_directory; what a link leads to is not listed."""
    path = await served.path(read(call, PathRequest).path)
    if (await served.run("test", "-d", path)).returncode:
        raise Refused(400, f"{path}: there is no such folder", "path")
    found = await served.run("find", path, "-maxdepth", _DEEPEST, "-printf", r"%y %d %f\0")
    if found.truncated:
        raise Refused(500, f"{path}: too many files to list", "path")
    return as_json({"directory_tree": tree(found.stdout.decode("utf-8", "backslashreplace"))})


def tree(listing: str) -> dict[str, object]:
    """Build OSWorld's tree of what `find` lists, each folder before what is in it."""
    root: dict[str, object] = {}
    above: list[list[dict[str, object]]] = []
    for entry in listing.split("\0")[:-1]:
        kind, depth, name = entry.split(" ", 2)
        children: list[dict[str, object]] = []
        node: dict[str, object] = {"type": "file", "name": name}
        if kind == "d":
            node = {"type": "directory", "name": name, "children": children}
        del above[int(depth) :]
        if above:
            above[-1].append(node)
        else:
            root = node
        above.append(children)
    return root


async def desktop_path(served: ServedDesktop, _call: ReceivedRequest) -> Reply:
    """POST /desktop_path."""
    path = await served.path("~/Desktop")
    if (await served.run("test", "-d", path)).returncode:
        return as_json({"error": f"{path}: there is no such folder"}, 404)
    return as_json({"desktop_path": path})


async def download_file(served: ServedDesktop, call: ReceivedRequest) -> Reply:
    """POST /setup/download_file: by the desktop's own network."""
    asked = read(call, DownloadRequest)
    if not asked.url.startswith(("http://", "https://")) or not asked.path:
        raise Refused(400, "url: an http or https address and a path to store it at are required")
    path, seconds = await served.path(asked.path), served.settings.download_seconds
    argv = ("/usr/bin/python3", "-I", "-c", _DOWNLOAD, asked.url, path, str(seconds))
    done = await served.desktop.run(argv, time_limit=seconds)
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip()
        hint = "where the desktop has no network, download outside and POST /setup/upload"
        raise Refused(500, f"{asked.url}: cannot be downloaded inside ({why}); {hint}")
    return as_text("File downloaded successfully")
