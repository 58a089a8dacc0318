"""Applications' answers about their elements, as types; values of the wrong shape are dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trueline.desktop.accessibility.connection import Answer, MethodCall
from trueline.desktop.accessibility.marshal import is_row, is_table
from trueline.desktop.accessibility.names import A11Y, ON_SCREEN
from trueline.records.tree import NodeAction, NodeValue, Place, Size

Ref = tuple[str, str]
"""An element: the name of its application's connection, and a path."""

_PROPERTIES = "org.freedesktop.DBus.Properties"
NOBODY: Ref = ("", "/org/a11y/atspi/null")


@dataclass(frozen=True, slots=True)
class Raw:
    """One element as the cache of its application describes it."""

    ref: Ref
    parent: Ref
    index: int
    """Place among the children of its parent; -1 if the element does not know."""
    child_count: int
    """-1 when it does not say."""
    interfaces: frozenset[str]
    name: str
    role: int
    states: int
    attributes: Mapping[str, str] | None = None
    """`None` until they are asked for."""
    bounds: Mapping[str, object] = field(default_factory=dict[str, object])
    """What is known of its Value interface and need not be asked."""
    bulk: bool = False
    """Whether its application can be asked for all properties at once, which crashes Qt 5."""

    @property
    def on_screen(self) -> bool:
        """Whether it is visible and showing; only then it has a box."""
        return on_screen(self.states)

    def has(self, interface: str) -> bool:
        """Whether it has an interface (`Text`, `Table` …)."""
        return A11Y + interface in self.interfaces


@dataclass(frozen=True, slots=True)
class Details:
    """Details of an element that no cache contains."""

    role: str | None = None
    position: Place | None = None
    size: Size | None = None
    text: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    value: NodeValue | None = None
    actions: tuple[NodeAction, ...] = ()


def on_screen(states: int) -> bool:
    """Whether something of these states is on the screen."""
    return states & ON_SCREEN == ON_SCREEN


def ask(ref: Ref, interface: str, method: str, signature: str = "", *body: object) -> MethodCall:
    """A method of an element."""
    return MethodCall(ref[0], ref[1], A11Y + interface, method, signature, body)


def ask_property(ref: Ref, interface: str, name: str) -> MethodCall:
    """A property of an element."""
    return MethodCall(ref[0], ref[1], _PROPERTIES, "Get", "ss", (A11Y + interface, name))


def ask_properties(ref: Ref, interface: str) -> MethodCall:
    """All properties of an interface of an element."""
    return MethodCall(ref[0], ref[1], _PROPERTIES, "GetAll", "s", (A11Y + interface,))


def value_of(answer: Answer) -> object:
    """The first value of an answer, out of its variant if it is one; None when there is no answer."""
    if not isinstance(answer, tuple) or not answer:
        return None
    return variant(answer[0])


def variant(value: object) -> object:
    """A D-Bus variant is a pair of its signature and its value."""
    return value[1] if is_row(value) and len(value) == 2 and isinstance(value[0], str) else value


def text_of(answer: Answer) -> str:
    """An answer that is a text, else nothing."""
    value = value_of(answer)
    return value if isinstance(value, str) else ""


def number_of(answer: Answer, default: int = 0) -> int:
    """An answer that is a whole number, else the default."""
    value = value_of(answer)
    return value if isinstance(value, int) else default


def refs_of(answer: Answer) -> list[Ref]:
    """An answer that is a list of elements; null elements are left out."""
    found = answer[0] if isinstance(answer, tuple) and answer else None
    return [ref for ref in map(as_ref, found) if ref is not None] if is_row(found) else []


def ref_of(answer: Answer) -> Ref | None:
    """An answer that is one element."""
    return as_ref(answer[0]) if isinstance(answer, tuple) and answer else None


def as_ref(value: object) -> Ref | None:
    """An element, unless it is the null one."""
    if not is_row(value) or len(value) != 2:
        return None
    name, path = value
    if not isinstance(name, str) or not isinstance(path, str) or path.endswith("/null") or not name:
        return None
    return name, path


def states_of(value: object) -> int:
    """The two words of states as one number."""
    if not is_row(value) or len(value) < 2:
        return 0
    low, high = value[0], value[1]
    return low | high << 32 if isinstance(low, int) and isinstance(high, int) else 0


def properties_of(answer: Answer, names: Sequence[str]) -> list[object]:
    """These properties out of an answer that is a table of them; None for each that is not there."""
    found = value_of(answer)
    return [variant(found.get(name)) if is_table(found) else None for name in names]


def attributes_of(value: object) -> dict[str, str] | None:
    """A table of words, in the order of its keys."""
    return {str(key): str(word) for key, word in sorted(value.items(), key=str)} if is_table(value) else None


def words_of(value: object) -> frozenset[str]:
    """A list of words."""
    return frozenset(word for word in value if isinstance(word, str)) if is_row(value) else frozenset()


def read_item(item: object) -> Raw | None:
    """An entry of an application's cache: itself, application, parent, index, children, interfaces, name, role …"""
    if not is_row(item) or len(item) < 10:
        return None
    ref, parent = as_ref(item[0]), as_ref(item[2])
    index, children, name, role = item[3], item[4], item[6], item[7]
    if ref is None or not isinstance(index, int) or not isinstance(children, int):
        return None
    if not isinstance(name, str) or not isinstance(role, int):
        return None
    return Raw(ref, parent or NOBODY, index, children, words_of(item[5]), name, role, states_of(item[9]), bulk=True)
