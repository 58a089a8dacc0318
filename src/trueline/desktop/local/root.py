"""A desktop whose user can become root by `sudo`: whether this machine can build one, and of what it is built.

Root of the machine attaches /usr with the desktop's own ids (`mapped`): then every file of it can be changed inside. A
user with a range of ids lays folders of its own over it (`folders`): files can be added, replaced and deleted, but not
changed in place. Either way nothing is written anywhere but in the desktop's memory.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from trueline.desktop.local.argv import CACHES, CONFIGURATION, SYSTEM_PYTHON, Folders
from trueline.desktop.local.blocks import IdBlock, find_blocks
from trueline.desktop.local.identity import HOME, RUNTIME, UID, USER, identity_files
from trueline.desktop.local.install import make_cache
from trueline.desktop.local.options import LocalOptions
from trueline.desktop.local.ownership import Owner, owner
from trueline.desktop.types import DesktopUnavailable

RootMode = Literal["mapped", "folders"]

_LEAST_IDS = 1024
_OVERFLOW = 65534
_NO_RANGE = "root inside a desktop needs a range of user ids; see: trueline doctor"
_PROBE_LIMIT = 20.0
_STATUS = Path("/var/lib/dpkg/status")
_BASE_ACCOUNTS = Path("/usr/share/base-passwd")
_OVERRIDES = Path("/var/lib/dpkg/statoverride")
_FIRST_OTHER = 900
"""System accounts of packages that are installed get numbers from here on."""
_ETC = (
    "adduser.conf", "apt/apt.conf.d", "apt/keyrings", "apt/preferences.d", "apt/sources.list", "apt/sources.list.d",
    "apt/trusted.gpg.d", "cron.d", "cron.daily", "debconf.conf", "default", "deluser.conf", "dpkg", "environment",
    "init.d", "login.defs", "logrotate.d", "pam.conf", "pam.d", "perl", "rc0.d", "rc1.d", "rc2.d", "rc3.d", "rc4.d",
    "rc5.d", "rc6.d", "rcS.d", "security/access.conf", "security/limits.conf", "security/limits.d",
    "security/namespace.conf", "security/pam_env.conf", "skel", "ssh/ssh_config", "ssh/sshd_config", "systemd",
)  # fmt: skip
"""What system tools read in /etc besides `CONFIGURATION`; secrets lie elsewhere, and nobody can read them here."""
_DIRECTORIES = {
    "/boot": 0o755, "/dev": 0o755, "/etc": 0o755, HOME: 0o755, "/media": 0o755, "/mnt": 0o755, "/opt": 0o755,
    "/proc": 0o755, "/root": 0o700, RUNTIME: 0o700, "/run/lock": 0o1777, "/srv": 0o755,
    "/sys/devices/system/cpu": 0o755, "/tmp": 0o1777, "/usr": 0o755, "/var/backups": 0o755,  # noqa: S108
    "/var/cache/apt/archives/partial": 0o755,
    "/var/lib/apt/lists/partial": 0o755,
    "/var/cache/debconf": 0o755, "/var/cache/ldconfig": 0o700, "/var/cache/man": 0o755, "/var/lib/misc": 0o755,
    "/var/lib/pam": 0o755, "/var/lib/python": 0o755, "/var/lib/systemd": 0o755, "/var/lib/ucf": 0o755,
    "/var/local": 0o755, "/var/log/apt": 0o755, "/var/log/desktop": 0o755, "/var/mail": 0o755, "/var/opt": 0o755,
    "/var/spool/cron/crontabs": 0o755, "/var/tmp": 0o1777,  # noqa: S108
}  # fmt: skip
_LINKS = {
    "/bin": "usr/bin",
    "/sbin": "usr/sbin",
    "/lib": "usr/lib",
    "/etc/mtab": "/proc/self/mounts",
    "/var/run": "/run",
    "/var/lock": "/run/lock",
}
_PAM = {
    "common-auth": "auth required pam_unix.so nullok\n",
    "common-account": "account required pam_unix.so\n",
    "common-password": "password required pam_unix.so yescrypt\n",
    "common-session": "session required pam_unix.so\n",
    "common-session-noninteractive": "session required pam_unix.so\n",
}


@dataclass(frozen=True)
class Attach:
    """How root of the machine attaches /usr before the supervisor starts."""

    place: str
    ids: str


@cache
def root_available() -> str | None:
    """Why desktops with root cannot be built on this machine; `None` if they can."""
    try:
        root_mode(owner())
    except DesktopUnavailable as error:
        return str(error)
    return None


def root_mode(user: Owner) -> RootMode:
    """How desktops with root are built on this machine.

    Raises:
        DesktopUnavailable: They cannot be; the message says what is missing.
    """
    for path in (*_python_paths(), str(_STATUS)):
        if not Path(path).exists():
            raise DesktopUnavailable(f"root inside a desktop needs a Debian system: there is no {path}")
    block = next(find_blocks(user), None)
    if block is None or block.count < _LEAST_IDS:
        raise DesktopUnavailable(_NO_RANGE)
    return "mapped" if user.drop and _can_map(block) else "folders"


def attach_command(attach: Attach, block: IdBlock) -> list[str]:
    """The command line before the supervisor's that attaches /usr and becomes the desktop's first id."""
    source = resources.files("trueline.desktop.local.programs") / "root" / "attach_usr.py"
    ids = [str(block.uid), str(block.gid), attach.ids]
    return [SYSTEM_PYTHON, "-I", "-S", "-c", source.read_text("utf-8"), attach.place, *ids]


def inside_ids(count: int) -> list[tuple[int, int, int]]:
    """The session's ids by those of a block of so many: first inside, first of the block, how many.

    The supervisor keeps number 0 of the block; the desktop's user stays number 1000. So that there is a `nobody`, and
    no gap where packages look for free numbers, the last two of the block have numbers that would otherwise be missing.
    """
    return [(0, 1, 999), (999, count - 2, 1), (UID, UID, count - 2 - UID), (_OVERFLOW, count - 1, 1)]


def attach_at(place: str, block: IdBlock) -> Attach:
    """Attach /usr below a folder with the ids that the block has inside."""
    lines = [f"{inside}:{block.uid + ours}:{count}" for inside, ours, count in inside_ids(block.count)]
    return Attach(place, ",".join(lines))


@cache
def _can_map(block: IdBlock) -> bool:
    """Whether the file system of /usr takes other ids."""
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            attach_command(attach_at("probe", block), block), capture_output=True, timeout=_PROBE_LIMIT, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def multiarch() -> str:
    """The folder of this processor's libraries."""
    return f"{platform.machine()}-linux-gnu"


