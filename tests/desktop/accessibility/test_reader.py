from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from support.bare_desktop import eventually
from support.seen import Editor, editor
from trueline.actions import Hotkey, Key, Type
from trueline.desktop.accessibility import Accessibility, Bus, accessibility_address
from trueline.desktop.accessibility.answers import NOBODY, Details, Raw, ask, read_item, text_of
from trueline.desktop.accessibility.cells import block
from trueline.desktop.accessibility.connection import connect
from trueline.desktop.accessibility.libreoffice_offsets import correct_offsets
from trueline.desktop.accessibility.names import ROLES, role_name
from trueline.desktop.accessibility.reader import build
from trueline.desktop.accessibility.walk import DESKTOP, MAX_DEPTH, find
from trueline.desktop.types import DesktopError, DesktopLost
from trueline.records import TreeScope
from trueline.records.tree import Node, Place, Size, linearise, parse_xml, write_xml


@pytest.fixture(scope="module")
def running() -> Iterator[Editor]:
    with editor() as one:
        one.bare.launch("xfce4-terminal", "-T", "TERMINAL", "--disable-server")
        one.bare.wait_window("TERMINAL")
        eventually(lambda: one.tree.applications() >= 2, "two applications")
        eventually(lambda: any(node.role == "terminal" for node in one.tree.read().tree.root.walk()), "the terminal")
        one.bare.run("xdotool", "search", "--onlyvisible", "--name", "Mousepad", "windowactivate")
        yield one


def named(editor: Editor, name: str) -> Node | None:
    return next((n for n in editor.tree.read().tree.root.walk() if n.name.strip() == name and n.position), None)


def test_the_tree_has_every_application_and_its_showing_elements(running: Editor) -> None:
    reading = running.tree.read()
    assert not reading.partial, reading.problems
    root = reading.tree.root
    assert (root.role, reading.tree.platform) == ("desktop-frame", "ubuntu")
    assert {"mousepad", "xfce4-terminal"} <= {app.name for app in root.children}
    assert all((app.role, app.states, app.position) == ("application", frozenset(), None) for app in root.children)
    shown = [node for node in root.walk() if {"showing", "visible"} <= node.states]
    hidden = [node for node in root.walk() if not {"showing", "visible"} <= node.states]
    assert all(node.position is not None and node.size is not None for node in shown)
    assert all(node.position is None and node.size is None for node in hidden)
    assert len(hidden) > 100


def test_a_menu_has_the_fields_of_osworlds_xml(running: Editor) -> None:
    menu = next(n for n in running.tree.read().tree.root.walk() if n.role == "menu" and n.name == "Search")
    assert menu.attributes["toolkit"] == "gtk"
    assert menu.selection and menu.size is not None and menu.size.width > 20
    (click,) = menu.actions
    assert (click.name, click.description) == ("click", "Clicks the menuitem")
    assert click.keys and "<Alt>s" in click.keys
    xml = write_xml(running.tree.read().tree)
    assert 'act:click_desc="Clicks the menuitem"' in xml and 'st:multi_line="true"' in xml


def test_text_typed_is_in_the_tree_its_xml_and_its_table(running: Editor) -> None:
    running.clear()
    running.hands.do(Type(text='say "<hi>" & 你好\nsecond'))
    running.wait_text('say "<hi>" & 你好\nsecond')
    tree = running.tree.read().tree
    again = parse_xml(write_xml(tree))
    assert [(n.role, n.name, n.text, n.position) for n in again.root.walk()] == [
        (n.role, n.name, n.text, n.position) for n in tree.root.walk()
    ]
    assert r'"say ""<hi>"" & 你好\nsecond"' in linearise(tree)


def test_a_box_lies_where_the_element_is_drawn(running: Editor) -> None:
    running.clear()
    node = named(running, "Search")
    assert node is not None and node.centre is not None
    running.bare.run("xdotool", "mousemove", str(node.centre.x), str(node.centre.y), "click", "1")
    eventually(lambda: named(running, "Find...") or named(running, "Find"), "the open menu")
    running.hands.do(Key(key="esc"))


