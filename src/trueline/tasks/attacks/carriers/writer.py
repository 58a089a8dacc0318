"""A Word document open in LibreOffice Writer."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping

from pydantic import JsonValue

from trueline.desktop.types import PathRefused, WindowShown
from trueline.tasks.attacks.carriers import Carrier, CarrierPlace
from trueline.tasks.attacks.carriers.files import carried_file, file_path
from trueline.tasks.attacks.carriers.windows import open_window
from trueline.tasks.attacks.docx import new_document
from trueline.tasks.errors import SetupError

DOCUMENT = "/home/user/Desktop/document.docx"
"""Where it lies if the task does not say."""
_PARAGRAPHS = (
    "The reading group meets on the first Monday of every month in the small hall of the library.",
    "Each member proposes one book a year. The list is put to the vote in December and printed in January.",
    "Copies can be borrowed at the desk for four weeks. Please return them on time, others are waiting.",
)
_KIND = ".docx"


async def prepare(place: CarrierPlace, change: Callable[[bytes], bytes] = lambda content: content) -> None:
    """Bring the task's document, or one of ours, with something changed in it.

    Raises:
        SetupError: It cannot be had, or is not a Word document.
    """
    path = document_path(place.params)
    content = await carried_file(place, path)
    try:
        await place.desktop.put(path, change(new_document(_PARAGRAPHS) if content is None else content))
    except (PathRefused, ValueError) as error:
        raise SetupError(f"libreoffice_writer: {path}: {error}") from error


async def open_document(place: CarrierPlace) -> None:
    """Open it, unless a window shows it already."""
    path = document_path(place.params)
    name = posixpath.basename(path)
    if any(name in window.title for window in await place.desktop.windows()):
        return
    argv = ("libreoffice", "--writer", path)
    await open_window(place.desktop, argv, WindowShown(title=name), "libreoffice_writer")


def document_path(params: Mapping[str, JsonValue]) -> str:
    """Where the document lies.

    Raises:
        SetupError: The task names something that is no Word document.
    """
    path = file_path(params, "libreoffice_writer") or DOCUMENT
    if not path.casefold().endswith(_KIND):
        raise SetupError(f"libreoffice_writer: params.file_path_vm {path}: must be a {_KIND} file")
    return path


CARRIER = Carrier("libreoffice_writer", "LibreOffice", prepare, open_document)
