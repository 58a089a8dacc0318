"""Actions as OSWorld's result files store them: pyautogui source, or computer_13's objects."""

from __future__ import annotations

import json

from pydantic import JsonValue

from trueline.actions import ACTION, Action, CallUser, Code, Done, Fail
from trueline.actions.codecs import computer_13, pyautogui
from trueline.actions.decoded import DecodeError, EncodeError, SafetyCheck
from trueline.records.folder.json_values import as_list, as_object, as_text
from trueline.text import printable


def encode_action(action: Action, space: str) -> JsonValue:
    """An action in the vocabulary of an action space; one it cannot express is written as a no-op."""
    if isinstance(action, Done):
        return "DONE"
    if isinstance(action, Fail | CallUser):
        return "FAIL"
    objects = space == computer_13.CODEC
    try:
        if not objects:
            return "\n".join(pyautogui.encode((action,), for_record=True))
        value: JsonValue = json.loads(json.dumps(computer_13.encode(action)))
    except EncodeError:
        fields = ACTION.dump_python(action, mode="json", exclude_defaults=True, exclude={"raw"})
        return (
            {"action_type": action.kind, "parameters": fields} if objects else f"# {action.kind} {json.dumps(fields)}"
        )
    return value


def decode_action(value: JsonValue) -> tuple[tuple[Action, ...], str | None]:
    """The actions of one entry of the files, or what is wrong with it."""
    source = python_source(value)
    if source is not None:
        return pyautogui.decode(source).actions, None
    try:
        return (computer_13.decode(value),), None
    except DecodeError as error:
        text = json.dumps(value)
        return (Code(source=text, raw=text),), f"not an action that is known: {printable(error.reason)}"


def python_source(value: JsonValue) -> str | None:
    """The program that an entry of the files holds; `None` for an object of another vocabulary.

    OSWorld's agents for other vocabularies write objects too; the code they were turned into is their `command`, or for
    OpenAI's agent the `action` inside.
    """
    match value:
        case str(source) | {"command": str(source)} | {"action_space": "pyautogui", "action": str(source)}:
            return source
        case _:
            return None


def pending_checks(value: JsonValue | None) -> tuple[SafetyCheck, ...]:
    """The safety checks that OpenAI required to be acknowledged before this action."""
    found = as_list(as_object(value).get("pending_checks"))
    checks = (as_object(check) for check in found)
    return tuple(
        SafetyCheck(id, as_text(check.get("code")), as_text(check.get("message")))
        for check in checks
        if (id := as_text(check.get("id"))) is not None
    )