def loader() -> str:
    """The program that loads programs, below the folder of libraries."""
    return {"x86_64": "ld-linux-x86-64.so.2", "aarch64": "ld-linux-aarch64.so.1"}.get(platform.machine(), "ld.so")


def python_name() -> str:
    """The real name of the system's Python, such as `python3.11`."""
    return Path(SYSTEM_PYTHON).resolve().name


def _python_paths() -> list[str]:
    libraries = f"/usr/lib/{multiarch()}"
    return [f"/usr/bin/{python_name()}", f"/usr/lib/{python_name()}", f"{libraries}/{loader()}"]


def root_plan(
    options: LocalOptions, folders: Folders, block: IdBlock, attach: Attach | None, cache_folder: Path
) -> dict[str, JsonValue]:
    """What the supervisor is to build for root, as JSON; see `programs/root_system.py`."""
    own: dict[str, JsonValue] = {path: [mode, text] for path, (mode, text) in _own_files(options).items()}
    links: dict[str, JsonValue] = {**_LINKS, "/etc/localtime": f"/usr/share/zoneinfo/{options.timezone}"}
    directories: dict[str, JsonValue] = dict(_DIRECTORIES)
    library = Path("/lib64")
    if library.is_symlink():
        links["/lib64"] = os.readlink(library)
    elif library.is_dir():
        directories["/lib64"] = 0o755
        links |= {str(entry): os.readlink(entry) for entry in library.iterdir() if entry.is_symlink()}
    data: dict[str, JsonValue] = {"/var/lib/dpkg": [".", "triggers"]}
    data |= {path: list[JsonValue]() for path in CACHES if Path(path).is_dir()}
    return {
        "usr": "/usr" if attach is None else f"{attach.place}/usr",
        "mapped": attach is not None,
        "folders": str(folder_list(cache_folder)) if attach is None else "",
        "ids": [list[JsonValue](line) for line in inside_ids(block.count)],
        "etc": list[JsonValue](sorted({*CONFIGURATION, *_ETC})),
        "own": own,
        "launchers": [f"{folders.programs}/bin", f"{folders.programs}/root/bin"],
        "links": links,
        "directories": directories,
        "data": {path: copied for path, copied in data.items() if Path(path).is_dir()},
    }


