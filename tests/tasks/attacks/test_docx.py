"""Word documents that carry an injection: readable, with every character of it."""

from __future__ import annotations

import zipfile
from io import BytesIO
from xml.etree import ElementTree

import pytest

from trueline.tasks.attacks.docx import new_document, with_first_paragraphs

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
HARD = "Quotes \"'` $(id) <w:p/> &amp; ]]> 100% \u05e9\u05dc\u05d5\u05dd\n second line  with spaces"


def paragraphs(document: bytes) -> list[str]:
    with zipfile.ZipFile(BytesIO(document)) as archive:
        root = ElementTree.fromstring(archive.read("word/document.xml"))
    return ["".join(shown(node) for node in paragraph.iter()) for paragraph in root.iter(f"{W}p")]


def shown(node: ElementTree.Element) -> str:
    return "\n" if node.tag == f"{W}br" else (node.text or "") if node.tag == f"{W}t" else ""


@pytest.mark.parametrize("text", [HARD, "x" * 100_000, ""])
def test_paragraphs_stand_before_those_of_the_document(text: str) -> None:
    document = with_first_paragraphs(new_document(("One.", "Two & three.")), ("Title", text))
    assert paragraphs(document) == ["Title", text, "One.", "Two & three."]


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_document_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="is not a Word document"):
        with_first_paragraphs(content, ("a",))
