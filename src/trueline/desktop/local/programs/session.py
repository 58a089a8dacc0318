"""Process that starts the desktop's parts inside the sandbox; the sandbox lives as long as it does.

Arguments: the descriptor on which the X server says that it is ready, and the host's channel for the agent.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

TYPE_CHECKING = False  # `typing` costs milliseconds at every start
if TYPE_CHECKING:
    from collections.abc import Callable

PR_SET_DUMPABLE, PR_SET_NAME = 4, 15
LIBC = ctypes.CDLL(None)
RUNTIME = os.environ["XDG_RUNTIME_DIR"]
PARTS = (
    ["/usr/libexec/at-spi-bus-launcher", "--launch-immediately"],
    ["openbox"],
    ["xfsettingsd"],
    ["xfdesktop"],
    ["xfce4-panel"],
)


def spawn(argv: list[str], fds: dict[int, int] | None = None) -> int:
    """Start a program with nothing but /dev/null and the descriptors given (theirs by ours)."""
    actions = [(os.POSIX_SPAWN_DUP2, NULL, number) for number in range(3)]
    actions += [(os.POSIX_SPAWN_DUP2, ours, theirs) for theirs, ours in (fds or {}).items()]
    return os.posix_spawnp(argv[0], argv, os.environ, file_actions=actions, setsid=True, setsigdef=[signal.SIGPIPE])


def activate(name: str) -> None:
    """Have the bus start a service that others will ask for, and then wait for, in a moment."""
    bus = ["--session", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"]
    spawn(["dbus-send", *bus, "org.freedesktop.DBus.StartServiceByName", f"string:{name}", "uint32:0"])


def start_agent(serve: Callable[[int], None], channel: int) -> int:
    """Start the process that does what the host asks.

    It is forked, never executed: a program that is executed can be opened and written by others of the same user
    until it says otherwise, and whoever kills this one could wait for that moment.
    """
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            for number in range(3):
                os.dup2(NULL, number)
            LIBC.prctl(PR_SET_NAME, b"agent", 0, 0, 0)
            serve(channel)
        finally:
            os._exit(0)
    return pid


def main() -> None:
    """Start everything, then keep the agent alive."""
    # Programs inside run as the same user: without this they could read and write our memory and descriptors.
    LIBC.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    x_ready, channel = int(sys.argv[1]), int(sys.argv[2])
    for fd in (x_ready, channel):
        os.set_inheritable(fd, False)
    bus_ready, write = os.pipe2(os.O_CLOEXEC)
    address = os.environ["DBUS_SESSION_BUS_ADDRESS"]
    spawn(
        ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={address}", "--print-address=3"], {3: write}
    )
    os.close(write)
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))
    from agent import serve  # loaded while the bus starts

    agent = start_agent(serve, channel)
    if not os.read(bus_ready, 200):
        sys.exit("the message bus did not start")
    activate("org.xfce.Xfconf")  # it needs no X server
    if not os.read(x_ready, 20):
        sys.exit("the X server did not start")
    activate("org.xfce.FileManager")
    for argv in PARTS:
        spawn(argv)
    while True:
        pid, _ = os.wait()
        if pid == agent:
            agent = start_agent(serve, channel)


NULL = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
main()