def test_of_what_is_hidden_only_the_whole_tree_tells_all(running: Editor) -> None:
    def item(scope: TreeScope) -> Node:
        nodes = running.tree.read(scope).tree.root.walk()
        return next(n for n in nodes if n.role.endswith("menu-item") and n.name.strip() == "Thrift")

    bare, whole = item("screen"), item("whole")
    assert "showing" not in whole.states and bare.position is None and whole.position is None
    assert not bare.actions and not bare.attributes
    assert [action.name for action in whole.actions] == ["click"] and whole.attributes == {"toolkit": "gtk"}
    everything = running.tree.read("whole")
    assert not everything.partial, everything.problems
    placed = [node for node in everything.tree.root.walk() if node.position is not None]
    assert len(placed) == len([node for node in running.tree.read().tree.root.walk() if node.position is not None])


def test_an_application_that_is_asked_a_lot_answers_over_a_connection_of_its_own(running: Editor) -> None:
    with closing(Bus(connect(running.bare.bus))) as session:
        address = accessibility_address(session)
    direct = Bus(connect(address), None, lambda path: connect(f"unix:path={path}"))
    with closing(Bus(connect(address))) as plain, closing(direct):
        nodes = [n for n in find(plain, time.monotonic() + 10, 10_000, "whole").nodes.values() if n.parent != DESKTOP]
        calls = [ask(node.ref, "Accessible", method) for node in nodes for method in ("GetState", "GetRole")]
        assert direct.call_all(calls, time.monotonic() + 10) == plain.call_all(calls, time.monotonic() + 10)
        assert len(direct.direct) == 1 and not plain.direct
        direct.forget_others(())
        assert not direct.direct


def test_the_order_is_always_the_same(running: Editor) -> None:
    running.clear()
    assert len({write_xml(running.tree.read().tree) for _ in range(5)}) == 1


def test_rows_that_a_list_makes_only_when_asked_are_there(running: Editor) -> None:
    running.clear()
    (running.bare.folder / "note-to-find.txt").write_text("x")
    running.hands.do(Hotkey(keys=("ctrl", "o")))
    running.hands.do(Type(text=f"{running.bare.folder}/"))

    def cell() -> Node | None:
        nodes = running.tree.read().tree.root.walk()
        return next((n for n in nodes if n.role == "table-cell" and "note-to-find" in n.name + n.text), None)

    found = eventually(cell, "the file in the dialog")
    assert found.position is not None
    running.hands.do(Key(key="esc"))
    running.hands.do(Key(key="esc"))
    eventually(lambda: not any(n.role == "file-chooser" for n in running.tree.read().tree.root.walk()), "its end")


def test_roles_by_number_are_the_words_that_applications_use(running: Editor) -> None:
    with closing(Bus(connect(running.bare.bus))) as session:
        address = accessibility_address(session)
    with closing(Bus(connect(address))) as bus:
        nodes = [n for n in find(bus, time.monotonic() + 10, 10_000).nodes.values() if n.parent != DESKTOP]
        answers = bus.call_all([ask(n.ref, "Accessible", "GetRoleName") for n in nodes], time.monotonic() + 10)
    pairs = {
        (role_name(node.role), text_of(answer).replace(" ", "-")) for node, answer in zip(nodes, answers, strict=True)
    }
    assert len(pairs) > 10
    pairs.discard(("status-bar", "statusbar"))  # OSWorld's XML has AT-SPI's word for it, not the toolkit's
    assert all(ours == theirs for ours, theirs in pairs), sorted(pair for pair in pairs if pair[0] != pair[1])


def test_a_budget_cuts_the_tree_and_says_so(running: Editor) -> None:
    reading = running.tree.read(budget=50)
    assert reading.partial and "50" in " ".join(reading.problems)
    assert len(list(reading.tree.root.walk())) <= 51


