#!/usr/bin/python3 -I
"""apt, apt-get, pip and docker without a network: what is installed or pulled is a name and a program of a few lines.

apt makes the programs of a package, which tell their version; pip and docker keep lists.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys

PROGRAMS = {"nodejs": ["node", "npm"], "docker.io": ["docker"], "golang": ["go"], "default-jdk": ["java", "javac"]}
FOLDER = "/usr/local/bin"
HEAD = "#!/bin/sh\n# Package: "
LISTS = os.path.expanduser("~/.local/share/desktop-packages.json")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9+._-]*")


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")


def complain(text: str) -> None:
    """Print a line on standard error."""
    sys.stderr.write(f"{text}\n")


def read_lists() -> dict[str, dict[str, str]]:
    """What pip installed and docker pulled, by program."""
    try:
        with open(LISTS, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def write_lists(lists: dict[str, dict[str, str]]) -> None:
    """Keep what was installed."""
    os.makedirs(os.path.dirname(LISTS), exist_ok=True)
    with open(LISTS, "w", encoding="utf-8") as file:
        json.dump(lists, file)


def apt(verb: str, names: list[str]) -> int:
    """Install or remove packages, as root."""
    if verb in ("list", "search", "show", "policy"):
        for name in names:
            say(f"{name}/stable 1.0 all")
        return 0
    if os.geteuid() != 0:
        complain("E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)")
        complain("E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?")
        return 100
    if verb not in ("install", "remove", "purge", "update", "upgrade", "autoremove", "clean", "dist-upgrade"):
        complain(f"E: Invalid operation {verb}")
        return 100
    say("Reading package lists... Done")
    for name in names if verb in ("install", "remove", "purge") else ():
        name = name.partition("=")[0].partition("/")[0]
        if not NAME.fullmatch(name):
            complain(f"E: Unable to locate package {name}")
            return 100
        for program in PROGRAMS.get(name, [name]):
            change(verb == "install", name, program)
    return 0


def change(install: bool, package: str, program: str) -> None:
    """Make or remove a program of a package; one that the desktop has itself stays as it is."""
    path = f"{FOLDER}/{program}"
    if install and shutil.which(program) is None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'{HEAD}{package}\necho "{program} 1.0"\n')
        os.chmod(path, 0o755)  # noqa: S103 - a program
        say(f"Setting up {package} (1.0) ...")
    elif install:
        say(f"{package} is already the newest version.")
    elif os.path.isfile(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            ours = file.read(len(HEAD)) == HEAD
        if ours:
            os.unlink(path)
            say(f"Removing {package} (1.0) ...")


def pip(verb: str, names: list[str]) -> int:
    """Install, remove or list packages of Python."""
    lists = read_lists()
    installed = lists.setdefault("pip", {})
    names = [re.split(r"[<>=!~\[]", name)[0] for name in names]
    if verb == "install":
        for name in names:
            if not NAME.fullmatch(name):
                complain(f"ERROR: Could not find a version that satisfies the requirement {name}")
                return 1
            installed[name] = "1.0"
        write_lists(lists)
        say(f"Successfully installed {' '.join(f'{name}-1.0' for name in names)}")
        return 0
    if verb == "uninstall":
        for name in names:
            installed.pop(name, None)
        write_lists(lists)
        return 0
    if verb in ("list", "freeze"):
        head = "" if verb == "freeze" else "Package Version\n------- -------\n"
        sign = "==" if verb == "freeze" else " "
        say(head + "\n".join(f"{name}{sign}{version}" for name, version in {"pip": "23.0.1", **installed}.items()))
        return 0
    if verb == "show":
        for name in names:
            if name in installed:
                say(f"Name: {name}\nVersion: {installed[name]}")
        return 0 if all(name in installed for name in names) else 1
    complain(f'ERROR: unknown command "{verb}"')
    return 1


def docker(verb: str, names: list[str]) -> int:
    """Pull, list or remove images; nothing can be run."""
    lists = read_lists()
    images = lists.setdefault("docker", {})
    if verb == "image" and names:
        verb, names = {"ls": "images"}.get(names[0], names[0]), names[1:]
    if verb in ("pull", "run") and names:
        name, _, tag = names[0].partition(":")
        images.setdefault(name, tag or "latest")
        write_lists(lists)
        say(f"Status: Downloaded newer image for {name}:{images[name]}")
        return 0
    if verb in ("rmi", "rm") and names:
        for name in names:
            images.pop(name.partition(":")[0], None)
        write_lists(lists)
        return 0
    if verb == "images":
        say("REPOSITORY   TAG   IMAGE ID   CREATED   SIZE")
        for name, tag in images.items():
            say(f"{name}   {tag}   0123456789ab   2 weeks ago   7.8MB")
        return 0
    if verb == "ps":
        say("CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   PORTS   NAMES")
        return 0
    if verb in ("version", "info"):
        say("Docker version 24.0.5")
        return 0
    complain(f"docker: '{verb}' is not a docker command.")
    return 1


def main() -> int:
    """Do what the program of this name would."""
    program = os.path.basename(sys.argv[0])
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    if {"--version", "-v", "-V"} & set(sys.argv[1:]):
        say(f"{program} 1.0")
        return 0
    verb, names = (words[0], words[1:]) if words else ("help", [])
    if program in ("apt", "apt-get"):
        return apt(verb, names)
    return docker(verb, names) if program == "docker" else pip(verb, names)


sys.exit(main())
