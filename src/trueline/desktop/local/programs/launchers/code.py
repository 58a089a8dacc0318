#!/usr/bin/python3 -IS
"""`code` with the flags of Visual Studio Code: starts its web build in a window of Chromium, or a real one there is.

The server of the web build serves all windows. This program finds it or starts it, opens windows, and leaves what
concerns an open window to the editor's own command line.
"""

from __future__ import annotations

import errno
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
import zlib
from contextlib import suppress
from urllib.parse import quote, unquote, urlencode, urlsplit

TYPE_CHECKING = False  # `typing` costs milliseconds at every start
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import TypedDict

    class Session(TypedDict):
        """A window that can be told to open files."""

        socket: str
        folders: list[str]
        workspace: str


WEB = "/usr/local/lib/vs-code"
CODE = f"{WEB}/node_modules/code-server"
NODE = f"{WEB}/node"
WINDOW = f"{WEB}/window/code"
"""Chromium, under a name by which nobody looks for a browser."""
SERVER = "/usr/local/lib/trueline/vs_code_server.mjs"
PROGRAMS = ("/usr/bin/code", "/usr/bin/codium")
HOME = os.environ.get("HOME", "/home/user")
RUNTIME = os.environ.get("XDG_RUNTIME_DIR", "/tmp")  # noqa: S108 - inside
DATA, EXTENSIONS = f"{HOME}/.config/Code", f"{HOME}/.vscode/extensions"
PORT = 31543
LOADING = 20.0
"""Seconds a window may take until it can be told something."""
WITH_VALUE = {"--user-data-dir", "--extensions-dir", "--profile", "--locale", "--log", "--sync", "--remote",
              "--category", "--install-extension", "--uninstall-extension", "--locate-extension", "--folder-uri",
              "--file-uri", "--enable-proposed-api", "--disable-extension", "--password-store", "--max-memory",
              "--crash-reporter-directory", "--inspect-extensions", "--inspect-brk-extensions"}  # fmt: skip
SHORT = {"-d": "--diff", "-m": "--merge", "-a": "--add", "-g": "--goto", "-n": "--new-window", "-r": "--reuse-window",
         "-w": "--wait", "-v": "--version", "-h": "--help", "-s": "--status"}  # fmt: skip
MANAGING = ("--list-extensions", "--install-extension", "--uninstall-extension", "--locate-extension",
            "--update-extensions")  # fmt: skip
TO_WINDOW = ("--diff", "--merge", "--add")
"""What only an open window can do."""
POSITION = re.compile(r"^(.*?)(:\d+(?::\d+)?)$")
CHROMIUM = ("--no-sandbox", "--test-type", "--no-first-run", "--no-default-browser-check", "--password-store=basic",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-pings",
            "--disable-crash-reporter", "--hide-crash-restore-bubble", "--disable-search-engine-choice-screen",
            "--disable-dev-shm-usage", "--force-renderer-accessibility", "--class=Code",
            "--start-maximized")  # fmt: skip
DEFAULTS = "/usr/local/lib/trueline/vs_code_defaults.json"
ELECTRON = ("--no-sandbox", "--disable-gpu", "--force-renderer-accessibility", "--disable-workspace-trust",
            "--disable-telemetry", "--disable-updates", "--skip-welcome", "--skip-release-notes",
            "--password-store=basic")  # fmt: skip
USAGE = """\
Visual Studio Code (web build)

Usage: code [options] [paths...]

  -d --diff FILE FILE        compare two files
  -a --add FOLDER            add a folder to the last active window
  -g --goto FILE:LINE[:COL]  open a file at a position
  -n --new-window            open a new window
  -r --reuse-window          open in a window that is already open
  -w --wait                  wait until the files are closed
  --user-data-dir DIR        folder of the user's data
  --extensions-dir DIR       folder of the extensions
  --list-extensions          list the installed extensions
  --install-extension ID|VSIX, --uninstall-extension ID
  -v --version, -h --help
"""


def product() -> dict[str, str]:
    """Version and commit of the editor."""
    with open(f"{CODE}/lib/vscode/product.json", encoding="utf-8") as file:
        return json.load(file)


class CommandLine:
    """What the command line asks for."""

    def __init__(self, words: list[str]) -> None:
        self.flags: dict[str, list[str]] = {}
        self.paths: list[str] = []
        words = list(words)
        while words:
            word = words.pop(0)
            if word == "--":
                self.paths += words
                break
            if word == "-" or not word.startswith("-"):
                self.paths.append(word)
                continue
            name, equals, value = word.partition("=")
            name = SHORT.get(name, name)
            values = self.flags.setdefault(name, [])
            if equals:
                values.append(value)
            elif name in WITH_VALUE and words:
                values.append(words.pop(0))

    def value(self, name: str, default: str) -> str:
        """The last value of a flag, as a path."""
        values = self.flags.get(name)
        return os.path.abspath(os.path.expanduser(values[-1])) if values else default


