"""The command lines of the sandbox, built from plain values; nothing here touches the machine."""

from __future__ import annotations

from dataclasses import dataclass

from trueline.desktop.local.identity import HOME, HOSTNAME, RUNTIME, UID, USER, identity_files
from trueline.desktop.local.options import MIB, LocalOptions
from trueline.desktop.perturbations.xfce import perturbation_environment

INSIDE = "/usr/local/lib/trueline"
"""Where the sandbox sees our programs, read-only."""
VS_CODE = "/usr/local/lib/vs-code"
"""Where it sees the web build of Visual Studio Code, read-only."""
DISPLAY = ":0"
BUS = f"unix:path={RUNTIME}/bus"
SYSTEM_PYTHON = "/usr/bin/python3"

CONFIGURATION = (
    "alternatives", "bash.bashrc", "ca-certificates", "ca-certificates.conf", "chromium", "chromium.d", "dbus-1",
    "dconf", "debian_version", "default/locale", "fonts", "geany", "gimp", "glvnd", "gnome", "gtk-2.0", "gtk-3.0",
    "gtk-4.0", "host.conf", "inputrc", "issue", "java-17-openjdk", "ld.so.cache", "ld.so.conf", "ld.so.conf.d",
    "libreoffice", "locale.alias", "magic", "magic.mime", "mailcap", "mime.types", "nanorc", "networks", "openal",
    "os-release", "papersize", "profile", "profile.d", "protocols", "pulse", "python3", "python3.11", "python3.12",
    "python3.13", "services", "shells", "ssl/certs", "ssl/openssl.cnf", "terminfo", "thunderbird", "timezone", "vim",
    "vlc", "wgetrc", "X11", "xdg", "xml",
)  # fmt: skip
"""What applications read in /etc; the rest of the host's stays outside."""

TELLING = ("/proc/bootconfig", "/proc/cmdline", "/proc/config.gz", "/proc/keys", "/proc/timer_list")
"""Files that reveal the host and its kernel; no application needs them."""

TEMPORARY = {"/tmp": "tmp", "/dev/shm": "shm", "/var/tmp": "vartmp"}  # noqa: S108 - inside
"""Folders that anybody may write, and where the work area holds them."""

CACHES = (
    "/var/cache/fontconfig",
    "/var/lib/libreoffice",
    "/var/lib/dictionaries-common",
    "/var/cache/dictionaries-common",
)
"""Folders of /var that applications read."""


@dataclass(frozen=True)
class Folders:
    """Where things lie for the process that builds the sandbox."""

    work: str
    """Its own mount point: everything writable lies below it, invisible to the rest of the machine."""
    vs_code: str | None = None
    """The host's folder of Visual Studio Code's web build, if desktops show it."""

    @property
    def programs(self) -> str:
        """The copy of our programs that the sandbox sees."""
        return self.below("programs")

    def below(self, name: str) -> str:
        """A folder of the work area."""
        return f"{self.work}/{name}"


def _system(hidden: tuple[str, ...]) -> list[str]:
    """What both sandboxes have: an empty machine with the system's programs and kernel settings nobody can write.

    The settings of our own IPC and network namespaces belong to the user who made them, which is also the one inside.
    """
    return [
        "bwrap", "--unshare-user", "--uid", str(UID), "--gid", str(UID), "--unshare-pid", "--unshare-uts",
        "--unshare-cgroup-try", "--hostname", HOSTNAME, "--cap-drop", "ALL", "--die-with-parent", "--new-session",
        "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin",
        "--symlink", "usr/lib", "/lib", "--ro-bind-try", "/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev",
        "--ro-bind", "/proc/sys", "/proc/sys",
        *(part for path in hidden for part in ("--ro-bind", "/dev/null", path)),
    ]  # fmt: skip


def _tmpfs(size: int, path: str, perms: str = "0755") -> list[str]:
    return ["--perms", perms, "--size", str(size), "--tmpfs", path]


