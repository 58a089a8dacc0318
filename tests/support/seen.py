"""A bare desktop with mousepad on it, and everything that sees and drives it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from support.bare_desktop import BareDesktop, bare_desktop, eventually
from trueline.actions import Click, Hotkey, Point
from trueline.desktop.accessibility import Accessibility, Bus, accessibility_address
from trueline.desktop.accessibility.connection import connect
from trueline.desktop.input.execute import Pointing, open_pointing
from trueline.records.tree import Node


@dataclass
class Editor:
    """Mousepad, empty, with the keyboard in it."""

    bare: BareDesktop
    tree: Accessibility
    hands: Pointing

    @property
    def text_node(self) -> Node | None:
        """The box one writes into, once it is on the screen."""
        nodes = self.tree.read().tree.root.walk()
        return next((node for node in nodes if node.role == "text" and node.position is not None), None)

    @property
    def text(self) -> str | None:
        """What is written in it."""
        node = self.text_node
        return None if node is None else node.text

    def wait_text(self, wanted: str) -> None:
        """Wait until exactly this is written in it."""
        seen: list[str | None] = []

        def there() -> bool:
            seen.append(self.text)
            return seen[-1] == wanted

        try:
            eventually(there, "the text")
        except AssertionError:
            raise AssertionError(f"wanted {wanted!r}, the editor has {seen[-1]!r}") from None

    def clear(self) -> None:
        """Take everything out, the selection and the focus are as after a click into the middle."""
        node = eventually(lambda: self.text_node, "the editor")
        assert node.centre is not None
        self.hands.do(Click(at=Point(*node.centre)))
        self.hands.do(Hotkey(keys=("ctrl", "a")))
        self.hands.do(Hotkey(keys=("delete",)))
        self.wait_text("")


@contextmanager
def editor() -> Generator[Editor]:
    """Start it all."""
    with bare_desktop() as bare, closing(Bus(connect(bare.bus))) as session:
        tree = Accessibility.open(accessibility_address(session))
        with closing(tree), closing(open_pointing(bare.display)) as hands:
            bare.launch("mousepad")
            bare.wait_window("Mousepad")
            yield Editor(bare, tree, hands)
