#!/usr/bin/python3 -IS
"""`sudo` inside the sandbox: asks the host, which records every request and knows the password.

Nothing inside can gain privilege: what is allowed runs as the same user. What is kept (the record, the password, how
long it was right) is kept outside, where nothing here can read or change it.
"""

from __future__ import annotations

import getpass
import json
import os
import socket
import sys

HOST = ("127.83.85.68", 912)
WITH_VALUE = "ugCDhprtT"
LONG_WITH_VALUE = ("--user", "--group", "--prompt", "--chdir", "--host", "--role", "--type")
LONG = {"--stdin": "S", "--non-interactive": "n", "--list": "l", "--version": "V", "--reset-timestamp": "k",
        "--remove-timestamp": "K", "--validate": "v", "--login": "i", "--shell": "s"}  # fmt: skip
LIMIT = 600


def flags(words: list[str]) -> tuple[set[str], list[str]]:
    """Split sudo's own flags (short names) from the command."""
    found: set[str] = set()
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word == "--":
            break
        if word.startswith("--"):
            found.add(LONG.get(word, ""))
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


def read_password(stdin: bool) -> str:
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


def allowed(found: set[str]) -> str:
    """Ask the host; returns what it complains about, nothing when it allows."""
    request = {"argv": sys.argv[1:], "cwd": os.getcwd(), "flags": "".join(sorted(found))}
    try:
        with socket.create_connection(HOST, LIMIT) as sock, sock.makefile("rw", encoding="utf-8") as host:
            print(json.dumps(request), file=host, flush=True)
            while True:
                answer = json.loads(host.readline())
                if "ask" not in answer:
                    return str(answer.get("refused", ""))
                if answer["ask"]:
                    sys.stderr.write(answer["ask"] + "\n")
                print(json.dumps(read_password("S" in found)), file=host, flush=True)
    except (OSError, ValueError):
        return "unable to look up the sudoers file"


def main() -> None:
    """Do as sudo would, as far as it can be done without privilege."""
    found, command = flags(sys.argv[1:])
    if "V" in found:
        sys.stdout.write("Sudo version 1.9.13p3\n")
        return
    if not command and not found & {"l", "v", "i", "s", "k", "K"}:
        sys.exit("usage: sudo [-knSv] [-u user] command [arg ...]")
    if refused := allowed(found):
        sys.exit(f"sudo: {refused}")
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
