from __future__ import annotations

import pytest

from trueline.actions import (
    Action,
    Click,
    Code,
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
    Scroll,
    Size,
    Type,
    Wait,
    bare,
)
from trueline.actions.codecs.pyautogui import decode

P = Point(100, 200)


def does(source: str, screen: Size | None = None) -> list[Action]:
    return [bare(action) for action in decode(source, screen=screen).actions]


CALLS: list[tuple[str, list[Action]]] = [
    ("click(100, 200)", [Click(at=P)]),
    ("click(x=100, y=200)", [Click(at=P)]),
    ("click(100, y=200)", [Click(at=P)]),
    ("click((100, 200))", [Click(at=P)]),
    ("click([100, 200])", [Click(at=P)]),
    ("click(100.9, 200.2)", [Click(at=P)]),
    ("click()", [Click()]),
    ("click(100, 200, 2)", [Click(at=P, count=2)]),
    ("click(100, 200, 3, 0.5, 'right')", [Click(at=P, count=3, interval=0.5, button="right")]),
    ("click(100, 200, clicks=5)", [Click(at=P, count=3), Click(at=P, count=2)]),
    ("click(100, 200, button='MIDDLE')", [Click(at=P, button="middle")]),
    ("click(100, 200, button=pyautogui.SECONDARY)", [Click(at=P, button="right")]),
    ("click(100, 200, button='primary')", [Click(at=P)]),
    ("click(100, 200, duration=0.5)", [Move(to=P, duration=0.5), Click(at=P)]),
    ("click(100, 200, duration=1, tween=pyautogui.easeInOutQuad)", [Move(to=P, duration=1), Click(at=P)]),
    ("click(100, 200, logScreenshot=False)", [Click(at=P)]),
    ("leftClick(100, 200)", [Click(at=P)]),
    ("rightClick(100, 200)", [Click(at=P, button="right")]),
    ("middleClick(x=100, y=200)", [Click(at=P, button="middle")]),
    ("doubleClick(100, 200)", [Click(at=P, count=2)]),
    ("doubleClick(100, 200, 0.25, 'right')", [Click(at=P, count=2, interval=0.25, button="right")]),
    ("tripleClick(100, 200, button='left')", [Click(at=P, count=3)]),
    ("mouseDown()", [MouseDown()]),
    ("mouseDown(100, 200, 'right')", [MouseDown(at=P, button="right")]),
    ("mouseUp(100, 200, button='middle')", [MouseUp(at=P, button="middle")]),
    ("moveTo(100, 200)", [Move(to=P)]),
    ("moveTo(100, 200, 0.5)", [Move(to=P, duration=0.5)]),
    ("moveTo((100, 200), duration=2)", [Move(to=P, duration=2)]),
    ("dragTo(100, 200, 1.5, button='right')", [Drag(path=(P,), duration=1.5, button="right")]),
    ("dragTo(100, 200, 1, pyautogui.easeInQuad, 'middle')", [Drag(path=(P,), duration=1, button="middle")]),
    ("dragTo(100, 200, mouseDownUp=False)", [Move(to=P)]),
    ("scroll(5)", [Scroll(dy=-5)]),
    ("scroll(-5, 100, 200)", [Scroll(at=P, dy=5)]),
    ("scroll(clicks=-3, x=100, y=200)", [Scroll(at=P, dy=3)]),
    ("scroll(-2.7)", [Scroll(dy=2)]),
    ("scroll(0, 100, 200)", [Scroll()]),
    ("vscroll(2, (100, 200))", [Scroll(at=P, dy=-2)]),
    ("hscroll(4)", [Scroll(dx=4)]),
    ("hscroll(-4, x=100, y=200)", [Scroll(at=P, dx=-4)]),
    ("write('hé')", [Type(text="hé")]),
    ("typewrite('a\\n', interval=0.05)", [Type(text="a\n", interval=0.05)]),
    ("write(message='a', interval=1)", [Type(text="a", interval=1)]),
    ("write(['a', 'Return', 'B'], 0.5)", [Key(key=k, interval=0.5) for k in ("a", "enter", "B")]),
    ("press('Enter')", [Key(key="enter")]),
    ("press('a', presses=3, interval=0.1)", [Key(key="a", presses=3, interval=0.1)]),
    ("press(['a', 'b'])", [Key(key="a"), Key(key="b")]),
    ("press(('a', 'b'), 2, 0.5)", [Key(key="a"), Key(key="b", interval=0.5)] * 2),
    ("press('XF86Unknown')", [Key(key="XF86Unknown")]),
    ("hotkey('ctrl', 'SHIFT', 't')", [Hotkey(keys=("ctrl", "shift", "t"))]),
    ("hotkey(['ctrl', 'c'])", [Hotkey(keys=("ctrl", "c"))]),
    ("hotkey('enter')", [Hotkey(keys=("enter",))]),
    ("shortcut('ctrl', 'c')", [Hotkey(keys=("ctrl", "c"))]),
    ("hotkey('ctrl', 'c', interval=0.1)", [KeyDown(key="ctrl"), KeyDown(key="c"), KeyUp(key="c"), KeyUp(key="ctrl")]),
    ("keyDown('shift')", [KeyDown(key="shift")]),
    ("keyUp('shift')", [KeyUp(key="shift")]),
    ("sleep(2)", [Wait(seconds=2)]),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), CALLS, ids=[call for call, _ in CALLS])
