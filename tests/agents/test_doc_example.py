"""The example in the documentation does what the documentation says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

from trueline.actions import Action

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "agents.md"


def test_the_example_runs_and_prints_what_the_page_shows(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, code in re.findall(r"```python\n# (\w+\.py)\n(.*?)```", page, re.DOTALL):
        (tmp_path / name).write_text(code)
    shown = re.findall(r"```console\n\$ python (.*?)\n(.*?)```", page, re.DOTALL)
    ran = subprocess.run([sys.executable, "try_agent.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout) == (0, shown[0][1]), ran.stderr
    code = shown[1][0].removeprefix("-c ").strip('"')
    failed = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert failed.stderr.splitlines()[-1] == shown[1][1].strip()


def test_every_action_class_stands_on_the_page_with_its_fields() -> None:
    listed = re.search(r"\| class \| fields \|.*?\n\n", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert listed is not None
    rows = dict(re.findall(r"^\| (`.*?) \| (.*?) \|", listed[0], re.MULTILINE))
    named = {name: fields for names, fields in rows.items() for name in re.findall(r"`(\w+)`", names)}
    classes = {kind.__name__: kind for kind in get_args(get_args(Action)[0])}
    assert named.keys() == classes.keys()
    for name, fields in named.items():
        for field in re.findall(r"`(\w+)(?:=[^`]*)?`(?! for)", fields.replace("`Zoom`", "")):
            holders = [classes[other] for other, row in named.items() if row == fields]
            assert any(field in holder.model_fields for holder in holders), (name, field)
