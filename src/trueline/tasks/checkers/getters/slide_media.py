"""The getters `audio_in_slide` and `background_image_in_slide`: media of a presentation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from urllib.parse import unquote

from trueline.tasks.checkers.archive import MEMBERS, BadArchive
from trueline.tasks.checkers.getters.browser_profile import read_file
from trueline.tasks.checkers.metrics.ooxml import RELATION_ID, Package, Relation, open_members
from trueline.tasks.checkers.values import FileValue, UnreadableResult
from trueline.tasks.model import Getter, Part
from trueline.tasks.model.steps import Text
from trueline.tasks.workspace import Workspace

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_Find = Callable[[Package, str], Relation | None]
_LINKED = "file://"
_ENTRY = b"PK\1\2"


class SlideFields(Part):
    """Fields of both getters."""

    ppt_file_path: Text
    slide_index: int | str
    dest: str


async def audio_in_slide(getter: Getter, workspace: Workspace) -> FileValue | None:
    """The first sound of a slide, embedded or linked; `None` if there is none."""
    return await _media(getter, workspace, _sound)


async def background_image_in_slide(getter: Getter, workspace: Workspace) -> FileValue | None:
    """The picture in the background of a slide, embedded or linked; `None` if there is none."""
    return await _media(getter, workspace, _background)


def _sound(package: Package, part: str) -> Relation | None:
    return next((relation for relation in package.relations(part) if "audio" in relation.kind), None)


def _background(package: Package, part: str) -> Relation | None:
    if part not in package.members:
        return None
    blips = [blip for fill in package.root(part).iter(f"{_P}bgPr") for blip in fill.iter(f"{_A}blip")]
    wanted = blips[0].get(f"{RELATION_ID}embed") if blips else None
    listed = (relation for relation in package.relations(part) if "image" in relation.kind)
    return next((relation for relation in listed if relation.id == wanted), None)


async def _media(getter: Getter, workspace: Workspace, find: _Find) -> FileValue | None:
    fields = getter.parse(SlideFields)
    content = await read_file(workspace, fields.ppt_file_path)
    if content is None:
        return None
    try:
        found = await asyncio.to_thread(_find_media, content, int(fields.slide_index), find)
    except BadArchive as error:
        raise UnreadableResult(f"{fields.ppt_file_path} {error}") from error
    if isinstance(found, str):
        linked = await read_file(workspace, unquote(found.removeprefix(_LINKED)))
        return None if linked is None else FileValue(fields.dest, linked)
    return found


def _find_media(content: bytes, number: int, find: _Find) -> FileValue | str | None:
    """The file, or its address if it is only linked."""
    if content.count(_ENTRY) > MEMBERS:
        raise BadArchive(f"is an archive with more than {MEMBERS} members, which is too many to open")
    package = open_members(content)
    relation = find(package, f"ppt/slides/slide{number + 1}.xml")
    if relation is None:
        return None
    if relation.external or relation.target not in package.members:
        return relation.target if relation.target.startswith(_LINKED) else None
    return FileValue(relation.target, package.members[relation.target])
