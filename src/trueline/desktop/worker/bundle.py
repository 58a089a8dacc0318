"""The worker as one file for the system's Python inside the sandbox: `python3 -I -S worker.pyz DISPLAY`."""

from __future__ import annotations

import io
import zipfile
from importlib.resources import files

_MODULES = (
    "x11/__init__.py",
    "x11/wire.py",
    "x11/connection.py",
    "input/__init__.py",
    "input/keysyms.py",
    "input/keyboard.py",
    "input/injector.py",
    "worker/inside/__init__.py",
    "worker/inside/unsupported.py",
    "worker/inside/pyautogui.py",
    "worker/inside/serve.py",
    "worker/inside/return_types.py",
)
_EMPTY = ("__init__.py", "desktop/__init__.py", "desktop/worker/__init__.py")
_MAIN = "import runpy\nrunpy.run_module('trueline.desktop.worker.inside.serve', run_name='__main__')\n"


def bundle() -> bytes:
    """The worker's program: always the same bytes for the same sources."""
    source = files("trueline.desktop")
    content = {"__main__.py": _MAIN.encode()}
    content |= {f"trueline/{name}": b"" for name in _EMPTY}
    content |= {f"trueline/desktop/{name}": source.joinpath(name).read_bytes() for name in _MODULES}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in sorted(content.items()):
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()
