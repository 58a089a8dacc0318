"""A screenshot as PNG bytes, against scrot and a Pillow grab: python benchmarks/desktop/screenshot.py"""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from bench import bare_desktop, milliseconds, report
from PIL import Image, ImageGrab

from trueline.desktop.screen import Framebuffer, encode

SIZE = (1920, 1080)


def main() -> None:
    with bare_desktop(SIZE) as bare:
        for words in (("mousepad",), ("xfce4-terminal", "--geometry", "100x30+900+400")):
            bare.launch(*words)
        bare.wait_window("Mousepad")
        bare.wait_window("Terminal")
        with Framebuffer(bare.framebuffer) as screen:
            ours = milliseconds(lambda: encode(screen.read()))
            read = milliseconds(screen.read)
            picture = encode(screen.read())
        naive: dict[str, float] = {}
        for name, work in (("pillow", pillow(bare.display)), ("scrot", scrot(bare.env, bare.folder / "shot.png"))):
            if work is not None:
                naive[name] = milliseconds(work, 8)
    with Image.open(io.BytesIO(picture)) as image:
        assert image.size == SIZE
    ratios = {name: round(taken / ours, 1) for name, taken in naive.items()}
    report(screenshot_ms=ours, of_which_reading_ms=read, png_bytes=len(picture), size=SIZE, ratios=ratios)


def pillow(display: str) -> Callable[[], bytes]:
    def grab() -> bytes:
        out = io.BytesIO()
        ImageGrab.grab(xdisplay=display).save(out, "PNG")
        return out.getvalue()

    return grab


def scrot(env: dict[str, str], path: Path) -> Callable[[], bytes] | None:
    if shutil.which("scrot") is None:
        return None

    def grab() -> bytes:
        subprocess.run(("scrot", "-o", str(path)), env=env, check=True)
        return path.read_bytes()

    return grab


if __name__ == "__main__":
    main()
