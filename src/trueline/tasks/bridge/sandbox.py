"""The sandbox of the worker: the command line that starts it, without the host's files and without a network."""

from __future__ import annotations

import base64
import platform
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from trueline.desktop.local.checks import CONTAINER_FLAGS, SEARCH_PATH, in_container, install_line
from trueline.desktop.local.install import install
from trueline.desktop.local.ownership import cache_folder, owner, work_place
from trueline.desktop.local.seccomp import build_filter
from trueline.errors import InputError
from trueline.tasks.bridge.environment import OSWorldEnvironment

MIB = 1 << 20
_PROGRAMS = (
    "channel.py", "enter.py", "evaluation.py", "isolation.py", "package.py", "stand_in.py", "values.py", "worker.py",
)  # fmt: skip
_INSIDE, _ENVIRONMENT = "/worker", "/environment"
_UID = "1000"
_ETC = ("alternatives", "ld.so.cache", "mime.types", "fonts")
_WORKER_FILES = 256 * MIB
"""What the imported package may write: caches."""


class SandboxUnavailable(InputError):
    """This machine cannot run the sandbox. The message names what is missing and the command that fixes it."""


@dataclass(frozen=True)
class EvaluationLimits:
    """Limits of one evaluation."""

    seconds: float = 300.0
    """Of one check, waiting included."""
    cpu_seconds: int = 180
    memory: int = 3072 * MIB
    """Of all its processes together, and of each."""
    files: int = 1024 * MIB
    """Temporary files, which lie in memory."""


def sandbox_argv(environment: OSWorldEnvironment, limits: EvaluationLimits, control: int) -> list[str]:
    """The command line of the worker's sandbox; `control` is the descriptor of its socket.

    Raises:
        SandboxUnavailable: A program of the system is missing, or the system is not Linux.
        InputError: The environment is damaged.
    """
    if sys.platform != "linux":
        raise SandboxUnavailable("OSWorld's evaluators run in a sandbox, which needs Linux")
    bwrap = shutil.which("bwrap", path=SEARCH_PATH)
    if bwrap is None:
        raise SandboxUnavailable(
            f"OSWorld's evaluators run in a sandbox, which needs bwrap: {install_line(['bubblewrap'])}"
        )
    user = owner()
    source = resources.files("trueline.tasks.bridge.inside")
    programs = install(cache_folder(), "evaluators", {name: (source / name).read_bytes() for name in _PROGRAMS}, user)
    shown = {Path(_INSIDE): programs, Path(_ENVIRONMENT): environment.folder.resolve(), **_interpreter(environment)}
    folders = list(shown.values())
    enter: list[str] = []
    if user.drop:
        place = work_place(*folders)
        enter = [sys.executable, "-I", "-S", str(programs / "enter.py"), str(user.uid), str(user.gid), place]
        enter += [*map(str, folders), "--"]
        folders = [Path(place, str(number)) for number in range(len(folders))]
    binds = [part for inside, folder in zip(shown, folders, strict=True) for part in ("--ro-bind", folder, inside)]
    seccomp = base64.b64encode(build_filter(platform.machine())).decode("ascii")
    program = [f"{_ENVIRONMENT}/bin/python", "-I", "-B", f"{_INSIDE}/worker.py"]
    numbers = (control, limits.memory, limits.cpu_seconds, limits.files)
    return [*enter, *_bwrap(bwrap, [*map(str, binds)]), *program, *map(str, numbers), seccomp]


def _interpreter(environment: OSWorldEnvironment) -> dict[Path, Path]:
    """The installation of the environment's Python, by the paths under which it is looked up; nothing below /usr."""
    program = environment.python.resolve()
    return {
        path: path.resolve()
        for path in dict.fromkeys((environment.home, program.parent.parent))
        if not path.is_relative_to("/usr")
    }


def _bwrap(program: str, binds: Sequence[str]) -> list[str]:
    """Bubblewrap with the system's programs, temporary files of its own, and nothing else."""
    return [
        program, "--unshare-user", "--uid", _UID, "--gid", _UID, "--unshare-pid", "--unshare-net", "--unshare-ipc",
        "--unshare-uts", "--unshare-cgroup-try", "--hostname", "evaluator", "--cap-drop", "ALL", "--die-with-parent",
        "--new-session", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin",
        "--symlink", "usr/lib", "/lib", "--ro-bind-try", "/lib64", "/lib64", "--perms", "0755", "--dir", "/etc",
        *(part for name in _ETC for part in ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")),
        "--proc", "/proc", "--dev", "/dev", "--size", str(_WORKER_FILES), "--perms", "1777", "--tmpfs", "/tmp",  # noqa: S108
        *binds, "--remount-ro", "/dev", "--remount-ro", "/", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin",
        "--setenv", "HOME", "/tmp", "--setenv", "LANG", "C.UTF-8", "--setenv", "TZ", "UTC", "--setenv", "USER", "user",  # noqa: S108
        "--chdir", "/tmp", "--",  # noqa: S108
    ]  # fmt: skip


def start_failure(said: str) -> SandboxUnavailable:
    """Why the sandbox did not start, with what may help."""
    fix = f"start the container with: {CONTAINER_FLAGS}" if in_container() else "see: trueline doctor"
    return SandboxUnavailable(f"the sandbox of OSWorld's evaluators did not start: {said}; {fix}")