class EditorServer:
    """The server of one folder of user data, and its windows."""

    def __init__(self, data: str, extensions: str) -> None:
        self.data, self.extensions = data, extensions
        # Its place decides where Chromium keeps what belongs to it, so it is always the same for the same data.
        self.port = PORT if data == DATA else PORT + 1 + zlib.crc32(os.fsencode(data)) % 1000
        self.control = f"{RUNTIME}/vs-code-{self.port}.sock"
        self.browser_data = f"{data}/Chromium"

    def start(self) -> None:
        """Start the server unless it runs; its port is open when this returns."""
        with socket.socket(socket.AF_INET) as door, socket.socket(socket.AF_UNIX) as control:
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                door.bind(("127.0.0.1", self.port))
                door.listen(128)
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    return
                raise
            with suppress(FileNotFoundError):
                os.unlink(self.control)
            control.bind(self.control)
            control.listen(16)
            argv = [NODE, SERVER, CODE, self.data, self.extensions, str(self.port), self.control]
            descriptors = (door.fileno(), control.fileno())
            spawn([*argv, *map(str, descriptors)], descriptors)

    def sessions(self) -> list[Session]:
        """Its windows, the latest first.

        Raises:
            OSError: It does not answer.
        """
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(LOADING)
            sock.connect(self.control)
            connection = http.client.HTTPConnection("localhost")
            connection.sock = sock
            connection.request("GET", "/sessions")
            return json.loads(connection.getresponse().read())

    def has_windows(self) -> bool:
        """Whether its Chromium runs, be it that its window is still loading."""
        try:
            pid = os.readlink(f"{self.browser_data}/SingletonLock").rpartition("-")[2]
        except OSError:
            return False
        return os.path.exists(f"/proc/{pid}")

    def loaded(self, known: Collection[str] = ()) -> list[Session]:
        """Its windows besides those known, as soon as one can be told something; none if that takes too long."""
        end = time.monotonic() + LOADING
        while True:
            found = [session for session in self.sessions() if session["socket"] not in known]
            if found or time.monotonic() > end:
                return found
            time.sleep(0.05)

    def open_window(self, place: dict[str, str], files: list[str], *, goto: bool) -> subprocess.Popen[bytes]:
        """Open a window on a folder or workspace (`place`), with files."""
        query = dict(place)
        if files:
            opened = [["openFile", f"vscode-remote://127.0.0.1:{self.port}{quote(file)}"] for file in files]
            query["payload"] = json.dumps([*opened, *([["gotoLineMode", "true"]] if goto else [])])
        address = f"http://127.0.0.1:{self.port}/" + (f"?{urlencode(query, quote_via=quote)}" if query else "")
        return spawn([WINDOW, *CHROMIUM, f"--user-data-dir={self.browser_data}", f"--app={address}"])

    def tell(self, session: Session, words: list[str], name: str) -> int:
        """Have the editor's own command line do something with a window, which then has this name in its title."""
        found = product()
        argv = [NODE, f"{CODE}/lib/vscode/out/server-cli.js", "code", found["version"], found["commit"], "code"]
        environ = dict(os.environ, VSCODE_IPC_HOOK_CLI=session["socket"])
        told = subprocess.Popen([*argv, *words], env=environ)  # noqa: S603 - the editor's own
        activate(name)
        return told.wait()


