"""The long proof of the sandbox: every attempt to leave it or to deceive the host, each in both ways ids are given."""

from __future__ import annotations

import asyncio
import dataclasses
import signal
import textwrap
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from desktop.local.attempts import AREAS, MORE, RESOURCES
from desktop.local.conftest import TIGHT
from desktop.local.test_isolation import ATTEMPTS, PRELUDE, Outside
from trueline.actions import Code
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.ownership import owner
from trueline.desktop.local.process_usage import descendants
from trueline.desktop.types import ActionInterrupted, DesktopError, FileExists, PathRefused

pytestmark = pytest.mark.proof

THINGS = """
import ctypes, socket, time
for name in ("/tmp/of-the-other", "/dev/shm/of-the-other", "of-the-other"):
    open(name, "w").close()
libc = ctypes.CDLL(None)
assert libc.shmget(4242, ctypes.c_size_t(4096), 0o1666) >= 0 and libc.msgget(4242, 0o1666) >= 0
port = socket.create_server(("127.0.0.1", 4545))
name = socket.socket(socket.AF_UNIX)
name.bind("\\0of-the-other")
name.listen()
open("ready", "w").close()
time.sleep(3600)
"""
Step = Callable[[LocalDesktop, Path], Awaitable[None]]
STEPS: dict[str, Step] = {}


def step(name: str) -> Callable[[Step], Step]:
    """An attempt that needs the host's part too."""

    def add(work: Step) -> Step:
        STEPS[name] = work
        return work

    return add


@pytest.fixture(scope="module", params=[True, False], ids=["own ids", "shared id"])
def options(request: pytest.FixtureRequest) -> LocalOptions:
    return LocalOptions(width=1024, height=768, own_ids=bool(request.param))


@asynccontextmanager
async def both(options: LocalOptions, folder: Path) -> AsyncGenerator[tuple[LocalDesktop, Outside, tuple[str, ...]]]:
    """A desktop to attack from, and the host and another desktop with things worth reaching."""
    async with LocalDesktop(options) as desktop, LocalDesktop(options) as other:
        await other.put("things.py", THINGS.encode())
        await other.launch(("python3", "things.py"))
        await other.wait_for(FileExists("ready"), time_limit=30)
        outside = Outside(folder, other)
        sandbox, neighbour = desktop.running.sandbox, other.running.sandbox
        block = neighbour.block
        uid = owner().uid if block is None else block.uid + 1000
        first = uid if block is None else block.uid
        below = str(next(descendants(neighbour.supervisor_pid)))
        more = (str(uid), str(sandbox.supervisor_pid), below, str(first))
        with outside.port, outside.abstract, await desktop.listen(2525):
            yield desktop, outside, more


@pytest.fixture(scope="module")
def place(
    machine: None, runner: asyncio.Runner, options: LocalOptions, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[LocalDesktop, tuple[str, ...]]]:
    manager = both(options, tmp_path_factory.mktemp("outside"))
    desktop, outside, more = runner.run(manager.__aenter__())
    yield desktop, (*outside.arguments(), *more)
    runner.run(manager.__aexit__(None, None, None))


async def attempt(desktop: LocalDesktop, code: str, *arguments: str, killed_is_refused: bool = False) -> str:
    body = textwrap.indent(code, "    ")
    caught = "except (OSError, ValueError, MemoryError, RuntimeError) as error:\n    print('refused')\n"
    program = f"{PRELUDE}{MORE}\ntry:\n{body}\n{caught}else:\n    print('ESCAPED')\n"
    result = await desktop.run(("python3", "-c", program, *arguments), time_limit=60)
    if result.returncode == -signal.SIGKILL and killed_is_refused:
        return "refused"
    assert result.returncode == 0, result.stderr.decode()[-2000:]
    return result.text.strip().splitlines()[-1]


def test_there_are_enough_of_every_kind() -> None:
    names = [*ATTEMPTS, *(name for area in AREAS.values() for name in area), *RESOURCES, *STEPS]
    assert len(names) == len(set(names)) >= 250
    assert all(len(area) >= 10 for area in (*AREAS.values(), RESOURCES))


