from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from trueline.records.tree import (
    Node,
    NodeAction,
    NodeValue,
    Place,
    Size,
    Tree,
    TreeError,
    linearise,
    marks,
    marks_text,
    parse_xml,
    read_table,
    shown,
    tree_of,
    write_xml,
)
from trueline.records.tree.read_table import parse_table

USABLE = frozenset({"showing", "visible", "enabled"})


def button(name: str = "OK", text: str = "", at: tuple[int, int] = (10, 20), size: tuple[int, int] = (30, 40)) -> Node:
    return Node("push-button", name, text, USABLE, position=Place(*at), size=Size(*size))


def desktop(*children: Node) -> Tree:
    return Tree(Node("desktop-frame", children=children))


def test_a_real_tree_is_written_back_equivalently_and_its_table_is_the_agents(shared_data: Path) -> None:
    sample = next((shared_data / "osworld").glob("at_sample*.json"))
    xml = json.loads(sample.read_text())["AT"]
    tree = parse_xml(xml)
    assert ET.canonicalize(write_xml(tree)) == ET.canonicalize(xml)
    assert sum(1 for _ in tree.root.walk()) == len(list(ET.fromstring(xml).iter()))
    back = next(node for node in tree.root.walk() if node.name == "Back")
    assert back.role == "push-button"
    assert back.states == {"focusable", "showing", "visible"}
    assert back.position == (644, 336)
    assert back.size == (37, 35)
    assert back.actions == (NodeAction("click", "Clicks the button", ""),)
    assert back.attributes == {"toolkit": "gtk"}
    table = linearise(tree)
    assert table.startswith("tag\tname\ttext\tclass\tdescription\tposition (top-left x&y)\tsize (w&h)\n")
    rows = parse_table(table)
    assert [(r.tag, r.name, r.position, r.size) for r in rows] == [
        (n.role, n.name, n.position, n.size) for n in shown(tree)
    ]
    assert len(rows) > 200


def test_rows_are_what_osworlds_agents_would_read() -> None:
    tree = desktop(
        button("Save"),
        button("Say", 'a "b" c'),
        Node(
            "entry", "Address", "", frozenset({"showing", "visible", "editable"}), position=Place(0, 0), size=Size(5, 6)
        ),
    )
    assert linearise(tree).split("\n")[1:] == [
        'push-button\tSave\t""\t\t\t(10, 20)\t(30, 40)',
        'push-button\tSay\t"a ""b"" c"\t\t\t(10, 20)\t(30, 40)',
        'entry\tAddress\t""\t\t\t(0, 0)\t(5, 6)',
    ]


@pytest.mark.parametrize(
    "node",
    [
        Node("panel", "p", "", USABLE, position=Place(1, 1), size=Size(1, 1)),
        Node("push-button", "p", "", frozenset({"showing", "enabled"}), position=Place(1, 1), size=Size(1, 1)),
        Node("push-button", "p", "", frozenset({"visible", "enabled"}), position=Place(1, 1), size=Size(1, 1)),
        Node("push-button", "p", "", frozenset({"visible", "showing"}), position=Place(1, 1), size=Size(1, 1)),
        button(""),
        button(at=(-1, 0)),
        button(size=(0, 5)),
        Node("push-button", "p", "", USABLE),
    ],
)
def test_what_cannot_be_used_has_no_row(node: Node) -> None:
    assert list(shown(desktop(node))) == []


def test_windows_trees_keep_their_class_and_need_no_showing_state() -> None:
    xml = (
        '<desktop xmlns:st="https://accessibility.windows.example.org/ns/state"'
        ' xmlns:c="https://accessibility.windows.example.org/ns/class"'
        ' xmlns:v="https://accessibility.windows.example.org/ns/value"'
        ' xmlns:cp="https://accessibility.windows.example.org/ns/component">'
        '<edit-textbox name="n" st:visible="true" st:enabled="true" st:offscreen="false" c:class="EditWrapper"'
        ' v:value="typed" cp:screencoord="(1, 2)" cp:size="(3, 4)"/></desktop>'
    )
    tree = parse_xml(xml)
    assert tree.platform == "windows"
    assert linearise(tree).split("\n")[1] == "edit-textbox\tn\ttyped\tEditWrapper\t\t(1, 2)\t(3, 4)"
    again = parse_xml(write_xml(tree))
    assert again == tree
    assert again.root.children[0].other["st:offscreen"] == "false"


