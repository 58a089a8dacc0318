"""Text that arrives by clipboard, and commands that act as a keyboard, are read as what they do."""

from __future__ import annotations

import pytest

from trueline.actions import Action, Click, Hotkey, Key, Point, Type, Wait, bare
from trueline.actions.codecs.pyautogui import decode, encode

PASTE = ("ctrl", "v")
PROLOGUE = """import pyautogui
try:
    import pyperclip
except ImportError:
    import subprocess
    subprocess.run('echo "password" | sudo -S apt-get install -y xclip xsel', shell=True, check=True)
    subprocess.check_call([subprocess.sys.executable, '-m', 'pip', 'install', 'pyperclip'])
    import pyperclip

"""


def does(source: str) -> list[Action]:
    return [bare(action) for action in decode(source).actions]


READ: list[tuple[str, list[Action]]] = [
    (
        "import pyperclip\npyperclip.copy('a b')\npyautogui.hotkey('ctrl', 'v')\ntime.sleep(0.5)\n\n"
        "pyautogui.press('enter')",
        [Type(text="a b", paste=PASTE), Wait(seconds=0.5), Key(key="enter")],
    ),
    (
        "import pyperclip as p\np.copy('a')\npyautogui.hotkey(['ctrl', 'shift', 'v'])",
        [Type(text="a", paste=("ctrl", "shift", "v"))],
    ),
    (
        "import pyperclip\npyperclip.copy('a')\npyautogui.hotkey('shift', 'insert')",
        [Type(text="a", paste=("shift", "insert"))],
    ),
    (
        "import pyperclip\nt = 'a\\n'\npyperclip.copy(text=t + 'b')\ntime.sleep(1)\npyautogui.hotkey('ctrl', 'v')",
        [Wait(seconds=1), Type(text="a\nb", paste=PASTE)],
    ),
    (
        "import pyperclip\npyperclip.copy('a')\npyautogui.hotkey('ctrl', 'a')\npyautogui.hotkey('ctrl', 'v')",
        [Hotkey(keys=("ctrl", "a")), Type(text="a", paste=PASTE)],
    ),
    (
        "import pyperclip\npyperclip.copy('a')\npyautogui.hotkey('ctrl', 'v')\npyautogui.hotkey('ctrl', 'v')",
        [Type(text="a", paste=PASTE)] * 2,
    ),
    (
        PROLOGUE + "pyautogui.click(1, 2); pyautogui.hotkey('ctrl', 'a'); pyautogui.press('backspace'); "
        "pyperclip.copy('é'); pyautogui.hotkey('ctrl', 'v'); pyautogui.press('enter'); ",
        [
            Click(at=Point(1, 2)),
            Hotkey(keys=("ctrl", "a")),
            Key(key="backspace"),
            Type(text="é", paste=PASTE),
            Key(key="enter"),
        ],
    ),
    (PROLOGUE + "pyautogui.write('a'); ", [Type(text="a")]),
    (
        "import os\nos.system(\"xdotool type 'a b'\")\nos.system('xdotool key Return')",
        [Type(text="a b"), Key(key="enter")],
    ),
    (
        "import subprocess\nsubprocess.run(['xdotool', 'type', '--delay', '20', '--', '-x'], check=True)",
        [Type(text="-x", interval=0.02)],
    ),
    ("import subprocess\nsubprocess.run('xdotool key ctrl+l', shell=True)", [Hotkey(keys=("ctrl", "l"))]),
    (
        "import os\nos.system('echo -n a | xclip -selection clipboard')\npyautogui.hotkey('ctrl', 'v')",
        [Type(text="a", paste=PASTE)],
    ),
    ("import os\nos.system('echo a | xclip -sel c')\npyautogui.hotkey('ctrl', 'v')", [Type(text="a\n", paste=PASTE)]),
    (
        "import os\nos.system(\"printf 'a\\\\nb' | xsel -b\")\npyautogui.hotkey('ctrl', 'v')",
        [Type(text="a\nb", paste=PASTE)],
    ),
    (
        "import os\nos.system(\"xclip -selection clipboard <<< 'a'\")\npyautogui.hotkey('ctrl', 'v')",
        [Type(text="a\n", paste=PASTE)],
    ),
    ("import os\nos.system('wl-copy a')\npyautogui.hotkey('ctrl', 'v')", [Type(text="a", paste=PASTE)]),
    (
        "import subprocess\nsubprocess.run(['xsel', '-ib'], input='a', text=True)\npyautogui.hotkey('ctrl', 'v')",
        [Type(text="a", paste=PASTE)],
    ),
]


