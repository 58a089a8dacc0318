#!/usr/bin/python3 -IS
"""`sudo` inside the sandbox: records every request and, with the right password, runs the command without privilege.

Nothing inside can gain privilege; a task that allows `sudo` sets a password, every other sees it refused.
"""

from __future__ import annotations

import getpass
import json
import os
import sys
import time

CONFIG, LOG = "/etc/desktop-sudo.json", "/var/log/desktop/sudo.jsonl"
STAMP = f"/run/user/{os.getuid()}/.sudo"
STAMP_SECONDS = 900
TRIES = 3
WITH_VALUE = "ugCDhprtT"
LONG_WITH_VALUE = ("--user", "--group", "--prompt", "--chdir", "--host", "--role", "--type")


def record(outcome: str) -> None:
    """Add this call to the log."""
    entry = {"time": time.time(), "argv": sys.argv[1:], "cwd": os.getcwd(), "outcome": outcome}
    try:
        with open(LOG, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
    except OSError:
        pass  # a full log must not change what sudo does


def refuse(outcome: str, message: str) -> None:
    """Record, say why, end."""
    record(outcome)
    sys.exit(f"sudo: {message}")


def flags(words: list[str]) -> tuple[set[str], list[str]]:
    """Split sudo's own flags (short names) from the command."""
    found: set[str] = set()
    names = {"--stdin": "S", "--non-interactive": "n", "--list": "l", "--version": "V", "--reset-timestamp": "k",
             "--remove-timestamp": "K", "--validate": "v", "--login": "i", "--shell": "s"}  # fmt: skip
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word == "--":
            break
        if word.startswith("--"):
            found.add(names.get(word, ""))
            if word in LONG_WITH_VALUE and words:
                words.pop(0)
            continue
        for place, letter in enumerate(word[1:], 1):
            found.add(letter)
            if letter in WITH_VALUE:
                if place == len(word) - 1 and words:
                    words.pop(0)
                break
    return found, words


def ask(stdin: bool) -> str:
    """Ask for the password as sudo does."""
    prompt = "[sudo] password for user: "
    if stdin:
        sys.stderr.write(prompt)
        sys.stderr.flush()
        return sys.stdin.readline().rstrip("\n")
    try:
        return getpass.getpass(prompt)
    except (EOFError, OSError):
        return ""


def allowed(password: str | None, found: set[str]) -> bool:
    """Whether the right password was given, now or a short while ago."""
    if password is None:
        return False
    if os.path.exists(STAMP) and time.time() - os.path.getmtime(STAMP) < STAMP_SECONDS:
        return True
    if "n" in found:
        refuse("no password", "a password is required")
    for left in reversed(range(TRIES)):
        given = ask("S" in found)
        if given == password:
            with open(STAMP, "w", encoding="ascii"):
                return True
        if not given:
            break
        if left:
            sys.stderr.write("Sorry, try again.\n")
    return False


def main() -> None:
    """Do as sudo would, as far as it can be done without privilege."""
    found, command = flags(sys.argv[1:])
    if "V" in found:
        sys.stdout.write("Sudo version 1.9.13p3\n")
        return
    if found & {"k", "K"}:
        if os.path.exists(STAMP):
            os.unlink(STAMP)
        if not command:
            return
    if not command and not found & {"l", "v", "i", "s"}:
        sys.exit("usage: sudo [-knSv] [-u user] command [arg ...]")
    with open(CONFIG, encoding="utf-8") as file:
        password = json.load(file)["password"]
    if not allowed(password, found):
        refuse("refused", "user is not in the sudoers file." if password is None else "no valid password was provided")
    record("run")
    if "l" in found:
        sys.stdout.write("User user may run the following commands on desktop:\n    (ALL : ALL) ALL\n")
        return
    environment = dict(os.environ, SUDO_USER="user", SUDO_UID="1000", SUDO_GID="1000")
    while command and "=" in command[0] and command[0].split("=")[0].isidentifier():
        name, value = command.pop(0).split("=", 1)
        environment[name] = value
    if not command and found & {"i", "s"}:
        command = ["/bin/bash"]
    if command:
        try:
            os.execvpe(command[0], command, environment)  # noqa: S606 - what sudo is for
        except OSError:
            sys.exit(f"sudo: {command[0]}: command not found")


if __name__ == "__main__":
    main()
