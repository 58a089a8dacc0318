"""Shell text read as statements. What is not certain is an error, never a guess.

The grammar gives the structure. It is more lenient than a shell, and it misreads some texts; so only node types that
are known count, what lies between two nodes must be blank, neighbours without a blank are one word, words are read
again from their text, comments must be where a shell sees them, and reserved words where a shell accepts them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from trueline.actions.shell.desugar import HERE_STRING, desugar
from trueline.actions.shell.syntax import (
    Assignment,
    Chain,
    Choice,
    Expression,
    Function,
    Group,
    Loop,
    NotUnderstoodError,
    Pipe,
    Redirection,
    Script,
    Simple,
    Statement,
    UnfinishedError,
    Word,
)
from trueline.actions.shell.tree import error_tolerant_root, parse_tree, walk
from trueline.actions.shell.words import WordReader

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_NESTING = 40
_MAX_FRAGMENTS = 50
_MAX_FRAGMENTED = 2_000
"""The grammar may take long for what it does not understand."""
_BLANK = re.compile(r"[ \t]*")
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\])?(\+?)=")
_NUMBER = re.compile(r"\d+|\{[A-Za-z_]\w*\}")
_NUMBER_BEFORE = re.compile(r"(?:(?<=[\s;&|()<>])|^)(?:\d+|\{[A-Za-z_]\w*\})\Z")
_FUNCTION_NAME = re.compile(r"[^\\'\"$`<>;&|(){}\s]+")
_RESERVED = frozenset({
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "select", "in",
    "function", "{", "}", "!", "[[", "]]", "coproc",
})  # fmt: skip
_REDIRECTS = frozenset({"file_redirect"})
_REDIRECTION = frozenset({"<", ">", ">>", ">|", ">&", "&>", "&>>", "<&", "<&-", ">&-"})
_NO_WORD = frozenset({"(", ")", ";", "&", "|", "&&", "||", ";;", "\n", "subshell", "heredoc_redirect", "ERROR"})
_SELF_ENDING = frozenset({
    "subshell", "compound_statement", "if_statement", "for_statement", "c_style_for_statement", "while_statement",
    "case_statement",
})  # fmt: skip
_DECLARATIONS = frozenset({"declaration_command", "unset_command"})


class _Item(NamedTuple):
    """A child of a node, and whether a line ends before it."""

    node: Node
    type: str
    after_line: bool
    start: int
    end: int


@lru_cache(maxsize=256)
def parse(text: str, *, within: bool = False) -> Script:
    """Read a text.

    Args:
        text: The text.
        within: It is a nested command of a text that was read before.

    Raises:
        NotUnderstoodError: It is wrong, or cannot be read with certainty.
        UnfinishedError: A shell would wait for more.
    """
    plain = desugar(text, within=within)
    if plain.missing:
        _Reader(plain.text + plain.missing, plain.comments).script()
        raise UnfinishedError
    return _Reader(plain.text, plain.comments).script()


def comments(text: str) -> tuple[str, ...]:
    """The comments of a text that can be parsed."""
    plain = desugar(text)
    return tuple(plain.text[start:].partition("\n")[0] for start in plain.comments)


def fragments(text: str) -> list[str]:
    """The commands that the grammar recognizes in a text that is not understood."""
    if len(text) > _MAX_FRAGMENTED:
        lines = text.split("\n")
        short = [line for line in lines if len(line) <= _MAX_FRAGMENTED] if len(lines) > 1 else []
        return [fragment for line in short[:_MAX_FRAGMENTS] for fragment in fragments(line)][:_MAX_FRAGMENTS]
    try:
        root = error_tolerant_root(text)
    except NotUnderstoodError:
        return []
    found: list[str] = []
    end = 0
    for node in walk(root):
        if len(found) == _MAX_FRAGMENTS:
            break
        if node.type in ("command", "redirected_statement", "declaration_command") and node.start_byte >= end:
            found.append(text[node.start_byte : node.end_byte])
            end = node.end_byte
    return found


class _Reader:
    def __init__(self, text: str, comments: tuple[int, ...]) -> None:
        self.text = text
        self.tree = parse_tree(text)
        if self.tree.comments != comments:
            raise NotUnderstoodError("a comment that may be none")
        self.read = WordReader(text, self.tree.substitutions)
        self.depth = 0

    def script(self) -> Script:
        """The whole text."""
        root = self.tree.root
        outside = (self.text[: root.start_byte], self.text[root.end_byte :])
        if any(part.strip(" \t\n") for part in outside):
            raise NotUnderstoodError("a part that the grammar leaves out")
        return self._body(self._items(root))

    def _items(self, node: Node, start: int | None = None) -> list[_Item]:
        """The children; between them there are only blanks and comments."""
        found: list[_Item] = []
        at = node.start_byte if start is None else start
        lines = False
        for child in node.children:
            if child.is_missing or child.type == "ERROR":
                raise NotUnderstoodError("a syntax that is not known")
            begin, end = child.start_byte, child.end_byte
            if begin < at:
                continue
            while begin < end and self.text[begin] in " \t\n":
                begin += 1
            between = self.text[at:begin]
            if between.strip(" \t\n"):
                raise NotUnderstoodError("a part that the grammar leaves out")
            lines = lines or "\n" in between
            at = end
            if child.type == "comment":
                continue
            if begin == end:
                lines = lines or "\n" in self.text[child.start_byte : end]
                continue
            found.append(_Item(child, child.type, lines, begin, end))
            lines = "\n" in self.text[begin:end][-1:]
        if self.text[at : node.end_byte].strip(" \t\n"):
            raise NotUnderstoodError("a part that the grammar leaves out")
        return found

    def _body(self, items: Sequence[_Item], stop: _Item | None = None) -> Script:
        """Statements and what separates them.

        Args:
            items: The nodes.
            stop: The reserved word that follows; a simple command must be ended before it.
        """
        found: list[Statement] = []
        ended = True
        last = ""
        for item in items:
            if item.type in (";", "&", "\n"):
                if item.type != "\n" and ended and not (item.type == ";" and not found):
                    raise NotUnderstoodError(f"{item.type!r} without a command")
                if item.type != "\n" and not found:
                    raise NotUnderstoodError(f"{item.type!r} without a command")
                if item.type == "&":
                    found[-1] = Group((found[-1],), apart=True)
                ended = True
                continue
            if not ended and not item.after_line:
                raise NotUnderstoodError("two commands without anything between them")
            found.append(self._statement(item.node))
            ended, last = False, item.type
        reserved = stop is not None and stop.type not in (")", "))")
        if reserved and not ended and stop is not None and not stop.after_line and last not in _SELF_ENDING:
            raise NotUnderstoodError(f"`{stop.type.removesuffix('_group')}` as a part of a command")
        return tuple(found)

    def _statement(self, node: Node) -> Statement:
        self.depth += 1
        if self.depth > _MAX_NESTING:
            raise NotUnderstoodError("nested too deeply")
        try:
            return self._statement_of(node)
        finally:
            self.depth -= 1

    def _statement_of(self, node: Node) -> Statement:
        match node.type:
            case "command" | "variable_assignment" | "variable_assignments":
                return self._simple(node)
            case kind if kind in _DECLARATIONS:
                return self._simple(node)
            case "redirected_statement":
                return self._redirected(node)
            case "pipeline":
                return Pipe(tuple(self._joined(node, ("|", "|&"), "pipeline")))
            case "list":
                return Chain(tuple(self._joined(node, ("&&", "||"), "list")))
            case "subshell":
                return Group(self._bracketed(node, "(", ")"), apart=True)
            case "compound_statement":
                if self.text.startswith("((", node.start_byte):
                    return self._arithmetic(node)
                return Group(self._bracketed(node, "{", "}"))
            case "test_command":
                return self._test(node)
            case "if_statement":
                return self._if(self._items(node), "if")
            case "while_statement":
                *head, body = self._items(node)
                if not head or head[0].type not in ("while", "until"):
                    raise NotUnderstoodError("a loop of an unknown kind")
                return Loop((*self._body(head[1:], body), *self._do(body)))
            case "for_statement":
                return self._for(node)
            case "c_style_for_statement":
                return self._counting(node)
            case "case_statement":
                return self._case(node)
            case "function_definition":
                return self._function(node)
            case kind:
                raise NotUnderstoodError(f"{kind.replace('_', ' ')!r}, which is not known here")

    def _joined(self, node: Node, operators: tuple[str, ...], kind: str) -> list[Statement]:
        """Operands of operators that associate to the left, however many."""
        found: list[Statement] = []
        rest: list[_Item] = []
        while node.type == kind:
            items = self._items(node)
            if any((item.type in operators) != bool(place % 2) for place, item in enumerate(items)) or len(items) < 3:
                raise NotUnderstoodError(f"a {kind} of an unknown kind")
            rest += reversed(items[2::2])
            node = items[0].node
        found.append(self._statement(node))
        found += [self._statement(item.node) for item in reversed(rest)]
        return found

    def _bracketed(self, node: Node, opening: str, closing: str) -> Script:
        items = self._items(node)
        if len(items) < 2 or items[0].type != opening or items[-1].type != closing:
            raise NotUnderstoodError("brackets of an unknown kind")
        if opening == "{" and self.text[items[0].end] not in " \t\n":
            raise NotUnderstoodError("`{` as a part of a word")
        return self._body(items[1:-1], items[-1])

    # Words and simple commands

    def _glued(self, items: Iterable[_Item]) -> list[tuple[int, int]]:
        """Nodes without a blank between them are one word, whatever the grammar says."""
        spans: list[tuple[int, int]] = []
        for item in items:
            if item.type in _NO_WORD:
                raise NotUnderstoodError(f"{item.type.strip() or 'a line end'!r} within a command")
            if item.after_line and spans:
                raise NotUnderstoodError("a line end within a command")
            if spans and spans[-1][1] == item.start:
                spans[-1] = (spans[-1][0], item.end)
            else:
                spans.append((item.start, item.end))
        return spans

    def _words(self, items: Iterable[_Item]) -> tuple[Word, ...]:
        return tuple(self.read.word(start, end) for start, end in self._glued(items))

    def _simple(self, node: Node) -> Simple:
        items = self._items(node)
        if any(item.after_line for item in items[1:]):
            raise NotUnderstoodError("a line end within a command")
        redirections: list[Redirection] = []
        rest: list[_Item] = []
        for item in items:
            if item.type in _REDIRECTS:
                redirections.append(self._redirection(item, rest))
            else:
                rest.append(item)
        assignments: list[Assignment] = []
        words: list[Word] = []
        declares = node.type == "declaration_command"
        for start, end in self._spans(rest):
            arrays = declares and _ASSIGNED.match(self.text, start, end) and self._is_array(start)
            if (words and not arrays) or not (assignment := self._assignment(start, end)):
                words.append(self.read.word(start, end))
            else:
                assignments.append(assignment)
        if words and words[0].bare in _RESERVED:
            raise NotUnderstoodError(f"`{words[0].bare}` where no reserved word is expected")
        return Simple(tuple(words), tuple(assignments), tuple(redirections), declares)

    def _spans(self, items: Sequence[_Item]) -> list[tuple[int, int]]:
        flat: list[_Item] = []
        for item in items:
            flat += self._items(item.node) if item.type == "variable_assignments" else [item]
        return self._glued(flat)

    def _is_array(self, start: int) -> bool:
        match = _ASSIGNED.match(self.text, start)
        return match is not None and self.text.startswith("(", match.end())

    def _assignment(self, start: int, end: int) -> Assignment | None:
        match = _ASSIGNED.match(self.text, start, end)
        if match is None:
            return None
        name, element, append = match.groups()
        words: tuple[Word, ...]
        if self.text.startswith("(", match.end()):
            if self.text[end - 1] != ")":
                raise NotUnderstoodError("an array with something behind it")
            words = self.read.words(match.end() + 1, end - 1)
        else:
            words = (self.read.word(match.end(), end),)
        if element:
            index = self.read.expression(match.end(1) + 1, match.end(1) + len(element) - 1)
            return Assignment(name, (index, *words), bool(append), array=True)
        return Assignment(name, words, bool(append), array=self.text.startswith("(", match.end()))

    def _redirection(self, item: _Item, words: list[_Item] | None) -> Redirection:
        """Read one; further words behind it belong to the command, a number right before it to itself."""
        items = self._items(item.node)
        fd = ""
        if words and words[-1].end == item.start:
            number = self.text[words[-1].start : words[-1].end]
            alone = len(words) == 1 or words[-2].end != words[-1].start
            if alone and _NUMBER.fullmatch(number):
                fd = number
                words.pop()
        elif _NUMBER_BEFORE.search(self.text[max(0, item.start - 20) : item.start]):
            raise NotUnderstoodError("a number before a redirection")
        if items[0].type == "file_descriptor":
            fd = self.text[items[0].start : items[0].end]
            if items[0].end != items[1].start:
                raise NotUnderstoodError("a redirection of an unknown kind")
            items = items[1:]
        if fd and not fd.isdigit():
            raise NotUnderstoodError("a redirection with a variable")
        operator = items[0].type
        if operator in ("<&-", ">&-"):
            return Redirection(operator, Word(()), fd)
        if operator not in _REDIRECTION or len(items) < 2 or any(item.after_line for item in items):
            raise NotUnderstoodError("a redirection of an unknown kind")
        spans = self._glued(items[1:])
        if len(spans) > 1:
            if words is None:
                raise NotUnderstoodError("words behind a redirection")
            words += [item for item in items[1:] if item.start >= spans[1][0]]
        start, end = spans[0]
        if self.text.startswith(HERE_STRING, start):
            if operator != "<" or items[0].end != start or end == start + 1:
                raise NotUnderstoodError("a here-string of an unknown kind")
            operator, start = "<<<", start + 1
        return Redirection(operator, self.read.word(start, end), fd)

    def _redirected(self, node: Node) -> Statement:
        body, *redirects = self._items(node)
        if body.type in _REDIRECTS:
            redirects = [body, *redirects]
            statement: Statement = Simple(())
        else:
            statement = self._statement(body.node)
        more: list[_Item] = []
        found: list[Redirection] = []
        for item in redirects:
            if item.type not in _REDIRECTS or (item.after_line and item is not body):
                raise NotUnderstoodError(f"{item.type.replace('_', ' ')!r} behind a command")
            found.append(self._redirection(item, more))
        return _redirect(statement, tuple(found), self._words(more))

    # Compound commands

    def _if(self, items: Sequence[_Item], opening: str) -> Choice:
        if not items or items[0].type != opening:
            raise NotUnderstoodError("`if` of an unknown kind")
        then = next((place for place, item in enumerate(items) if item.type == "then"), 0)
        behind = [
            place
            for place, item in enumerate(items)
            if item.type in ("elif_clause", "else_clause", "fi") and place > then
        ]
        if not then or (opening == "if" and items[-1].type != "fi"):
            raise NotUnderstoodError("`if` of an unknown kind")
        end = behind[0] if behind else len(items)
        stop = items[end] if end < len(items) else None
        first = self._body(items[1:then], items[then])
        branches = [self._body(items[then + 1 : end], stop)]
        rest = items[end : len(items) - (opening == "if")]
        otherwise: Script = ()
        for place in range(len(rest) - 1, -1, -1):
            inner = self._items(rest[place].node)
            following = rest[place + 1] if place + 1 < len(rest) else items[-1]
            self._ends(inner, following)
            if rest[place].type == "else_clause":
                if inner[0].type != "else" or place != len(rest) - 1:
                    raise NotUnderstoodError("`else` of an unknown kind")
                otherwise = self._body(inner[1:])
            elif rest[place].type == "elif_clause":
                choice = self._if(inner, "elif")
                otherwise = (replace(choice, branches=(*choice.branches, otherwise)),)
            else:
                raise NotUnderstoodError("`if` of an unknown kind")
        return Choice((), first, (*branches, otherwise))

    def _ends(self, inner: Sequence[_Item], following: _Item) -> None:
        """What a clause holds is ended before the next reserved word."""
        last = inner[-1]
        if last.type not in (";", "&", "\n") and not following.after_line and last.type not in _SELF_ENDING:
            raise NotUnderstoodError(f"`{following.type}` as a part of a command")

    def _do(self, item: _Item) -> Script:
        if item.type == "do_group":
            return self._bracketed(item.node, "do", "done")
        if item.type == "compound_statement":
            return self._bracketed(item.node, "{", "}")
        raise NotUnderstoodError("a loop of an unknown kind")

    def _for(self, node: Node) -> Statement:
        items = self._items(node)
        if len(items) < 3 or items[0].type not in ("for", "select") or items[1].type != "variable_name":
            raise NotUnderstoodError("a loop of an unknown kind")
        name = self.text[items[1].start : items[1].end]
        *between, body = items[2:]
        while between and between[-1].type in (";", "\n"):
            ended = between.pop()
            if ended.type == ";" and between and between[-1].type == ";":
                raise NotUnderstoodError("a loop of an unknown kind")
        words: tuple[Word, ...] | None = None
        if between:
            if between[0].type != "in" or (len(between) > 1 and between[1].after_line):
                raise NotUnderstoodError("a loop of an unknown kind")
            words = self._words(between[1:])
            separated = body.after_line or ";" in self.text[between[-1].end : body.start]
            if not separated and body.type == "do_group":
                raise NotUnderstoodError("`do` as one of the words of a loop")
        if items[0].type == "select":
            return Group((Expression(words or (), arithmetic=False), Loop(self._do(body), name)))
        return Loop(self._do(body), name, words)

    def _counting(self, node: Node) -> Loop:
        items = self._items(node)
        end = next((place for place, item in enumerate(items) if item.type == "))"), 0)
        if not end or items[0].type != "for" or items[1].type != "((":
            raise NotUnderstoodError("a loop of an unknown kind")
        behind = [item for item in items[end + 1 :] if item.type not in (";", "\n")]
        if len(behind) != 1:
            raise NotUnderstoodError("a loop of an unknown kind")
        counted = Expression((self.read.expression(items[1].end, items[end].start, quoted=True),), arithmetic=True)
        return Loop((counted, *self._do(behind[0])))

    def _case(self, node: Node) -> Statement:
        items = [item for item in self._items(node) if item.type != "\n"]
        if len(items) < 4 or items[0].type != "case" or items[-1].type != "esac":
            raise NotUnderstoodError("`case` of an unknown kind")
        start = next((place for place, item in enumerate(items) if item.type == "in"), 0)
        subject = self._words(items[1:start])
        if len(subject) != 1:
            raise NotUnderstoodError("`case` of an unknown kind")
        words = list(subject)
        branches: list[Script] = []
        falls = False
        for item in items[start + 1 : -1]:
            if item.type != "case_item":
                raise NotUnderstoodError("`case` of an unknown kind")
            inner = self._items(item.node)
            close = next((place for place, child in enumerate(inner) if child.type == ")"), 0)
            opening = inner[0].type == "("
            if not close:
                raise NotUnderstoodError("`case` of an unknown kind")
            words.append(self.read.expression(inner[opening].start, inner[close].start))
            ends = inner[-1].type in (";;", ";&", ";;&")
            falls = falls or (ends and inner[-1].type != ";;")
            if not ends:
                self._ends(inner, items[-1])
            branches.append(self._body(inner[close + 1 : len(inner) - ends]))
        choice = Choice(tuple(words), (), tuple(branches))
        return Loop((choice,)) if falls else choice

    def _function(self, node: Node) -> Statement:
        items = [item for item in self._items(node) if item.type not in ("function", "(", ")")]
        redirects = items[2:]
        if len(items) < 2 or any(item.type not in _REDIRECTS for item in redirects):
            raise NotUnderstoodError("a function of an unknown kind")
        name = self.text[items[0].start : items[0].end]
        if not _FUNCTION_NAME.fullmatch(name):
            raise NotUnderstoodError("a function whose name is computed")
        body = self._statement(items[1].node)
        return Function(name, _redirect(body, tuple(self._redirection(item, None) for item in redirects)))

    def _test(self, node: Node) -> Statement:
        start, end = node.start_byte, node.end_byte
        text = self.text[start:end]
        if text.startswith("((") and text.endswith("))"):
            return self._arithmetic(node)
        if text.startswith("[[") and text.endswith("]]") and text[2:3] in (" ", "\t", "\n"):
            compares = re.search(r"-(?:eq|ne|lt|le|gt|ge|v)\b|\[(?!\[)", text[2:]) is not None
            return Expression((self.read.expression(start + 2, end - 2),), arithmetic=compares)
        if not text.startswith("["):
            raise NotUnderstoodError("a test of an unknown kind")
        return Simple(self.read.words(start, end, blanks=" \t"))

    def _arithmetic(self, node: Node) -> Expression:
        start, end = node.start_byte, node.end_byte
        if not (self.text.startswith("((", start) and self.text.startswith("))", end - 2)):
            raise NotUnderstoodError("arithmetic of an unknown kind")
        return Expression((self.read.expression(start + 2, end - 2, quoted=True),), arithmetic=True)


def _redirect(statement: Statement, redirections: tuple[Redirection, ...], words: tuple[Word, ...] = ()) -> Statement:
    """A statement with redirections and words between them, which belong to the last command of several."""
    if not redirections:
        return statement
    match statement:
        case Pipe(stages):
            return Pipe((*stages[:-1], _redirect(stages[-1], redirections, words)))
        case Chain(statements):
            return Chain((*statements[:-1], _redirect(statements[-1], redirections, words)))
        case Simple() if statement.words or not words:
            words, all_redirections = (*statement.words, *words), (*statement.redirections, *redirections)
            return replace(statement, words=words, redirections=all_redirections)
        case _ if words:
            raise NotUnderstoodError("words behind a redirection")
        case Group():
            return replace(statement, redirections=(*statement.redirections, *redirections))
        case _:
            return Group((statement,), redirections)
