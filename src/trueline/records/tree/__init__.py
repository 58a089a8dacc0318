"""The accessibility tree: typed nodes, OSWorld's XML, the table agents read, set-of-marks."""

from trueline.actions.coordinates import Size
from trueline.records.tree.marks import Mark, marks, marks_text
from trueline.records.tree.node import Node, NodeAction, NodeValue, Place, Tree
from trueline.records.tree.read_table import read_table, tree_of
from trueline.records.tree.table import is_listed, linearise, shown
from trueline.records.tree.xml import TreeError, parse_xml, write_xml

__all__ = [
    "Mark",
    "Node",
    "NodeAction",
    "NodeValue",
    "Place",
    "Size",
    "Tree",
    "TreeError",
    "is_listed",
    "linearise",
    "marks",
    "marks_text",
    "parse_xml",
    "read_table",
    "shown",
    "tree_of",
    "write_xml",
]
