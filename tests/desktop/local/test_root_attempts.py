"""The sandbox of a desktop whose user can become root: every attempt again, and those that only root could make."""

from __future__ import annotations

import asyncio
import dataclasses
import signal
import textwrap
from collections.abc import Iterator

import pytest

from desktop.local.attempts import AREAS, MORE, RESOURCES
from desktop.local.conftest import TIGHT
from desktop.local.root_attempts import AS_ROOT, INSIDE, OF_CALLERS, OF_USER, ROOT_ATTEMPTS, ROOT_RESOURCES
from desktop.local.test_attempts import STEPS, both
from desktop.local.test_isolation import ATTEMPTS, PRELUDE
from desktop.local.test_root import ROOTED, sample
from trueline.actions import Code
from trueline.desktop.local import LocalDesktop
from trueline.desktop.local.root import root_available
from trueline.desktop.types import DesktopError

AGAIN = {**ATTEMPTS, **{name: code for area in AREAS.values() for name, code in area.items()}}
Place = tuple[LocalDesktop, tuple[str, ...]]
FEW = (
    "remount the system writable",
    "uncover what lies below /usr",
    "write our own programs",
    "replace the folder above them",
    "read the environment of process 1",
    "trace process 1",
    "read the host's hashes",
    "make a disk",
    "keep root by a set-user-id program",
    "bring a capability back by a program",
)
"""What `--all` tries; the rest is for `--proof`."""