def test_every_function_of_pyautogui(call: str, expected: list[Action]) -> None:
    assert does(f"pyautogui.{call}") == expected


LINES: list[tuple[str, list[Action]]] = [
    ("import pyautogui\npyautogui.click(100, 200)", [Click(at=P)]),
    ("import pyautogui as pg, time as t\npg.click(100, 200)\nt.sleep(1)", [Click(at=P), Wait(seconds=1)]),
    ("from pyautogui import click as c, RIGHT\nc(100, 200, button=RIGHT)", [Click(at=P, button="right")]),
    (
        "from pyautogui import *\nclick(100, 200)\nhotkey('a')\nsleep(1)",
        [Click(at=P), Hotkey(keys=("a",)), Wait(seconds=1)],
    ),
    ("from time import sleep\nsleep(0.5)", [Wait(seconds=0.5)]),
    ("import os, subprocess, random\npyautogui.click(100, 200)", [Click(at=P)]),
    ("x = 100\ny = x * 2\npyautogui.click(x, y)", [Click(at=P)]),
    ("x, y = 100, 200\npyautogui.click(x, y)", [Click(at=P)]),
    ("(x, y) = [100, 200]\npyautogui.click(x, y)", [Click(at=P)]),
    ("x = y = 100\ny += 100\npyautogui.click(x, y)", [Click(at=P)]),
    ("x: int = 100\npyautogui.click(x, (400 - 0) // 2)", [Click(at=P)]),
    (
        "pos = (100, 200)\npyautogui.click(*pos)\npyautogui.click(pos)\npyautogui.click(pos[0], pos[-1])",
        [Click(at=P)] * 3,
    ),
    ("tag_1=(100, 200)\ntag_2=(5, 6)\npyautogui.click(tag_1)", [Click(at=P)]),
    ("keys = ['ctrl', 'c']\npyautogui.hotkey(*keys)", [Hotkey(keys=("ctrl", "c"))]),
    ("pyautogui.click(int(99.5 + 1), round(199.6))", [Click(at=P)]),
    ("pyautogui.click(min(100, 300), max(1, 200) + abs(0))", [Click(at=P)]),
    ("n = 3\npyautogui.write(f'a{n}b' + 'c' * 2 + str(4))", [Type(text="a3bcc4")]),
    ("pyautogui.write('a' 'b')", [Type(text="ab")]),
    ("pyautogui.write('# not a comment; really')  # a comment; indeed", [Type(text="# not a comment; really")]),
    ("pyautogui.click(100, 200); pyautogui.press('a')", [Click(at=P), Key(key="a")]),
    ("'''thought'''\npass\npyautogui.click(100, 200)", [Click(at=P)]),
    ("pyautogui.moveTo(100, 200)\npyautogui.click()", [Move(to=P), Click()]),
    ("pyautogui.moveTo(90, 210)\npyautogui.move(10, -10)", [Move(to=Point(90, 210)), Move(to=P)]),
    (
        "pyautogui.click(90, 210)\npyautogui.moveRel((10, -10), duration=1)",
        [Click(at=Point(90, 210)), Move(to=P, duration=1)],
    ),
    ("pyautogui.moveTo(90, 190)\npyautogui.drag(10, 10, 1)", [Move(to=Point(90, 190)), Drag(path=(P,), duration=1)]),
    (
        "pyautogui.moveTo(90, 190)\npyautogui.dragRel(xOffset=10, yOffset=10, button='right')",
        [Move(to=Point(90, 190)), Drag(path=(P,), button="right")],
    ),
    (
        "pyautogui.moveTo(100, 200)\nx, y = pyautogui.position()\npyautogui.click(x + 1, y)",
        [Move(to=P), Click(at=Point(101, 200))],
    ),
    (
        "pyautogui.keyDown('ctrl')\npyautogui.click(100, 200)\npyautogui.keyUp('ctrl')",
        [KeyDown(key="ctrl"), Click(at=P), KeyUp(key="ctrl")],
    ),
    ("with pyautogui.hold('ctrl'):\n    pyautogui.click(100, 200)", [Click(at=P, modifiers=("ctrl",))]),
    ("with pyautogui.hold(['ctrl', 'shift']):\n    pyautogui.scroll(3)", [Scroll(dy=-3, modifiers=("ctrl", "shift"))]),
    (
        "with pyautogui.hold('shift'):\n    pyautogui.press(['left', 'left'])",
        [KeyDown(key="shift"), Key(key="left"), Key(key="left"), KeyUp(key="shift")],
    ),
    ("with pyautogui.hold('a'):\n    time.sleep(2)", [HoldKey(keys=("a",), duration=2)]),
    (
        "with pyautogui.hold('ctrl'):\n    with pyautogui.hold('shift'):\n        pyautogui.click(100, 200)",
        [KeyDown(key="ctrl"), Click(at=P, modifiers=("shift",)), KeyUp(key="ctrl")],
    ),
    ("pyautogui.FAILSAFE = False\npyautogui.click(0, 0)", [Click(at=Point(0, 0))]),
    ("pyautogui.FAILSAFE = True\npyautogui.click(100, 200)", [Click(at=P)]),
    ("", []),
    ("import pyautogui", []),
    ("WAIT", [Wait()]),
    ("DONE", [Done()]),
    (" FAIL\n", [Fail()]),
]


