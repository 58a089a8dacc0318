"""Clicks, typed text and action code, against a new program per action: python benchmarks/desktop/input.py"""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from bench import Bare, bare_desktop, milliseconds, report

from trueline.actions import Click, Point, Type
from trueline.desktop.input.execute import open_pointing
from trueline.desktop.worker import WorkerClient, bundle

TEXT = "The quick brown fox jumps over the lazy dog 012345"
CODE = "import pyautogui\npyautogui.click(300, 300)"


def main() -> None:
    with bare_desktop((1920, 1080)) as bare, closing(open_pointing(bare.display)) as hands:
        bare.launch("mousepad")
        bare.wait_window("Mousepad")
        click = milliseconds(lambda: hands.do(Click(at=Point(900, 500))))
        typed = milliseconds(lambda: hands.do(Type(text=TEXT)))
        with closing(worker(bare)) as client:
            code = milliseconds(lambda: client.run(CODE, pause=0))
        program = [sys.executable, "-c", f"import pyautogui\npyautogui.PAUSE = 0\n{CODE}"]
        if importlib.util.find_spec("pyautogui") is None:
            program = ["xdotool", "mousemove", "300", "300", "click", "1"]
        slow_click = milliseconds(lambda: subprocess.run(program, env=bare.env, check=True), 10)
        slow_type = milliseconds(lambda: bare.run("xdotool", "type", "--delay", "1", TEXT), 10)
        python = milliseconds(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), 10)
    report(
        click_ms=click,
        type50_ms=typed,
        code_ms=code,
        ratios={
            f"click by {Path(program[0]).name}": round(slow_click / click, 1),
            "text by xdotool": round(slow_type / typed, 1),
            "code by a new Python, before it does anything": round(python / code, 1),
        },
    )


def worker(bare: Bare) -> WorkerClient:
    program, path = bare.folder / "worker.pyz", bare.folder / "worker"
    program.write_bytes(bundle())
    bare.launch("/usr/bin/python3", "-I", "-S", str(program), str(path), bare.display)

    def connect() -> socket.socket:
        end = time.monotonic() + 10
        while True:
            sock = socket.socket(socket.AF_UNIX)
            try:
                sock.connect(str(path))
            except OSError:
                sock.close()
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)
            else:
                return sock

    return WorkerClient(connect)


if __name__ == "__main__":
    main()
