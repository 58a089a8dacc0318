"""The naive ways: one call for one answer, one new program for one action, a picture written the usual way."""

from __future__ import annotations

import io
import time

import numpy as np

from trueline.desktop.accessibility import Bus
from trueline.desktop.accessibility.answers import Ref, ask, ask_property, number_of, refs_of, value_of, words_of
from trueline.desktop.accessibility.connection import Answer, MethodCall
from trueline.desktop.accessibility.walk import DESKTOP
from trueline.desktop.local.argv import DISPLAY, INSIDE
from trueline.desktop.local.install import WORKER
from trueline.desktop.screen import Frame

_CHILDREN = 10_000
"""Most children of one element to ask about: a spreadsheet claims two thousand million."""
_ANSWER_S = 5.0


def node_by_node(bus: Bus) -> int:
    """Read a tree as a screen reader's library does, every field of every element on its own; return their number."""

    def answer(call: MethodCall) -> Answer:
        return bus.call_all([call], time.monotonic() + _ANSWER_S)[0]

    todo: list[Ref] = refs_of(answer(ask(DESKTOP, "Accessible", "GetChildren")))
    count = 0
    while todo:
        ref = todo.pop()
        count += 1
        answer(ask_property(ref, "Accessible", "Name"))
        for method in ("GetRoleName", "GetState", "GetAttributes"):
            answer(ask(ref, "Accessible", method))
        interfaces = words_of(value_of(answer(ask(ref, "Accessible", "GetInterfaces"))))
        if any(name.endswith(".Component") for name in interfaces):
            answer(ask(ref, "Component", "GetExtents", "u", 0))
        if any(name.endswith(".Text") for name in interfaces):
            answer(ask(ref, "Text", "GetText", "ii", 0, -1))
        children = number_of(answer(ask_property(ref, "Accessible", "ChildCount")))
        for index in range(children if children < _CHILDREN else 0):
            found = answer(ask(ref, "Accessible", "GetChildAtIndex", "i", index))
            todo.extend(refs_of(([found[0]],)) if isinstance(found, tuple) and found else [])
    return count


_WALK = """
import json, sys, time, pyatspi

def asked(node, interface):
    try:
        return getattr(node, "query" + interface)()
    except NotImplementedError:
        return None

def field(read):
    try:
        return read()
    except Exception:
        return None

def visit(node, found):
    name, states = node.name, sorted(state.value_nick.replace("-", "_") for state in node.getState().getStates())
    attributes = dict(sorted(node.get_attributes().items()))
    box, text, value = "", asked(node, "Text"), asked(node, "Value")
    if {"visible", "showing"} <= set(states) and (component := asked(node, "Component")):
        extents = component.getExtents(pyatspi.XY_SCREEN)
        box = str((extents.x, extents.y, extents.width, extents.height))
    content = text.getText(0, text.characterCount) if text else ""
    for word in ("currentValue", "minimumValue", "maximumValue", "minimumIncrement") if value else ():
        field(lambda: getattr(value, word))
    image, selection, action = (asked(node, interface) is not None for interface in ("Image", "Selection", "Action"))
    actions = []
    if action:
        action = node.queryAction()
        for number in range(action.nActions):
            actions.append(action.getName(number).replace(" ", "-"))
            action.getDescription(number), action.getKeyBinding(number)
    role = node.getRoleName().strip().replace(" ", "-") or "unknown"
    content = content.replace("\ufffc", "").replace("\ufffd", "")
    words = " ".join(states), json.dumps(attributes), box, " ".join(actions)
    found.append((role, name, content, *words, image, selection))
    count = node.childCount
    for number in range(min(count, 1024) if count < 10000 else 0):
        child = field(lambda: node.getChildAtIndex(number))
        if child is not None:
            visit(child, found)

def walk():
    found = []
    for app in pyatspi.Registry.getDesktop(0):
        if app is not None:
            visit(app, found)
    return found

sys.setrecursionlimit(5000)
"""
_PRINT = """
began = time.perf_counter()
found = walk()
print((time.perf_counter() - began) * 1e3, len(found))
if sys.argv[1:]:
    print(json.dumps(found))
"""
"""Asks what OSWorld's server asks of each element, one question after the other."""


def pyatspi_walk(*, nodes: bool = False) -> tuple[str, ...]:
    """The same by a screen reader's own library, as a command line for the inside.

    It prints milliseconds and the number of elements; with `nodes`, on a line of its own, what they are, as JSON: role,
    name, text, states, attributes, box, actions, image, selection.
    """
    return ("/usr/bin/python3", "-c", _WALK + _PRINT, *(("nodes",) if nodes else ()))


_SERVE = """
import http.server, io, xml.etree.ElementTree as tree
from PIL import ImageGrab

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/screenshot":
            ImageGrab.grab(xdisplay=None).save("/tmp/stand-in.png")
            body = open("/tmp/stand-in.png", "rb").read()
        else:
            root = tree.Element("desktop-frame")
            for role, name, text, states, attributes, box, actions, image, selection in walk():
                words = {"name": name, "states": states, "attributes": attributes, "box": box, "actions": actions}
                tree.SubElement(root, role, words).text = text
            body = json.dumps({"AT": tree.tostring(root, encoding="unicode")}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass

http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def osworld_stand_in(port: int) -> tuple[str, ...]:
    """A server that answers `/screenshot` and `/accessibility` the way OSWorld's own does, as a command for the inside.

    A picture is taken, written to a file and read back by Pillow; a tree is asked for node by node through pyatspi.
    OSWorld's server also pastes the pointer into the picture and starts LibreOffice once to ask for its version, so it
    takes longer than this.
    """
    return ("/usr/bin/python3", "-c", _WALK + _SERVE, str(port))


def pillow_png(frame: Frame) -> bytes:
    """The picture as PNG by Pillow: what a grab with it does after it has the pixels."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(frame.pixels[:, :, 2::-1])).save(out, "PNG")
    return out.getvalue()


def new_python(call: str) -> tuple[str, ...]:
    """A new Python that imports a pyautogui and makes one call without a pause, as a command line for the inside.

    The module is the action worker's own, which loads faster than the library of that name.
    """
    code = (
        f"import sys; sys.path.insert(0, '{INSIDE}/{WORKER}')\n"
        "from trueline.desktop.worker.inside import pyautogui\n"
        f"pyautogui.PAUSE = 0; pyautogui.connect('{DISPLAY}'); pyautogui.{call}"
    )
    return ("/usr/bin/python3", "-c", code)
