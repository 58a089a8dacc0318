"""Imports point only in the direction the architecture gives, and the light packages stay light."""

from __future__ import annotations

import re
import subprocess
import sys

from support.source_facts import SOURCE, source_facts

# What each package may import besides itself; the files in OPEN and the package itself are open to all.
OPEN = {
    "blocking", "errors", "extras", "line_process", "registry", "strict_json", "tables", "text", "user_code",
    "validation", "__init__",
}  # fmt: skip
BELOW_TASKS = {"desktop", "models", "records", "actions", "serving"}
MAY_IMPORT: dict[str, set[str]] = {
    "__init__": {"agents", "desktop", "guard", "judge", "models", "records", "runs", "stats", "tasks"},
    "__main__": {"cli"},
    "actions": set(),
    "records": {"actions"},
    "stats": {"records"},
    "models": {"records", "actions"},
    "serving": set(),
    "desktop": {"records", "actions", "serving"},
    "tasks": BELOW_TASKS,
    "agents": {"tasks", *BELOW_TASKS},
    "guard": {"tasks", *BELOW_TASKS},
    "judge": {"tasks", "stats", *BELOW_TASKS},
    "runs": {"agents", "guard", "judge", "tasks", "stats", *BELOW_TASKS},
    "studies": {"runs", "agents", "guard", "judge", "tasks", "stats", *BELOW_TASKS},
    "view": {"studies", "runs", "agents", "guard", "judge", "tasks", "stats", *BELOW_TASKS},
    "cli": {"view", "studies", "runs", "agents", "guard", "judge", "tasks", "stats", *BELOW_TASKS},
}
ONLY_IN = {
    **dict.fromkeys(("openai", "anthropic", "boto3", "botocore"), "models"),
    **dict.fromkeys(("Xlib", "xcffib"), "desktop"),
}
"""Libraries that one package alone may import."""


def packages() -> set[str]:
    return {facts.package for facts in source_facts() if len(facts.path.parts) > 1}


def test_every_package_is_in_the_table() -> None:
    assert packages() <= MAY_IMPORT.keys()


def test_the_table_for_contributors_says_what_is_imported() -> None:
    page = (SOURCE.parents[1] / "CONTRIBUTING.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)/` \|[^|]*\| ([^|]*) \|$", page, re.MULTILINE)
    real = {package: set[str]() for package in packages()}
    for facts in source_facts():
        if facts.package in real:
            names = (name.split(".") for name in facts.imports if name.startswith("trueline."))
            real[facts.package] |= {name[1] for name in names if name[1] in real and name[1] != facts.package}
    assert {package: set(re.findall(r"`(\w+)`", named)) for package, named in rows} == real


def test_the_architecture_page_names_every_package_and_shared_file() -> None:
    page = (SOURCE.parents[1] / "docs/concepts/architecture.md").read_text("utf-8")
    diagram = re.findall(r"```text\n(.*?)```", page, re.DOTALL)[0]
    assert packages() - set(re.findall(r"\w+", diagram)) == set()
    shared = page[page.index("Besides, ") : page.index("are single files")]
    assert set(re.findall(r"`(\w+)`", shared)) == OPEN - {"__init__"}


def test_imports_point_one_way() -> None:
    wrong: list[str] = []
    for facts in source_facts():
        wrong += [f"{facts.path}:{line} is a relative import" for line in facts.relative_imports]
        allowed = MAY_IMPORT.get(facts.package, set()) | OPEN | {facts.package}
        for name in facts.imports:
            top, _, rest = name.partition(".")
            target = rest.split(".")[0]
            if top == "trueline" and rest and target not in allowed and not target.startswith("__"):
                wrong.append(f"{facts.path} imports {name}, but {facts.package} may not need {target}")
            if top in ONLY_IN and facts.package != ONLY_IN[top]:
                wrong.append(f"{facts.path} imports {top}: only {ONLY_IN[top]}/ may")
    assert wrong == []


# Programs of their own that run inside a sandbox: what they read and print goes through a pipe to the host.
INSIDE_THE_SANDBOX = ("desktop/local/programs", "desktop/worker/inside", "tasks/bridge/inside", "tasks/rtc/machine")


def test_nothing_below_cli_prints_or_reads_argv() -> None:
    wrong: list[str] = []
    for facts in source_facts():
        if facts.package != "cli" and not any(facts.path.is_relative_to(folder) for folder in INSIDE_THE_SANDBOX):
            wrong += [f"{facts.path}:{line} prints" for line in facts.prints]
            wrong += [f"{facts.path}:{line} reads argv" for line in facts.reads_argv]
    assert wrong == []


def loaded_by(code: str) -> set[str]:
    out = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(out.stdout.split())


def test_help_loads_nothing_heavy() -> None:
    loaded = loaded_by("from trueline.cli import main\nmain(['--help'])")
    assert not loaded & {"numpy", "scipy", "pydantic", "rich", "PIL", "openai", "anthropic", "asyncio"}


def test_metrics_loads_no_slow_part_of_scipy() -> None:
    loaded = loaded_by("import trueline.cli.metrics")
    assert not loaded & {"scipy.stats", "matplotlib", "pyarrow", "openai", "anthropic"}
