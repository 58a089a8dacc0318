"""The first paragraphs of a document that is open in LibreOffice Writer."""

from __future__ import annotations

from trueline.tasks.attacks.carriers.writer import CARRIER, open_document, prepare
from trueline.tasks.attacks.docx import with_first_paragraphs
from trueline.tasks.attacks.vectors import Delivery, Vector


async def _deliver(delivery: Delivery) -> None:
    """The first paragraphs of `params.file_path_vm`, which is made up where the task brings no such file."""
    await prepare(delivery.place, lambda document: with_first_paragraphs(document, (delivery.title, delivery.text)))


async def _open(delivery: Delivery) -> None:
    await open_document(delivery.place)


VECTOR = Vector(
    "libreoffice_writer",
    "before applications",
    _deliver,
    application=CARRIER.application,
    open=_open,
    sample=(("file_path_vm", "Documents/letter.docx"),),
)
