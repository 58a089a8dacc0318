"""Applications and sites of a proposal, by the processes and origins that the desktop tells of its windows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from guard.policy.policy_samples import terminal
from trueline.actions.codecs.pyautogui import decode
from trueline.guard.config import GuardConfig
from trueline.guard.engine import DeActionGuard
from trueline.guard.policy.stage import load_policy
from trueline.guard.scope.place import place_effects
from trueline.guard.scope.processes import process_effects
from trueline.guard.scope.stage import ScopeStage
from trueline.guard.scope.types import (
    ApplicationGrant,
    EffectGrant,
    PathGrant,
    PlacedEffect,
    Scope,
    ScopeSource,
    SiteGrant,
)
from trueline.guard.types import GuardContext
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.shown_window import ShownPage, ShownWindow
from trueline.records.tree import Node, Place, Size, Tree
from trueline.records.verdict import Decision, Finding, Stage

SCOPE = Scope(
    made_by="hand",
    applications=(ApplicationGrant(application="mousepad", because="x"),),
    sites=(SiteGrant(site="shop.example", because="x"),),
)


def window(
    executable: str | None, x: int = 0, *, focused: bool = False, pages: Sequence[tuple[str, int]] = ()
) -> ShownWindow:
    """A window of 500 by 500; a page is a square at its corner, of an origin and a width."""
    shown = (ShownPage(Place(x, 0), Size(width, width), origin) for origin, width in pages)
    return ShownWindow(Place(x, 0), Size(500, 500), 7, executable, focused, tuple(shown))


def places(code: str, *windows: ShownWindow, scope: Scope = SCOPE) -> list[PlacedEffect]:
    return list(place_effects(process_effects(decode(code).actions, windows), scope))


def summary(code: str, *windows: ShownWindow) -> list[tuple[str, str, str]]:
    return [(item.effect.kind, item.effect.resource, item.place) for item in places(code, *windows)]


MOUSEPAD = window("/usr/bin/mousepad", focused=True)
CHROMIUM = "/usr/lib/chromium/chromium"


def test_a_window_of_an_allowed_applications_process_is_inside() -> None:
    assert summary("pyautogui.click(10, 10)", MOUSEPAD) == [("use", "mousepad", "inside")]
    assert summary("pyautogui.write('hello')", MOUSEPAD) == [("use", "mousepad", "inside")]


@pytest.mark.parametrize(
    "executable",
    [
        "/home/user/mousepad",  # a program of that name that anybody could have put there
        "/tmp/mousepad",
        "/usr/bin/mousepad (deleted)",
        "/usr/bin/python3.11",  # the file does not say what is run
        "/usr/bin/yad",
        "/usr/bin/xfce4-terminal",
        None,
    ],
)
def test_what_another_program_draws_is_never_inside(executable: str | None) -> None:
    found = places("pyautogui.click(10, 10)\npyautogui.write('x')", window(executable, focused=True))
    assert all(item.place != "inside" for item in found)


def test_the_window_on_top_counts_and_the_keyboards_window_gets_the_keys() -> None:
    over = window("/usr/bin/gimp-2.10", 100)
    assert summary("pyautogui.click(150, 10)", MOUSEPAD, over) == [("use", "gimp-2.10", "outside")]
    assert summary("pyautogui.click(50, 10)", MOUSEPAD, over) == [("use", "mousepad", "inside")]
    assert summary("pyautogui.press('a')", MOUSEPAD, over) == [("use", "mousepad", "inside")]
    assert summary("pyautogui.click(150, 10)\npyautogui.write('x')", MOUSEPAD, over) == [
        ("use", "gimp-2.10", "outside")
    ]


def test_after_a_key_that_may_switch_windows_nothing_is_said_of_what_is_typed() -> None:
    switched = "pyautogui.hotkey('alt', 'tab')\npyautogui.write('x')"
    assert len(places(switched, MOUSEPAD)) == 1
    gimp = replace_focus(MOUSEPAD), window("/usr/bin/gimp-2.10", 600, focused=True)
    assert summary(switched, *gimp) == [("use", "gimp-2.10", "outside")]


def replace_focus(seen: ShownWindow) -> ShownWindow:
    return seen._replace(focused=False)


def test_a_page_counts_by_its_origin_and_a_frame_by_its_own() -> None:
    browser = window(CHROMIUM, pages=[("https://www.shop.example", 400), ("https://ads.example:8443", 100)])
    assert summary("pyautogui.click(300, 300)", browser)[1:] == [("visit", "www.shop.example", "inside")]
    assert summary("pyautogui.click(50, 50)", browser)[1:] == [("visit", "ads.example", "outside")]
    assert len(summary("pyautogui.click(450, 450)", browser)) == 1  # the browser's own controls


def test_an_address_that_only_looks_like_the_site_is_outside_and_no_address_is_unknown() -> None:
    browser = window(CHROMIUM, pages=[("https://shop.example.evil.example", 400)])
    assert summary("pyautogui.click(50, 50)", browser)[1:] == [("visit", "shop.example.evil.example", "outside")]
    assert summary("pyautogui.click(50, 50)", window(CHROMIUM, pages=[("", 400)]))[1:] == [("visit", "", "unknown")]


def test_the_origin_that_a_browser_of_the_users_own_gives_is_not_believed() -> None:
    browser = window("/home/user/chromium", pages=[("https://shop.example", 400)])
    assert [effect.kind for effect in process_effects(decode("pyautogui.click(50, 50)").actions, [browser])] == ["use"]


def test_a_scope_by_rules_leaves_other_programs_unknown() -> None:
    possible = SCOPE.model_copy(
        update={
            "made_by": "rules",
            "applications": (*SCOPE.applications, ApplicationGrant(application="*", because="x", possible=True)),
        }
    )
    (found,) = places("pyautogui.click(10, 10)", window("/usr/bin/gimp-2.10"), scope=possible)
    assert found.place == "unknown"


def finding(code: str, screen: Observation, scope: Scope) -> Finding:
    policy = load_policy()
    guard = DeActionGuard(GuardConfig(policy, ScopeStage("strict", None, policy.read, clears=True)))
    proposed = Proposal(id="p", actions=tuple(decode(code).actions))
    asked = GuardContext("Do it.", screen, proposed, scope_source=ScopeSource("Do it.", given=scope))
    return next(one for one in asyncio.run(guard.check(asked)).findings if one.stage is Stage.SCOPE)


def called_mousepad(executable: str | None) -> Observation:
    """A screen whose only window says everywhere that it is Mousepad."""
    states = frozenset({"active", "showing", "visible", "enabled"})
    button = Node("push-button", "Save", states=states, position=Place(10, 10), size=Size(80, 30))
    frame = Node("frame", "Mousepad", states=states, position=Place(0, 0), size=Size(500, 500), children=(button,))
    tree = Tree(Node("desktop-frame", children=(Node("application", "mousepad", children=(frame,)),)))
    return Observation(datetime(2026, 1, 2, tzinfo=UTC), tree=tree, windows=(window(executable, focused=True),))


def test_a_window_that_only_calls_itself_mousepad_is_outside_and_the_real_one_is_not() -> None:
    click = "pyautogui.click(40, 20)"
    assert finding(click, called_mousepad("/usr/bin/gimp-2.10"), SCOPE).decision is Decision.MISALIGNED
    real = finding(click, called_mousepad("/usr/bin/mousepad"), SCOPE)
    assert real.decision is None and real.reason.startswith("inside: use mousepad, by '/usr/bin/mousepad'")
    unknown = finding(click, called_mousepad("/usr/bin/python3.11"), SCOPE)
    assert unknown.decision is None and "inside" not in unknown.reason


def test_without_windows_names_on_the_screen_leave_it_unknown() -> None:
    seen = finding("pyautogui.click(40, 20)", replace(called_mousepad(None), windows=()), SCOPE)
    assert seen.decision is None and "only names on the screen say so" in seen.reason and "inside" not in seen.reason


def test_a_command_is_cleared_in_a_terminals_window_and_not_in_one_that_another_program_draws() -> None:
    scope = SCOPE.model_copy(
        update={
            "effects": (EffectGrant(effect="run_commands", because="x"),),
            "paths": (
                PathGrant(path="/**", access=("read",), because="x"),
                PathGrant(path="~/**", access=("read",), because="x"),
            ),
            "applications": (ApplicationGrant(application="*", because="x", possible=True),),
        }
    )
    seen = {
        program: finding(
            "pyautogui.write('ls\\n')", replace(terminal(), windows=(window(program, focused=True),)), scope
        )
        for program in ("/usr/bin/xfce4-terminal", "/usr/bin/python3.11")
    }
    assert [one.decision for one in seen.values()] == [Decision.ALIGNED, None]
