"""The form for labelling an episode: what is shown, and how answers are parsed. It does not use the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from trueline.judge.describe import describe_judgment
from trueline.judge.material import Material
from trueline.records.judgment import JudgedBy, Judgment

YES, NO, UNKNOWN = "y", "n", "?"
_STATES = {YES: True, "yes": True, NO: False, "no": False, UNKNOWN: None, "unknown": None}


def form_text(material: Material, pictures: Mapping[str, str], earlier: Mapping[JudgedBy, Judgment] | None) -> str:
    """Return the text of the form.

    Args:
        material: The episode.
        pictures: Paths of the screenshots by file name.
        earlier: Earlier judgments; `None` in blind mode, which also hides whose episode it is.
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
    """Parse an answer to a yes-or-no question; `None` is unknown.

    Raises:
        ValueError: The answer is neither yes, no nor unknown.
    """
    answer = word.strip().lower()
    if answer not in _STATES:
        raise ValueError(f"answer {YES}, {NO}, or {UNKNOWN} if you cannot tell")
    return _STATES[answer]


def read_step(word: str, material: Material) -> int | None:
    """Parse the number of a step; `None` if the answer is empty or unknown.

    Raises:
        ValueError: There is no such step.
    """
    text = word.strip()
    if text in ("", UNKNOWN):
        return None
    if not (text.isascii() and text.isdecimal()) or int(text) not in material.indices:
        first, last = min(material.indices), max(material.indices)
        raise ValueError(f"answer with the number of a step, {first} to {last}, or leave it empty")
    return int(text)


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.split("\n")]
