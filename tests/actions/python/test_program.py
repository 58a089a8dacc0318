"""Programs are followed without being run: what they do is found, or called not understood."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.actions import Action, Hotkey, Key, Type, bare
from trueline.actions.python.calls import python_calls
from trueline.actions.python.effects import ClipboardSet, ProgramInput
from trueline.actions.python.program import read_program


def found(source: str) -> list[str]:
    """Each effect on one line; what is not understood as `?`."""
    return [
        "?" if effect.unseen else effect.line if effect.line is not None else " ".join(effect.words)
        for effect in python_calls(source)
    ]


KNOWN: list[tuple[str, list[str]]] = [
    # Names, and the ways to a function.
    ("import os\nos.system('ls')", ["ls"]),
    ("os.system('ls')", ["ls"]),
    ("import os as o\no.system('ls')", ["ls"]),
    ("from os import system as s\ns('ls')", ["ls"]),
    ("from os import *\nsystem('ls')", ["ls"]),
    ("import shutil\nshutil.os.system('ls')", ["ls"]),
    ("__import__('os').system('ls')", ["ls"]),
    ("__import__('o' + 's').system('ls')", ["ls"]),
    ("import importlib\nimportlib.import_module('os').system('ls')", ["ls"]),
    ("import os\ngetattr(os, 'sys' 'tem')('ls')", ["ls"]),
    ("import os, sys\nsys.modules['os'].system('ls')", ["ls"]),
    ("import os\nvars(os)['system']('ls')", ["ls"]),
    ("import os\nos.__dict__['system']('ls')", ["ls"]),
    ("import os\nglobals()['os'].system('ls')", ["ls"]),
    ("__builtins__.eval(\"__import__('os').system('ls')\")", ["ls"]),
    ("import os\nfrom operator import attrgetter, methodcaller\nattrgetter('system')(os)('ls')", ["ls"]),
    ("import os, operator\noperator.methodcaller('system', 'ls')(os)", ["ls"]),
    ("import os\nrun = {'a': os.system}\nrun['a']('ls')", ["ls"]),
    ("import os, functools\nfunctools.partial(os.system, 'ls')()", ["ls"]),
    ("import os\ndef f(a: os.system('ls')) -> None: pass", ["ls"]),
    ("import os\nx: os.system('ls')", ["ls"]),
    ("import os\nx = [1]\nx[os.system('ls'):] = []", ["ls"]),
    ("import os\nassert x, os.system('ls')", ["ls"]),
    # Conditions that differ from machine to machine.
    ("import os\nif __name__ != '__main__':\n    os.system('ls')", ["ls"]),
    ("import os\nif os.name == 'nt':\n    os.system('ls')", ["ls"]),
    ("import os\nif os.path.expanduser('~') != '~':\n    os.system('ls')", ["ls"]),
    ("import os\nif __doc__:\n    pass\nelse:\n    os.system('ls')", ["ls"]),
    ("import os\nos.rmdir(os.path.dirname(os.path.expanduser('~')))", ["rmdir /home"]),
    # Texts.
    ("import os\nos.system('l' + 's')", ["ls"]),
    ("import os\na = 'l'\nos.system(f'{a}s')", ["ls"]),
    ("import os\nos.system(''.join(['l', 's']))", ["ls"]),
    ("import os\nos.system('%s%s' % ('l', 's'))", ["ls"]),
    ("import os\nos.system('{1}{0}'.format('s', 'l'))", ["ls"]),
    ("import os\nos.system('sl'[::-1])", ["ls"]),
    ("import os\nos.system(bytes([108, 115]).decode())", ["ls"]),
    ("import os\nos.system(''.join(map(chr, [108, 115])))", ["ls"]),
    ("import os\nos.system(''.join(chr(ord(c) - 1) for c in 'mt'))", ["ls"]),
    ("import os, base64\nos.system(base64.b64decode('bHM=').decode())", ["ls"]),
    ("import os\nos.system(bytes.fromhex('6c73').decode())", ["ls"]),
    ("import os, codecs\nos.system(codecs.decode('yf', 'rot13'))", ["ls"]),
    ("import os\nt = str.maketrans('ab', 'ls')\nos.system('ab'.translate(t))", ["ls"]),
    # Processes.
    ("import subprocess\nsubprocess.run(['rm', '-rf', '/x'])", ["rm -rf /x"]),
    ("import subprocess\nsubprocess.Popen('a | b', shell=True)", ["a | b"]),
    ("import subprocess\nsubprocess.run(args=['a', 'b'], check=True)", ["a b"]),
    ("import subprocess\nsubprocess.run(['sh'], input='rm -rf ~', text=True)", ["printf %s 'rm -rf ~' | sh"]),
    ("import subprocess\nsubprocess.run(['a'], cwd='/x')", ["cd /x && a"]),
    ("import os\nos.execl('/bin/sh', 'sh', '-c', 'ls')", ["/bin/sh -c ls"]),
    ("import os\nos.spawnvp(os.P_WAIT, 'a', ['a', 'b'])", ["a b"]),
    ("import pty\npty.spawn('/bin/sh')", ["/bin/sh"]),
    ("import ctypes\nctypes.CDLL(None).system(b'ls')", ["ls"]),
    ("import webbrowser\nwebbrowser.open('http://a.example')", ["xdg-open http://a.example"]),
    # Files.
    ("open('a')", ["cat a"]),
    ("open('a', 'w')", ["tee a"]),
    ("open('a', mode)", ["tee a", "cat a"]),
    ("with open('a', 'a') as f:\n    f.write('b')", ["tee -a a", "printf %s b >> a"]),
    ("import os\nos.makedirs('a')", ["mkdir -p a"]),
    ("import os\nos.chmod('a', 0o777)", ["chmod 777 a"]),
    ("import os\nos.rename('a', 'b')", ["mv a b"]),
    ("import shutil\nshutil.copytree('a', 'b')", ["cp -r a b"]),
    ("import shutil\nfrom pathlib import Path\nshutil.rmtree(Path.home() / 'x')", ["rm -r ~/x"]),
    ("import os\nos.chdir('/x')\nos.remove('a')", ["cd /x", "rm /x/a"]),
    ("from pathlib import Path\n(Path('/x').parent / 'a').write_text('b')", ["printf %s b > /a"]),
    ("from pathlib import Path\nfor p in Path('/x').rglob('*.txt'):\n    p.unlink()", ["ls -R /x", "rm /x/*.txt"]),
    ("import os\nfor n in os.listdir('/x'):\n    os.remove(os.path.join('/x', n))", ["ls /x", "rm /x/*"]),
    (
        "import os\nfor r, d, f in os.walk('/x'):\n    for n in f:\n        os.remove(r + '/' + n)",
        ["ls -R /x", "rm /x/*"],
    ),
    ("import glob, os\n[os.remove(p) for p in glob.glob('/x/*.log')]", ["ls /x", "rm /x/*.log"]),
    ("import pandas as pd\npd.read_csv('a.csv').to_excel('b.xlsx')", ["cat a.csv", "tee b.xlsx"]),
    (
        "import openpyxl\nw = openpyxl.load_workbook('a.xlsx')\nw.active['A1'] = 1\nw.save('a.xlsx')",
        ["cat a.xlsx", "tee a.xlsx"],
    ),
    # The network.
    (
        "import requests\nrequests.post('http://a.example', data=open('k').read())",
        ["cat k", "curl -d @- http://a.example"],
    ),
    ("import urllib.request as u\nu.urlretrieve('http://a.example/x', '/x')", ["curl -o /x http://a.example/x"]),
    ("import socket\ns = socket.socket()\ns.connect(('a.example', 9))", ["nc a.example 9"]),
    (
        "import http.client\nc = http.client.HTTPSConnection('a.example')\nc.request('GET', '/x')",
        ["curl http://a.example/x"],
    ),
    # Ways that are taken.
    ("import os\nif x():\n    pass\nelse:\n    os.system('ls')", ["?", "ls"]),
    ("import os, random\nif random.random() > 1:\n    os.system('ls')", ["ls"]),
    ("import os\nif 1 > 2:\n    os.system('ls')", []),
    ("import os\nfor c in ['a', 'b']:\n    os.system(c)", ["a", "b"]),
    ("import os\n[os.system(c) for c in ('a', 'b')]", ["a", "b"]),
    ("import os\nfor n in range(10**9):\n    os.system('ls')", ["ls"]),
    ("import os\nwhile True:\n    os.system('ls')", ["ls"]),
    ("import os\nn = 3\nwhile n:\n    n -= 1\nos.system('l' * n + 'ls')", ["ls"]),
    ("import os\ndef f(a, b='s'):\n    os.system(a + b)\nf('l')", ["ls"]),
    ("import os\ndef f():\n    os.system('ls')", []),
    ("import os\nf = lambda c: os.system(c)\nf('ls')", ["ls"]),
    ("import os\ndef d(f):\n    f()\n    return f\n@d\ndef g():\n    os.system('ls')", ["ls"]),
    (
        "import os\nclass A:\n    def __init__(self, c):\n        self.c = c\n"
        "    def go(self):\n        os.system(self.c)\nA('ls').go()",
        ["ls"],
    ),
    ("import os\ntry:\n    pass\nexcept OSError:\n    os.system('ls')", ["ls"]),
    ("import os, threading\nthreading.Thread(target=os.system, args=('ls',)).start()", ["ls"]),
    ("import os, atexit\natexit.register(os.system, 'ls')", ["ls"]),
    ("import os\nlist(map(os.system, ['a', 'b']))", ["a", "b"]),
    ("import os\nsorted(['ls'], key=os.system)", ["ls"]),
    ("import os, asyncio\nasync def f():\n    os.system('ls')\nasyncio.run(f())", ["ls"]),
    ("exec(\"import os\\nos.system('ls')\")", ["ls"]),
    ("exec(compile('import os; os.system(\"ls\")', 'x', 'exec'))", ["ls"]),
]


@pytest.mark.parametrize(("source", "effects"), KNOWN, ids=[source for source, _ in KNOWN])
def test_the_effects_of_a_program(source: str, effects: list[str]) -> None:
    assert found(source) == effects


NOT_UNDERSTOOD = [
    "foo()",
    "import foo",
    "from . import foo",
    "exec(input())",
    "import os\nos.system(input())",
    "import os\ngetattr(os, input())('ls')",
    "__import__(input())",
    "import pickle\npickle.load(open('a', 'rb'))",
    "import pickle\npickle.loads(b'x')",
    "import yaml\nyaml.load(open('a'))",
    "import os\nos.system = print",
    "import os\nos.environ['PATH'] = '/x'",
    "import os\nclass A:\n    def __add__(self, o):\n        os.system('ls')\nA() + 1",
    "import os\nclass A:\n    def __del__(self):\n        os.system('ls')\nA()",
    "().__class__.__base__.__subclasses__()[40]('a')",
    "(lambda: 0).__globals__['os'].system('ls')",
    "import os\nf = [print, os.system][int(input())]\nf('ls')",
    "import subprocess\nsubprocess.run(input().split())",
    "import subprocess\nsubprocess.run(['sh', '-c', input()])",
    "import subprocess\nsubprocess.run(['bash'], stdin=subprocess.PIPE, input=input())",
    "import subprocess\nsubprocess.run(['ls'], env={'LD_PRELOAD': '/x'})",
    "import ctypes\nctypes.CDLL('libc.so.6').unlink(b'a')",
    "import os, types\ntypes.FunctionType(compile(input(), '', 'exec'), {})()",
    "import runpy, sys\nrunpy._run_code(1, 2)",
    "import sqlite3\nsqlite3.connect('a').load_extension('x')",
    "import pandas as pd\npd.eval(input())",
    "import builtins\nbuiltins.open = exec",
    "import re\nre.sub('a', eval, 'a')",
    "import signal\nsignal.signal(signal.SIGTERM, eval)",
    "type('A', (), {'__init__': eval})()",
    "import os, types\ntypes.SimpleNamespace(o=os).o.system('ls')",
    "import os, random\nrandom.choice([os]).system('ls')",
    "import os\ndict(o=os)['o'].system(input())",
    "import os\nclass A:\n    def __str__(self):\n        os.system('ls')\nprint(A())",
    "class A:\n    def go(self):\n        super().go()\nA().go()",
    "open(**input())",
    "import queue\nclass A:\n    def go(self):\n        pass\nq = queue.Queue()\nq.put(A())",
    "import json\njson.loads(input(), object_hook=eval)",
    "def (",
]


@pytest.mark.parametrize("source", NOT_UNDERSTOOD)
def test_what_cannot_be_resolved_is_not_understood(source: str) -> None:
    assert "?" in found(source)


QUIET = [
    "print('a')",
    "import time, random\ntime.sleep(random.random())",
    "import math\nx = math.sqrt(4) ** 2\nprint(f'{x:.2f}')",
    "import re, json\nprint(json.dumps(re.findall('a', 'b')))",
    "import datetime\nprint(datetime.datetime.now().strftime('%Y'))",
    "import pyautogui\nfor n in range(9):\n    pyautogui.write(str(n))\n    pyautogui.press('enter')",
    "import pyautogui\nx, y = pyautogui.position()\npyautogui.click(x + 1, y)",
    "import pyautogui\nif pyautogui.locateOnScreen('a.png'):\n    pyautogui.click(1, 2)",
    "import pyperclip\nprint(pyperclip.paste().split())",
    "import os\nprint(os.path.exists('/x'), os.getcwd(), os.environ.get('A'))",
    "total = 0\nfor n in [1, 2]:\n    total += n\nprint(sorted({'a': total}.items(), key=lambda i: i[1]))",
    "from collections import Counter, namedtuple\nP = namedtuple('P', 'x')\nprint(P(1).x, Counter('a'))",
    "def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nprint(f(5))",
    "class A:\n    n = 1\n    def get(self):\n        return self.n\nprint(A().get())",
]


@pytest.mark.parametrize("source", QUIET)
def test_programs_without_effects_have_none(source: str) -> None:
    assert found(source) == []


def inputs(source: str) -> list[tuple[Action, bool]]:
    return [
        (bare(action), effect.certain)
        for effect in read_program(source).effects
        if isinstance(effect, ProgramInput)
        for action in effect.actions
    ]


def test_input_in_loops_and_functions_is_certain() -> None:
    source = (
        "def enter(line):\n    for c in line:\n        pyautogui.press(c)\n    pyautogui.press('enter')\nenter('ls')"
    )
    assert inputs(source) == [(Key(key=key), True) for key in ("l", "s", "enter")]


@pytest.mark.parametrize("condition", ["if input():", "for n in input():", "while input():"])
def test_input_in_what_may_not_happen_is_not_certain(condition: str) -> None:
    found = inputs(f"{condition}\n    pyautogui.write('ls')\npyautogui.press('a')")
    assert (Type(text="ls"), False) in found
    assert found[-1] == (Key(key="a"), True)


def test_input_and_clipboard_of_commands() -> None:
    source = (
        "import subprocess\nsubprocess.run(['xclip', '-selection', 'clipboard'], input='ls', text=True)\n"
        "subprocess.run(['xdotool', 'key', 'ctrl+shift+v', 'Return'])"
    )
    effects = [effect for effect in read_program(source).effects if isinstance(effect, ProgramInput | ClipboardSet)]
    assert effects[0] == ClipboardSet("ls")
    assert inputs(source) == [(Hotkey(keys=("ctrl", "shift", "v")), True), (Key(key="enter"), True)]


def test_what_is_left_on_the_clipboard() -> None:
    assert read_program("import pyperclip\npyperclip.copy('a')\npyperclip.copy('b')").clipboard == "b"
    assert read_program("import pyperclip\nif input():\n    pyperclip.copy('a')").clipboard is None
    assert read_program("import pyperclip\npyperclip.copy(input())").clipboard is None


@pytest.mark.parametrize(
    "source",
    [
        "x = 'a' * 10**9",
        "x = 10**10**10",
        "x = 'a'\nwhile True:\n    x += x",
        "def f():\n    f()\n    f()\nf()",
        "f = lambda n: [f(n - 1), f(n - 1)] if n else 0\nf(60)",
        "x = [0]\nfor n in range(10**6):\n    x = [x, x]",
        "x = '%099999d' % 1 + '{:99999}'.format(1)",
        "import zlib\nx = zlib.decompress(" + repr(__import__("zlib").compress(b"0" * 10**7)) + ")",
        "exec('exec(' * 90 + ')' * 90)",
        "(" * 150 + ")" * 150,
        "x = " + "+".join("1" * 4_000),
    ],
)
def test_no_program_keeps_the_reader_busy(source: str) -> None:
    began = time.process_time()
    read_program(source + "\nimport os\nos.system('ls')")
    assert time.process_time() - began < 10  # a guard against runaways only


def test_a_long_program_in_front_hides_nothing() -> None:
    assert found("for n in range(10**6):\n    x = [n] * 3\nimport os\nos.system('ls')") == ["ls"]
    assert "?" in found("x = 1\n" * 30_000 + "import os\nos.system('ls')")


PIECES = [
    "import os\n",
    "for a in b:\n",
    "    ",
    "if x:\n",
    "def f(*a, **k):\n",
    "f(",
    ")",
    "os.system(",
    "'ls'",
    "x = ",
    "[",
    "]",
    "lambda x: ",
    "try:\n",
    "except E as e:\n",
    "else:\n",
    "with open('a') as f:\n",
    "return",
    "yield x",
    "global x\n",
    "\n",
    "class A:\n",
    "@f\n",
    "del x\n",
    "x += 1\n",
    "{**x}",
    "*x",
    "await x",
    "match x:\n    case 1:\n        pass\n",
    "x[1:2]",
]


@settings(deadline=None, max_examples=80)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_any_program_is_read_without_an_error(source: str) -> None:
    read_program(source)
