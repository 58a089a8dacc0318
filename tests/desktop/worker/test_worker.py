from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.bare_desktop import PATIENCE, BareDesktop, eventually, need_programs
from support.seen import Editor, editor
from trueline.desktop.types import ActionInterrupted, DesktopError
from trueline.desktop.worker import WorkerClient, bundle

PYTHON = "/usr/bin/python3"


@pytest.fixture(scope="module")
def running() -> Iterator[Editor]:
    need_programs(PYTHON)
    with editor() as one:
        yield one


def start(bare: BareDesktop) -> tuple[WorkerClient, subprocess.Popen[bytes]]:
    """A worker with nothing but the system's Python and its standard library."""
    program = bare.folder / "worker.pyz"
    program.write_bytes(bundle())
    ours, its = socket.socketpair()
    with its:
        process = bare.launch(PYTHON, "-I", "-S", str(program), bare.display, stdin=its.fileno())
    client = WorkerClient(ours)
    client.wait_ready(PATIENCE)
    return client, process


@pytest.fixture(scope="module")
def worker(running: Editor) -> Iterator[WorkerClient]:
    client, _ = start(running.bare)
    yield client
    client.close()


@pytest.fixture
def mousepad(running: Editor) -> Editor:
    running.clear()
    return running


def test_code_types_and_clicks_like_pyautogui(mousepad: Editor, worker: WorkerClient) -> None:
    code = """
import pyautogui, time
from pyautogui import press as p
pyautogui.PAUSE = 0
x, y = pyautogui.position()
for word in ("if a < b:", "ünï 你好 😀"):
    pyautogui.write(word, interval=0.0)
    pyautogui.press('enter')
pyautogui.hotkey('ctrl', 'a'); pyautogui.hotkey(['ctrl', 'x']); pyautogui.hotkey('ctrl', 'v')
with pyautogui.hold('shift'):
    pyautogui.press(['x', 'y'])
p('backspace')
pyautogui.typewrite(['a', 'left', '['])
print(pyautogui.size(), pyautogui.onScreen(5000, 5))
"""
    result = worker.run(code, pause=0)
    assert (result.returncode, result.timeout) == (0, False)
    assert result.output == "Size(width=1024, height=768) False\n"
    mousepad.wait_text("if a < b:\nünï 你好 😀\nX[a")


def test_the_mouse_family(mousepad: Editor, worker: WorkerClient) -> None:
    code = """
import pyautogui as g
g.moveTo(100, 120); a = tuple(g.position())
g.moveRel(5, -10); b = tuple(g.position())
g.move((1, 1)); g.moveTo([300, 300], duration=0.2, tween=g.easeInOutQuad); c = tuple(g.position())
g.mouseDown(button='left'); g.mouseUp(); g.dragTo(310, 310, 0.2, button='left'); g.dragRel(-10, -10)
g.scroll(-3); g.hscroll(2, x=400, y=400); g.doubleClick(400, 400); g.rightClick(); g.press('esc')
g.click(x=401, y=402, clicks=2, interval=0.01, button='middle'); g.click((50, 50)); g.tripleClick(x=60, y=60)
print(a, b, c, tuple(g.position()), g.isValidKey('f13'), 'enter' in g.KEYBOARD_KEYS)
"""
    result = worker.run(code, pause=0)
    assert result.output == "(100, 120) (105, 110) (300, 300) (60, 60) True True\n"


def test_every_call_pauses_unless_told_otherwise(worker: WorkerClient) -> None:
    moves = (
        "import time, pyautogui\nslept, time.sleep = [], lambda seconds: slept.append(seconds)\n"
        "for i in range(5): pyautogui.moveTo(i, i)\nprint(slept)"
    )
    assert worker.run(moves).output == f"{[0.1] * 5}\n"
    assert worker.run(moves, pause=0.2).output == f"{[0.2] * 5}\n"


@pytest.mark.parametrize(
    "call", ["screenshot()", "locateOnScreen('a.png')", "center((1, 2, 3, 4))", "alert('x')", "click('button.png')"]
)
def test_what_looks_at_the_screen_is_refused_with_the_reason(worker: WorkerClient, call: str) -> None:
    result = worker.run(f"import pyautogui\npyautogui.{call}")
    assert result.returncode == 1
    assert "action code does not see the screen" in result.output.splitlines()[-1]


