"""`trueline model list`: the providers and their variables, never the values of these."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from trueline.cli.output import print_json
from trueline.cli.parser import Parser

if TYPE_CHECKING:
    from trueline.models.envfiles import Env
    from trueline.models.provider import Provider, Variable


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    from trueline.models.envfiles import load_env
    from trueline.models.providers import usable_providers
    from trueline.tables import text_table

    env, providers = load_env(), usable_providers()
    if args.json:
        print_json({"providers": [_document(provider, env) for provider in providers]})
        return 0
    rows: list[tuple[str, str, str]] = []
    for provider in providers:
        rows.append((provider.name, _state(provider, env), provider.about))
        families = (", ".join(_describe(variable, env) for variable in family) for family in provider.credentials)
        rows += [("", "", f"  {family}") for family in families]
    print(text_table(rows, ruled=False))
    print("\nVariables are read from the environment, .env and .envrc; [those in brackets] are optional.")
    return 0


def _state(provider: Provider, env: Env) -> str:
    if not _installed(provider):
        return "no extra"
    return "ready" if _ready(provider, env) else "needs a key"


def _ready(provider: Provider, env: Env) -> bool:
    from trueline.errors import InputError
    from trueline.models.keys import find_access

    try:
        find_access(provider, env)
    except InputError:
        return False
    return True


def _installed(provider: Provider) -> bool:
    from importlib.util import find_spec

    return all(find_spec(name) is not None for name in provider.required_modules)


def _set_name(variable: Variable, env: Env) -> str | None:
    """Return which of the names is set."""
    return next((name for name in variable.names if env.get(name)), None)


def _describe(variable: Variable, env: Env) -> str:
    found = _set_name(variable, env)
    text = f"{found} (set)" if found else f"{' or '.join(variable.names)} (not set)"
    return text if variable.required else f"[{text}]"


def _document(provider: Provider, env: Env) -> dict[str, object]:
    return {
        "name": provider.name,
        "about": provider.about,
        "ready": _installed(provider) and _ready(provider, env),
        "installed": _installed(provider),
        "families": [
            [
                {
                    "names": variable.names,
                    "required": variable.required,
                    "set": _set_name(variable, env) is not None,
                    "set_name": _set_name(variable, env),
                }
                for variable in variables
            ]
            for variables in provider.credentials
        ],
    }
