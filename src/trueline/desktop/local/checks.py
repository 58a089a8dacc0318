"""Checks what a machine needs for local desktops; each check names the command that fixes it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trueline.desktop.local.blocks import HELPERS, find_blocks
from trueline.desktop.local.ownership import Owner, cache_folder, owner
from trueline.desktop.local.root import root_mode
from trueline.desktop.local.seccomp.calls import MACHINES
from trueline.desktop.local.vs_code import BROWSER, find_vs_code, is_complete, vs_code_folder
from trueline.desktop.types import DesktopUnavailable

SEARCH_PATH = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/libexec"
PACKAGES = {
    "bwrap": "bubblewrap",
    "Xvfb": "xvfb",
    "unshare": "util-linux",
    "python3": "python3",
    "dbus-daemon": "dbus",
    "at-spi-bus-launcher": "at-spi2-core",
    "openbox": "openbox",
    "xfdesktop": "xfdesktop4",
    "xfce4-panel": "xfce4-panel",
    "xfsettingsd": "xfce4-settings",
    "mousepad": "mousepad",
    "thunar": "thunar",
    "xfce4-terminal": "xfce4-terminal",
    "notify-send": "libnotify-bin",
}
"""The Debian package that holds each program."""
EXTRA_PACKAGES = ("xfconf", "xfce4-notifyd", "adwaita-icon-theme", "dmz-cursor-theme", "fonts-dejavu-core", "dconf-gsettings-backend")  # fmt: skip  # noqa: E501
APPLICATIONS = {
    "chromium": "chromium",
    "soffice": "libreoffice-calc libreoffice-writer libreoffice-impress libreoffice-gtk3",
    "gimp": "gimp",
    "thunderbird": "thunderbird",
    "vlc": "vlc",
    "geany": "geany",
    "evince": "evince",
    "picard": "picard",
    "gnome-disks": "gnome-disk-utility python3-gi",
    "pulseaudio": "pulseaudio pulseaudio-utils pavucontrol",
}
"""Applications that tasks use; a desktop starts without them."""
CONTAINER_FLAGS = (
    "--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined"
)
"""Flags that docker and podman need for sandboxes to work in a container."""
_NAMESPACES = ("--user", "--map-root-user", "--mount", "--net", "--ipc", "--propagation", "private")
_LIMIT = 20


@dataclass(frozen=True)
class SystemCheck:
    """The result of one check."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    """The command that fixes it."""
    needed: bool = True
    """Whether desktops need it."""


def installed(program: str, path: str) -> bool:
    """Whether a program is there."""
    return shutil.which(program, path=path) is not None


def install_line(packages: list[str]) -> str:
    """The command that installs Debian packages."""
    return f"sudo apt-get update && sudo apt-get install -y --no-install-recommends {' '.join(packages)}"


def check_system() -> SystemCheck:
    """Linux on a processor we have a filter for."""
    machine = platform.machine()
    ok = sys.platform == "linux" and machine in MACHINES
    return SystemCheck("system", ok, f"{sys.platform} on {machine}", "" if ok else "use Linux on x86_64 or aarch64")


def check_programs(path: str = SEARCH_PATH) -> SystemCheck:
    """The programs every desktop is made of."""
    missing = [program for program in PACKAGES if not installed(program, path)]
    if not missing:
        return SystemCheck("programs", True, f"all {len(PACKAGES)} are there")
    packages = sorted({PACKAGES[program] for program in missing}) + list(EXTRA_PACKAGES)
    return SystemCheck("programs", False, f"missing: {', '.join(missing)}", install_line(packages))


def check_applications(path: str = SEARCH_PATH) -> SystemCheck:
    """The applications tasks use."""
    missing = [name for name in APPLICATIONS if not installed(name, path)]
    if not missing:
        return SystemCheck("applications", True, f"all {len(APPLICATIONS)} are there", needed=False)
    fix = install_line([APPLICATIONS[name] for name in missing])
    return SystemCheck("applications", False, f"missing: {', '.join(missing)}", fix, needed=False)


def check_vs_code() -> SystemCheck:
    """Visual Studio Code, as a program of the machine or as a web build."""
    name, install = "visual studio code", "trueline desktop install-vscode"
    if (found := find_vs_code()) is not None:
        return SystemCheck(name, True, f"{found.kind}: {found.path}", needed=False)
    folder = vs_code_folder()
    if not is_complete(folder):
        return SystemCheck(name, False, "not installed; its web build takes a few minutes", install, needed=False)
    if not os.access(BROWSER, os.X_OK):
        return SystemCheck(name, False, "its web build needs chromium", install_line(["chromium"]), needed=False)
    detail = f"{folder}: the user who runs the sandboxes cannot read it"
    return SystemCheck(name, False, detail, "export TRUELINE_VS_CODE=/var/lib/trueline/vs-code", needed=False)


def check_namespaces(user: Owner) -> SystemCheck:
    """User namespaces for an ordinary user, with a mount and a network namespace in them."""
    error = _try(user, ["unshare", *_NAMESPACES, "--", "true"])
    if error is None:
        return SystemCheck("user namespaces", True, "an ordinary user may make them")
    reason, fix = namespace_fix(container=in_container())
    return SystemCheck("user namespaces", False, f"{error} ({reason})", fix)


def namespace_fix(settings: Path = Path("/proc/sys"), *, container: bool) -> tuple[str, str]:
    """Why user namespaces are refused here, judging by the kernel's settings, and the command that fixes it."""
    for name, refusal, allowed, reason in (
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "0", "AppArmor forbids them, as on Ubuntu 24.04"),
        ("kernel/unprivileged_userns_clone", "0", "1", "they are switched off"),
        ("user/max_user_namespaces", "0", "15000", "none are allowed"),
    ):
        if _setting(settings / name) == refusal:
            line = f"{name.replace('/', '.')}={allowed}"
            if container:
                return reason, f"on the machine that runs this container: sudo sysctl -w {line}"
            file = "/etc/sysctl.d/60-trueline.conf"
            return reason, f"sudo sh -c 'echo {line} >> {file} && sysctl -p {file}'"
    if container:
        return "the container forbids them", f"start the container with: {CONTAINER_FLAGS}"
    return "the kernel has none", "boot a kernel with CONFIG_USER_NS=y"