def _etc(folders: Folders, names: list[str]) -> list[str]:
    binds = [argument for name in CONFIGURATION for argument in ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")]
    for name in names:
        binds += ["--ro-bind", folders.below(f"etc/{name}"), f"/etc/{name}"]
    return binds


def vs_code_bind(folders: Folders) -> list[str]:
    """What shows the editor's web build, which has to come before /usr/local is made read-only."""
    return [] if folders.vs_code is None else ["--ro-bind", folders.below("vs-code"), VS_CODE]


def x_argv(
    options: LocalOptions, folders: Folders, *, seccomp_fd: int, ready_fd: int, hidden: tuple[str, ...] = ()
) -> list[str]:
    """The X server, in a sandbox of its own: what runs on the desktop can neither kill it nor reach its picture file.

    `hidden` are files of /proc that are there and must not be read inside (see `TELLING`).
    `ready_fd` is written to once clients can connect. There is no GLX: without a GPU it is slow, and loading it costs
    the server and every program a part of their start.
    """
    return [
        *_system(hidden),
        *_tmpfs(16 * MIB, "/tmp", "1777"),  # noqa: S108 - inside
        "--bind", folders.below("x11"), "/tmp/.X11-unix",  # noqa: S108 - inside
        "--bind", folders.below("fb"), "/fb",
        "--ro-bind-try", "/etc/fonts", "/etc/fonts", "--ro-bind-try", "/etc/X11", "/etc/X11",
        "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache",
        "--ro-bind-try", "/etc/alternatives", "/etc/alternatives",
        "--remount-ro", "/proc", "--remount-ro", "/", "--seccomp", str(seccomp_fd),
        "--clearenv", "--setenv", "PATH", "/usr/bin:/bin",
        "--", "Xvfb", DISPLAY, "-screen", "0", f"{options.width}x{options.height}x24", "-fbdir", "/fb", "-displayfd",
        str(ready_fd), "-nolisten", "tcp", "-nolisten", "local", "-ac", "-noreset", "-maxclients", "512",
        "-extension", "GLX",
    ]  # fmt: skip


def session_argv(
    options: LocalOptions,
    folders: Folders,
    *,
    seccomp_fd: int,
    ready_fd: int,
    channel_fd: int,
    hidden: tuple[str, ...] = (),
) -> list[str]:
    """The session: home, own identity, launchers, and the program that starts the desktop's parts."""
    environment = [part for name, value in session_environment(options).items() for part in ("--setenv", name, value)]
    return [
        *_system(hidden),
        *(part for path in ("/etc", "/home", "/run", "/sys", "/var") for part in ("--perms", "0755", "--dir", path)),
        "--ro-bind-try", "/sys/devices/system/cpu", "/sys/devices/system/cpu",
        *_etc(folders, sorted(identity_files(options))),
        "--ro-bind-try", f"/usr/share/zoneinfo/{options.timezone}", "/etc/localtime",
        *(part for path in CACHES for part in ("--ro-bind-try", path, path)),
        "--dev-bind", folders.below("pts"), "/dev/pts",
        *(part for path, name in TEMPORARY.items() for part in ("--bind", folders.below(name), path)),
        *_tmpfs(64 * 1024, "/usr/local"),
        "--ro-bind", f"{folders.programs}/bin", "/usr/local/bin", "--ro-bind", folders.programs, INSIDE,
        *vs_code_bind(folders),
        "--remount-ro", "/usr/local",
        "--ro-bind", folders.below("x11"), "/tmp/.X11-unix",  # noqa: S108 - inside
        "--bind", folders.below("run"), RUNTIME, "--bind", folders.below("home"), HOME,
        "--bind", folders.below("log"), "/var/log/desktop",
        "--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/", "--seccomp", str(seccomp_fd),
        "--clearenv", *environment, "--chdir", HOME,
        "--", SYSTEM_PYTHON, "-I", "-S", f"{INSIDE}/session.py", str(ready_fd), str(channel_fd),
    ]  # fmt: skip


def session_environment(options: LocalOptions) -> dict[str, str]:
    """The environment variables of every program of the desktop."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/usr/games",
        "HOME": HOME,
        "USER": USER,
        "LOGNAME": USER,
        "SHELL": "/bin/bash",
        "LANG": options.language,
        "TZ": options.timezone,
        "DISPLAY": DISPLAY,
        "XDG_RUNTIME_DIR": RUNTIME,
        "XDG_SESSION_TYPE": "x11",
        "XDG_CURRENT_DESKTOP": "XFCE",
        "XDG_CONFIG_DIRS": "/etc/xdg",
        "XDG_DATA_DIRS": "/usr/local/share:/usr/share",
        "DBUS_SESSION_BUS_ADDRESS": BUS,
        "GTK_MODULES": "gail:atk-bridge",
        "GNOME_ACCESSIBILITY": "1",
        "ACCESSIBILITY_ENABLED": "1",
        "QT_ACCESSIBILITY": "1",
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "SAL_USE_VCLPLUGIN": "gtk3",
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "GDK_GL": "disable",
        "GVFS_DISABLE_FUSE": "1",
        # As on the machines that tasks were written for; what is installed stays in the home folder.
        "PIP_BREAK_SYSTEM_PACKAGES": "1",
        **perturbation_environment(options.perturbation),
    }