def spawn(argv: list[str], descriptors: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
    """Start a program that stays, with descriptors that its arguments name."""
    null = subprocess.DEVNULL
    return subprocess.Popen(  # noqa: S603 - programs of the editor
        argv, stdin=null, stdout=null, stderr=null, cwd=HOME, start_new_session=True, pass_fds=descriptors
    )


def split(paths: list[str], *, goto: bool) -> tuple[list[dict[str, str]], list[str]]:
    """Folders and workspaces as a window's address names them, and files."""
    places: list[dict[str, str]] = []
    files: list[str] = []
    for path in paths:
        path = os.path.abspath(path)
        position = POSITION.match(path) if goto and not os.path.exists(path) else None
        if os.path.isdir(position[1] if position else path):
            places.append({"folder": position[1] if position else path})
        elif path.endswith(".code-workspace") and os.path.exists(path):
            places.append({"workspace": path})
        else:
            files.append(path)
    return places, files


def shows(session: Session, place: dict[str, str]) -> bool:
    """Whether a window is open on a folder or workspace."""
    if "workspace" in place:
        return session["workspace"] == place["workspace"]
    return not session["workspace"] and session["folders"] == [place["folder"]]


def best(sessions: list[Session], files: list[str]) -> Session | None:
    """The window that files open in: the one this was called from, one on a folder above, else the latest."""
    if hook := os.environ.get("VSCODE_IPC_HOOK_CLI"):
        return {"socket": hook, "folders": [], "workspace": ""}
    for session in sessions:
        if any(file.startswith(f"{folder}/") for file in files for folder in session["folders"]):
            return session
    return sessions[0] if sessions else None


def title(place: dict[str, str]) -> str:
    """The name of a folder or workspace in its window's title."""
    return os.path.basename("".join(place.values())).removesuffix(".code-workspace")


def activate(name: str) -> None:
    """Bring the window to the front that has this name in its title."""
    end = time.monotonic() + 2
    while True:
        numbers = answer("xdotool", "search", "--onlyvisible", "--class", "^Code$").split()
        found = [number for number in numbers if name in answer("xdotool", "getwindowname", number)]
        if found or time.monotonic() > end:
            break
        time.sleep(0.1)
    for number in (found or numbers)[-1:]:
        answer("xdotool", "windowactivate", number)


def answer(*argv: str) -> str:
    """What a program prints; nothing where it is missing."""
    try:
        return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout  # noqa: S603
    except OSError:
        return ""


def manage(line: CommandLine, server: EditorServer) -> int:
    """List, install and remove extensions with the editor's own program."""
    argv = [f"{CODE}/lib/vscode/out/server-main.js", "--accept-server-license-terms"]
    argv += ["--user-data-dir", server.data, "--extensions-dir", server.extensions]
    for name in (*MANAGING, "--force", "--show-versions", "--category", "--pre-release"):
        for value in line.flags.get(name, ()):
            argv += [name, os.path.abspath(value) if value.endswith(".vsix") else value]
        if name in line.flags and not line.flags[name]:
            argv.append(name)
    return subprocess.run([NODE, *argv], check=False).returncode  # noqa: S603


def first_settings() -> None:
    """Write settings for a program of the machine, which has no other place for them, unless the user has some."""
    place = f"{DATA}/User/settings.json"
    if os.path.exists(place):
        return
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(DEFAULTS, encoding="utf-8") as defaults, open(place, "w", encoding="utf-8") as file:
        settings: dict[str, object] = json.load(defaults)["settings"]
        settings["window.title"] = str(settings["window.title"]).replace("${appName}", "Visual Studio Code")
        json.dump(settings, file, indent=4)


def open_(line: CommandLine, server: EditorServer) -> int:
    """Open folders, workspaces and files, each where Visual Studio Code would."""
    new, goto, wait = ("--new-window" in line.flags, "--goto" in line.flags, "--wait" in line.flags)
    uris = [uri for name in ("--folder-uri", "--file-uri") for uri in line.flags.get(name, ())]
    named = [unquote(urlsplit(uri).path) for uri in uris]
    places, files = split([*(path for path in line.paths if path != "-"), *named], goto=goto)
    name = os.path.basename(POSITION.sub(r"\1", files[-1]) if goto else files[-1]) if files else ""
    running = server.has_windows()
    server.start()
    sessions = server.loaded() if running else []
    current = None if new else best(sessions, files)
    told = [flag for flag in TO_WINDOW if flag in line.flags]
    if told or "-" in line.paths or (wait and files):
        if current is None:
            known = {session["socket"] for session in sessions}
            server.open_window(places[0] if places and not told else {}, [], goto=False)
            current = next(iter(server.loaded(known)), None)
            if current is None:
                sys.stderr.write(f"code: no window had loaded within {LOADING:g} s\n")
                return 1
        words = [*told, *(["--goto"] if goto else []), *(["--wait"] if wait else []), *line.paths]
        return server.tell(current, words, name)
    if current is not None and files and not places:
        return server.tell(current, ["--goto", *files] if goto else files, name)
    window = None
    for place in places or [{}]:
        if place and not new and any(shows(session, place) for session in sessions):
            activate(title(place))
        elif place and current is not None and "--reuse-window" in line.flags:
            server.tell(current, ["--reuse-window", *place.values()], title(place))
        else:
            window = server.open_window(place, files, goto=goto)
            files = []
    if wait and window is not None:
        window.wait()
    return 0


def main(words: list[str]) -> int:
    """Do as Visual Studio Code would; return the exit code."""
    for program in PROGRAMS:
        if os.access(program, os.X_OK):
            folders = (f"--user-data-dir={DATA}", f"--extensions-dir={EXTENSIONS}")
            first_settings()
            os.execv(program, [program, *ELECTRON, *folders, *words])  # noqa: S606 - what this is for
    if not os.path.exists(NODE):
        sys.stderr.write("code: not installed on this desktop (trueline desktop install-vscode)\n")
        return 127
    line = CommandLine(words)
    server = EditorServer(line.value("--user-data-dir", DATA), line.value("--extensions-dir", EXTENSIONS))
    if "--help" in line.flags:
        sys.stdout.write(USAGE)
        return 0
    if "--version" in line.flags:
        found = product()
        sys.stdout.write(f"{found['version']}\n{found['commit']}\n{os.uname().machine.replace('x86_64', 'x64')}\n")
        return 0
    if any(name in line.flags for name in MANAGING):
        return manage(line, server)
    return open_(line, server)


try:
    sys.exit(main(sys.argv[1:]))
except OSError as error:
    sys.exit(f"code: {error}")
