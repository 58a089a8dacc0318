"""The accessibility tree, against asking node by node: python benchmarks/desktop/tree.py

The naive way is what a screen reader's library does: one call, one answer, for every field of every node.
"""

from __future__ import annotations

import time
from contextlib import closing

from bench import bare_desktop, milliseconds, report

from trueline.desktop.accessibility import Accessibility, Bus, accessibility_address, connect
from trueline.desktop.accessibility.bus import Answer, Call
from trueline.desktop.accessibility.raw import Ref, ask, ask_property, number_of, refs_of, value_of, words_of
from trueline.desktop.accessibility.walk import DESKTOP


def main() -> None:
    with bare_desktop((1920, 1080)) as bare, closing(Bus(connect(bare.bus))) as session:
        address = accessibility_address(session)
        with closing(Accessibility.open(address)) as tree, closing(Bus(connect(address))) as bus:
            bare.launch("mousepad")
            bare.launch("xfce4-terminal")
            bare.wait_window("Mousepad")
            bare.wait_window("Terminal")
            while tree.applications() < 2:
                time.sleep(0.01)
            ours = milliseconds(tree.read)
            nodes = list(tree.read().tree.root.walk())
            showing = sum("showing" in node.states for node in nodes)
            asked = naive(bus)
            slow = milliseconds(lambda: naive(bus), 3)
    report(
        tree_ms={"mousepad and terminal": ours},
        nodes=len(nodes),
        showing=showing,
        naive_nodes=asked,
        ratios={"node by node": round(slow / ours, 1)},
    )


def naive(bus: Bus) -> int:
    """Ask for everything, one thing after the other; returns how many nodes there were."""

    def answer(call: Call) -> Answer:
        return bus.many([call], time.monotonic() + 5)[0]

    todo: list[Ref] = refs_of(answer(ask(DESKTOP, "Accessible", "GetChildren")))
    count = 0
    while todo:
        ref = todo.pop()
        count += 1
        answer(ask_property(ref, "Accessible", "Name"))
        for method in ("GetRoleName", "GetState", "GetAttributes"):
            answer(ask(ref, "Accessible", method))
        interfaces = words_of(value_of(answer(ask(ref, "Accessible", "GetInterfaces"))))
        if any(name.endswith(".Component") for name in interfaces):
            answer(ask(ref, "Component", "GetExtents", "u", 0))
        if any(name.endswith(".Text") for name in interfaces):
            answer(ask(ref, "Text", "GetText", "ii", 0, -1))
        children = number_of(answer(ask_property(ref, "Accessible", "ChildCount")))
        for index in range(min(children, 1024)):
            found = answer(ask(ref, "Accessible", "GetChildAtIndex", "i", index))
            todo.extend(refs_of(([found[0]],)) if isinstance(found, tuple) and found else [])
    return count


if __name__ == "__main__":
    main()
