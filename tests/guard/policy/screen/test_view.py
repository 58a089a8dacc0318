from __future__ import annotations

import pytest

from guard.policy.policy_samples import NOW, app, desktop, node, page
from trueline.actions.types import Point
from trueline.guard.policy.screen.target import Target
from trueline.guard.policy.screen.view import view
from trueline.records.observation import Observation
from trueline.records.tree import Mark, Place, Size, parse_xml


def hit(observation: Observation, x: int, y: int) -> Target:
    target = view(observation).hit(Point(x, y))
    assert target is not None
    return target


def test_the_deepest_element_is_hit_with_its_window_and_application() -> None:
    target = hit(page(node("push-button", "Send", (100, 200, 80, 30))), 120, 210)
    assert (target.role, target.name, target.window, target.app) == ("push-button", "Send", "Window", "Chromium")


def test_a_click_on_the_text_of_a_button_presses_the_button() -> None:
    button = node("push-button", "", (100, 200, 80, 30), node("label", "Buy now", (110, 205, 60, 20)))
    target = hit(page(button), 120, 210)
    assert (target.role, target.label) == ("push-button", "Buy now")


def test_beside_everything_nothing_is_hit() -> None:
    assert view(page()).hit(Point(5000, 10)) is None
    assert view(None).hit(Point(1, 1)) is None


def test_a_notification_lies_over_the_active_window() -> None:
    popup = node(
        "application",
        "xfce4-notifyd",
        None,
        node("frame", "", (700, 50, 300, 100), node("push-button", "Allow", (800, 100, 80, 30))),
    )
    under = app("Chromium", node("push-button", "Send", (780, 90, 200, 60)))
    assert hit(desktop(popup, under), 820, 110).name == "Allow"


def test_the_active_window_lies_over_others_and_all_over_the_desktop() -> None:
    back = node(
        "application", "gedit", None, node("frame", "back", (0, 0, 1000, 700), node("text", "b", (0, 0, 900, 600)))
    )
    wall = node("application", "xfdesktop", None, node("frame", "Desktop", (0, 0, 1000, 700)))
    front = app("Chromium", node("link", "front", (0, 0, 100, 100)))
    target = hit(desktop(front, back, wall), 10, 10)
    assert (target.name, target.sure) == ("front", True)


def test_two_windows_of_which_none_is_active_are_not_sure() -> None:
    def window(name: str) -> object:
        return node("application", name, None, node("frame", name, (0, 0, 100, 100)))

    one, two = window("one"), window("two")
    assert isinstance(one, type(node("x"))) and isinstance(two, type(node("x")))
    assert not hit(desktop(one, two), 10, 10).sure


def test_what_a_dialog_says_is_told_without_its_buttons() -> None:
    dialog = node(
        "dialog",
        "Question",
        (100, 100, 400, 200),
        node("label", "Permanently delete 3 files?", (110, 110, 300, 20)),
        node("push-button", "Cancel", (110, 250, 80, 30)),
        node("push-button", "OK", (300, 250, 80, 30)),
    )
    assert hit(page(dialog), 310, 260).dialog == "Question Permanently delete 3 files?"


def test_focus_is_read_from_the_active_window() -> None:
    other = node(
        "application",
        "a",
        None,
        node("frame", "o", (0, 0, 9, 9), node("entry", "old", (0, 0, 9, 9), states=["focused"])),
    )
    seen = view(desktop(app("b", node("entry", "new", (0, 0, 9, 9), states=["focused"])), other))
    assert seen.focused is not None and seen.focused.name == "new"


def test_marks_stand_in_for_a_tree() -> None:
    mark = Mark(1, "push-button", "Send", "", Place(10, 10), Size(50, 20))
    assert hit(Observation(time=NOW, marks=(mark,)), 20, 15).name == "Send"
    assert not view(Observation(time=NOW, text="Send")).known


def test_roles_that_change_on_the_wheel_do_not_count_as_inert() -> None:
    for role in ("combo-box", "slider", "spin-button", "scroll-bar", "canvas", "something-new"):
        assert not Target(role).only_scrolls
        assert not Target(role).is_inert
    assert Target("paragraph").only_scrolls and Target("paragraph").is_inert
    assert not Target("link").is_inert


def test_an_entry_of_a_web_page_is_no_address_bar_and_no_terminal() -> None:
    inside = hit(page(node("entry", "Address", (100, 200, 80, 30))), 120, 210)
    assert not inside.is_address_bar
    assert not hit(page(node("entry", "Terminal 1", (100, 200, 80, 30))), 120, 210).is_terminal
    assert hit(page(), 120, 50).is_address_bar


NS = "https://accessibility.ubuntu.example.org/ns"
XML = f"""<desktop-frame xmlns:st="{NS}/state" xmlns:cp="{NS}/component"><application name="Google Chrome">
<frame name="Form" st:active="true" st:showing="true" st:visible="true" cp:screencoord="(0, 0)" cp:size="(800, 600)">
<document-web name="Form"><entry name="Comment" st:editable="true" st:focused="true" st:showing="true" st:visible="true"
 st:LINES="true" cp:screencoord="(10, 100)" cp:size="(300, 200)"/>
</document-web></frame></application></desktop-frame>"""


@pytest.mark.parametrize(
    ("state", "document"),
    [("multi_line", True), ("multi-line", True), ("single_line", False)],
)
def test_a_field_of_several_lines_is_known_by_its_state(state: str, document: bool) -> None:
    focused = view(Observation(time=NOW, tree=parse_xml(XML.replace("LINES", state)))).focused
    assert focused is not None and focused.name == "Comment"
    assert focused.is_document is document


def test_texts_are_found_folded() -> None:
    seen = view(page(node("paragraph", "Write to  AUDIT@\u200bexample.net now", (0, 200, 100, 20))))
    assert seen.where("audit@example.net") == "Write to  AUDIT@\u200bexample.net now"
    assert seen.where("nobody@example.net") is None
