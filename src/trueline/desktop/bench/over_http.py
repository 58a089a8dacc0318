"""What a client sees over HTTP: our server, and on the same desktop a stand-in for OSWorld's own."""

from __future__ import annotations

import asyncio
import statistics
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from trueline.desktop.bench import naive
from trueline.desktop.bench.http_client import ask
from trueline.desktop.local import LocalDesktop
from trueline.desktop.serve import serve
from trueline.desktop.types import DesktopError
from trueline.serving import Listener

_STAND_IN_PORT = 5001
_UP_S = 20.0


@dataclass(frozen=True)
class Asked:
    """One path, asked on both sides."""

    ours_ms: float
    stand_in_ms: float
    """Zero where there is none: the desktop has no `python3-pyatspi` or `python3-pil`."""
    ours_elements: int = 0
    stand_in_elements: int = 0

    @property
    def ratio(self) -> float:
        """How many times longer the stand-in takes."""
        return round(self.stand_in_ms / self.ours_ms, 1)


async def ask_both(desktop: LocalDesktop, path: str, times: int) -> Asked:
    """Ask our server and the stand-in for a path, one after the other, each by a client in its own process."""
    listener, stop = Listener.open(), asyncio.Event()
    serving = asyncio.create_task(serve(listener, desktop, None, stop=stop))
    try:
        ours, elements = await _ask(f"{listener.url}{path}", times)
    finally:
        stop.set()
        await serving
    try:
        theirs, its_elements = await _ask_stand_in(desktop, path, times)
    except DesktopError:
        theirs, its_elements = 0.0, 0
    return Asked(ours, theirs, elements, its_elements)


async def _ask_stand_in(desktop: LocalDesktop, path: str, times: int) -> tuple[float, int]:
    pid = await desktop.launch(naive.osworld_stand_in(_STAND_IN_PORT))
    try:
        async with asyncio.timeout(_UP_S):
            while True:
                try:
                    (await desktop.connect(port=_STAND_IN_PORT)).close()
                    break
                except DesktopError:
                    await asyncio.sleep(0.05)
        async with desktop.forward(_STAND_IN_PORT) as port:
            return await _ask(f"http://127.0.0.1:{port}{path}", times)
    except TimeoutError:
        raise DesktopError("the stand-in for OSWorld's server did not come up") from None
    finally:
        await desktop.run(("kill", str(pid)))


async def _ask(url: str, times: int) -> tuple[float, int]:
    """The median of the milliseconds, and the elements of the tree in the last answer."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as client:
        try:
            found = await asyncio.wrap_future(client.submit(ask, url, times))
        except OSError as error:
            raise DesktopError(f"{url}: {error}") from error
    return round(statistics.median(found.taken_ms), 1), found.elements
