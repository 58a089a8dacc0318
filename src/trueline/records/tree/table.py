"""The tree as the tab-separated table that OSWorld's and OS-Harm's agents read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trueline.records.tree.node import Node, Platform, Tree

HEADER = "tag\tname\ttext\tclass\tdescription\tposition (top-left x&y)\tsize (w&h)"

COVERED = "covered"
CLICK_AT = "click at "

_ROLE_ENDS = (
    "item", "button", "heading", "label", "scrollbar", "searchbox", "textbox", "link", "tabelement", "textfield",
    "textarea", "menu",
)  # fmt: skip
_ROLES = frozenset((
    "alert", "canvas", "check-box", "combo-box", "entry", "icon", "image", "paragraph", "scroll-bar", "section",
    "slider", "static", "table-cell", "terminal", "text",
))  # fmt: skip
_WINDOWS_ROLES = frozenset((
    "netuiribbontab", "start", "trayclockwclass", "traydummysearchcontrol", "uiimage", "uiproperty",
    "uiribboncommandbar",
))  # fmt: skip
_USABLE = frozenset(("enabled", "editable", "expandable", "checkable"))


_IN_A_ROW = dict.fromkeys((*range(32), *range(0x7F, 0xA0), 0x2028, 0x2029), " ")
"""Control characters: a tab or newline in a name would begin a field or a row that no element has."""
_BREAKS = re.compile("\r\n|[\r\n\u0085\u2028\u2029]")
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\t": "\\t"})


def shown(tree: Tree, *, images: bool = False) -> Iterator[Node]:
    """The nodes that stand in the table, in document order; `images` adds unnamed pictures, as set-of-marks does."""
    return (node for node in tree.root.walk() if is_listed(node, tree.platform, images=images))


def is_table_role(role: str) -> bool:
    """Whether elements of this role may stand in the table."""
    return role in _ROLES or role in _WINDOWS_ROLES or role.startswith("document") or role.endswith(_ROLE_ENDS)


def is_listed(node: Node, platform: Platform = "ubuntu", *, images: bool = True) -> bool:
    """Whether an element stands in the table; with `images`, in the table or among the marks."""
    role, states = node.role, node.states
    return (
        is_table_role(role)
        and "visible" in states
        and ("showing" in states or platform == "windows")
        and not _USABLE.isdisjoint(states)
        and (node.name != "" or node.text != "" or (images and node.image))
        and node.position is not None
        and node.position.x >= 0
        and node.position.y >= 0
        and node.size is not None
        and node.size.width > 0
        and node.size.height > 0
    )


def linearise(tree: Tree) -> str:
    """The table: a header, then one line per shown node, no newline at the end."""
    return "\n".join((HEADER, *(_line(node, tree.platform) for node in shown(tree))))


def _line(node: Node, platform: Platform) -> str:
    # OSWorld looks class and description up under a Windows name, so on other systems both columns are empty.
    windows = platform == "windows"
    class_name = node.other.get("class:class", "") if windows else ""
    description = node.attributes.get("description", "") if windows else _visibility(node)
    position = "" if node.position is None else str(tuple(node.position))
    size = "" if node.size is None else str(tuple(node.size))
    return row_of(node.role, node.name, quoted_text(node), class_name, description, position, size)


def _visibility(node: Node) -> str:
    """What the description column, which OSWorld leaves empty on Ubuntu, says of an element beneath another window."""
    if node.covered:
        return COVERED
    return "" if node.visible_point is None else f"{CLICK_AT}{tuple(node.visible_point)}"


def row_of(*fields: str) -> str:
    """One line of a table; what an application says stays within its field."""
    return "\t".join(field.translate(_IN_A_ROW) for field in fields)


def quoted_text(node: Node) -> str:
    r"""A node's text as the table writes it: never empty, quotes doubled. Windows edit boxes keep theirs as value.

    OSWorld writes line breaks as they are, which tears the row. Here a text of several lines is quoted and its breaks
    and tabs are written as `\n` and `\t`, its backslashes twice; `unquoted_text` reads it back. Line breaks at the end,
    with which terminals fill their window, are left out.
    """
    text = node.text
    if not text and node.value is not None and node.other.get("class:class", "").endswith("EditWrapper"):
        text = node.value.value or ""
    text = _BREAKS.sub("\n", text).rstrip("\n")
    if not text:
        return '""'
    if "\n" in text or ('"' in text and "\\n" in text):  # else the second would be read back as the first
        return '"{}"'.format(text.translate(_ESCAPES).replace('"', '""'))
    return text if '"' not in text else '"{}"'.format(text.replace('"', '""'))


_ESCAPED = re.compile(r"(?:[^\\]|\\[\\nt])*")
_ESCAPE = re.compile(r"\\[\\nt]")
_MEANS = {"\\\\": "\\", "\\n": "\n", "\\t": "\t"}


def unquoted_text(field: str) -> str:
    r"""The text of a field that `quoted_text` wrote, or OSWorld did.

    A quoted field with `\n` in it is one of several lines, unless another backslash stands in it alone: OSWorld's and
    earlier tables have no escapes. They are taken for one only where every backslash could begin one.
    """
    if len(field) < 2 or field[0] != '"' or field[-1] != '"':
        return field
    text = field[1:-1].replace('""', '"')
    if "\\n" in text and _ESCAPED.fullmatch(text):
        return _ESCAPE.sub(lambda escape: _MEANS[escape[0]], text)
    return text
