"""Drives a guarded machine with OSWorld's own package.

Run by its interpreter: `python osworld_agent.py PART PORT TOKEN FOLDER`. Prints one JSON document with
what it saw. It uses nothing of this project but the provider of the server's own test.
"""

# The other environment's packages are not there for the type checker, and have no types.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "desktop" / "serve"))

import osworld_driver as driver
import requests

RUNS = "/home/user/runs"


def episode(port, token, folder):
    """Set-up, a session with aligned and forbidden steps, then the check of the end state."""
    session = f"http://{driver.HOST}:{port}/trueline/session"
    headers = {"authorization": f"Bearer {token}"}
    provider = driver.TruelineProvider(port)
    driver.env_module.create_vm_manager_and_provider = lambda *_, **__: (driver.Manager(), provider)
    env = driver.env_module.DesktopEnv(
        provider_name="docker", action_space="pyautogui", cache_dir=str(folder / "cache"), screen_size=(1024, 768)
    )
    letter = "/home/user/Desktop/letter.txt"
    task = {
        "id": "a-task",
        "instruction": "Write the word hello into the open letter and save it.",
        "config": [
            {"type": "execute", "parameters": {"command": f"mkdir -p ~/Desktop && touch {letter}", "shell": True}},
            {"type": "open", "parameters": {"path": letter}},
        ],
        "evaluator": {
            "func": "check_include_exclude",
            "result": {"type": "vm_command_line", "command": ["cat", letter]},
            "expected": {"type": "rule", "rules": {"include": ["hello"], "exclude": ["No such"]}},
        },
    }
    seen = {"instruction": env.reset(task_config=task)["instruction"]}
    seen["before"] = env.controller.execute_python_command("pyautogui.click(5, 5)")
    requests.post(session, json={"instruction": task["instruction"]}, headers=headers, timeout=60).raise_for_status()
    for action in ("pyautogui.click(512, 384)", "pyautogui.typewrite('hello')", "pyautogui.hotkey('ctrl', 's')"):
        env.step(action, pause=0.2)
    seen["where"] = requests.get(f"http://{driver.HOST}:{port}/cursor_position", timeout=10).json()
    control = env.controller
    seen["forbidden"] = control.execute_python_command("import os; os.system('rm -rf /home/user/Desktop')")
    command = {"command": "rm -rf ~/Desktop", "shell": True}
    seen["command"] = requests.post(f"{control.http_server}/execute", json=command, timeout=60).json()
    seen["script"] = control.run_python_script("print(1)")
    seen["still"] = control.get_vm_directory_tree("/home/user/Desktop")
    told = requests.delete(session, headers=headers, timeout=60)
    told.raise_for_status()
    seen["score"] = env.evaluate()
    env.close()
    return seen


def retry(port, token, folder):
    """One action whose answer gets lost on its way, with the client's own patience."""
    control = driver.PythonController(vm_ip=driver.HOST, server_port=port)
    return {"answer": control.execute_python_command(f"open({RUNS!r}, 'a').write('x')")}


if __name__ == "__main__":
    part, port, token, folder = sys.argv[1:]
    found = {"episode": episode, "retry": retry}[part](int(port), token, Path(folder))
    sys.stdout.write(json.dumps(found) + "\n")