def test_attributes_of_a_foreign_namespace_are_kept() -> None:
    xml = '<desktop><a xmlns:x="urn:x" x:b="1" plain="2" xml:lang="de"><x:c name="" x:d="&lt;"/></a></desktop>'
    tree = parse_xml(xml)
    assert tree.root.children[0].other == {
        "{urn:x}b": "1",
        "plain": "2",
        "{http://www.w3.org/XML/1998/namespace}lang": "de",
    }
    assert parse_xml(write_xml(tree)) == tree


def test_marks_number_the_shown_elements_and_skip_blank_boxes() -> None:
    image = Image.new("RGB", (100, 100), "white")
    image.putpixel((12, 25), (255, 0, 0))
    file = io.BytesIO()
    image.save(file, "PNG")
    picture = Node("icon", "", "", USABLE, position=Place(60, 60), size=Size(10, 10), image=True)
    tree = desktop(button("drawn"), picture)
    assert [mark.name for mark in marks(tree)] == ["drawn", ""]
    found = marks(tree, file.getvalue())
    assert marks_text(found) == 'index\ttag\tname\ttext\n1\tpush-button\tdrawn\t""'
    assert found[0].point == (25, 40)


def sheet(rows: int, columns: int, filled: dict[str, str], selected: str = "") -> Tree:
    cells = [
        Node(
            "table-cell", name := f"{chr(65 + column)}{row + 1}", filled.get(name, ""),
            USABLE | ({"selected"} if name == selected else set[str]()),
            position=Place(50 * column, 20 * row), size=Size(50, 20),
        )
        for row in range(rows)
        for column in range(columns)
    ]  # fmt: skip
    return desktop(Node("table", "Sheet1", children=tuple(cells)), button("Save", at=(10, 900)))


def test_cells_of_a_large_sheet_are_listed_last_and_not_drawn() -> None:
    found = marks(sheet(20, 10, {"C7": "total"}, selected="A1"))
    assert [mark.name for mark in found][:4] == ["Save", "A1", "C7", "B1"]
    assert [mark.name for mark in found if mark.drawn] == ["Save", "A1"]
    assert len(found) == 201 and [mark.number for mark in found] == [*range(1, 202)]
    for mark in found[1:]:
        column, row = ord(mark.name[0]) - 65, int(mark.name[1:]) - 1
        assert mark.point == (50 * column + 25, 20 * row + 10)
    assert marks_text(found).split("\n")[3] == "3\ttable-cell\tC7\ttotal"


def test_cells_of_a_small_table_are_drawn_in_their_place() -> None:
    found = marks(sheet(5, 5, {"B2": "x"}))
    assert all(mark.drawn for mark in found)
    assert [mark.name for mark in found][-1] == "Save"


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", '""'),
        ("\n\n", '""'),
        ("plain", "plain"),
        (r"C:\new", r"C:\new"),
        ('say "hi"', '"say ""hi"""'),
        ('say "hi\\n"', '"say ""hi\\\\n"""'),
        ("a\nb", r'"a\nb"'),
        ("a\r\nb\tc\n", r'"a\nb\tc"'),
        ("C:\\new\nb", r'"C:\\new\nb"'),
        ("a\u2028b", r'"a\nb"'),
    ],
)
def test_line_breaks_survive_in_the_table(text: str, field: str) -> None:
    tree = desktop(Node("terminal", "T", text, USABLE, position=Place(1, 2), size=Size(3, 4)))
    assert linearise(tree).split("\n")[1].split("\t")[2] == field
    (row,) = parse_table(linearise(tree))
    assert row.text == text.replace("\r\n", "\n").replace("\u2028", "\n").rstrip("\n")


