"""An agent's action in whichever vocabulary it comes, as a proposal.

The vocabulary is told by its shape: a string is pyautogui source, an object with `kind` a typed action, with
`action_type` computer_13, with `action` the input of Claude's tool, with `type` a block of Claude's answer or an item
of OpenAI's. What cannot be read is an error, never an empty proposal: nothing unread may run.

A string is never searched for code blocks unless the caller says that it is a whole answer: who runs the string would
run all of it, and the guard would have seen only what stands between the backticks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, get_args

from pydantic import BaseModel, ValidationError

from trueline.actions import ACTION, Action, Code, Decoded, DecodeError, SafetyCheck, Size
from trueline.actions.codecs import claude, computer_13, openai, opencua, pyautogui, qwen, ui_tars
from trueline.actions.codecs.fields import dump, is_array, is_object
from trueline.actions.coordinates import Scale
from trueline.actions.types import ActionBase
from trueline.errors import InputError
from trueline.records.proposal import Proposal
from trueline.validation import describe_validation_error

ActionFormat = Literal[
    "auto", "typed", "pyautogui", "pyautogui_answer", "computer_13", "claude", "openai", "ui_tars", "opencua", "kimi",
    "qwen",
]  # fmt: skip
FORMATS: tuple[ActionFormat, ...] = get_args(ActionFormat)

MAX_ACTIONS = 200
"""A proposal with more actions is refused: it would only waste the guard's time."""
_MAX_SCREEN = Size(32768, 32768)
_CLAUDE_BLOCKS = ("tool_use", "text", "thinking", "redacted_thinking")
_OPENAI_ITEMS = ("computer_call", "reasoning", "message")
_SINGLE_TOOL, _TOOLSET = "computer_20251124", "computer_toolset_20260801"

_Reader = Callable[[object, "_Frame"], Decoded]


class _Frame:
    """The screen, and the coordinate space of the model."""

    def __init__(self, screen: tuple[int, int] | None, display: tuple[int, int] | None) -> None:
        self.screen = Size(*screen) if screen else None
        known = self.screen or _MAX_SCREEN
        self.scale = Scale(known, display or known)

    def size(self, format: str) -> Size:
        """The screen's size. Raises InputError if unknown."""
        if self.screen is None:
            raise InputError(f"action: the format {format} requires the screen size; pass screen or a screenshot")
        return self.screen


def read_proposal(
    data: object,
    *,
    id: str,
    format: ActionFormat = "auto",
    screen: tuple[int, int] | None = None,
    display: tuple[int, int] | None = None,
    thought: str | None = None,
) -> Proposal:
    """Read an agent's actions as a proposal.

    Args:
        data: Source, JSON data, an SDK's object, typed actions, or a whole `Proposal`, which keeps its own id.
        id: Name of the proposal, unique within its session.
        format: The vocabulary; `auto` tells it by shape.
        screen: The screen's own size in pixels.
        display: The size that the model was told, where it speaks in other pixels than the screen's.
        thought: What the agent says about it; replaces what the data say.

    Raises:
        InputError: It is in no known vocabulary, or contains no action.
        DecodeError: It is in a known one and does not fit.
    """
    if isinstance(data, Proposal):
        return _bounded(data)
    decoded = read_actions(data, format=format, screen=screen, display=display)
    checks: list[SafetyCheck] = [check for call in decoded.calls for check in call.safety_checks]
    return _bounded(
        Proposal(
            id=id,
            thought=thought if thought is not None else decoded.thought or None,
            actions=decoded.actions,
            raw=data if isinstance(data, str) else dump(_plain(data)),
            safety_checks=tuple(checks),
        )
    )


def read_actions(
    data: object,
    *,
    format: ActionFormat = "auto",
    screen: tuple[int, int] | None = None,
    display: tuple[int, int] | None = None,
) -> Decoded:
    """Read actions in a vocabulary; see `read_proposal`."""
    try:
        plain = _plain(data)
        name = _recognise(plain) if format == "auto" else format
        decoded = _READERS[name](plain, _Frame(screen, display))
    except RecursionError:
        raise InputError("action: nested too deeply") from None
    if not decoded.actions:
        raise InputError(f"action: contains no action in the format {name}")
    return decoded


def _bounded(proposal: Proposal) -> Proposal:
    if len(proposal.actions) > MAX_ACTIONS:
        raise InputError(f"action: {len(proposal.actions)} actions in one proposal; at most {MAX_ACTIONS}")
    return proposal


def _plain(data: object) -> object:
    if isinstance(data, ActionBase):
        return data
    if isinstance(data, BaseModel):
        return data.model_dump(mode="json", exclude_none=True)
    if is_array(data):
        return [_plain(item) for item in data]
    return data