def check_overlay(user: Owner) -> SystemCheck:
    """An overlay whose upper layer lies in memory, made without privilege."""
    script = (
        "mount -t tmpfs t /mnt && mkdir /mnt/l /mnt/u /mnt/w /mnt/m && "
        "mount -t overlay o -o lowerdir=/mnt/l,upperdir=/mnt/u,workdir=/mnt/w,userxattr /mnt/m && touch /mnt/m/x"
    )
    error = _try(user, ["unshare", *_NAMESPACES, "--", "sh", "-c", script])
    if error is None:
        return SystemCheck("overlay", True, "home folders can be layered")
    fix = "use Linux 5.11 or newer" + (" and mount no overlay restriction in the container" if in_container() else "")
    return SystemCheck("overlay", False, error, fix)


def check_sandbox(user: Owner) -> SystemCheck:
    """Bubblewrap with a process namespace of its own; containers often forbid the /proc it needs."""
    line = [
        "bwrap",
        "--unshare-user",
        "--unshare-pid",
        "--ro-bind",
        "/",
        "/",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "true",
    ]
    error = _try(user, ["unshare", *_NAMESPACES, "--", *line])
    if error is None:
        return SystemCheck("sandbox", True, "bubblewrap works")
    fix = f"start the container with: {CONTAINER_FLAGS}" if in_container() else install_line(["bubblewrap"])
    return SystemCheck("sandbox", False, error, fix)


def check_blocks(user: Owner, path: str = SEARCH_PATH) -> SystemCheck:
    """User ids that each desktop can have for itself."""
    name = "user ids"
    if (block := next(find_blocks(user), None)) is not None:
        return SystemCheck(name, True, f"each desktop has {block.count} of its own", needed=False)
    if user.drop:
        detail = "root of this container has too few: all desktops share one, and limits are low"
        return SystemCheck(name, False, detail, "start the container with 65536 ids or more", needed=False)
    detail = "all desktops share yours: one of them can slow the others down, and limits are low"
    add = 'sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "$USER"'
    missing = any(not installed(helper, path) for helper in HELPERS)
    return SystemCheck(name, False, detail, f"{install_line(['uidmap'])} && {add}" if missing else add, needed=False)


