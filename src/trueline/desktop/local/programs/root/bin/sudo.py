#!/usr/bin/python3 -IS
"""`sudo`, and programs such as `su` that need root to do their work: hand the call to the first process inside.

That one runs the command once the host has allowed it; this one asks for the password and shows the command's terminal.
"""

from __future__ import annotations

import fcntl
import getpass
import grp
import json
import os
import pwd
import select
import signal
import socket
import sys
import termios
import tty

ADDRESS = "\0trueline-sudo"
WITH_VALUE = "ugpCDhrtTRU"
LONG_WITH_VALUE = {"--user": "u", "--group": "g", "--prompt": "p", "--chdir": "D", "--host": "h", "--role": "r",
                   "--type": "t", "--close-from": "C", "--command-timeout": "T", "--other-user": "U"}  # fmt: skip
LONG = {"--stdin": "S", "--non-interactive": "n", "--list": "l", "--version": "V", "--reset-timestamp": "k",
        "--remove-timestamp": "K", "--validate": "v", "--login": "i", "--shell": "s", "--background": "b",
        "--preserve-env": "E", "--set-home": "H", "--edit": "e", "--askpass": "A"}  # fmt: skip
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
PIECE = 1 << 16


class Options:
    """What sudo's own arguments say."""

    def __init__(self, words: list[str]) -> None:
        """Split them from the command, which is left in `command`."""
        words = list(words)
        self.flags: set[str] = set()
        self.values: dict[str, str] = {}
        self.kept: list[str] = []
        self.variables: dict[str, str] = {}
        while words and words[0].startswith("-") and words[0] != "-":
            word = words.pop(0)
            if word == "--":
                break
            if word.startswith("--"):
                self._long(word, words)
            else:
                self._short(word, words)
        while words and words[0].partition("=")[1] and words[0].partition("=")[0].isidentifier():
            name, _, value = words.pop(0).partition("=")
            self.variables[name] = value
        self.command = words

    def _long(self, word: str, words: list[str]) -> None:
        name, given, value = word.partition("=")
        if name in LONG_WITH_VALUE:
            letter = LONG_WITH_VALUE[name]
            self.flags.add(letter)
            self.values[letter] = value if given else words.pop(0) if words else ""
        elif name == "--preserve-env" and given:
            self.kept += value.split(",")
        elif name in LONG:
            self.flags.add(LONG[name])
        else:
            sys.exit(f"sudo: unrecognized option '{name}'")

    def _short(self, word: str, words: list[str]) -> None:
        for place, letter in enumerate(word[1:], 1):
            self.flags.add(letter)
            if letter in WITH_VALUE:
                self.values[letter] = word[place + 1 :] or (words.pop(0) if words else "")
                return

    def argv(self, shell: str) -> list[str]:
        """What is to run: the command, by a shell if asked for."""
        if "e" in self.flags:
            return [os.environ.get("EDITOR", "nano"), *self.command]
        if not self.flags & {"i", "s"}:
            return self.command
        words = [shell, *(["-l"] if "i" in self.flags else [])]
        if self.command:
            quoted = " ".join("".join(c if c.isalnum() or c in "_-$" else f"\\{c}" for c in word)
                              for word in self.command)  # fmt: skip
            words += ["-c", quoted]
        return words


def read_password(prompt: str, from_stdin: bool) -> str:
    """Ask for the password as sudo does: byte by byte, what follows on standard input is the command's."""
    if not from_stdin:
        try:
            os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
            return getpass.getpass(prompt)
        except (EOFError, OSError):
            sys.stderr.write(
                "sudo: a terminal is required to read the password; use -S to read it from standard input\n"
            )
            return ""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    data = b""
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        data += byte
    return data.decode("utf-8", "replace")


def show_terminal(master: int, connection: socket.socket) -> None:
    """Pass on what is typed and shown until the command has ended, its terminal as large as ours."""
    before = termios.tcgetattr(0)

    def resize(*_: object) -> None:
        fcntl.ioctl(master, termios.TIOCSWINSZ, fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8)))

    resize()
    signal.signal(signal.SIGWINCH, resize)
    tty.setraw(0)
    try:
        while True:
            ready, _, _ = select.select([0, master, connection], [], [])
            if master in ready:
                try:
                    shown = os.read(master, PIECE)
                except OSError:  # nobody has the other end any more
                    return
                os.write(1, shown)
            elif connection in ready:
                return
            elif typed := os.read(0, 4096):
                os.write(master, typed)
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def call(request: dict[str, object], prompt: str, from_stdin: bool) -> int:
    """Have a command run, and wait for it; returns how it ended."""
    name = str(request["program"])
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        try:
            connection.connect(ADDRESS)
            folder = os.open(".", os.O_PATH)
            socket.send_fds(connection, [json.dumps(request).encode()], [0, 1, 2, folder])
            while True:
                data, fds, _, _ = socket.recv_fds(connection, PIECE, 1)
                answer: dict[str, object] = json.loads(data or b'{"refused": "unable to look up the sudoers file"}')
                if "refused" in answer:
                    sys.stderr.write(f"{name}: {answer['refused']}\n")
                    return 1
                if "returncode" in answer:
                    return int(str(answer["returncode"]))
                if "pid" in answer:
                    break
                if answer["ask"]:
                    sys.stderr.write(f"{answer['ask']}\n")
                connection.send(json.dumps(read_password(prompt, from_stdin)).encode())
        except OSError as error:
            sys.stderr.write(f"{name}: {error.strerror}\n")
            return 1
        if request["background"]:
            return 0
        for number in FORWARDED:
            signal.signal(number, lambda got, _: connection.send(json.dumps({"signal": got}).encode()))
        if fds:
            show_terminal(fds[0], connection)
        data = connection.recv(PIECE)
        return int(json.loads(data)["returncode"]) if data else 1