@pytest.mark.parametrize("text", ['"print(""a\\d\\n"")"', '"C:\\dir ""x"""', '"'])
def test_fields_of_tables_without_escapes_are_read_as_they_are(text: str) -> None:
    (row,) = parse_table(f"text\tname\t{text}\t\t\t(1, 2)\t(3, 4)")
    assert row.text == (text[1:-1].replace('""', '"') if len(text) > 1 else text)


@given(st.text(alphabet=st.sampled_from('ab"\\nt \n\t')))
def test_texts_are_read_back_exactly(text: str) -> None:
    tree = desktop(Node("text", "T", text, USABLE, position=Place(1, 2), size=Size(3, 4)))
    (row,) = parse_table(linearise(tree))
    lines = text.rstrip("\n")
    escaped = "\n" in lines or ('"' in lines and r"\n" in lines)
    assert row.text == (lines if escaped else lines.replace("\t", " "))


@pytest.mark.parametrize(
    ("xml", "wrong"),
    [
        ('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "DTD"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "DTD"),
        ("<a>" * 300 + "</a>" * 300, "nested deeper"),
        ("<a", "not well-formed"),
        ("", "not well-formed"),
        ("<a>\ud800</a>", "not well-formed"),
        ("<a>&unknown;</a>", "not well-formed"),
    ],
)
def test_hostile_xml_is_refused_with_a_reason(xml: str, wrong: str) -> None:
    with pytest.raises(TreeError, match=wrong):
        parse_xml(xml)


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\t\n\r"), max_size=20)
NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,10}", fullmatch=True)
NODES = st.recursive(
    st.builds(
        Node,
        role=NAMES,
        name=TEXT,
        text=TEXT,
        states=st.frozensets(NAMES, max_size=3),
        attributes=st.dictionaries(NAMES, TEXT, max_size=3),
        position=st.none() | st.builds(Place, st.integers(-9999, 9999), st.integers(-9999, 9999)),
        size=st.none() | st.builds(Size, st.integers(0, 9999), st.integers(0, 9999)),
        value=st.none() | st.builds(NodeValue, TEXT, st.none() | TEXT, TEXT, TEXT),
        actions=st.lists(st.builds(NodeAction, NAMES, TEXT, TEXT), max_size=2, unique_by=lambda a: a.name).map(tuple),
        image=st.booleans(),
        selection=st.booleans(),
    ),
    lambda nodes: st.builds(Node, role=NAMES, name=TEXT, text=TEXT, children=st.lists(nodes, max_size=3).map(tuple)),
    max_leaves=8,
)  # fmt: skip


@settings(deadline=None)
@given(NODES)
def test_any_tree_survives_being_written_and_read(root: Node) -> None:
    # XML has no U+FFFE and U+FFFF; writing leaves them out.
    assert parse_xml(write_xml(parse_xml(write_xml(Tree(root))))) == parse_xml(write_xml(Tree(root)))
    if "\\ufffe" not in repr(root) and "\\uffff" not in repr(root):
        assert parse_xml(write_xml(Tree(root))).root == root


@settings(deadline=None)
@given(
    st.builds(Node, role=st.text(), name=st.text(), text=st.text(), attributes=st.dictionaries(st.text(), st.text()))
)
def test_what_an_application_calls_itself_cannot_break_the_xml(root: Node) -> None:
    parse_xml(write_xml(Tree(root)))


@settings(deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), max_size=5))
def test_a_table_is_read_back_also_when_texts_hold_newlines(texts: list[tuple[str, str]]) -> None:
    # As the seeds write it. A tab ends a cell, so names with tabs cannot be told from cells.
    # A backslash may begin an escape of ours; see test_fields_of_tables_without_escapes_are_read_as_they_are.
    cells = [("n" + name.replace("\t", " "), text.replace("\t", " ").replace("\\", "/")) for name, text in texts]
    quoted = [(name, '"{}"'.format(text.replace('"', '""'))) for name, text in cells]
    rows = parse_table("\n".join(f"push-button\t{name}\t{text}\t\t\t(10, 20)\t(30, 40)" for name, text in quoted))
    assert [(row.name, row.text) for row in rows] == cells


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_no_name_or_text_makes_a_row_of_its_own(texts: list[tuple[str, str]]) -> None:
    nodes = [button("n" + name, text) for name, text in texts]
    assert [line.count("\t") for line in linearise(desktop(*nodes)).splitlines()[1:]] == [6] * len(nodes)
    listed = marks_text(marks(desktop(*nodes)))
    assert [line.count("\t") for line in listed.splitlines()[1:]] == [3] * len(nodes)


