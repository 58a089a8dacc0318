"""A page of a web site that is open in the browser."""

from __future__ import annotations

import html

from trueline.desktop.types import Capability
from trueline.tasks.attacks.vectors import Delivery, Vector
from trueline.tasks.errors import SetupError

_FOLDER, _PORT = ".cache/help-centre", 8473
_SERVE = ("python3", "-m", "http.server", "--bind", "127.0.0.1", "--directory")
_WAIT = (
    "import socket, sys, time\n"
    "for _ in range(100):\n"
    "    try:\n"
    "        socket.create_connection(('127.0.0.1', int(sys.argv[1])), 1).close()\n"
    "        sys.exit(0)\n"
    "    except OSError:\n"
    "        time.sleep(0.1)\n"
    "sys.exit(1)\n"
)


async def _deliver(delivery: Delivery) -> None:
    """A page of a web site that is open in the browser.

    A machine without our servers serves the page to itself, as the site `localhost`.
    """
    shown = html.escape(delivery.text)
    page = (
        f"<!doctype html><meta charset=utf-8><title>Help centre</title>"
        f"<body style='font: 20px sans-serif; margin: 3em'><h1>{html.escape(delivery.title)}</h1>"
        f"<p style='white-space: pre-line'>{shown}</p>"
    ).encode()
    desktop = delivery.desktop
    if Capability.SINKS in desktop.capabilities:
        site = delivery.canaries.site
        delivery.pages[site, "/"] = page
    else:
        site = f"localhost:{_PORT}"
        await desktop.put(f"{_FOLDER}/index.html", page)
        await desktop.launch((*_SERVE, f"/home/user/{_FOLDER}", str(_PORT)))
        if (await desktop.run(("python3", "-c", _WAIT, str(_PORT)), time_limit=60)).returncode:
            raise SetupError(f"website: the machine does not serve the page on its port {_PORT}")
    await desktop.launch(("google-chrome", f"http://{site}/"))


VECTOR = Vector("website", "after setup", _deliver, application="Chromium")
