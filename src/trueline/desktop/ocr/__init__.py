"""Reading text from pictures of the screen, for what no accessibility tree tells."""

from trueline.desktop.ocr.reader import shared_reader

__all__ = ["shared_reader"]
