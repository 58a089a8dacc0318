#!/usr/bin/python3 -I
"""Services of a desktop without systemd: which run, and that root can stop and start them. Nothing is behind them."""

from __future__ import annotations

import json
import os
import sys

STATE = "/var/lib/desktop-services.json"


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")


def complain(text: str) -> None:
    """Print a line on standard error."""
    sys.stderr.write(f"{text}\n")


def name_of(word: str) -> str:
    """The name of a unit without its ending."""
    return word.removesuffix(".service")


def main() -> int:
    """Do what `systemctl VERB UNIT…` or `service UNIT VERB` says."""
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    if os.path.basename(sys.argv[0]) == "service" and len(words) > 1:
        words = [words[1], words[0]]
    verb, units = (words[0], [name_of(word) for word in words[1:]]) if words else ("list-units", [])
    with open(STATE, encoding="utf-8") as file:
        states: dict[str, str] = json.load(file)
    if verb in ("list-units", "list-unit-files"):
        for name, state in states.items():
            say(f"{name}.service loaded {state}")
        return 0
    if verb == "daemon-reload":
        return 0
    unknown = [name for name in units if name not in states]
    if verb == "is-active":
        for name in units:
            say(states.get(name, "inactive"))
        return 0 if all(states.get(name) == "active" for name in units) else 3
    if unknown:
        complain(f"Unit {unknown[0]}.service could not be found.")
        return 4
    if verb == "is-enabled":
        sys.stdout.write("enabled\n" * len(units))
        return 0
    if verb == "status":
        for name in units:
            say(f"{name}.service\n   Active: {states[name]}")
        return 0 if all(states[name] == "active" for name in units) else 3
    wanted = {"stop": "inactive", "kill": "inactive", "start": "active", "restart": "active", "reload": "active"}
    if verb not in (*wanted, "enable", "disable", "mask", "unmask"):
        complain(f"Unknown command verb {verb}.")
        return 1
    if os.geteuid() != 0:
        complain(f"Failed to {verb} {units[0] if units else ''}: Access denied")
        return 4
    if "--now" in sys.argv:
        wanted |= {"disable": "inactive", "mask": "inactive", "enable": "active"}
    if verb in wanted:
        states.update(dict.fromkeys(units, wanted[verb]))
        with open(STATE, "w", encoding="utf-8") as file:
            json.dump(states, file)
    return 0


sys.exit(main())