def test_an_application_that_hangs_costs_only_itself(running: Editor) -> None:
    pid = int(running.bare.run("xdotool", "search", "--name", "Mousepad", "getwindowpid").split()[-1])
    subprocess.run(("kill", "-STOP", str(pid)), check=True)
    try:
        reading = running.tree.read(deadline=1.0)
    finally:
        subprocess.run(("kill", f"-{signal.SIGCONT.value}", str(pid)), check=True)
    assert reading.partial and any("did not answer" in line for line in reading.problems)
    assert any(node.role == "terminal" and node.position for node in reading.tree.root.walk())
    eventually(lambda: not running.tree.read().partial, "its recovery")


def test_no_bus_and_a_bus_that_goes_are_a_lost_desktop(tmp_path: Path) -> None:
    with pytest.raises(DesktopLost, match="no D-Bus at"):
        Accessibility.open(f"unix:path={tmp_path}/nowhere")
    with pytest.raises(DesktopError, match="only unix:path="):
        Accessibility.open("tcp:host=example.com,port=1")
    mine, its = socket.socketpair()
    its.sendall(b"OK 1234\r\n")
    its.shutdown(socket.SHUT_WR)
    with pytest.raises(DesktopLost):
        Bus(mine)
    its.close()


def raw(path: str, parent: tuple[str, str] = NOBODY, index: int = 0) -> Raw:
    return Raw((":1.1", path), parent, index, 0, frozenset(), path, 39, 0)


def test_children_stand_by_their_place_and_cycles_end() -> None:
    app = raw("/app", DESKTOP)
    children = [raw("/c", app.ref, 2), raw("/a", app.ref, 0), raw("/x", app.ref, -1), raw("/b", app.ref, 1)]
    loop = [raw("/l1", (":1.1", "/l2")), raw("/l2", (":1.1", "/l1")), raw("/self", (":1.1", "/self"))]
    tree = build([*children, app, *loop], {})
    assert [node.name for node in tree.root.children[0].children] == ["/a", "/b", "/c", "/x"]
    assert len(list(tree.root.walk())) == 6


def test_depth_is_limited() -> None:
    chain = [raw("/0", DESKTOP), *(raw(f"/{n}", (":1.1", f"/{n - 1}")) for n in range(1, 500))]
    assert len(list(build(chain, {}).root.walk())) <= MAX_DEPTH + 2


@pytest.mark.parametrize("item", [None, (), 5, [1] * 10, ((":1", "/p"), 0, 0, "x", 0, [], "n", 1, "", [0, 0])])
def test_a_cache_entry_of_another_shape_is_left_out(item: object) -> None:
    assert read_item(item) is None


def test_the_block_of_visible_cells_spans_the_corners_within_reason() -> None:
    assert block([(10, 2), (40, 12)]) == (range(10, 41), range(2, 13))
    assert block([(10, 2), (10**6, 10**4)]) == (range(10, 130), range(2, 62))
    assert block([]) == (range(120), range(60))


def test_what_a_menu_bar_pushed_down_is_put_where_it_is_drawn() -> None:
    def one(path: str, parent: str, role: str, box: tuple[int, int, int, int], gtk: bool) -> tuple[Raw, Details]:
        node = Raw((":1.1", path), (":1.1", parent), 0, 0, frozenset(), path, ROLES.index(role), 0)
        return node, Details(
            position=Place(*box[:2]), size=Size(*box[2:]), attributes={"toolkit": "gtk"} if gtk else {}
        )

    window = [
        one("/panel", "/frame", "panel", (0, 54, 800, 546), True),
        one("/drawn", "/panel", "panel", (0, 79, 800, 521), True),
        one("/pane", "/frame", "root-pane", (0, 54, 800, 521), False),
        one("/menu", "/pane", "menu-bar", (0, 54, 800, 25), False),
        one("/cell", "/pane", "table-cell", (41, 192, 80, 17), False),
        one("/box", "/pane", "text", (4, 159, 120, 30), True),
    ]
    details = {node.ref: detail for node, detail in window}
    tops = {
        path: (where.position or Place(-1, -1)).y
        for (_, path), where in correct_offsets([node for node, _ in window], details).items()
    }
    assert tops == {"/panel": 54, "/drawn": 79, "/pane": 79, "/menu": 54, "/cell": 217, "/box": 159}
