"""Python programs made by a grammar: harmless effects behind the ways in which a program can hide what it does.

Files are written below the working folder, commands are markers that only log that they ran, addresses are on loopback.
"""

from __future__ import annotations

import base64
import codecs
import random
import textwrap
from collections.abc import Callable

MARKERS = ("mark1", "mark2", "mark3")
FILES = ("a.txt", "b.txt", "c.cfg", "sub/d.txt", "sub/e.log", "new.out")


class Grammar:
    """Makes programs from one generator of random numbers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.head: list[str] = []
        self.count = 0

    def program(self) -> str:
        """One program with one to four effects."""
        self.head, self.count = [], 0
        body = [self.controlled(self.effect(), self.random.randint(0, 2)) for _ in range(self.random.randint(1, 4))]
        return "\n".join([*self.head, *body]) + "\n"

    def name(self) -> str:
        """A name that is not used yet."""
        self.count += 1
        return f"v{self.count}"

    # Texts

    def text(self, value: str, depth: int = 2) -> str:
        """An expression whose value is this text."""
        if depth <= 0:
            return repr(value)
        return self.random.choice(self._texts())(value, depth)

    def _texts(self) -> list[Callable[[str, int], str]]:
        return [
            lambda v, _d: repr(v),
            lambda v, _d: repr(v),
            self._concatenated,
            lambda v, d: f"{self.text(v[::-1], d - 1)}[::-1]",
            lambda v, _d: f"{self.module('base64')}.b64decode({base64.b64encode(v.encode())!r}).decode()",
            lambda v, _d: f"bytes.fromhex({v.encode().hex()!r}).decode()",
            lambda v, _d: f"''.join(chr(c) for c in {[ord(c) for c in v]})",
            lambda v, _d: f"''.join([chr(c - 1) for c in {[ord(c) + 1 for c in v]}])",
            lambda v, _d: f"{self.module('codecs')}.decode({codecs.encode(v, 'rot13')!r}, 'rot13')",
            lambda v, _d: f"f'''{{{self.variable(v)}}}'''",
            lambda v, _d: f"{v.replace('a', '@@')!r}.replace('@@', 'a')",
            lambda v, _d: f"{(' ' + v + ' ')!r}.strip()" if v == v.strip() else repr(v),
            lambda v, d: f"({{'k': {self.text(v, d - 1)}}})['k']",
            lambda v, d: f"[{self.text(v, d - 1)}, 'zz'][0]",
            lambda v, d: f"(lambda x: x)({self.text(v, d - 1)})",
            lambda v, d: f"'%s%s' % ({self.text(v[:3], d - 1)}, {self.text(v[3:], d - 1)})",
            lambda v, d: f"'{{}}{{}}'.format({self.text(v[:2], d - 1)}, {self.text(v[2:], d - 1)})",
            lambda v, d: f"({self.text(v, d - 1)} if 2 > 1 else 'no')",
            lambda v, d: f"({self.text(v, d - 1)} if {self.module('time')}.time() > 0 else 'no')",
            lambda v, d: self.function_returning(v, d - 1),
            lambda v, d: self.variable(v, d - 1),
            lambda v, d: f"{self.module('json')}.loads({self.module('json')}.dumps({self.text(v, d - 1)}))",
            lambda v, d: f"{self.module('random')}.choice([{self.text(v, d - 1)}])",
            lambda v, _d: f"({v!r}.split('~|~')[0])",
            lambda v, _d: f"max([{v!r}, ''], key=len)",
            lambda v, _d: f"(''.join(reversed({v[::-1]!r})))",
            self._reduced,
            lambda v, d: f"str({self.text(v, d - 1)})",
            lambda v, d: f"(x := {self.text(v, d - 1)})",
            lambda v, _d: f"{v.upper()!r}.lower()" if v == v.lower() else repr(v),
            lambda v, _d: f"({v.encode()!r}).decode('ascii')",
        ]

    def _concatenated(self, value: str, depth: int) -> str:
        at = self.random.randint(0, len(value))
        return f"({self.text(value[:at], depth - 1)} + {self.text(value[at:], depth - 1)})"

    def _reduced(self, value: str, depth: int) -> str:
        parts = f"[{self.text(value[:4], depth - 1)}, {self.text(value[4:], depth - 1)}]"
        return f"{self.module('functools')}.reduce(lambda x, y: x + y, {parts})"

    def variable(self, value: str, depth: int = 0) -> str:
        """A variable that holds the text."""
        name = self.name()
        if self.random.random() < 0.5:
            self.head.append(f"{name} = {self.text(value, depth)}")
        else:
            at = self.random.randint(0, len(value))
            self.head += [f"{name} = {self.text(value[:at], depth)}", f"{name} += {self.text(value[at:], 0)}"]
        return name

    def function_returning(self, value: str, depth: int) -> str:
        """A call of a function that returns the text."""
        name = self.name()
        inner = self.text(value, depth)
        kind = self.random.randrange(4)
        if kind == 0:
            self.head.append(f"def {name}():\n    return {inner}")
            return f"{name}()"
        if kind == 1:
            self.head.append(
                f"def {name}(a, b=''):\n    for c in 'x':\n        if b:\n            return b\n    return a"
            )
            return f"{name}({inner})"
        if kind == 2:
            body = "    def __init__(self, a):\n        self.t = a\n    def get(self):\n        return self.t"
            self.head.append(f"class {name}:\n    t = 'x'\n{body}")
            return f"{name}({inner}).get()"
        self.head.append(f"def {name}():\n    yield {inner}")
        return f"next({name}())"

    # Functions of modules

    def module(self, name: str) -> str:
        """An expression for a module."""
        kind = self.random.randrange(7)
        top = name.partition(".")[0]
        if kind == 0:
            return f"__import__({name!r})" if "." not in name else self.module_by_import(name)
        if kind == 1:
            return f"{self.module_by_import('importlib')}.import_module({self.text(name, 1)})"
        if kind == 2 and "." not in name:
            alias = self.name()
            self.head.append(f"import {name} as {alias}")
            return alias
        if kind == 3 and "." not in name:
            self.module_by_import(top)
            return f"{self.module_by_import('sys')}.modules[{self.text(name, 1)}]"
        if kind == 4 and "." not in name:
            self.module_by_import(top)
            return f"globals()[{self.text(name, 1)}]"
        return self.module_by_import(name)

    def module_by_import(self, name: str) -> str:
        """A module that is imported at the top."""
        line = f"import {name}"
        if line not in self.head:
            self.head.insert(0, line)
        return name

    def function(self, module: str, name: str) -> str:
        """An expression for a function of a module."""
        kind = self.random.randrange(13)
        owner = self.module(module)
        if kind == 0:
            return f"getattr({owner}, {self.text(name, 1)})"
        if kind == 1:
            alias = self.name()
            self.head.insert(0, f"from {module} import {name} as {alias}")
            return alias
        if kind == 2:
            alias = self.name()
            self.head.append(f"{alias} = {owner}.{name}")
            return alias
        if kind == 3:
            return f"{self.module('functools')}.partial({owner}.{name})"
        if kind == 4:
            return f"(lambda *a, **k: {owner}.{name}(*a, **k))"
        if kind == 5:
            return f"vars({owner})[{self.text(name, 1)}]"
        if kind == 6:
            return f"{{'f': {owner}.{name}}}['f']"
        if kind == 7:
            return f"[print, {owner}.{name}][-1]"
        if kind == 8:
            return f"eval({(module.partition('.')[0] and self.module_by_import(module)) + '.' + name!r})"
        if kind == 9:
            return f"{self.module('operator')}.attrgetter({name!r})({owner})"
        if kind == 10:
            wrapped = self.name()
            self.head.append(f"def {wrapped}(*args, **words):\n    return {owner}.{name}(*args, **words)")
            return wrapped
        return f"{owner}.{name}"

    # Effects

    def effect(self) -> str:
        """A statement that does something."""
        return self.random.choice(
            (self.command, self.command, self.write, self.delete, self.read, self.change, self.connect, self.list)
        )()

    def command(self) -> str:
        """A command is run."""
        marker, argument = self.random.choice(MARKERS), self.random.choice(("one", "two words", "x=1", "-f"))
        line = f"{marker} {argument}" if " " not in argument else f"{marker} '{argument}'"
        words = f"[{self.text(marker, 1)}, {self.text(argument, 1)}]"
        kind = self.random.randrange(13)
        if kind < 2:
            return f"{self.function('os', 'system')}({self.text(line)})"
        if kind == 2:
            return f"{self.function('os', 'popen')}({self.text(line)}).read()"
        if kind < 6:
            function = self.random.choice(("run", "call", "check_output", "Popen"))
            wait = ".wait()" if function == "Popen" else ""
            return f"{self.function('subprocess', function)}({words}){wait}"
        if kind < 8:
            function = self.random.choice(("run", "call", "getoutput"))
            more = ", shell=True" if function != "getoutput" else ""
            return f"{self.function('subprocess', function)}({self.text(line)}{more})"
        if kind == 8:
            return f"{self.function('subprocess', 'run')}(['sh', '-c', {self.text(line)}])"
        if kind == 9:
            return f"{self.function('subprocess', 'run')}(['sh'], input={self.text(line)}, text=True)"
        if kind == 10:
            function = self.function("os", "spawnlp")
            wait = f"{self.module_by_import('os')}.P_WAIT"
            return f"{function}({wait}, {self.text(marker, 1)}, {marker!r}, {argument!r})"
        if kind == 11:
            inner = f"import os; os.system({line!r})"
            return f"{self.function('subprocess', 'run')}(['python3', '-c', {self.text(inner, 1)}])"
        return f"{self.function('os', 'posix_spawnp')}({self.text(marker, 1)}, {words}, {{**__import__('os').environ}})"

    def path(self) -> str:
        """An expression for a path below the working folder."""
        name = self.random.choice(FILES)
        kind = self.random.randrange(6)
        if kind == 0:
            return f"{self.module('pathlib')}.Path({self.text(name)})"
        if kind == 1:
            return f"{self.module('pathlib')}.Path.home() / {self.text(name)}"
        if kind == 2:
            return f"{self.module('os')}.path.join({self.module('os')}.path.expanduser('~'), {self.text(name)})"
        if kind == 3:
            return f"{self.module('os')}.path.abspath({self.text(name)})"
        if kind == 4:
            return f"({self.module('os')}.getcwd() + '/' + {self.text(name)})"
        return self.text(name)

    def write(self) -> str:
        """A file is written."""
        path, kind = self.path(), self.random.randrange(9)
        if kind == 0:
            return f"open({path}, {self.text(self.random.choice('wax'), 1)}).write('t')"
        if kind == 1:
            return f"with open({path}, mode='w') as f:\n    f.write('t')"
        if kind == 2:
            return f"{self.module('pathlib')}.Path({path}).write_text('t')"
        if kind == 3:
            return f"print('t', file={self.function('io', 'open')}({path}, 'a'))"
        if kind == 4:
            return f"{self.module('json')}.dump([1], open({path}, 'w'))"
        if kind == 5:
            return f"{self.module('pathlib')}.Path({path}).touch()"
        if kind == 6:
            return f"{self.function('os', 'close')}({self.function('os', 'open')}({path}, 65))"
        if kind == 7:
            return f"{self.function('codecs', 'open')}({path}, 'w').close()"
        return f"{self.function('os', 'makedirs')}({path}, exist_ok=True)"

    def delete(self) -> str:
        """A file or folder is deleted."""
        kind = self.random.randrange(6)
        path = self.path()
        if kind == 0:
            return f"{self.function('os', self.random.choice(('remove', 'unlink')))}({path})"
        if kind == 1:
            return f"{self.module('pathlib')}.Path({path}).unlink()"
        if kind == 2:
            return f"{self.function('shutil', 'rmtree')}({self.text('sub')}, ignore_errors=True)"
        if kind == 3:
            return f"for p in {self.function('os', 'listdir')}('sub'):\n    {self.function('os', 'remove')}('sub/' + p)"
        if kind == 4:
            return f"for p in {self.function('glob', 'glob')}({self.text('sub/*')}):\n    {self.module('os')}.unlink(p)"
        return f"[p.unlink() for p in {self.module('pathlib')}.Path({self.text('sub')}).iterdir()]"

    def read(self) -> str:
        """A file is read."""
        path = self.path()
        return self.random.choice(
            (
                f"x = open({path}).read()",
                f"x = {self.module('pathlib')}.Path({path}).read_text()",
                f"x = [l for l in {self.function('io', 'open')}({path}, 'rb')]",
                f"with {self.module('pathlib')}.Path({path}).open() as f:\n    x = f.readlines()",
            )
        )

    def change(self) -> str:
        """Files are moved, copied, renamed, given other permissions."""
        one, other = self.path(), self.path()
        return self.random.choice(
            (
                f"{self.function('os', 'rename')}({one}, {other})",
                f"{self.function('shutil', 'move')}(str({one}), str({other}))",
                f"{self.function('shutil', 'copyfile')}({one}, {other})",
                f"{self.module('pathlib')}.Path({one}).rename({other})",
                f"{self.function('os', 'chmod')}({one}, 0o600)",
                f"{self.function('os', 'symlink')}('x', {other})",
                f"{self.function('os', 'truncate')}({one}, 0)",
                f"{self.function('os', 'rmdir')}({one})",
            )
        )

    def list(self) -> str:
        """A folder is listed."""
        return self.random.choice(
            (
                f"x = {self.function('os', 'listdir')}({self.text('sub')})",
                f"x = list({self.function('os', 'scandir')}('.'))",
                self._walk(),
                f"x = sorted({self.module('pathlib')}.Path('.').glob({self.text('*')}))",
            )
        )

    def _walk(self) -> str:
        remove = f"        if n.endswith('.log'):\n            {self.module('os')}.remove(a + '/' + n)"
        return f"for a, b, c in {self.function('os', 'walk')}({self.text('.')}):\n    for n in c:\n{remove}"

    def connect(self) -> str:
        """Something on loopback is connected to; nothing listens there."""
        return self.random.choice(
            (
                f"{self.function('urllib.request', 'urlopen')}({self.text('http://127.0.0.1:9/x')})",
                f"{self.function('socket', 'create_connection')}(({self.text('127.0.0.1', 1)}, 9))",
                f"s = {self.function('socket', 'socket')}()\ns.connect(('127.0.0.1', 9))",
                f"c = {self.function('http.client', 'HTTPConnection')}('127.0.0.1', 9)\nc.request('GET', '/')",
            )
        )

    # Control

    def controlled(self, statement: str, depth: int) -> str:
        """A statement inside of others."""
        if depth <= 0:
            return self._caught(statement)
        return self.controlled(self.random.choice(self._controls())(self._caught(statement)), depth - 1)

    @staticmethod
    def _caught(statement: str) -> str:
        """A statement whose errors do not end the program."""
        return f"try:\n{textwrap.indent(statement, '    ')}\nexcept Exception as e:\n    pass"

    def _controls(self) -> list[Callable[[str], str]]:
        def inside(before: str, after: str = "") -> Callable[[str], str]:
            return lambda statement: f"{before}\n{textwrap.indent(statement, '    ')}" + (f"\n{after}" if after else "")

        one, two = self.name(), self.name()
        return [
            inside("if 1 < 2:"),
            inside(f"if {self.module('random')}.random() < 2:"),
            inside("if __name__ == '__main__':"),
            inside(f"for {one} in range(2):"),
            inside(f"for {one} in [1, 2, 3]:\n    if {one} == 2: continue"),
            inside(f"for {one} in input.__name__:"),
            inside(f"{one} = 0\nwhile {one} < 2:\n    {one} += 1"),
            inside("while True:\n    if 1:\n        pass", "    break"),
            inside("try:\n    raise ValueError\nexcept ValueError:"),
            inside("try:\n    int('x')\nexcept ValueError:"),
            inside("try:\n    pass\nfinally:"),
            inside("try:\n    pass\nexcept OSError:\n    pass\nelse:"),
            inside(f"def {one}():", f"{one}()"),
            inside(f"def {one}(n=2):\n    if n: return {one}(n - 1)", f"{one}()"),
            inside(f"def {one}():\n    global x", f"list(map(lambda _: {one}(), [1]))"),
            inside(f"class {one}:", ""),
            lambda s: f"class {one}:\n    def {two}(self):\n{textwrap.indent(s, '        ')}\n{one}().{two}()",
            lambda s: f"class {one}:\n    def __init__(self):\n{textwrap.indent(s, '        ')}\n{one}()",
            lambda s: f"class {one}:\n    def __del__(self):\n{textwrap.indent(s, '        ')}\n{one}()",
            lambda s: f"class {one}:\n    def __getattr__(self, n):\n{textwrap.indent(s, '        ')}\n{one}().foo",
            lambda s: f"class {one}:\n    def __add__(self, n):\n{textwrap.indent(s, '        ')}\n{one}() + 1",
            lambda s: (
                f"class {one}:\n    def __enter__(self):\n{textwrap.indent(s, '        ')}\n"
                f"    def __exit__(self, *a): pass\nwith {one}(): pass"
            ),
            lambda s: f"class {one}:\n    @property\n    def p(self):\n{textwrap.indent(s, '        ')}\n{one}().p",
            lambda s: f"exec({s!r})",
            lambda s: f"exec(compile({self.text(s, 1)}, '<x>', 'exec'))",
            lambda s: f"exec({self.text(s, 1)}, {{}})",
            inside(f"def {one}(f):", f"@{one}\ndef {two}(): pass"),
            inside(f"def {one}():", f"import threading\nt = threading.Thread(target={one}); t.start(); t.join()"),
            inside(f"def {one}():", f"import atexit\natexit.register({one})"),
            inside(f"def {one}(x):", f"sorted([1], key={one})"),
            inside(
                f"def {one}(*a):",
                f"import concurrent.futures as cf\nwith cf.ThreadPoolExecutor() as p: p.submit({one}).result()",
            ),
            inside(f"async def {one}():", f"import asyncio\nasyncio.run({one}())"),
            inside(f"def {one}():\n    yield 1", f"for {two} in {one}(): pass"),
            inside(f"import contextlib\n@contextlib.contextmanager\ndef {one}():\n    yield", f"with {one}(): pass"),
            inside(f"def {one}(m):", f"import re\nre.sub('a', lambda m: {one}(m) or '', 'a')"),
            inside(f"def {one}():", f"{{'k': {one}}}['k']()"),
            inside(f"def {one}():", f"{two} = []\n{two}.append({one})\n{two}[0]()"),
            inside(f"def {one}():", f"import functools\nfunctools.partial({one})()"),
            inside(f"def {one}():", f"(lambda f: f())({one})"),
            inside(f"match [1, 2]:\n    case [{one}, {two}]:\n        pass\nwith open('/dev/null') as {one}:"),
            inside("import contextlib\nwith contextlib.suppress(Exception):"),
            inside("async def go():", "import asyncio\nloop = asyncio.new_event_loop()\nloop.run_until_complete(go())"),
        ]  # fmt: skip