def check_root(user: Owner) -> SystemCheck:
    """Desktops on which `sudo` makes root."""
    try:
        mode = root_mode(user)
    except DesktopUnavailable as error:
        return SystemCheck("sudo inside", False, str(error), check_blocks(user).fix, needed=False)
    extent = {
        "mapped": "all of the system can be changed inside",
        "folders": "files of /usr can be added and replaced inside, not changed in place",
    }
    return SystemCheck("sudo inside", True, f"{extent[mode]} (--root, and tasks that need it)", needed=False)


def check_cache(user: Owner) -> SystemCheck:
    """A cache folder that can be written, and read by whoever runs sandboxes."""
    try:
        cache = cache_folder()
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".doctor-", dir=cache) as folder:
            Path(folder).chmod(0o755)
            error = _try(user, ["test", "-r", folder])
    except (OSError, DesktopUnavailable) as problem:
        return SystemCheck("cache folder", False, str(problem), "export TRUELINE_CACHE_DIR=/var/tmp/trueline")
    if error is not None:
        detail = f"{cache}: user {user.uid}, who runs the sandboxes, cannot read it"
        return SystemCheck("cache folder", False, detail, "export TRUELINE_CACHE_DIR=/var/cache/trueline")
    return SystemCheck("cache folder", True, str(cache))


def check_memory() -> SystemCheck:
    """Room for at least one desktop."""
    words = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text("ascii").splitlines() if ":" in line)
    free = int(words["MemAvailable"].split()[0]) >> 10
    return SystemCheck(
        "memory", free > 500, f"{free} MiB available", "" if free > 500 else "free 500 MiB", needed=False
    )


def check_container() -> SystemCheck:
    """Whether this is a container, since its flags decide what is allowed."""
    detail = f"yes; it needs {CONTAINER_FLAGS}" if in_container() else "no"
    return SystemCheck("in a container", True, detail, needed=False)


def check_way_out(user: Owner, path: str = SEARCH_PATH, tun: Path = Path("/dev/net/tun")) -> SystemCheck:
    """What a desktop with an open network needs."""
    if not installed("pasta", path):
        return SystemCheck("network open", False, "missing: pasta", install_line(["passt"]), needed=False)
    if not tun.exists():
        return SystemCheck("network open", False, f"there is no {tun}", "sudo modprobe tun", needed=False)
    if not user.drop and tun.stat().st_mode & 0o006 != 0o006:
        return SystemCheck(
            "network open", False, f"{tun} is closed to this user", f"sudo chmod 666 {tun}", needed=False
        )
    return SystemCheck("network open", True, "pasta is there", needed=False)


def in_container(root: Path = Path("/"), environ: Mapping[str, str] = os.environ) -> bool:
    """Whether this process seems to run in a container."""
    marks = (".dockerenv", "run/.containerenv", "run/systemd/container")
    named = environ.get("container") or environ.get("KUBERNETES_SERVICE_HOST")
    return bool(named) or any((root / mark).exists() for mark in marks)


def check_all() -> list[SystemCheck]:
    """Run all checks, in the order in which one failure hides the next."""
    checks = [check_system()]
    if not checks[0].ok:
        return checks
    checks.append(check_programs())
    try:
        user = owner()
    except DesktopUnavailable as error:
        return [*checks, SystemCheck("user", False, str(error), "run as an ordinary user")]
    checks += [check_namespaces(user), check_overlay(user), check_sandbox(user), check_cache(user)]
    return [
        *checks,
        check_container(),
        check_memory(),
        check_applications(),
        check_vs_code(),
        check_way_out(user),
        check_blocks(user),
        check_root(user),
    ]


def _try(user: Owner, argv: list[str]) -> str | None:
    """Run a command as the sandboxes' user; return its error output, `None` if it succeeded."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed command lines
            argv,
            capture_output=True,
            cwd="/",
            env={"PATH": SEARCH_PATH, "LANG": "C.UTF-8"},
            timeout=_LIMIT,
            check=False,
            user=user.uid if user.drop else None,
            group=user.gid if user.drop else None,
            extra_groups=[] if user.drop else None,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else f"{argv[0]} ended with {done.returncode}"


def _setting(path: Path) -> str:
    try:
        return path.read_text("ascii").strip()
    except OSError:
        return ""
