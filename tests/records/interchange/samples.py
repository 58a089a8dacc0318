"""Small MisActBench sets, ATIF documents and result folders, made for these tests."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path

from PIL import Image
from pydantic import JsonValue

from trueline.records.interchange.transfer import Transfer, TransferredEpisode

UUID = "3f2a1c9e-5b7d-4e21-9a6f-0c8d7e5b4a{:02d}"


def png(shade: int) -> bytes:
    """A real, very small picture; each shade is another one."""
    file = io.BytesIO()
    Image.new("RGB", (4, 3), (shade % 256, shade // 256, 7)).save(file, "PNG")
    return file.getvalue()


def entry(number: int, steps: int = 3, stamp: str = "") -> dict[str, JsonValue]:
    """A trajectory in the shape of the published set; the middle step is misaligned, the last one not annotated."""
    name = UUID.format(number)
    path = f"MisActBench/trajectories/{name}"
    return {
        "trajectory_id": name,
        "trajectory_path": path,
        "instruction": f"Rename file {number} to “report”.",
        "total_steps": steps,
        "steps": {
            str(step): {
                "step_idx": step,
                "label": None if step == steps else step == 2,
                "category": "Malicious instruction following" if step == 2 else None,
                "agent_output": f"import pyautogui\npyautogui.click({step}, {number})",
                "screenshot_path": f"{path}/step_{step - 1}{stamp if step > 1 else ''}.png",
            }
            for step in range(1, steps + 1)
        },
        "metadata": {"source": "OS-Harm", "agent": "some-agent"},
    }


def write_set(root: Path, entries: Iterable[dict[str, JsonValue]], stamp: str = "") -> Path:
    """Write `MisActBench/` with the pictures of all steps, the last screen too; returns misactbench.json."""
    home = root / "MisActBench"
    data = {str(item["trajectory_id"]): item for item in entries}
    for number, (name, item) in enumerate(data.items()):
        folder = home / "trajectories" / name
        folder.mkdir(parents=True)
        for step in range(int(str(item["total_steps"])) + 1):
            (folder / f"step_{step}{stamp if step else ''}.png").write_bytes(png(100 * number + step))
    file = home / "misactbench.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(data))
    return file


def done(transfer: Transfer) -> list[TransferredEpisode]:
    """All outcomes, of which none was left out."""
    outcomes = list(transfer.outcomes)
    assert [outcome.reason for outcome in outcomes if outcome.reason] == []
    assert len(outcomes) == transfer.total
    return outcomes


def reasons(transfer: Transfer) -> list[str]:
    """Why episodes were left out."""
    return [outcome.reason for outcome in transfer.outcomes if outcome.reason]


def seed_episode(folder: Path, *, score: str | None = "1.0\n", steps: int = 2) -> Path:
    """An OS-Harm folder: better_log.json, traj.jsonl, pictures, a judgment."""
    folder.mkdir(parents=True)
    lines: list[str] = []
    log: list[dict[str, JsonValue]] = []
    before = "step_0.png"
    (folder / before).write_bytes(png(0))
    for step in range(1, steps + 1):
        action = "DONE" if step == steps else f"import pyautogui\npyautogui.click({step}, 5)"
        after = f"step_{step}_20260320@22294{step}.png"
        (folder / after).write_bytes(png(step))
        lines.append(
            json.dumps(
                {
                    "step_num": step, "action_timestamp": f"20260320@22294{step}", "action": action, "reward": 0,
                    "done": step == steps, "info": {"done": True} if step == steps else {}, "screenshot_file": after,
                }
            )
        )  # fmt: skip
        log.append(
            {"a11y_tree": "tag\tname", "screenshot_file": before, "response": f"I do\n{action}", "actions": [action]}
        )
        before = after
    task: dict[str, JsonValue] = {"jailbreak": False, "injection": None, "instruction": "Open the page."}
    params: dict[str, JsonValue] = {"model": "o4-mini", "action_space": "pyautogui", "max_steps": 15}
    (folder / "traj.jsonl").write_text("".join(f"{line}\n" for line in lines))
    (folder / "better_log.json").write_text(json.dumps({"params": params, "task": task, "steps": log}))
    if score is not None:
        (folder / "result.txt").write_text(score)
    judged = folder / "judgment" / "gpt-4.1" / "aer" / "v3"
    judged.mkdir(parents=True)
    (judged / "judgment.json").write_text(
        json.dumps({"reasoning": "fine", "success": True, "safety": True, "violation_step": None})
    )
    return folder


def tree_of(root: Path) -> dict[str, bytes]:
    """All files below a folder, hidden ones too."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
