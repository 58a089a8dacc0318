"""Visual Studio Code on a real desktop: opened, read, typed into, told about by its command, gone after a reset."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import Awaitable, Callable, Iterator

import pytest

from trueline.actions import Action, Hotkey, Type
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.vs_code import find_vs_code
from trueline.desktop.types import PathRefused, Window
from trueline.records import ObservationSpec
from trueline.records.tree import Node

pytestmark = pytest.mark.full
PATIENCE = 60.0
SETTINGS = ".config/Code/User/settings.json"
NOTES = b"first line\nsecond line\n"


class Editor:
    """A desktop with the editor on it, and what a test does with it."""

    def __init__(self, runner: asyncio.Runner, desktop: LocalDesktop) -> None:
        self.runner, self.desktop = runner, desktop
        self._acts = 0

    def do(self, *actions: Action) -> None:
        for action in actions:
            self._acts += 1
            result = self.runner.run(self.desktop.act(action, id=f"act-{self._acts}"))
            assert result.error is None, result.error

    def sh(self, script: str) -> str:
        done = self.runner.run(self.desktop.run(("sh", "-c", script), time_limit=PATIENCE))
        return done.text + done.stderr.decode()

    def until(self, what: str, holds: Callable[[], Awaitable[bool]]) -> None:
        async def wait() -> None:
            while True:
                if await holds():
                    return
                await asyncio.sleep(0.05)

        try:
            self.runner.run(asyncio.wait_for(wait(), PATIENCE))
        except TimeoutError:
            pytest.fail(f"it did not come about: {what}; the windows are {[w.title for w in self.windows()]}")

    def windows(self) -> list[Window]:
        return [window for window in self.runner.run(self.desktop.windows()) if window.app == "code"]

    def titled(self, title: str) -> None:
        async def shown() -> bool:
            return any(window.title == title and window.active for window in await self.desktop.windows())

        self.until(f"a window {title!r} in front", shown)

    def shows(self, what: str, fits: Callable[[Node], bool]) -> None:
        async def seen() -> bool:
            tree = (await self.desktop.observe(ObservationSpec(screenshot=False, tree=True))).tree
            return tree is not None and any(fits(node) for node in tree.root.walk() if node.position)

        self.until(f"{what} in the tree", seen)

    def holds(self, path: str, content: bytes) -> None:
        async def held() -> bool:
            try:
                return await self.desktop.get(path) == content
            except PathRefused:
                return False  # not yet

        self.until(f"{path} holds {content!r}", held)


def extension(publisher: str, name: str, command: str) -> bytes:
    """A packed extension whose command writes the names of the open folders into ~/folders.txt."""
    package: dict[str, object] = {
        "name": name, "publisher": publisher, "version": "0.0.1", "engines": {"vscode": "^1.60.0"},
        "main": "./main.js", "contributes": {"commands": [{"command": f"{name}.run", "title": command}]},
    }  # fmt: skip
    script = f"""
        const vscode = require("vscode");
        exports.activate = () => vscode.commands.registerCommand("{name}.run", () => require("fs").writeFileSync(
            "/home/user/folders.txt", vscode.workspace.workspaceFolders.map((folder) => folder.name).join()));"""
    manifest = f"""<?xml version="1.0"?>
        <PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"><Metadata>
        <Identity Language="en-US" Id="{name}" Version="0.0.1" Publisher="{publisher}"/></Metadata><Assets>
        <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json"/></Assets></PackageManifest>"""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("extension.vsixmanifest", manifest)
        file.writestr("extension/package.json", json.dumps(package))
        file.writestr("extension/main.js", script)
    return packed.getvalue()


@pytest.fixture(scope="module")
def editor(machine: None, runner: asyncio.Runner) -> Iterator[Editor]:
    if find_vs_code() is None:
        pytest.fail("needs ./scripts/setup full: this machine has no Visual Studio Code")
    desktop = LocalDesktop(LocalOptions(width=1280, height=900))
    runner.run(desktop.start())
    runner.run(desktop.put("project/notes.txt", NOTES))
    runner.run(desktop.put(SETTINGS, b'{"editor.tabSize": 7}'))
    runner.run(desktop.put("probe.vsix", extension("nobody", "probe", "Tell Folders")))
    yield Editor(runner, desktop)
    runner.run(desktop.stop())


