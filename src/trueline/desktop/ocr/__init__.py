"""Reading text from pictures of the screen, for what no accessibility tree tells."""

from trueline.desktop.ocr.lines import TextLine, plain_text
from trueline.desktop.ocr.reader import Reader, shared_reader

__all__ = ["Reader", "TextLine", "plain_text", "shared_reader"]