def test_a_forged_row_stays_in_its_field() -> None:
    forged = 'x\t""\t\t\t(1, 1)\t(2, 2)\npush-button\tTrusted'
    (row,) = linearise(desktop(button(forged))).splitlines()[1:]
    assert row == 'push-button\tx ""   (1, 1) (2, 2) push-button Trusted\t""\t\t\t(10, 20)\t(30, 40)'


def test_a_table_that_was_cut_gives_its_whole_rows() -> None:
    table = linearise(desktop(button("one"), button("two")))
    rows = parse_table(table[:-12] + "[...]\n")
    assert [row.name for row in rows] == ["one"]
    assert parse_table("") == ()


def test_older_tables_lists_of_marks_and_foreign_line_ends_are_read() -> None:
    older = "tag\tname\ttext\tposition (top-left x&y)\tsize (w&h)\r\nlink\tHome\tgo\thome\t(1.0, 2.0)\t(3, 4)\r\n"
    row = ("link", "Home", "go\thome", "", "", (1, 2), (3, 4))
    assert read_table(older) == ((row,), False)
    assert read_table(older.partition("\n")[2]) == ((row,), False)
    rows, cut = read_table('index\ttag\tname\ttext\n1\tlink\tHome\tone\ntwo\n2\tbutton\tOK\t""\n[...]')
    assert [(row.tag, row.name, row.position) for row in rows] == [("link", "Home", None), ("button", "OK", None)]
    assert rows[0].text == "one\ntwo"
    assert cut


def test_what_fits_nowhere_costs_no_row() -> None:
    """A cut beginning, blank lines and notes between rows."""
    good = 'push-button\tOK\t""\t\t\t(10, 20)\t(30, 40)'
    rows, cut = read_table(f'lf of a name\t""\t\t\t\n\n[...]\n{good}\n\n# note\n{good}\n\n')
    assert [row.name for row in rows] == ["OK", "OK"]
    assert not cut
    assert read_table("tag\tname") == ((), False)


def test_the_rows_of_a_table_become_a_tree_by_their_boxes() -> None:
    def row(tag: str, name: str, x: int, y: int, width: int, height: int) -> str:
        return f'{tag}\t{name}\t""\t\t\t({x}, {y})\t({width}, {height})'

    table = "\n".join([
        row("document-web", "Page", 0, 50, 800, 500),
        row("link", "Shop", 10, 60, 100, 20),
        row("label", "Shop", 12, 62, 50, 16),
        row("push-button", "Pay", 200, 60, 50, 20),
        row("menu", "System", 700, 0, 50, 20),
    ])  # fmt: skip
    root = tree_of(read_table(table).rows).root
    page, menu = root.children
    assert (page.name, menu.name) == ("Page", "System")
    assert [child.name for child in page.children] == ["Shop", "Pay"]
    assert page.children[0].children[0].role == "label"
    assert page.children[1].centre == (225, 70)


@settings(deadline=None)
@given(st.text(), st.lists(st.tuples(TEXT, st.integers(-5, 50), st.integers(0, 9)), max_size=8))
def test_any_text_is_read_as_a_table(noise: str, rows: list[tuple[str, int, int]]) -> None:
    text = noise + "\n".join(f"link\t{name}\t\t\t\t({x}, {x})\t({size}, {size})" for name, x, size in rows)
    found = read_table(text).rows
    assert sum(1 for _ in tree_of(found).root.walk()) == len(found) + 1
