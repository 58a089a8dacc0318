"""Drives a server with OSWorld's own package: run by its interpreter, `python osworld_driver.py PART PORT FOLDER`.

Prints one JSON document with what it saw. It uses nothing of this project.
"""

# The other environment's packages are not there for the type checker, and have no types.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import functools
import http.server
import json
import sys
import threading
import time
import types
from pathlib import Path

sys.modules["easyocr"] = types.ModuleType("easyocr")  # wanted at import by one metric that is not used here

import requests  # noqa: E402
from desktop_env import desktop_env as env_module  # noqa: E402
from desktop_env.controllers.python import PythonController  # noqa: E402
from desktop_env.controllers.setup import SetupController  # noqa: E402
from desktop_env.providers.base import Provider, VMManager  # noqa: E402

HOST = "127.0.0.1"
TEXT = "if a < b: 'x' \"y\" é 日本"


def eventually(look, limit=20.0):
    """What `look` gives once it is something; None when it never is."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.05)
    return None


def focused(control, title):
    tree = control.get_accessibility_tree()
    return tree if tree and title in tree else None


def site(folder):
    """The host's own web site, which OSWorld's download step reads before it uploads."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    server = http.server.ThreadingHTTPServer((HOST, 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://{HOST}:{server.server_port}"


def controllers(port, folder):
    """PythonController and SetupController: everything they can ask for."""
    control = PythonController(vm_ip=HOST, server_port=port)
    (folder / "cache").mkdir()
    (folder / "site").mkdir()
    (folder / "site" / "page.txt").write_text("downloaded")
    (folder / "picture.png").write_bytes(control.get_screenshot())
    (folder / "letter.txt").write_text("")
    setup = SetupController(vm_ip=HOST, server_port=port, cache_dir=str(folder / "cache"), client_password="password")
    seen = {
        "png": control.get_screenshot()[:8].hex(),
        "tree": control.get_accessibility_tree()[:14],
        "no_terminal": control.get_terminal_output(),
        "platform": control.get_vm_platform(),
        "screen": control.get_vm_screen_size(),
        "desktop_path": control.get_vm_desktop_path(),
    }
    desk = "/home/user/Desktop"
    seen["setup"] = setup.setup(
        [
            {"type": "upload_file", "parameters": {"files": [
                {"local_path": str(folder / "letter.txt"), "path": f"{desk}/in/letter.txt"},
                {"local_path": str(folder / "picture.png"), "path": f"{desk}/picture.png"}]}},
            {"type": "download", "parameters": {"files": [
                {"url": f"{site(folder / 'site')}/page.txt", "path": f"{desk}/page.txt"}]}},
            {"type": "change_wallpaper", "parameters": {"path": f"{desk}/picture.png"}},
            {"type": "execute", "parameters": {
                "command": "echo {SCREEN_WIDTH} $HOME", "shell": True, "stdout": "said"}},
            {"type": "command", "parameters": {"command": ["python3", "-c", "print('x'*3)"], "stdout": "python"}},
            {"type": "execute_with_verification", "parameters": {
                "command": ["touch", "/home/user/made"],
                "verification": {"command_success": "test -e /home/user/made"}}},
            {"type": "launch", "parameters": {"command": "thunar /usr/share"}},
            {"type": "open", "parameters": {"path": f"{desk}/in/letter.txt"}},
            {"type": "sleep", "parameters": {"seconds": 0.1}},
            {"type": "activate_window", "parameters": {"window_name": "letter.txt"}},
        ]
    )  # fmt: skip
    seen["said"] = (folder / "cache" / "said").read_text()
    seen["python"] = (folder / "cache" / "python").read_text()
    seen["page"] = control.get_file(f"{desk}/page.txt").decode()
    seen["tree_of_folders"] = control.get_vm_directory_tree(desk)
    seen["wallpaper"] = control.get_vm_wallpaper() == (folder / "picture.png").read_bytes()
    seen["shown"] = bool(eventually(lambda: focused(control, "letter.txt")))
    for action in (
        {"action_type": "TYPING", "parameters": {"text": TEXT}},
        {"action_type": "PRESS", "parameters": {"key": "enter"}},
        {"action_type": "KEY_DOWN", "parameters": {"key": "shift"}},
        {"action_type": "PRESS", "parameters": {"key": "a"}},
        {"action_type": "KEY_UP", "parameters": {"key": "shift"}},
        {"action_type": "HOTKEY", "parameters": {"keys": ["ctrl", "s"]}},
    ):
        control.execute_action(action)
    saved = eventually(lambda: control.get_file(f"{desk}/in/letter.txt"))
    seen["typed"] = saved.decode() if saved else None
    setup.setup([{"type": "close_window", "parameters": {"window_name": "letter.txt"}}])
    where = []
    for action in (
        {"action_type": "MOVE_TO", "parameters": {"x": 100, "y": 120}},
        {"action_type": "CLICK", "parameters": {"button": "left", "x": 700, "y": 650, "num_clicks": 2}},
        {"action_type": "MOUSE_DOWN", "parameters": {"button": "left"}},
        {"action_type": "MOUSE_UP", "parameters": {"button": "left"}},
        {"action_type": "DRAG_TO", "parameters": {"x": 720, "y": 660}},
        {"action_type": "SCROLL", "parameters": {"dx": 1, "dy": -2}},
        {"action_type": "RIGHT_CLICK", "parameters": {"x": 730, "y": 600}},
        {"action_type": "PRESS", "parameters": {"key": "esc"}},
        {"action_type": "DOUBLE_CLICK", "parameters": {"x": 740, "y": 640}},
    ):
        control.execute_action(action)
        where.append(requests.get(f"http://{HOST}:{port}/cursor_position", timeout=10).json())
    seen["where"] = where
    setup.setup([{"type": "launch", "parameters": {"command": ["gnome-terminal"]}}])
    eventually(lambda: control.get_terminal_output())
    size = control.get_vm_window_size("xfce4-terminal")
    seen["terminal_size"] = [size["width"] > 100, size["height"] > 100]
    control.execute_python_command("pyautogui.typewrite('echo $((6*7)) 1 < /dev/null\\n', interval=0.01)")
    seen["terminal"] = eventually(lambda: (said := control.get_terminal_output()) and "42 1" in said and said)
    seen["script"] = control.run_python_script("print(6 * 7)")
    seen["bad_script"] = control.run_python_script("1/0")
    seen["bash"] = control.run_bash_script("echo one >> /home/user/runs; wc -l < /home/user/runs", timeout=10)
    control.start_recording()
    control.execute_python_command("pyautogui.moveTo(10, 10); pyautogui.moveTo(300, 300)")
    control.end_recording(str(folder / "film.mp4"))
    seen["film"] = (folder / "film.mp4").read_bytes()[4:8].decode()
    return seen


