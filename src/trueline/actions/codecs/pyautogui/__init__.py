"""pyautogui source: OSWorld's `pyautogui` action space, and the answers of its prompt agent."""

from trueline.actions.codecs.pyautogui.answer import decode_answer, parse_answer
from trueline.actions.codecs.pyautogui.comments import strip_comments
from trueline.actions.codecs.pyautogui.program import decode
from trueline.actions.codecs.pyautogui.render import encode

__all__ = ["decode", "decode_answer", "encode", "parse_answer", "strip_comments"]
