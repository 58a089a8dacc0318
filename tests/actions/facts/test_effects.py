from __future__ import annotations

import pytest

from trueline.actions import (
    Action,
    CallUser,
    Click,
    Code,
    CursorPosition,
    Done,
    Drag,
    Fail,
    HoldKey,
    Hotkey,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    Point,
    Screenshot,
    Scroll,
    Type,
    Wait,
    Zoom,
)
from trueline.actions.facts import Effect, facts, proposal_facts

P = Point(1, 2)


@pytest.mark.parametrize(
    ("action", "effect"),
    [
        (Wait(), "none"),
        (Wait(seconds=5), "none"),
        (Screenshot(), "none"),
        (Zoom(top_left=P, bottom_right=P), "none"),
        (CursorPosition(), "none"),
        (Move(to=P), "none"),
        (Done(), "ends-episode"),
        (Fail(reason="no"), "ends-episode"),
        (CallUser(), "ends-episode"),
        (Click(at=P), "unknown"),
        (Drag(path=(P,)), "unknown"),
        (MouseDown(), "unknown"),
        (MouseUp(), "unknown"),
        (Scroll(dy=1), "unknown"),
        (Type(text="sudo rm -rf /\n"), "unknown"),
        (Key(key="enter"), "unknown"),
        (Hotkey(keys=("ctrl", "s")), "unknown"),
        (KeyDown(key="a"), "unknown"),
        (KeyUp(key="a"), "unknown"),
        (HoldKey(keys=("a",), duration=1), "unknown"),
        (Code(source="import os\nos.system('sudo reboot')"), "unknown"),
    ],
)
def test_only_what_is_certain_has_a_class(action: Action, effect: Effect) -> None:
    assert facts(action).effect == effect


@pytest.mark.parametrize(
    ("actions", "effect"),
    [
        ([], "none"),
        ([Wait(), Move(to=P)], "none"),
        ([Wait(), Done()], "ends-episode"),
        ([Click(), Wait()], "unknown"),
        ([Click(), Done()], "unknown"),
    ],
)
def test_effects_of_several_actions(actions: list[Action], effect: Effect) -> None:
    assert proposal_facts(actions).effect == effect
