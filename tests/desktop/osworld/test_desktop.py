"""Our client against our server, with a real desktop behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.desktop_service import Service
from trueline.actions import (
    Click,
    Code,
    CursorPosition,
    Done,
    Drag,
    Hotkey,
    Key,
    Move,
    Point,
    Scroll,
    Type,
    Wait,
)
from trueline.desktop.osworld import OSWorldDesktop
from trueline.desktop.types import (
    ActionTimeout,
    Capability,
    Change,
    ChangeKind,
    Desktop,
    DesktopError,
    DesktopLost,
    DesktopUnavailable,
    FileExists,
    NotSupported,
    PathRefused,
    Settled,
    WindowShown,
)
from trueline.errors import InputError
from trueline.records import ObservationSpec


@pytest.fixture(scope="module")
def remote(runner: asyncio.Runner, service: Service) -> Iterator[OSWorldDesktop]:
    desktop = OSWorldDesktop(f"127.0.0.1:{service.port}", token=service.token)
    runner.run(desktop.__aenter__())
    yield desktop
    runner.run(desktop.__aexit__())


def test_it_is_a_desktop_and_says_what_it_can(remote: OSWorldDesktop) -> None:
    desktop: Desktop = remote
    assert desktop.capabilities == {Capability.DIFF, Capability.RESET, Capability.RECORD}


def test_it_sees_what_the_desktop_sees(runner: asyncio.Runner, remote: OSWorldDesktop, service: Service) -> None:
    runner.run(service.desktop.wait_for(Settled()))
    seen = runner.run(remote.observe(ObservationSpec(screenshot=True, tree=True, marks=True)))
    here = runner.run(service.desktop.observe(ObservationSpec(screenshot=True, tree=True, marks=True)))
    assert seen.screen == here.screen == (1024, 768)
    assert seen.png() == here.png()
    assert seen.tree is not None and {"xfdesktop", "xfce4-panel"} <= {app.name for app in seen.tree.root.children}
    assert seen.marks and len(seen.marks) == len(here.marks)
    small = runner.run(remote.observe(ObservationSpec(size=(512, 384))))
    png = small.png()
    assert png is not None and png[16:24] == (512).to_bytes(4) + (384).to_bytes(4) and small.screen == (1024, 768)
    bare = runner.run(remote.observe(ObservationSpec(screenshot=False)))
    assert (bare.screenshot, bare.tree, bare.screen) == (None, None, (1024, 768))
    with pytest.raises(NotSupported):
        runner.run(remote.observe(ObservationSpec(ocr=True)))


@pytest.mark.full
def test_a_tree_from_which_something_is_missing_says_so(runner: asyncio.Runner, remote: OSWorldDesktop) -> None:
    async def work() -> None:
        want = ObservationSpec(tree=True)
        pid = str(await remote.launch(("mousepad",)))
        await remote.wait_for(WindowShown(app="mousepad"), time_limit=20)
        assert not (await remote.observe(want)).partial
        await remote.run(("kill", "-STOP", pid))
        try:
            assert (await remote.observe(want)).partial and not (await remote.observe(ObservationSpec())).partial
        finally:
            await remote.run(("kill", "-KILL", pid))

    runner.run(asyncio.wait_for(work(), 60))


def test_typed_actions_arrive(runner: asyncio.Runner, remote: OSWorldDesktop) -> None:
    text = "if 3 < 5 > 2: 'ok' \"ja\" \\n é € 日本 😀\nsecond line"

    async def work() -> bytes:
        await remote.put("Desktop/note.txt", b"")
        await remote.launch(("mousepad", "/home/user/Desktop/note.txt"))
        window = await remote.wait_for(WindowShown("note.txt"), time_limit=20)
        assert window is not None
        await remote.wait_for(Settled())
        middle = Point(window.x + window.width // 2, window.y + window.height // 2)
        for number, action in enumerate(
            (Click(at=middle), Type(text=text), Key(key="enter"), Type(text="<"), Hotkey(keys=("ctrl", "s")))
        ):
            result = await remote.act(action, id=f"type-{number}")
            assert result.error is None, result
        while True:
            content = await remote.get("Desktop/note.txt")
            if content:
                return content

    assert runner.run(asyncio.wait_for(work(), 60)).decode() == text + "\n<"


def test_the_pointer_follows(runner: asyncio.Runner, remote: OSWorldDesktop) -> None:
    def at() -> str | None:
        return runner.run(remote.act(CursorPosition(), id=f"where-{next(ids)}")).output

    ids = iter(range(100))
    runner.run(remote.act(Move(to=Point(100, 200)), id="move"))
    assert at() == "(100, 200)"
    runner.run(remote.act(Drag(start=Point(300, 300), path=(Point(310, 310), Point(320, 330))), id="drag"))
    assert at() == "(320, 330)"
    assert runner.run(remote.act(Scroll(at=Point(50, 60), dy=120, unit="pixels"), id="scroll")).error is None
    assert at() == "(50, 60)"


def test_an_id_counts_once_and_errors_are_results(runner: asyncio.Runner, remote: OSWorldDesktop) -> None:
    code = Code(source="open('/home/user/count', 'a').write('x')\nprint('done')")
    first = runner.run(remote.act(code, id="once"))
    assert (first.output, first.returncode, first.error) == ("done\n", 0, None)
    assert runner.run(remote.act(code, id="once")) == first
    assert runner.run(remote.get("count")) == b"x"
    with pytest.raises(InputError, match="action id once: it was used for another action"):
        runner.run(remote.act(Code(source="open('/home/user/count', 'a').write('y')"), id="once"))
    assert runner.run(remote.get("count")) == b"x"
    assert runner.run(remote.act(code.model_copy(update={"raw": "the same in other words"}), id="once")) == first
    failed = runner.run(remote.act(Code(source="for x in [1]:\n    raise ValueError(x)"), id="fails"))
    assert failed.returncode == 1 and failed.error and "ValueError: 1" in (failed.output or "")
    shell = runner.run(remote.act(Code(source="echo out; exit 4", language="bash"), id="shell"))
    assert (shell.returncode, shell.output) == (4, "out\n")
    odd = runner.run(remote.act(Click(button="back"), id="odd"))
    assert odd.error and "back" in odd.error
    for number, nothing in enumerate((Wait(seconds=0.01), Done())):
        assert runner.run(remote.act(nothing, id=f"nothing-{number}")).error is None


def test_programs_run_with_folder_input_and_variables(runner: asyncio.Runner, remote: OSWorldDesktop) -> None:
    done = runner.run(
        remote.run(("sh", "-c", "pwd; cat; echo $A; echo err >&2; exit 3"), env={"A": "b c"}, stdin=b"in\n")
    )
    assert (done.returncode, done.text, done.stderr) == (3, "/home/user\nin\nb c\n", b"err\n")
    assert runner.run(remote.run(("pwd",), cwd="Desktop")).text == "/home/user/Desktop\n"
    assert runner.run(remote.run(("sh", "-c", "kill -9 $$"))).returncode in (-9, 137)
    with pytest.raises(ActionTimeout, match=r"within 0\.3 s"):
        runner.run(remote.run(("sleep", "60"), time_limit=0.3))
    left = runner.run(remote.run(("sh", "-c", "ls /tmp; pgrep -x sleep"))).text
    assert "stdin-" not in left and not left.strip().isdigit()
    with pytest.raises(DesktopError, match="no-such-program"):
        runner.run(remote.run(("no-such-program",)))
    for argv in ((), ("",), ("a\0b",), ("A=b",)):
        with pytest.raises(InputError):
            runner.run(remote.run(argv))


def test_files(runner: asyncio.Runner, remote: OSWorldDesktop, tmp_path: Path) -> None:
    content = bytes(range(256)) * 100
    (tmp_path / "local").write_bytes(content)
    runner.run(remote.put("deep/er/x.bin", tmp_path / "local", mode=0o755))
    assert runner.run(remote.get("~/deep/er/x.bin")) == content
    assert runner.run(remote.run(("stat", "-c", "%a", "deep/er/x.bin"))).text == "755\n"
    runner.run(remote.wait_for(FileExists("deep/er"), time_limit=5))
    with pytest.raises(PathRefused, match="No such file"):
        runner.run(remote.get("nowhere"))
    with pytest.raises(PathRefused, match="longer than"):
        runner.run(remote.get("deep/er/x.bin", limit=1000))
    with pytest.raises(PathRefused):
        runner.run(remote.put("/etc/passwd", b"x"))
    with pytest.raises(PathRefused):
        runner.run(remote.put("", b"x"))
    assert Change("deep/er/x.bin", ChangeKind.CREATED) in runner.run(remote.diff())


def test_launches_and_waits(runner: asyncio.Runner, remote: OSWorldDesktop) -> None:
    pid = runner.run(remote.launch(("sh", "-c", 'echo "$A" > new; mv new launched; exec sleep 1234'), env={"A": "b"}))
    runner.run(remote.wait_for(FileExists("launched"), time_limit=10))
    assert runner.run(remote.get("launched")) == b"b\n"
    assert runner.run(remote.run(("ps", "-o", "pid=", "-p", str(pid)))).text.strip() == str(pid)
    with pytest.raises(DesktopError, match="cannot be started"):
        runner.run(remote.launch(("no-such-program",)))
    for condition in (WindowShown("no such window"), FileExists("nowhere")):
        with pytest.raises(ActionTimeout):
            runner.run(remote.wait_for(condition, time_limit=0.3))
    runner.run(remote.wait_for(Settled(60), time_limit=0.3))


def test_reset_gives_a_fresh_one(runner: asyncio.Runner, remote: OSWorldDesktop) -> None:
    runner.run(remote.put("mark", b"x"))
    move = Move(to=Point(3, 3))
    runner.run(remote.act(move, id="same"))
    runner.run(remote.reset())
    runner.run(remote.act(move, id="same"))
    assert runner.run(remote.act(CursorPosition(), id="at")).output == "(3, 3)"
    assert runner.run(remote.diff()) == ()
    with pytest.raises(PathRefused):
        runner.run(remote.get("mark"))


@pytest.mark.full
def test_recording(runner: asyncio.Runner, remote: OSWorldDesktop, tmp_path: Path) -> None:
    async def work() -> None:
        async with remote.record(tmp_path / "film.mp4") as recording:
            await remote.act(Move(to=Point(5, 5)), id="filmed")
        assert recording.video == tmp_path / "film.mp4"

    runner.run(work())
    assert (tmp_path / "film.mp4").read_bytes()[4:8] == b"ftyp"


def test_a_wrong_token_is_said_and_not_shown(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        async with OSWorldDesktop(f"127.0.0.1:{service.port}", token="not-the-token-987"):
            pass

    with pytest.raises(DesktopUnavailable, match="TRUELINE_DESKTOP_TOKEN") as error:
        runner.run(work())
    assert "not-the-token-987" not in str(error.value)


def test_the_token_may_come_from_the_environment(
    runner: asyncio.Runner, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert service.token is not None
    monkeypatch.setenv("TRUELINE_DESKTOP_TOKEN", service.token)

    async def work() -> None:
        async with OSWorldDesktop(f"localhost:{service.port}") as desktop:
            assert str(service.token) not in repr(desktop)
            assert (await desktop.run(("echo", "hi"))).text == "hi\n"

    runner.run(work())


def test_outside_of_its_block_it_is_lost(runner: asyncio.Runner) -> None:
    with pytest.raises(DesktopLost, match="async with"):
        runner.run(OSWorldDesktop("127.0.0.1:1").run(("true",)))