@pytest.mark.parametrize("name", ATTEMPTS)
def test_the_attempts_of_every_test_run(
    runner: asyncio.Runner, place: tuple[LocalDesktop, tuple[str, ...]], name: str
) -> None:
    desktop, arguments = place
    assert runner.run(attempt(desktop, ATTEMPTS[name], *arguments)) == "refused"


@pytest.mark.parametrize(("area", "name"), [(area, name) for area, found in AREAS.items() for name in found])
def test_a_further_attempt(
    runner: asyncio.Runner, place: tuple[LocalDesktop, tuple[str, ...]], area: str, name: str
) -> None:
    desktop, arguments = place
    assert runner.run(attempt(desktop, AREAS[area][name], *arguments)) == "refused"
    assert runner.run(desktop.windows()), "the desktop goes on"


@pytest.fixture(scope="module")
def tight(machine: None, runner: asyncio.Runner, options: LocalOptions) -> Iterator[LocalDesktop]:
    limits = dataclasses.replace(TIGHT.limits, temporary_files=3000)
    desktop = LocalDesktop(dataclasses.replace(TIGHT, limits=limits, own_ids=options.own_ids))
    runner.run(desktop.start())
    yield desktop
    runner.run(desktop.stop())


@pytest.mark.parametrize("name", RESOURCES)
def test_resources_have_an_end(
    runner: asyncio.Runner, place: tuple[LocalDesktop, tuple[str, ...]], tight: LocalDesktop, name: str
) -> None:
    """They are refused, and another desktop and the host go on."""
    neighbour, _ = place

    async def work() -> str:
        said = await attempt(tight, RESOURCES[name], killed_is_refused=True)
        assert (await neighbour.run(("sh", "-c", "echo $(echo on)"))).text == "on\n"
        assert await tight.windows()
        while True:
            with suppress(DesktopError):  # until the processes it made have ended
                if (await tight.run(("true",))).returncode == 0:
                    return said
            await asyncio.sleep(0.05)

    assert runner.run(asyncio.wait_for(work(), 90)) == "refused"


@step("have the worker run a module of the user's")
async def _(desktop: LocalDesktop, secret: Path) -> None:
    for folder in (".local/lib/python3.11/site-packages", ".", "Desktop"):
        for module in ("usercustomize", "sitecustomize", "json", "pyautogui", "base64", "trueline"):
            await desktop.put(f"{folder}/{module}.py", b"open('/tmp/taken', 'w').close()")
    with pytest.raises(ActionInterrupted):
        await desktop.act(Code(source="import os; os.kill(os.getppid(), 9)"), id="end the worker")
    code = Code(source="import os, pyautogui; print(os.path.exists('/tmp/taken'), pyautogui.size()[0])")
    assert (await desktop.act(code, id="after modules")).output == "False 1024\n"


@step("have the host's commands run with variables of the user's")
async def _(desktop: LocalDesktop, secret: Path) -> None:
    for name in (".profile", ".bashrc", ".bash_profile", ".pam_environment", ".config/environment.d/a.conf"):
        await desktop.put(name, b"export LD_PRELOAD=/tmp/evil.so\ntouch /tmp/taken\n")
    seen = await desktop.run(("env",))
    assert "LD_PRELOAD" not in seen.text
    assert (await desktop.run(("test", "-e", "/tmp/taken"))).returncode == 1


@step("have the host's commands run a program of the user's")
async def _(desktop: LocalDesktop, secret: Path) -> None:
    for folder in ("bin", ".local/bin", "."):
        for name in ("cat", "python3", "sh"):
            await desktop.put(f"{folder}/{name}", b"#!/bin/true\n", mode=0o755)
    found = await desktop.run(("sh", "-c", "command -v cat python3 sh"))
    assert all(line.startswith("/usr/bin/") for line in found.text.splitlines()) and found.text


@step("swap a file for a link while the host reads it")
async def _(desktop: LocalDesktop, secret: Path) -> None:
    swap = (
        "import os, sys\n"
        "while not os.path.exists('enough'):\n"
        "    open('new', 'w').write('mine'); os.replace('new', 'swapped')\n"
        "    os.symlink(sys.argv[1], 'new'); os.replace('new', 'swapped')\n"
    )
    swapping = asyncio.create_task(desktop.run(("python3", "-c", swap, str(secret))))
    seen = Counter[str]()
    while seen["a file"] < 50 or seen["a link"] < 50:
        assert not swapping.done()
        try:
            assert await desktop.get("swapped") in (b"mine", b"")
            seen["a file"] += 1
        except PathRefused:
            seen["a link"] += 1
        with suppress(PathRefused):
            await desktop.put("swapped", b"mine")
    await desktop.put("enough", b"")
    assert (await swapping).returncode == 0
    assert await asyncio.to_thread(secret.read_text) == "secret"