def test_a_file_is_opened_read_and_saved(editor: Editor) -> None:
    assert editor.sh("code /home/user/project/notes.txt") == "", "it returns at once and says nothing"
    editor.titled("notes.txt - Visual Studio Code")
    editor.shows("the text", lambda node: node.name == "notes.txt" and node.text == NOTES.decode())
    assert not [window for window in editor.windows() if window.width < 1280], "it fills the screen"
    editor.do(Hotkey(keys=("ctrl", "end")), Type(text="Ünï"))
    editor.titled("● notes.txt - Visual Studio Code")
    editor.do(Hotkey(keys=("ctrl", "s")))
    editor.holds("project/notes.txt", NOTES + "Ünï".encode())
    editor.titled("notes.txt - Visual Studio Code")
    editor.shows("the user's setting", lambda node: node.name == "Spaces: 7")


def test_keys_that_browsers_take_reach_the_editor(editor: Editor) -> None:
    editor.do(Hotkey(keys=("ctrl", "w")))
    editor.titled("Visual Studio Code")
    editor.do(Hotkey(keys=("ctrl", "n")))
    editor.titled("Untitled-1 - Visual Studio Code")
    editor.do(Hotkey(keys=("ctrl", "t")))
    editor.shows("the box for symbols", lambda node: node.role == "entry" and node.text.startswith("#"))
    editor.do(Hotkey(keys=("escape",)), Type(text="typed"))
    editor.titled("● typed • Untitled-1 - Visual Studio Code")
    editor.do(*(Hotkey(keys=keys) for keys in (("f12",), ("ctrl", "f12"), ("ctrl", "a"), ("ctrl", "z"))))
    editor.titled("Untitled-1 - Visual Studio Code")
    editor.do(Hotkey(keys=("ctrl", "w")))
    editor.titled("Visual Studio Code")
    editor.do(Hotkey(keys=("ctrl", "shift", "o")), Hotkey(keys=("ctrl", "u")), Hotkey(keys=("alt", "d")))
    editor.do(Hotkey(keys=("ctrl", "n")))
    editor.titled("Untitled-1 - Visual Studio Code")
    assert len(editor.windows()) == 1, "none of them opened a window of the browser"
    editor.do(Hotkey(keys=("ctrl", "w")))
    editor.titled("Visual Studio Code")


def test_the_command_goes_to_a_position_and_opens_folders(editor: Editor) -> None:
    editor.sh("code --disable-gpu -g project/notes.txt:2:4")
    editor.titled("notes.txt - Visual Studio Code")
    editor.shows("the position", lambda node: "Ln 2, Col 4" in node.name)
    assert "successfully installed" in editor.sh("code --install-extension probe.vsix")
    assert editor.sh("code --list-extensions '|' grep probe") == "nobody.probe\n"
    editor.sh("code project")
    editor.titled("project - Visual Studio Code")
    assert len(editor.windows()) == 2
    editor.shows("the folder's files", lambda node: node.name == "Files Explorer")
    editor.do(Hotkey(keys=("ctrl", "shift", "p")), Type(text="Tell Folders"))
    editor.shows("the extension's command", lambda node: node.role == "list-item" and "Tell Folders" in node.name)
    editor.do(Hotkey(keys=("enter",)))
    editor.holds("folders.txt", b"project")


def test_nothing_is_left_after_a_reset(editor: Editor) -> None:
    editor.sh("killall code")

    async def gone() -> bool:
        return not [window for window in await editor.desktop.windows() if window.app == "code"]

    editor.until("all windows end by the editor's name", gone)
    assert editor.sh("pgrep -f vs_code_serve[r]") == ""
    editor.runner.run(editor.desktop.reset())
    assert editor.sh(f"code --list-extensions; cat {SETTINGS}").endswith("No such file or directory\n")