def test_a_traceback_names_the_line_of_the_code_and_nothing_of_ours(worker: WorkerClient) -> None:
    result = worker.run("print('before')\n\nraise RuntimeError('no')")
    assert result.returncode == 1
    assert result.output.startswith("before\nTraceback")
    assert 'File "<action>", line 3' in result.output
    assert "serve.py" not in result.output


@pytest.mark.parametrize(
    ("code", "returncode", "said"),
    [
        ("import pyautogui; pyautogui.press('nokey')", 1, "there is no key named 'nokey'"),
        ("def f(:", 1, "SyntaxError"),
        ("import sys; sys.exit(3)", 3, ""),
        ("raise SystemExit('bye')", 1, "bye"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9, ""),
        ("import sys; print(sys.stdin.read() == '', __name__)", 0, "True __main__"),
        ("print('\\udc80' if False else chr(233))", 0, "é"),
    ],
)
def test_however_code_ends_the_reply_says_how(worker: WorkerClient, code: str, returncode: int, said: str) -> None:
    result = worker.run(code)
    assert (result.returncode, result.timeout) == (returncode, False)
    assert said in result.output


def test_a_loop_without_end_is_killed_with_its_children(worker: WorkerClient) -> None:
    code = "import subprocess\np = subprocess.Popen(['sleep', '1000'])\nprint(p.pid, flush=True)\nwhile True: pass"
    result = worker.run(code, timeout=0.5)
    assert result.timeout and result.returncode == -9
    child = Path(f"/proc/{int(result.output)}/stat")

    def gone() -> bool:
        try:
            return child.read_text().split()[2] == "Z"
        except FileNotFoundError:
            return True

    assert eventually(gone, "the end of the child")
    assert worker.run("print('next')").output == "next\n"


def test_a_flood_of_output_is_cut_and_does_not_block(worker: WorkerClient) -> None:
    result = worker.run("for _ in range(5_000_000): print('x' * 20)", timeout=3, most=10_000)
    assert result.truncated and len(result.output) == 10_000


def test_a_program_that_was_started_stays(mousepad: Editor, worker: WorkerClient) -> None:
    code = "import subprocess\nprint(subprocess.Popen(['sleep', 'infinity'], start_new_session=True).pid)"
    pid = int(worker.run(code).output)
    os.kill(pid, 9)


def test_one_run_leaves_nothing_to_the_next(worker: WorkerClient) -> None:
    worker.run("import builtins, pyautogui\nbuiltins.leak = 1\npyautogui.PAUSE = 9\nkeep = 1")
    result = worker.run(
        "import builtins, pyautogui\nprint(hasattr(builtins, 'leak'), pyautogui.PAUSE, 'keep' in globals())"
    )
    assert result.output == "False 0.1 False\n"


def test_code_that_kills_the_worker_is_a_typed_error_and_another_worker_goes_on(running: Editor) -> None:
    victim, process = start(running.bare)
    other, _ = start(running.bare)
    with pytest.raises(ActionInterrupted):
        victim.run("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nwhile True: pass", timeout=5)
    assert process.wait(10) == -9
    with pytest.raises(DesktopError, match="has ended"):
        victim.run("print(1)")
    assert other.run("print(1)").output == "1\n" and not other.ended
    other.close()


def test_a_worker_that_was_killed_while_idle_is_known_to_be_gone(running: Editor) -> None:
    victim, process = start(running.bare)
    process.kill()
    process.wait(10)
    try:
        # The fork that waits for the next code holds the connection until it has seen the end as well.
        end = time.monotonic() + 10
        while not victim.ended and time.monotonic() < end:
            time.sleep(0.01)
        assert victim.ended
    finally:
        victim.close()


def test_a_worker_ends_with_its_caller(running: Editor) -> None:
    client, process = start(running.bare)
    client.close()
    assert process.wait(10) == 0


def test_a_worker_that_does_not_start_is_said_at_once() -> None:
    ours, its = socket.socketpair()
    its.close()
    with pytest.raises(DesktopError, match="did not start"):
        WorkerClient(ours).wait_ready(60)


def test_a_worker_that_answers_nonsense_is_not_believed() -> None:
    ours, its = socket.socketpair()

    def lie() -> None:
        its.recv(65536)
        its.sendall(b"\0\0\0\x02[]")

    liar = threading.Thread(target=lie)
    liar.start()
    with pytest.raises(ActionInterrupted, match="is invalid"):
        WorkerClient(ours).run("pass", timeout=60)
    liar.join()
    its.close()
