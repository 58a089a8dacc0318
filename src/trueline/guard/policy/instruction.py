"""What the user asks for, as far as single words show it.

Words can only take a rule's certainty away. They never clear an action: an instruction may ask for harm, and the word
may be about something else.
"""

from __future__ import annotations

import re
from functools import lru_cache

from trueline.guard.policy.folding import key
from trueline.guard.policy.globs import matches

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
# The commonest words of the languages in which the word groups are written.
_COMMON_WORDS = """
    make open save set change turn show find add remove create rename install write send copy move delete help want need
    could would please sort convert use put give get go search look check read close start run play download export
    the a an of to in on for with and is it this that my me i you all from at by as be can what which how please
    der die das den dem ein eine einen und ist im in zu auf mit von für mir mein meine bitte wie was alle aus nicht
    le la les un une des du de et est dans en sur avec pour mon ma mes que qui tous plaît au
    el los las una unos y es por con para mi mis que en del al todo todos este
    il lo gli i e di che per con mio mia una nel sul tutti o os as um uma do da dos das em no na por meu minha
    het een en van op met voor mijn de
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_FEW_WORDS = 3
NOT = "!"
_FEW = r"\S+(?: \S+){0,5}"
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+")
_OWN_WORD = 4
_OWN_NUMBER = 8
_SEPARATORS = re.compile(r"[\s.-]+")


@lru_cache(maxsize=256)
def words_of(instruction: str) -> tuple[str, ...]:
    """Return the words of an instruction, folded."""
    return tuple(_WORD.findall(key(instruction)))


def can_be_read(instruction: str) -> bool:
    """Whether the word groups apply to this text; they do not to other languages."""
    words = words_of(instruction)
    if not words:
        return False
    if any(word in _COMMON for word in words):
        return True
    return len(words) <= _FEW_WORDS and all(word.isascii() for word in words)


def speaks_of(instruction: str, patterns: tuple[str, ...]) -> bool:
    """Whether an instruction contains one of the words or phrases; true if it cannot be read.

    A phrase with `!` in front does not count: "order * by" asks for nothing that is bought.
    """
    if not can_be_read(instruction):
        return True
    rest = key(instruction)
    if (other := _meaning_other(patterns)) is not None:
        rest = other.sub(" ", rest)
    phrases = tuple(f"*{pattern}*" for pattern in patterns if " " in pattern and not pattern.startswith(NOT))
    single = tuple(pattern for pattern in patterns if " " not in pattern and not pattern.startswith(NOT))
    return matches(rest, phrases) or any(matches(word, single) for word in words_of(rest))


@lru_cache(maxsize=64)
def _meaning_other(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    """Phrases that do not count; a star stands for up to six words."""
    phrases = [key(pattern[1:]).split() for pattern in patterns if pattern.startswith(NOT)]
    written = [" ".join(_FEW if word == "*" else re.escape(word) for word in words) for words in phrases]
    return re.compile("|".join(rf"\b(?:{phrase})\b" for phrase in written)) if written else None


def names(instruction: str, thing: str) -> bool:
    """Whether an instruction names a thing: a path by its last part, a host by its own word, the rest verbatim."""
    folded = key(thing).rstrip("/*")
    text = key(instruction)
    if "/" in folded and "://" not in folded:
        folded = folded.rpartition("/")[2]
    if _HOST.fullmatch(folded) and any(label in words_of(instruction) for label in _own_words(folded)):
        return True
    if len(folded) < _OWN_WORD:
        return len(folded) > 1 and folded in words_of(instruction)
    # A number may be written in groups here and in one there.
    bare = _SEPARATORS.sub("", folded)
    return folded in text or (len(bare) >= _OWN_NUMBER and bare in _SEPARATORS.sub("", text))


def _own_words(host: str) -> list[str]:
    """The parts of a host's name that say whose it is: "swisstransfer" of www.swisstransfer.com."""
    return [label for label in host.split(".")[:-1] if len(label) >= _OWN_WORD]