@pytest.fixture(scope="module")
def place(machine: None, runner: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    if (lack := root_available()) is not None:
        pytest.skip(lack)
    manager = both(ROOTED, tmp_path_factory.mktemp("outside"))
    desktop, outside, more = runner.run(manager.__aenter__())
    yield desktop, (*outside.arguments(), *more)
    runner.run(manager.__aexit__(None, None, None))


async def attempt(
    desktop: LocalDesktop, code: str, *arguments: str, root: bool = True, killed_is_refused: bool = False
) -> str:
    body = textwrap.indent(code, "    ")
    caught = "except (OSError, ValueError, MemoryError, RuntimeError) as error:\n    print('refused')\n"
    program = f"{PRELUDE}{MORE}{AS_ROOT if root else ''}\ntry:\n{body}\n{caught}else:\n    print('ESCAPED')\n"
    agent = (await desktop.run(("python3", "-c", "import os; print(os.getppid())"))).text.strip()
    sudo = ("sudo", "-S", f"AGENT={agent}") if root else ()
    result = await desktop.run((*sudo, "python3", "-c", program, *arguments), stdin=b"password\n", time_limit=120)
    if result.returncode == 128 + signal.SIGKILL and killed_is_refused:
        return "refused"
    said = result.text.strip().splitlines()
    assert result.returncode == 0 and said, result.stderr.decode()[-2000:]
    return said[-1]


def test_there_are_enough_and_names_are_right() -> None:
    names = [*ROOT_ATTEMPTS, *ROOT_RESOURCES, *OF_CALLERS]
    assert len(set(names) | set(AGAIN)) == len(names) + len(AGAIN) and len(names) >= 90
    assert set(AGAIN) >= (INSIDE | OF_USER) and set(FEW) <= set(ROOT_ATTEMPTS)


@pytest.mark.full
@pytest.mark.parametrize("name", FEW)
def test_what_only_root_could_try(runner: asyncio.Runner, place: Place, name: str) -> None:
    desktop, arguments = place
    assert runner.run(attempt(desktop, ROOT_ATTEMPTS[name], *arguments)) == "refused"
    assert runner.run(desktop.windows()), "the desktop goes on"


@pytest.mark.proof
@pytest.mark.parametrize("name", [name for name in ROOT_ATTEMPTS if name not in FEW])
def test_all_that_only_root_could_try(runner: asyncio.Runner, place: Place, name: str) -> None:
    desktop, arguments = place
    assert runner.run(attempt(desktop, ROOT_ATTEMPTS[name], *arguments)) == "refused"
    assert runner.run(desktop.windows()), "the desktop goes on"


@pytest.mark.proof
@pytest.mark.parametrize("name", [name for name in AGAIN if name not in OF_USER])
def test_the_user_is_shut_off_as_ever(runner: asyncio.Runner, place: Place, name: str) -> None:
    desktop, arguments = place
    runner.run(desktop.run(("sudo", "-k")))
    assert runner.run(attempt(desktop, AGAIN[name], *arguments, root=False)) == "refused"


@pytest.mark.proof
@pytest.mark.parametrize("name", [name for name in AGAIN if name not in INSIDE])
def test_root_is_shut_off_as_the_user_is(runner: asyncio.Runner, place: Place, name: str) -> None:
    desktop, arguments = place
    assert runner.run(attempt(desktop, AGAIN[name], *arguments)) == "refused"
    assert runner.run(desktop.windows()), "the desktop goes on"


@pytest.mark.proof
@pytest.mark.parametrize("name", sorted(INSIDE))
def test_what_root_may_do_stays_inside(runner: asyncio.Runner, place: Place, name: str) -> None:
    """On a desktop of its own: it may break that one."""
    _, arguments = place

    async def work() -> None:
        async with LocalDesktop(ROOTED) as desktop:
            await attempt(desktop, AGAIN[name], *arguments)

    before = sample()
    runner.run(work())
    assert sample() == before


@pytest.mark.proof
@pytest.mark.parametrize("name", OF_CALLERS)
def test_no_message_of_a_caller_runs_anything(runner: asyncio.Runner, place: Place, name: str) -> None:
    desktop, _ = place
    code = (
        "import os, socket, sys\n"
        "s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.settimeout(20); s.connect('\\0trueline-sudo')\n"
        "out, theirs = os.pipe()\n"
        "socket.send_fds(s, [sys.argv[1].encode()], [0, theirs, theirs, os.open('/', os.O_PATH)]); os.close(theirs)\n"
        "print([s.recv(4096), os.read(out, 100)])\n"
    )

    async def work() -> None:
        await desktop.run(("sudo", "-k"))
        said = (await desktop.run(("python3", "-c", code, OF_CALLERS[name]), time_limit=60)).text
        assert "uid=" not in said and "pid" not in said and said.endswith("b'']\n"), said

    runner.run(work())


@pytest.fixture(scope="module")
def tight(machine: None, runner: asyncio.Runner) -> Iterator[LocalDesktop]:
    if (lack := root_available()) is not None:
        pytest.skip(lack)
    limits = dataclasses.replace(TIGHT.limits, temporary_files=3000, system=64 << 20, system_files=20_000)
    desktop = LocalDesktop(dataclasses.replace(TIGHT, limits=limits, root=True, sudo_password="password"))
    runner.run(desktop.start())
    yield desktop
    runner.run(desktop.stop())


@pytest.mark.proof
@pytest.mark.parametrize("name", {**RESOURCES, **ROOT_RESOURCES})
def test_resources_have_an_end_for_root_too(
    runner: asyncio.Runner, place: Place, tight: LocalDesktop, name: str
) -> None:
    neighbour, _ = place

    async def work() -> str:
        await tight.reset()
        said = await attempt(tight, {**RESOURCES, **ROOT_RESOURCES}[name], killed_is_refused=True)
        assert (await neighbour.run(("sh", "-c", "echo $(echo on)"))).text == "on\n"
        while True:
            try:  # until the processes it made have ended
                if (await tight.run(("true",))).returncode == 0:
                    return said
            except DesktopError:
                await asyncio.sleep(0.05)

    assert runner.run(asyncio.wait_for(work(), 180)) == "refused"


@pytest.mark.proof
@pytest.mark.parametrize("name", STEPS)
def test_an_attempt_in_steps(
    runner: asyncio.Runner, machine: None, tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    secret = tmp_path_factory.mktemp("steps") / "secret"
    secret.write_text("secret")

    async def work() -> None:
        async with LocalDesktop(ROOTED) as desktop:
            await STEPS[name](desktop, secret)
            assert (await desktop.run(("echo", "on"))).text == "on\n"

    runner.run(asyncio.wait_for(work(), 120))


MODULES = """
import glob, os
for folder in glob.glob("/usr/lib/python3*"):
    for name in ("base64", "json/__init__", "subprocess", "traceback", "random"):
        path = f"{folder}/{name}.py"
        if os.path.exists(path):
            os.unlink(path)
            with open(path, "w") as file:
                file.write("open('/tmp/taken', 'w').close()")
for name in ("libffi.so.8", "libz.so.1", "libexpat.so.1"):
    for path in glob.glob(f"/usr/lib/*/{name}"):
        os.unlink(path)
"""


@pytest.mark.full
def test_root_cannot_replace_what_our_own_programs_load(runner: asyncio.Runner, machine: None) -> None:
    """The worker is started for the first time after the system's modules and libraries were replaced."""
    if (lack := root_available()) is not None:
        pytest.skip(lack)

    async def work() -> None:
        async with LocalDesktop(ROOTED) as desktop:
            done = await desktop.run(("sudo", "-S", "python3", "-c", MODULES), stdin=b"password\n")
            assert done.returncode == 0, done.stderr
            code = Code(
                source="import os, json, base64, pyautogui; print(os.path.exists('/tmp/taken'), pyautogui.size()[0])"
            )
            assert (await desktop.act(code, id="after")).output == "False 1024\n"
            assert (await desktop.run(("sudo", "-n", "id", "-u"))).returncode != 0, "the system's Python is broken"
            await desktop.put("/tmp/works", b"x")
            assert await desktop.get("/tmp/works") == b"x"

    runner.run(work())