def _recognise(data: object) -> str:
    if isinstance(data, str):
        return "pyautogui"
    if isinstance(data, ActionBase):
        return "typed"
    if is_array(data) and data:
        first, *others = (_recognise(item) for item in data)
        if any(other != first for other in others):
            raise InputError("action: a list must be in one format; name it in `format`")
        return first
    if is_object(data):
        found = [name for name, fits in _SHAPES.items() if fits(data)]
        if len(found) == 1:
            return found[0]
    raise InputError(f"action: cannot detect its format; name it in `format` ({', '.join(FORMATS[1:])})")


_SHAPES: dict[str, Callable[[Mapping[str, object]], bool]] = {
    "typed": lambda data: "kind" in data,
    "computer_13": lambda data: "action_type" in data,
    "claude": lambda data: data.get("type") in _CLAUDE_BLOCKS or ("type" not in data and _names_action(data)),
    "openai": lambda data: "type" in data and data["type"] not in _CLAUDE_BLOCKS and "kind" not in data,
}


def _names_action(data: Mapping[str, object]) -> bool:
    return isinstance(data.get("action"), str)


def _typed(data: object, _: _Frame) -> Decoded:
    items = data if is_array(data) else [data]
    try:
        return Decoded(tuple(_typed_action(item) for item in items))
    except ValidationError as error:
        raise DecodeError("typed action", describe_validation_error(error), dump(data)) from None


def _typed_action(item: object) -> Action:
    return ACTION.validate_python(item)


def _pyautogui(data: object, frame: _Frame) -> Decoded:
    parts = [_source(item, "pyautogui") for item in (data if is_array(data) else [data])]
    read = [pyautogui.decode(part, screen=frame.screen) for part in parts]
    return Decoded(tuple(action for part in read for action in part.actions))


def _computer_13(data: object, _: _Frame) -> Decoded:
    if isinstance(data, str):
        return computer_13.decode_answer(data)
    return Decoded(tuple(computer_13.decode(item) for item in (data if is_array(data) else [data])))


def _claude(data: object, frame: _Frame) -> Decoded:
    parts = [_claude_part(item, frame) for item in (data if is_array(data) else [data])]
    return Decoded(
        tuple(action for part in parts for action in part.actions),
        thought="\n".join(part.thought for part in parts if part.thought),
        calls=tuple(call for part in parts for call in part.calls),
    )


def _claude_part(item: object, frame: _Frame) -> Decoded:
    """Read the input of the computer tool alone, or one block of an answer."""
    if not is_object(item):
        raise DecodeError("claude", "expected a content block or the input of a tool", dump(item))
    if "type" not in item:
        return Decoded(claude.decode_call("computer", item, _SINGLE_TOOL, frame.scale))
    if item["type"] not in _CLAUDE_BLOCKS:
        raise DecodeError("claude", f"unknown block type {item['type']!r}", dump(item))
    name, given = item.get("name"), item.get("input")
    if name == "bash" and is_object(given) and set(given) == {"command"} and isinstance(given["command"], str):
        return Decoded((Code(source=given["command"], language="bash", raw=dump(item)),))
    return claude.decode([item], _SINGLE_TOOL if name == "computer" else _TOOLSET, frame.scale)


def _openai(data: object, frame: _Frame) -> Decoded:
    items = data if is_array(data) else [data]
    objects = [item for item in items if is_object(item)]
    if len(objects) != len(items):
        raise DecodeError("openai", "expected output items or actions", dump(data))
    if all(item.get("type") in _OPENAI_ITEMS for item in objects):
        return openai.decode(objects, frame.scale)
    return Decoded(tuple(action for item in objects for action in openai.decode_action(item, frame.scale)))


def _opencua(format: str, coordinates: opencua.Coordinates) -> _Reader:
    return lambda data, frame: opencua.decode(_source(data, format), frame.size(format), coordinates)


def _source(data: object, format: str) -> str:
    if not isinstance(data, str):
        raise InputError(f"action: the format {format} is text, got {type(data).__name__}")
    return data


_READERS: dict[str, _Reader] = {
    "typed": _typed,
    "pyautogui": _pyautogui,
    "pyautogui_answer": lambda data, frame: pyautogui.decode_answer(_source(data, "answer"), screen=frame.screen),
    "computer_13": _computer_13,
    "claude": _claude,
    "openai": _openai,
    "ui_tars": lambda data, frame: ui_tars.decode(_source(data, "ui_tars"), ui_tars.scale(frame.size("ui_tars"))),
    "opencua": _opencua("opencua", "qwen25"),
    "kimi": _opencua("kimi", "kimi"),
    "qwen": lambda data, frame: qwen.decode(_source(data, "qwen"), qwen.scale(frame.size("qwen"))),
}