@pytest.mark.parametrize(("source", "expected"), READ)
def test_it_is_read(source: str, expected: list[Action]) -> None:
    assert does(source) == expected
    assert does("\n".join(encode(expected))) == expected


@pytest.mark.parametrize(
    "source",
    [
        "pyperclip.copy('a')\npyautogui.click(1, 2)\npyautogui.hotkey('ctrl', 'v')",  # it may be a button that copies
        "pyperclip.copy('a')\npyautogui.hotkey('ctrl', 'c')\npyautogui.hotkey('ctrl', 'v')",
        "pyperclip.copy('a')\npyautogui.press('enter')\npyautogui.hotkey('ctrl', 'v')",
        "pyperclip.copy('a')\npyperclip.copy('b')\npyautogui.hotkey('ctrl', 'v')",
        "pyperclip.copy('a')\npyautogui.hotkey('command', 'v')",
        "pyperclip.copy('a')\npyautogui.middleClick(1, 2)",
        "pyperclip.copy(x)\npyautogui.hotkey('ctrl', 'v')",
        "old = pyperclip.paste()\npyperclip.copy('a')\npyautogui.hotkey('ctrl', 'v')\npyperclip.copy(old)",
        "os.system('echo $HOME | xclip -selection clipboard')\npyautogui.hotkey('ctrl', 'v')",
        "os.system('echo a | xclip')\npyautogui.hotkey('ctrl', 'v')",  # the other selection
        "os.system('cat a | xclip -selection clipboard')\npyautogui.hotkey('ctrl', 'v')",
        "os.system(\"echo 'a\\\\n' | xclip -selection clipboard\")\npyautogui.hotkey('ctrl', 'v')",
        "os.system('xdotool type a; rm -rf ~')",
        "os.system('xdotool type `id`')",
        "os.system('xdotool type $(id)')",
        "os.system('xdotool type a > b')",
        "os.system('xdotool type a &')",
        "os.system('xdotool type *')",
        "os.system('xdotool exec rm a')",
        "os.system('xdotool type --window 7 a')",
        "os.system('xdotool type --file a')",
        "os.system('xdotool type é')",  # pyautogui's own keyboard has no such key
        "os.system('xdotool key nosuchkey')",
        "import subprocess\nsubprocess.run(['xdotool', 'type', 'a'], env={'DISPLAY': ':1'})",
        "import subprocess\nsubprocess.run(['xdotool', 'type', 'a'], shell=True)",
    ],
)
def test_what_is_not_certain_stays_code(source: str) -> None:
    assert [action.kind for action in decode("import os, pyperclip\n" + source).actions] == ["code"]


@pytest.mark.parametrize(
    "handler",
    [
        "    import os\n    os.system('rm -rf ~')\n    import pyperclip",
        "    import os\n    os.system('sudo apt-get install -y xclip; rm -rf ~')\n    import pyperclip",
        "    import os\n    os.system('sudo apt-get install -y xclip && rm -rf ~')\n    import pyperclip",
        "    import os\n    os.system('pip install pyperclip evil')\n    import pyperclip",
        "    import os\n    os.system('pip install -i http://a.example pyperclip')\n    import pyperclip",
        "    import os\n    os.system('echo $(id) | sudo -S apt-get install xclip')\n    import pyperclip",
        "    import evil as pyperclip",
        "    import os\n    os.system(command)\n    import pyperclip",
        "    pyperclip = None",
    ],
)
def test_a_prologue_that_does_anything_else_stays_code(handler: str) -> None:
    source = f"try:\n    import pyperclip\nexcept ImportError:\n{handler}\npyautogui.write('a')"
    assert [action.kind for action in decode(source).actions] == ["code"]


def test_the_raw_text_holds_copy_and_paste() -> None:
    source = "import pyperclip\npyperclip.copy('a')\ntime.sleep(1)\npyautogui.hotkey('ctrl', 'v')"
    assert [action.raw for action in decode(source).actions] == [
        "time.sleep(1)",
        "pyperclip.copy('a')\npyautogui.hotkey('ctrl', 'v')",
    ]