@step("give the host something else than a file")
async def _(desktop: LocalDesktop, secret: Path) -> None:
    await desktop.run(("sh", "-c", "mkfifo trap; ln -s trap link; mkdir -p dir; ln -s /proc/self/mem memory"))
    for path in ("trap", "link", "dir", "memory", "/dev/zero", "/dev/tty", "/proc/kmsg", "/run/user/1000/bus"):
        with pytest.raises(PathRefused):
            await asyncio.wait_for(desktop.get(path, limit=1 << 20), 20)


@step("hide a change from the diff")
async def _(desktop: LocalDesktop, secret: Path) -> None:
    script = (
        "mkdir -p a/b .config/xfce4/desktop/icons.screen0-1x1.rc; echo x > a/b/shut; chmod 0 a/b/shut a/b a;"
        "echo x > .config/xfce4/desktop/icons.screen0-1x1.rc/in; echo x > .config/xfce4/desktop/icons.screen-x;"
        "echo x > \"$(printf 'new\\nline')\"; echo x > \"$(printf '\\377')\"; touch 'white out'; ln a/../.bashrc hard;"
        "rm -rf Music; mkdir Music; setfattr -n user.overlay.opaque -v y Music 2>/dev/null; echo x > Music/in"
    )
    await desktop.run(("sh", "-c", script))
    found = {change.path for change in await desktop.diff()}
    icons = ".config/xfce4/desktop/icons.screen"
    hidden = {"a", "a/b", "a/b/shut", f"{icons}0-1x1.rc", f"{icons}0-1x1.rc/in", f"{icons}-x", "new\nline", "white out"}
    assert found >= hidden | {"\udcff", "Music/in"}


@step("take back the record of sudo")
async def _(desktop: LocalDesktop, secret: Path) -> None:
    before = len(desktop.sudo_requests)
    lie = (
        "import json, socket\n"
        "for text in (b'{}', b'[' * 10000, b'{\"argv\": 1, \"cwd\": \"/\"}', b'x' * 1000000):\n"
        "    s = socket.create_connection(('127.83.85.68', 912)); s.settimeout(5)\n"
        "    try:\n"
        "        s.sendall(text + b'\\n'); s.recv(10)\n"
        "    except OSError:\n"
        "        pass\n"
    )
    await desktop.run(("sudo", "-n", "rm", "-rf", "/"))
    await desktop.run(("python3", "-c", lie), time_limit=60)
    assert [request.argv for request in desktop.sudo_requests[before:]] == [("-n", "rm", "-rf", "/")]


@step("freeze the picture")
async def _(desktop: LocalDesktop, secret: Path) -> None:
    script = "find / -xdev -name 'Xvfb_screen*' 2>/dev/null; pkill -STOP Xvfb; pkill -KILL Xvfb; echo tried"
    assert (await desktop.run(("sh", "-c", script), time_limit=60)).text == "tried\n"
    assert len(await desktop.picture()) > 1000


@step("answer in the agent's name")
async def _(desktop: LocalDesktop, secret: Path) -> None:
    code = (
        "import os\n"
        "for pid in filter(str.isdigit, os.listdir('/proc')):\n"
        "    for fd in range(64):\n"
        "        try:\n"
        "            target = os.readlink(f'/proc/{pid}/fd/{fd}')\n"
        "            if int(pid) == os.getppid(): print('ESCAPED', pid, target)\n"
        "        except OSError: pass\n"
    )
    assert (await desktop.run(("python3", "-c", code))).text == ""


@pytest.mark.parametrize("name", STEPS)
def test_an_attempt_in_steps(runner: asyncio.Runner, options: LocalOptions, tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")

    async def work() -> None:
        async with LocalDesktop(options) as desktop:
            await STEPS[name](desktop, secret)
            assert (await desktop.run(("echo", "on"))).text == "on\n"

    runner.run(asyncio.wait_for(work(), 120))
