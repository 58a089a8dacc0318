"""The example of a `.env` names every variable."""

from __future__ import annotations

import re
from pathlib import Path

from trueline.models.providers import usable_providers

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"^#?([A-Za-z_]+)=", re.MULTILINE)


def test_every_variable_stands_in_it_once() -> None:
    named = NAMED.findall((ROOT / ".env.example").read_text(encoding="utf-8"))
    of_providers = {name for p in usable_providers() for v in p.variables for name in v.names}
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    ours = set(re.findall(r"\"(TRUELINE_[A-Z_]+)\"", text))
    assert sorted(named) == sorted(of_providers | ours)


def test_what_is_not_a_comment_is_empty() -> None:
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    assert all(line.startswith("#") or not line or line.endswith("=") for line in lines)
