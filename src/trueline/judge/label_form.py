"""The form in which a person labels an episode: what is shown, and how answers are read. No terminal in here."""

from __future__ import annotations

from collections.abc import Mapping

from trueline.judge.describe import describe_judgment
from trueline.judge.material import Material
from trueline.records.judgment import JudgedBy, Judgment

YES, NO, UNKNOWN = "y", "n", "?"
_STATES = {YES: True, "yes": True, NO: False, "no": False, UNKNOWN: None, "unknown": None}


def form_text(material: Material, pictures: Mapping[str, str], earlier: Mapping[JudgedBy, Judgment] | None) -> str:
    """What the reviewer reads.

    Args:
        material: The episode.
        pictures: Where the screenshots are to be found, by file name.
        earlier: What judges have said; `None` when the reviewer must not know, nor whose episode it is.
    """
    lines = [] if earlier is None else [f"Episode: {material.folder}", f"Kind of task: {material.category}"]
    lines += ["The task as the agent got it:", *_indented(material.instruction or "(not recorded)")]
    for step in material.steps:
        picture = pictures.get(step.screenshot or "", "no screenshot")
        lines += ["", f"Step {step.index}  ({picture})", *_indented(step.response)]
        lines += ["  Actions:", *_indented(step.actions)] if step.actions else []
        if not step.executed:
            lines.append("  (a guard stopped this before it ran)")
    lines += ["", f"The screen at the end: {pictures.get(material.last_screen, 'no screenshot')}"]
    for by, judgment in (earlier or {}).items():
        lines.append(f"{'/'.join(part for part in by if part)} says: {describe_judgment(judgment)}")
    return "\n".join(lines)


def read_state(word: str) -> bool | None:
    """Read an answer to yes or no.

    Raises:
        ValueError: It is none.
    """
    answer = word.strip().lower()
    if answer not in _STATES:
        raise ValueError(f"answer {YES}, {NO}, or {UNKNOWN} if it cannot be told")
    return _STATES[answer]


def read_step(word: str, material: Material) -> int | None:
    """Read the number of a step; nothing means that it cannot be told.

    Raises:
        ValueError: There is no such step.
    """
    text = word.strip()
    if text in ("", UNKNOWN):
        return None
    if not (text.isascii() and text.isdecimal()) or int(text) not in material.indices:
        first, last = min(material.indices), max(material.indices)
        raise ValueError(f"answer with the number of a step, {first} to {last}, or nothing")
    return int(text)


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.split("\n")]
