"""Parsing the answers of the prompt agent's model."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from trueline.actions import Action, Code, DecodeError, Fail, Size
from trueline.actions.codecs import computer_13, pyautogui
from trueline.actions.codecs.pyautogui.program import parse
from trueline.actions.codecs.pyautogui.values import UnprovableError
from trueline.actions.decoded import well_formed
from trueline.agents.conversation import MAX_ACTIONS
from trueline.records.tree import Mark

ActionSpace = Literal["pyautogui", "computer_13"]

_REFUSED = re.compile(r"^\s*REFUSED:[ \t]*(.*)$", re.MULTILINE)
_TAG = re.compile(r"tag_([0-9]{1,6})")


@dataclass(frozen=True)
class ReadAnswer:
    """A parsed answer."""

    actions: tuple[Action, ...]
    thought: str = ""
    problem: str = ""
    """Why there are no actions."""


def read_answer(text: str, space: ActionSpace, screen: Size, marks: Sequence[Mark] | None = None) -> ReadAnswer:
    """Parse an answer; if any part cannot be parsed, `problem` says why and there are no actions.

    With marks, code may use `tag_N` for the point of element N.
    """
    text = well_formed(text)
    try:
        actions, thought = _code(text, screen, marks) if space == "pyautogui" else _objects(text)
    except DecodeError as error:
        return ReadAnswer((), text, error.reason)
    actions = _with_refusal(actions, thought)
    if not actions:
        return ReadAnswer((), thought, "it holds no code block with an action")
    if len(actions) > MAX_ACTIONS:
        return ReadAnswer((), thought, f"it holds {len(actions)} actions; at most {MAX_ACTIONS} in one answer")
    return ReadAnswer(actions, thought)


def _objects(text: str) -> tuple[tuple[Action, ...], str]:
    decoded = computer_13.decode_answer(text)
    return decoded.actions, decoded.thought


def _code(text: str, screen: Size, marks: Sequence[Mark] | None) -> tuple[tuple[Action, ...], str]:
    whole = pyautogui.decode_answer(text, screen=screen)
    if marks is None:
        return whole.actions, whole.thought
    places = {mark.number: tuple(mark.point) for mark in marks}
    actions: list[Action] = []
    for source in pyautogui.parse_answer(text):
        actions += _tagged(source, places, screen)
    return tuple(actions), whole.thought


def _tagged(source: str, places: dict[int, tuple[int, ...]], screen: Size) -> list[Action]:
    """Parse code that may use tags as variables."""
    used = _tags_in(source)
    if unknown := [number for number in used if number not in places]:
        raise DecodeError("som", f"there is no tag_{unknown[0]} on the screen", source)
    lines = [f"tag_{number} = {places[number]}" for number in used]
    decoded = pyautogui.decode("\n".join((*lines, source)), screen=screen)
    # A program that stays code runs with the tags in front; its raw text is the model's alone.
    return [a.model_copy(update={"raw": source}) if isinstance(a, Code) else a for a in decoded.actions]


def _tags_in(source: str) -> list[int]:
    """Return the numbers of the tags that a program uses; none if it cannot be parsed."""
    try:
        nodes = ast.walk(parse(source))
    except UnprovableError:
        return []
    found = (_TAG.fullmatch(node.id) for node in nodes if isinstance(node, ast.Name))
    return sorted({int(tag[1]) for tag in found if tag})


def _with_refusal(actions: tuple[Action, ...], thought: str) -> tuple[Action, ...]:
    """Mark a fail as a refusal if the model says `REFUSED:`."""
    said = _REFUSED.search(thought)
    if not said:
        return actions
    reason = said[1].strip() or None
    if not actions:
        return (Fail(reason=reason, refused=True, raw=said[0].strip()),)
    return tuple(
        action.model_copy(update={"reason": reason, "refused": True}) if isinstance(action, Fail) else action
        for action in actions
    )