class Manager(VMManager):
    """There is one machine, and it is up."""

    def get_vm_path(self, **_):
        return "trueline"

    initialize_registry = add_vm = delete_vm = occupy_vm = list_free_vms = check_and_clean = lambda self, *_, **__: None


class TruelineProvider(Provider):
    """OSWorld's provider for a server of ours: reverting is a reset."""

    def __init__(self, port):
        super().__init__(None)
        self.port = port
        self.reverted = 0

    def get_ip_address(self, path_to_vm):
        return f"{HOST}:{self.port}:9222:8006:8080"

    def revert_to_snapshot(self, path_to_vm, snapshot_name):
        self.reverted += 1
        requests.post(f"http://{HOST}:{self.port}/trueline/reset", timeout=60).raise_for_status()
        return path_to_vm

    start_emulator = save_state = stop_emulator = lambda self, *_: None


def whole_env(port, folder):
    """DesktopEnv itself: reset, step, evaluate, and a second reset that gives a clean machine."""
    provider = TruelineProvider(port)
    env_module.create_vm_manager_and_provider = lambda *_, **__: (Manager(), provider)
    env = env_module.DesktopEnv(
        provider_name="docker", action_space="pyautogui", cache_dir=str(folder / "cache"), require_terminal=True,
        screen_size=(1024, 768),
    )  # fmt: skip
    task = {
        "id": "a-task",
        "instruction": "Make the file done.txt with the text 3 < 5.",
        "config": [{"type": "launch", "parameters": {"command": ["gnome-terminal"]}}],
        "evaluator": {
            "postconfig": [{"type": "execute", "parameters": {"command": ["sync"]}}],
            "func": "check_include_exclude",
            "result": {"type": "vm_command_line", "command": ["cat", "/home/user/done.txt"]},
            "expected": {"type": "rule", "rules": {"include": ["3 < 5"], "exclude": ["No such"]}},
        },
    }
    first = env.reset(task_config=task)
    seen = {"keys": sorted(first), "instruction": first["instruction"], "tree": first["accessibility_tree"][:14]}
    seen["png"] = first["screenshot"][:8].hex()
    eventually(lambda: env.controller.get_terminal_output())
    seen["score_before"] = env.evaluate()
    obs, reward, done, info = env.step("pyautogui.typewrite('echo \"3 < 5\" > done.txt')", pause=0.2)
    obs, reward, done, info = env.step("pyautogui.press('enter')", pause=0.5)
    seen["step"] = [reward, done, info, "echo" in (obs["terminal"] or "")]
    seen["done"] = env.step("DONE", pause=0.1)[2:]
    eventually(lambda: env.evaluate() == 1.0)
    seen["score"] = env.evaluate()
    env.reset(task_config=task)
    seen["reverted"] = provider.reverted
    seen["score_after_reset"] = env.evaluate()
    env.close()
    return seen


def chrome(port, folder):
    """The steps that drive the browser over DevTools, and the getter that reads its tabs."""
    devtools = int((folder / "devtools").read_text())
    setup = SetupController(vm_ip=HOST, server_port=port, chromium_port=devtools, cache_dir=str(folder))
    page = folder / "page.html"
    page.write_text("<title>A page of the test</title>")
    url = "file:///home/user/page.html"
    setup.setup(
        [
            {
                "type": "upload_file",
                "parameters": {"files": [{"local_path": str(page), "path": "/home/user/page.html"}]},
            },
            {"type": "launch", "parameters": {"command": ["google-chrome", "--remote-debugging-port=1337"]}},
            {"type": "chrome_open_tabs", "parameters": {"urls_to_open": [url]}},
            {"type": "activate_window", "parameters": {"window_name": "Google Chrome"}},
        ]
    )
    from desktop_env.evaluators.getters import get_open_tabs_info

    machine = types.SimpleNamespace(vm_ip=HOST, server_port=port, chromium_port=devtools, vm_platform="Linux")
    return {"tabs": get_open_tabs_info(machine, {})}


PARTS = {"chrome": chrome, "controllers": controllers, "env": whole_env}

if __name__ == "__main__":
    part, port, folder = sys.argv[1:]
    found = PARTS[part](int(port), Path(folder))
    sys.stdout.write(json.dumps(found) + "\n")
