"""End states of Visual Studio Code: settings, keys, extensions, an open folder."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from archives import Members, vs_code_extension
from registry import functions, getters
from session import EDITOR, Session, paths_of, rules_of

from trueline.tasks.model.evaluator import Check

SETTINGS = "/home/user/.config/Code/User/settings.json"


@functions("check_json_settings")
async def settings(session: Session, check: Check) -> None:
    """Change the file while the editor is open, which notices it."""
    path = paths_of(check.result)[0] if check.result else SETTINGS
    found = await _json(session, path, {})
    await session.put(path, json.dumps({**found, **rules_of(check.expected)["expected"]}, indent=2))


@functions("check_json_keybindings")
async def keys(session: Session, check: Check) -> None:
    path = paths_of(check.result)[0] if check.result else ""
    found = await _json(session, path, [])
    await session.put(path, json.dumps([*found, rules_of(check.expected)["expected"]], indent=2))


async def _json(session: Session, path: str, default: Any) -> Any:
    content = await session.get(path)
    try:
        return json.loads(content) if content else default
    except ValueError:
        return default


@functions("is_extension_installed")
async def listed(session: Session, check: Check) -> None:
    """Install an extension with the editor's own command; or make the file that a list is to name."""
    command: Any = (check.result.model_extra or {}).get("command") if check.result else None
    wanted = rules_of(check.expected)["expected"]
    if command[0] == "ls":
        await session.put(f"{command[1].rstrip('/')}/{wanted}", "{}\n")
        return
    publisher, _, name = wanted.partition(".")
    await install(session, vs_code_extension(name, publisher, "exports.activate = () => {};\n", {}))


async def install(session: Session, members: Members) -> None:
    """Install an extension from a VSIX."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in members.items():
            file.writestr(name, str(content))
    await session.put("/home/user/extension.vsix", buffer.getvalue())
    await session.run(f"{EDITOR} --install-extension /home/user/extension.vsix", time_limit=110)


@functions("compare_config")
async def configuration(session: Session, check: Check) -> None:
    """The settings as the text that is expected; or the folder that is to be open."""
    result, expected = check.result, rules_of(check.expected)["expected"]
    if result is not None and result.type == "vm_file":
        await session.put(paths_of(result)[0], expected)
        return
    await open_folder(session, f"/home/user/{expected}")


@getters("vscode_config")
async def by_extension(session: Session, check: Check) -> None:
    await configuration(session, check)


async def open_folder(session: Session, folder: str) -> None:
    """Open a folder in the window that is there, as its menu does, and wait until it shows it."""
    name = folder.rsplit("/", 1)[-1]
    await session.run(f"code --reuse-window '{folder}' >/dev/null 2>&1", time_limit=110)
    await session.window(title=f"{name} - ", app="code")