@pytest.mark.parametrize(("source", "expected"), LINES)
def test_straight_lines(source: str, expected: list[Action]) -> None:
    assert does(source) == expected


def test_the_size_of_the_screen_is_certain_only_when_it_is_known() -> None:
    source = "w, h = pyautogui.size()\npyautogui.click(w // 2, h // 2)"
    assert does(source, Size(1920, 1080)) == [Click(at=Point(960, 540))]
    assert does(source) == [Code(source=source)]


def test_the_pointer_stops_at_the_edges_of_the_screen() -> None:
    source = "pyautogui.moveTo(5000, -50)\npyautogui.move(-19, 10)"
    assert does(source, Size(1920, 1080)) == [Move(to=Point(5000, -50)), Move(to=Point(1900, 10))]


UNPROVABLE = [
    "for i in range(3):\n    pyautogui.press('tab')",
    "while True: pyautogui.click(1, 2)",
    "if True:\n    pyautogui.click(1, 2)",
    "try:\n    pyautogui.click(1, 2)\nexcept Exception:\n    pass",
    "def f():\n    pyautogui.click(1, 2)\nf()",
    "class pyautogui: pass",
    "lambda: pyautogui.click(1, 2)",
    "[pyautogui.click(1, 2) for _ in 'ab']",
    "pyautogui.click(1, 2) if 1 else 0",
    "pyautogui.click(1, 2) and 3",
    "x = pyautogui.click(1, 2)",
    "with open('f') as f:\n    pyautogui.click(1, 2)",
    "with pyautogui.hold('a') as h:\n    pyautogui.click(1, 2)",
    "async def f(): pass",
    "del pyautogui",
    "pyautogui = None\npyautogui.click(1, 2)",
    "time = 3\npyautogui.click(1, 2)",
    "import os as pyautogui\npyautogui.click(1, 2)",
    "from time import sleep as click\nfrom pyautogui import click",
    "pyautogui.click = print",
    "pyautogui.MINIMUM_DURATION = 0",
    "pyautogui.PAUSE = 'slow'",
    "pyautogui.PAUSE = -1",
    "pyautogui.PAUSE += 1",
    "pyautogui.FAILSAFE = 1",
    "c = pyautogui.click\nc(1, 2)",
    "getattr(pyautogui, 'click')(1, 2)",
    "pyautogui.click.__call__(1, 2)",
    "pyautogui.__dict__['click'](1, 2)",
    "import pyperclip\npyperclip.copy('x')",
    "import pyautogui.tweens",
    "from pyautogui import screenshot",
    "from . import pyautogui",
    "from time import *\nsleep(1)",
    "size = 3\nfrom pyautogui import *\nclick(size, 2)",
    "os.system('rm -rf ~')",
    "import os\nos.system('rm -rf ~')",
    "import subprocess\nsubprocess.run(['ls'])",
    "__import__('os').system('ls')",
    "eval('1')",
    "print('hello')",
    "pyautogui.screenshot()",
    "pyautogui.screenshot('a.png')",
    "pyautogui.click(pyautogui.locateCenterOnScreen('a.png'))",
    "pyautogui.click('button.png')",
    "pyautogui.alert('hi')",
    "pyautogui.countdown(3)",
    "pyautogui.run('c')",
    "pyautogui.no_such_function(1)",
    "pyautogui.click(1, 2, pause=1)",
    "pyautogui.click(1, 2, x=3)",
    "pyautogui.click(1, 2, 3, 4, 'left', 0, pyautogui.linear, None, True, 5)",
    "pyautogui.click(1, 2, 1, 0.0, 'left', 0.0, pyautogui.linear, None, False)",
    "pyautogui.click(**{'x': 1})",
    "pyautogui.click(*3)",
    "pyautogui.click('1', '2')",
    "pyautogui.click(1)",
    "pyautogui.click(None, 2)",
    "pyautogui.click((1, 2), 3)",
    "pyautogui.click((1, 2, 3, 4))",
    "pyautogui.click(True, 2)",
    "pyautogui.click(1j, 2)",
    "pyautogui.click(1e400, 2)",
    "pyautogui.click(float('nan'), 2)",
    "pyautogui.click(0 * 1e308 * 10, 2)",
    "pyautogui.click(99999999, 2)",
    "pyautogui.click(-40000, 2)",
    "pyautogui.click(1 / 0, 2)",
    "pyautogui.click(2 ** 3, 2)",
    "pyautogui.click(1 << 3, 2)",
    "pyautogui.click(x, y)",
    "pyautogui.click(1, 2, clicks=0)",
    "pyautogui.click(1, 2, clicks=1.5)",
    "pyautogui.click(1, 2, clicks=10**9)",
    "pyautogui.click(1, 2, button='back')",
    "pyautogui.click(1, 2, button=1)",
    "pyautogui.click(1, 2, interval=-1)",
    "pyautogui.click(1, 2, duration='1')",
    "pyautogui.click(1, 2, duration=1, tween=pyautogui.easeInElastic)",
    "pyautogui.click(1, 2, tween='linear')",
    "pyautogui.click(1, 2, logScreenshot=True)",
    "pyautogui.click(1, 2, _pause=0)",
    "pyautogui.click(duration=1)",
    "pyautogui.moveTo()",
    "pyautogui.move(1, 2)",
    "pyautogui.moveTo(5, 5)\npyautogui.move(1)",
    "pyautogui.moveTo(5, 5)\npyautogui.move(1, None)",
    "pyautogui.moveTo(5, 5)\npyautogui.drag(0, 0)",
    "pyautogui.drag(1, 2)",
    "pyautogui.scroll()",
    "pyautogui.scroll('5')",
    "pyautogui.scroll(10**8)",
    "pyautogui.write(5)",
    "pyautogui.write()",
    "pyautogui.write([])",
    "pyautogui.write(['a', 5])",
    "pyautogui.write('\\ud800')",
    "pyautogui.write('%s' % 'a')",
    "pyautogui.write(f'{1:>5}')",
    "pyautogui.write(f'{1!r}')",
    "pyautogui.write('a' * 10**9)",
    "pyautogui.write('abc'.upper())",
    "pyautogui.press(key='enter')",
    "pyautogui.press('')",
    "pyautogui.press([])",
    "pyautogui.press('a', presses='2')",
    "pyautogui.press('a', presses=0)",
    "pyautogui.press(['a', 'b'], presses=1000)",
    "pyautogui.hotkey()",
    "pyautogui.hotkey(['ctrl'], 'c')",
    "pyautogui.hotkey('ctrl', 'c', foo=1)",
    "pyautogui.keyDown(['a'])",
    "pyautogui.keyDown()",
    "time.sleep()",
    "time.sleep(-1)",
    "time.sleep('1')",
    "time.sleep(seconds=1)",
    "time.sleep(1, 2)",
    "time.time()",
    "a = [1]\na += [2]\npyautogui.click(*a)",
    "a = (1, 2)\na[0] = 5",
    "x, y = 1\npyautogui.click(x, y)",
    "round(5, -10**12)",
    "pyautogui.FAILSAFE = True\npyautogui.click(0, 0)",
    "pyautogui.click(0, 0)\npyautogui.FAILSAFE = True\npyautogui.click(5, 5)",
    "pyautogui.click(1, 2",
    "click here",
    "  pyautogui.click(1, 2)",
    "pyautogui.click(1, 2)\nDONE",
    "\0",
    "x = '\ud800'",
    "x = " + "9" * 5000,
]


