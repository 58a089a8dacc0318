"""The command line of a session whose user can become root; see `root` and `programs/root_system.py`."""

from __future__ import annotations

from trueline.desktop.local.argv import INSIDE, TEMPORARY, Folders, session_environment, vs_code_bind
from trueline.desktop.local.identity import HOME, HOSTNAME, RUNTIME
from trueline.desktop.local.options import LocalOptions
from trueline.desktop.local.root import loader, multiarch, python_name

CAPABILITIES = (
    "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETPCAP", "SETFCAP", "NET_BIND_SERVICE",
)  # fmt: skip
"""What the root inside may do beyond its user id; SETPCAP goes when the first process has given up all others."""
SYSTEM = "/usr/local/lib/system"
"""The machine's Python and libraries, read-only: root inside may change those of /usr, which our programs never use."""


def python_argv() -> list[str]:
    """The system's Python as the machine has it, with its own libraries."""
    libraries = f"{SYSTEM}/lib/{multiarch()}"
    return [f"{libraries}/{loader()}", "--library-path", libraries, f"{SYSTEM}/bin/{python_name()}", "-I", "-S"]


def root_session_argv(
    options: LocalOptions,
    folders: Folders,
    *,
    seccomp_fd: int,
    ready_fd: int,
    channel_fd: int,
    hidden: tuple[str, ...] = (),
) -> list[str]:
    """The session, below a first process that is root of the session's own user namespace.

    Process 1 is that program itself: bubblewrap's own would let the root inside read its memory.
    """
    variables = session_environment(options)
    del variables["TZ"]  # /etc/localtime tells, which root inside may change
    environment = [part for name, value in variables.items() for part in ("--setenv", name, value)]
    python = f"/usr/bin/{python_name()}", f"/usr/lib/{python_name()}", f"/usr/lib/{multiarch()}"
    given = [str(ready_fd), str(channel_fd)]
    return [
        "bwrap", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try", "--hostname", HOSTNAME, "--die-with-parent",
        "--new-session", "--as-pid-1", "--cap-drop", "ALL",
        *(part for name in CAPABILITIES for part in ("--cap-add", f"CAP_{name}")),
        "--bind", folders.below("root"), "/", "--proc", "/proc", "--dev", "/dev", "--ro-bind", "/proc/sys", "/proc/sys",
        *(part for path in hidden for part in ("--ro-bind", "/dev/null", path)),
        "--ro-bind-try", "/sys/devices/system/cpu", "/sys/devices/system/cpu",
        "--dev-bind", folders.below("pts"), "/dev/pts",
        *(part for path, name in TEMPORARY.items() for part in ("--bind", folders.below(name), path)),
        "--ro-bind", folders.programs, INSIDE, *vs_code_bind(folders),
        "--size", str(64 * 1024), "--tmpfs", SYSTEM,
        *(part for name in ("bin", "lib") for part in ("--perms", "0755", "--dir", f"{SYSTEM}/{name}")),
        *(part for path in python for part in ("--ro-bind", path, SYSTEM + path.removeprefix("/usr"))),
        "--remount-ro", SYSTEM,
        "--ro-bind", folders.below("x11"), "/tmp/.X11-unix",  # noqa: S108 - inside
        "--bind", folders.below("run"), RUNTIME, "--bind", folders.below("home"), HOME,
        "--bind", folders.below("log"), "/var/log/desktop",
        "--remount-ro", "/proc", "--remount-ro", "/dev", "--seccomp", str(seccomp_fd),
        "--clearenv", *environment, "--chdir", HOME,
        "--", *python_argv(), f"{INSIDE}/root/service.py", str(len(given)), *given,
        *python_argv(), f"{INSIDE}/session.py", *given,
    ]  # fmt: skip
