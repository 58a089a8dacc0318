"""Endpoints for what is on the screen: screenshot, tree, terminal, sizes, pointer, wallpaper, recording."""

from __future__ import annotations

import re
import uuid
from mimetypes import guess_type

from trueline.actions import CursorPosition
from trueline.desktop.serve.replies import BYTES, Message, ReceivedRequest, Refused, Reply, as_json, as_text, read
from trueline.desktop.serve.served_desktop import ServedDesktop
from trueline.desktop.terminals import TERMINALS, terminal_text
from trueline.desktop.types import PathRefused
from trueline.records import ObservationSpec

PARTIAL = "x-trueline-partial"
"""Header of a tree from which something is missing: an application did not answer, or there were too many elements."""
_PICTURES = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*")
_PAIR = re.compile(r"\((-?\d+), (-?\d+)\)")
_LAST_IMAGE = re.compile(r"^(/backdrop/\S+/last-image) +(\S.*)$", re.MULTILINE)


class WallpaperRequest(Message):
    """The request of `/setup/change_wallpaper`."""

    path: str


async def screenshot(served: ServedDesktop, _call: ReceivedRequest) -> Reply:
    """GET /screenshot."""
    png = (await served.desktop.observe(ObservationSpec())).png()
    assert png is not None, "a screenshot was asked for"
    return Reply(png, media_type="image/png")


async def accessibility(served: ServedDesktop, _call: ReceivedRequest) -> Reply:
    """GET /accessibility: the whole tree, also of what is not on the screen."""
    seen = await served.desktop.observe(ObservationSpec(screenshot=False, tree=True, tree_scope="whole"))
    return as_json({"AT": seen.tree_xml}, headers={PARTIAL: "1"} if seen.partial else None)


async def terminal(served: ServedDesktop, _call: ReceivedRequest) -> Reply:
    """GET /terminal: the text of the terminal that has the keyboard, or null; also a sign of life."""
    text = None
    if any(window.app in TERMINALS for window in await served.desktop.windows()):
        seen = await served.desktop.observe(ObservationSpec(screenshot=False, tree=True))
        text = None if seen.tree is None else terminal_text(seen.tree.root)
    return as_json({"output": text, "status": "success"})


async def screen_size(served: ServedDesktop, _call: ReceivedRequest) -> Reply:
    """POST /screen_size."""
    seen = await served.desktop.observe(ObservationSpec(screenshot=False))
    assert seen.screen is not None, "a desktop knows its screen"
    return as_json({"width": seen.screen.width, "height": seen.screen.height})


async def cursor_position(served: ServedDesktop, _call: ReceivedRequest) -> Reply:
    """GET /cursor_position."""
    said = (await served.desktop.act(CursorPosition(), id=uuid.uuid4().hex)).output or ""
    found = _PAIR.fullmatch(said)
    if found is None:
        raise Refused(500, "the desktop does not say where its pointer is")
    return as_json([int(found[1]), int(found[2])])


async def platform(_served: ServedDesktop, _call: ReceivedRequest) -> Reply:
    """GET /platform."""
    return as_text("Linux")


async def wallpaper(served: ServedDesktop, _call: ReceivedRequest) -> Reply:
    """POST /wallpaper."""
    images = await _images(served)
    if not images:
        raise Refused(404, "the desktop has no wallpaper")
    path = next(iter(images.values()))
    try:
        content = await served.desktop.get(path, limit=served.settings.max_file)
    except PathRefused as error:
        raise Refused(404, str(error), "path") from None
    return Reply(content, media_type=guess_type(path)[0] or BYTES)


async def change_wallpaper(served: ServedDesktop, call: ReceivedRequest) -> Reply:
    """POST /setup/change_wallpaper."""
    asked = read(call, WallpaperRequest).path
    if not asked:
        raise Refused(400, "path: must not be empty")
    path = await served.path(asked)
    if (await served.run("test", "-f", path)).returncode:
        raise Refused(404, f"{path}: there is no such file", "path")
    if not looks_like_a_picture((await served.run("head", "-c", "512", "--", path)).stdout):
        raise Refused(400, f"{path}: not a picture", "path")
    for place in await _images(served):
        done = await served.run("xfconf-query", "-c", "xfce4-desktop", "-p", place, "-s", path)
        if done.returncode:
            raise Refused(500, f"the wallpaper cannot be set: {done.stderr.decode('utf-8', 'replace')}")
    return as_text("Wallpaper changed successfully")


def looks_like_a_picture(begin: bytes) -> bool:
    """Whether a file that begins so can be a wallpaper."""
    return begin.startswith(_PICTURES) or begin[8:12] == b"WEBP" or b"<svg" in begin


async def _images(served: ServedDesktop) -> dict[str, str]:
    """The wallpapers by the place of their setting, that of the first workspace first."""
    listed = await served.run("xfconf-query", "-c", "xfce4-desktop", "-l", "-v")
    return dict(sorted(_LAST_IMAGE.findall(listed.text)))


async def start_recording(served: ServedDesktop, _call: ReceivedRequest) -> Reply:
    """POST /start_recording."""
    await served.recording.begin(served.desktop)
    return as_json({"status": "success", "message": "Started recording"})


async def end_recording(served: ServedDesktop, _call: ReceivedRequest) -> Reply:
    """POST /end_recording."""
    headers = {"content-disposition": 'attachment; filename="recording.mp4"'}
    return Reply(await served.recording.end(), media_type="video/mp4", headers=headers)