@pytest.mark.parametrize("source", UNPROVABLE)
def test_what_is_not_certain_stays_one_code(source: str) -> None:
    decoded = decode(source)
    assert [action.kind for action in decoded.actions] == ["code"]
    assert decoded.note


@pytest.mark.parametrize("source", UNPROVABLE)
def test_nothing_before_it_is_split_off(source: str) -> None:
    decoded = decode("pyautogui.write('first')\n" + source)
    assert [action.kind for action in decoded.actions] == ["code"]


def test_code_keeps_the_whole_source() -> None:
    source = "pyautogui.click(1, 2)\nfor i in 'ab':  # x\n    pyautogui.press(i)"
    decoded = decode(source)
    assert decoded.actions == (Code(source=source, raw=source),)
    assert decoded.note == "line 2: for is not a plain call"


def test_raw_is_the_text_of_the_statement() -> None:
    source = "é = 'ü'; pyautogui.write(\n  é  # note\n)\r\npyautogui.press('a')"
    assert [action.raw for action in decode(source).actions] == [
        "pyautogui.write(\n  é  # note\n)",
        "pyautogui.press('a')",
    ]


@pytest.mark.parametrize(
    ("source", "pauses"),
    [
        ("pyautogui.click(1, 2)\npyautogui.press('a')", [0.1, 0.1]),
        ("pyautogui.PAUSE = 0.5\npyautogui.click(1, 2)\npyautogui.PAUSE = 0\npyautogui.click(1, 2)", [0.5, 0]),
        ("pyautogui.click(1, 2, _pause=False)", [0]),
        ("time.sleep(1)\npyautogui.sleep(1)", [0, 0]),
        ("pyautogui.rightClick(1, 2)", [0.2]),
        ("pyautogui.doubleClick(1, 2)", [0.1]),
        ("pyautogui.write(['a', 'b'])", [0, 0.1]),
        ("pyautogui.press(['a', 'b'])", [0, 0.1]),
        ("pyautogui.click(1, 2, duration=1)", [0, 0.1]),
        ("pyautogui.hotkey('ctrl', 'c', interval=0.5)", [0.5, 0.5, 0.5, 0.6]),
        ("pyautogui.press('a')\nwith pyautogui.hold('ctrl'):\n    pyautogui.click(1, 2)", [0.2, 0.1]),
    ],
)
def test_the_implicit_pause_is_kept(source: str, pauses: list[float]) -> None:
    assert [action.pause_after for action in decode(source).actions] == pytest.approx(pauses)