def has_terminal() -> bool:
    """Whether a terminal is ours to read, write and set."""
    try:
        return os.isatty(0) and os.isatty(1) and os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def sudo(words: list[str]) -> int:
    """Do as sudo does."""
    options = Options(words)
    flags, user = options.flags, options.values.get("u", "root")
    if "V" in flags:
        sys.stdout.write("Sudo version 1.9.13p3\n")
        return 0
    if not options.command and not flags & {"l", "v", "i", "s", "k", "K"}:
        sys.stderr.write("usage: sudo [-knSv] [-u user] command [arg ...]\n")
        return 1
    if "A" in flags:
        sys.stderr.write("sudo: no askpass program specified, try setting SUDO_ASKPASS\n")
        return 1
    if "D" in options.values:
        try:
            os.chdir(options.values["D"])
        except OSError as error:
            sys.stderr.write(f"sudo: unable to change directory to {options.values['D']}: {error.strerror}\n")
            return 1
    try:
        account = pwd.getpwuid(int(user[1:])) if user.startswith("#") else pwd.getpwnam(user)
    except (KeyError, ValueError):
        sys.stderr.write(f"sudo: unknown user {user}\n")
        return 1
    shell = account.pw_shell if "i" in flags else os.environ.get("SHELL", account.pw_shell)
    argv = [] if "l" in flags else options.argv(shell or "/bin/sh")
    if os.geteuid() == 0:
        return execute(argv, options, account)
    kept = [*options.variables, *options.kept, *(os.environ if "E" in flags else ())]
    request: dict[str, object] = {
        "program": "sudo", "words": words, "flags": "".join(sorted(flags)), "argv": argv, "user": account.pw_name,
        "group": options.values.get("g", ""), "env": {**os.environ, **options.variables}, "set": kept,
        "cwd": os.getcwd(), "login": "i" in flags, "terminal": "b" not in flags and has_terminal(),
        "background": "b" in flags,
    }  # fmt: skip
    prompt = options.values.get("p", "[sudo] password for %u: ").replace("%u", pwd.getpwuid(os.getuid()).pw_name)
    code = call(request, prompt.replace("%p", "user").replace("%h", "desktop"), "S" in flags)
    if code == 0 and "l" in flags:
        sys.stdout.write("User user may run the following commands on desktop:\n    (ALL : ALL) ALL\n")
    return code


def execute(argv: list[str], options: Options, account: pwd.struct_passwd) -> int:
    """Run a command for root, who needs nobody's leave."""
    if not argv:
        return 0
    group = grp.getgrnam(options.values["g"]).gr_gid if "g" in options.values else account.pw_gid
    about = {"HOME": account.pw_dir, "USER": account.pw_name, "LOGNAME": account.pw_name, "SHELL": account.pw_shell}
    by = {"SUDO_USER": "root", "SUDO_UID": "0", "SUDO_GID": "0"}
    os.initgroups(account.pw_name, group)
    os.setresgid(group, group, group)
    os.setresuid(account.pw_uid, account.pw_uid, account.pw_uid)
    try:
        os.execvpe(argv[0], argv, {**os.environ, **about, **options.variables, **by})  # noqa: S606 - what sudo is for
    except OSError:
        sys.stderr.write(f"sudo: {argv[0]}: command not found\n")
    return 127


def main() -> None:
    """Do as the program of our name does."""
    name, words = os.path.basename(sys.argv[0]), sys.argv[1:]
    if name == "sudo":
        sys.exit(sudo(words))
    if os.geteuid() == 0:
        os.execv(f"/usr/bin/{name}", [name, *words])  # noqa: S606
    request: dict[str, object] = {
        "program": name, "words": words, "flags": "", "argv": [], "user": "", "group": "", "env": dict(os.environ),
        "set": [], "cwd": os.getcwd(), "login": False, "terminal": has_terminal(), "background": False,
    }  # fmt: skip
    sys.exit(call(request, "", from_stdin=False))


main()