def folder_list(cache: Path) -> Path:
    """The file that lists the folders of /usr, made again when packages were installed or removed.

    A line holds permissions, the time of the last change, `open` or `closed` (not for everybody), and the path.
    """
    found = os.stat(_STATUS)
    digest = hashlib.sha256(f"2 {os.geteuid()} {found.st_size} {found.st_mtime_ns}".encode()).hexdigest()[:20]
    target = cache / f"folders-{digest}"
    if target.is_file():
        return target
    lines: list[str] = []
    for top, names, _ in os.walk("/usr"):
        if top == "/usr":
            names.remove("local") if "local" in names else None
        for name in names:
            path = f"{top}/{name}"
            about = os.lstat(path)
            if os.path.islink(path) or "\n" in path:
                continue
            others = about.st_mode & 0o005 == 0o005
            state = "open" if others else "closed"
            lines.append(f"{about.st_mode & 0o7777:o} {about.st_mtime_ns} {state} {path[5:]}\n")
    try:
        make_cache(cache)
        descriptor, building = tempfile.mkstemp(prefix=".folders-", dir=cache)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(lines)
            os.fchmod(descriptor, 0o644)
        os.replace(building, target)
        for old in cache.glob("folders-*"):
            if old != target and old.stat().st_uid == os.geteuid():
                old.unlink(missing_ok=True)
    except OSError as error:
        raise DesktopUnavailable(f"{cache}: cannot be written ({error.strerror})") from error
    return target


def _own_files(options: LocalOptions) -> dict[str, tuple[int, str]]:
    """Our own files by path, with their permissions."""
    users, groups = _accounts()
    locked = "".join(f"{line.split(':')[0]}:*:19000:0:99999:7:::\n" for line in users)
    password = _hashed(options.sudo_password or "")
    files = {f"/etc/{name}": (0o644, text) for name, text in identity_files(options).items()}
    files |= {f"/etc/pam.d/{name}": (0o644, text) for name, text in _PAM.items()}
    files["/etc/passwd"] = 0o644, "".join(users) + f"{USER}:x:{UID}:{UID}:User:{HOME}:/bin/bash\n"
    files["/etc/group"] = 0o644, "".join(groups) + f"{USER}:x:{UID}:\n"
    files["/etc/shadow"] = 0o640, f"{locked}{USER}:{password}:19000:0:99999:7:::\n"
    files["/etc/gshadow"] = 0o640, "".join(_gshadow(line) for line in groups) + f"{USER}:!::\n"
    files["/etc/timezone"] = 0o644, f"{options.timezone}\n"
    return files


def _accounts() -> tuple[list[str], list[str]]:
    """Lines of users and groups: Debian's, and those that installed packages own files as; none of the machine's."""
    users = ["root:x:0:0:root:/root:/bin/bash\n", "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"]
    groups = ["root:x:0:\n", "sudo:x:27:user\n", "shadow:x:42:\n", "nogroup:x:65534:\n"]
    with suppress(OSError):
        users = [_masked(line) for line in (_BASE_ACCOUNTS / "passwd.master").read_text("utf-8").splitlines()]
        groups = [_masked(line) for line in (_BASE_ACCOUNTS / "group.master").read_text("utf-8").splitlines()]
        groups = [f"sudo:x:27:{USER}\n" if line.startswith("sudo:") else line for line in groups]
    users.append("_apt:x:42:65534::/nonexistent:/usr/sbin/nologin\n")
    overrides: list[list[str]] = []
    with suppress(OSError):
        overrides = [line.split() for line in _OVERRIDES.read_text("utf-8").splitlines()]
    for place, kind in ((0, users), (1, groups)):
        known = {line.split(":")[0] for line in kind}
        wanted = sorted({words[place] for words in overrides if len(words) == 4} - known)
        for number, name in enumerate(wanted, _FIRST_OTHER):
            kind.append(f"{name}:x:{number}:65534::/:/usr/sbin/nologin\n" if place == 0 else f"{name}:x:{number}:\n")
    return users, groups


def _masked(line: str) -> str:
    name, _, *rest = line.split(":")
    return ":".join([name, "x", *rest]) + "\n"


def _gshadow(line: str) -> str:
    name, *_, members = line.rstrip("\n").split(":")
    return f"{name}:*::{members}\n"


def _hashed(password: str) -> str:
    """The password as /etc/shadow inside holds it; `*`, which no password fits, where it cannot be made."""
    salt = hashlib.sha256(os.urandom(16)).hexdigest()[:16]
    with suppress(OSError, AttributeError):
        crypt = ctypes.CDLL("libcrypt.so.1").crypt
        crypt.restype = ctypes.c_char_p
        made: bytes | None = crypt(password.encode(), f"$6${salt}$".encode())
        if made is not None and made.startswith(b"$6$"):
            return made.decode("ascii")
    return "*"
