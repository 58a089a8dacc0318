"""The whole tree of a page in Chromium, beside what a screen reader's library finds node by node."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator

import pytest

from trueline.desktop.bench import naive
from trueline.desktop.bench.pages import ROWS, web_page
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.applications import APPLICATIONS, open_application
from trueline.records import ObservationSpec, TreeScope
from trueline.records.tree import Node

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def desktop(runner: asyncio.Runner) -> Iterator[LocalDesktop]:
    desktop = LocalDesktop(LocalOptions())

    async def start() -> None:
        await desktop.start()
        await desktop.put("rows.html", web_page())
        await open_application(desktop, APPLICATIONS["chromium"], "/home/user/rows.html")
        while True:
            if f"paragraph {ROWS - 1}" in {node.name for node in (await read(desktop, "whole")).walk()}:
                return
            await asyncio.sleep(0.05)

    try:
        runner.run(asyncio.wait_for(start(), 60))
        yield desktop
    finally:
        runner.run(desktop.stop())


async def read(desktop: LocalDesktop, scope: TreeScope) -> Node:
    seen = await desktop.observe(ObservationSpec(screenshot=False, tree=True, tree_scope=scope))
    assert seen.tree is not None and seen.tree_scope == scope
    return seen.tree.root


def rows(root: Node) -> Counter[str]:
    """How many of the elements of the page's rows are there, by their role."""
    wanted = {f"{word} {row}" for word in ("link", "button", "paragraph") for row in range(ROWS)}
    values = {f"input {row}" for row in range(ROWS)}
    found = [node.role for node in root.walk() if node.name in wanted and node.role in ("link", "push-button")]
    found += [node.role for node in root.walk() if node.role == "entry" and node.text in values]
    found += [node.role for node in root.walk() if node.role == "paragraph" and node.text in wanted]
    return Counter(found)


def test_all_rows_of_a_long_page_are_in_the_whole_tree(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    whole = rows(runner.run(read(desktop, "whole")))
    assert whole == {"link": ROWS, "push-button": ROWS, "entry": ROWS, "paragraph": ROWS}
    assert 0 < rows(runner.run(read(desktop, "screen")))["link"] < ROWS / 2


def is_desktop_icon(node: Node) -> bool:
    """Whether it is one of those that no application tells of."""
    return node.role == "icon" and not node.attributes


def fields(root: Node) -> Counter[tuple[object, ...]]:
    """What each element is, in the form the walk of pyatspi has."""
    return Counter(
        (
            node.role, node.name, node.text, " ".join(sorted(node.states)),
            json.dumps(dict(sorted(node.attributes.items()))),
            str((*node.position, *node.size)) if node.position and node.size else "",
            " ".join(action.name for action in node.actions), node.image, node.selection,
        )
        for node in root.walk()
        if node.role != "desktop-frame" and not is_desktop_icon(node)
    )  # fmt: skip


def test_it_is_what_a_screen_readers_library_finds(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    # Helpers of the session start late and a tab shows its memory: compared is what was the same before and after.
    for _ in range(10):
        before = fields(runner.run(read(desktop, "whole")))
        walked = runner.run(desktop.run(naive.pyatspi_walk(nodes=True), time_limit=120))
        after = fields(runner.run(read(desktop, "whole")))
        if before == after:
            assert walked.returncode == 0, walked.stderr
            theirs = Counter(tuple(node) for node in json.loads(walked.text.splitlines()[-1]))
            assert after == theirs, (list((after - theirs).items())[:5], list((theirs - after).items())[:5])
            return
    pytest.fail("the screen does not come to rest")
