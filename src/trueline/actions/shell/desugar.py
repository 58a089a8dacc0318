"""Rewrites what the grammar misreads into equivalent forms that it reads well.

Here-documents and here-strings become redirections, backticks become `$(…)`, `coproc` becomes a pipe; line
continuations and the words `time` and `!` go. For that, one pass follows quotes, substitutions, comments and reserved
words as a shell does; it also tells whether the shell would wait for more. It decides nothing else: what it found is
checked against the tree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import accumulate

from trueline.actions.shell.escapes import unescape_quoted
from trueline.actions.shell.syntax import NotUnderstoodError, UnfinishedError

COPROCESS = "\x01coproc"
"""Stands in a pipe before the command of a coprocess."""
_MAX_NESTING = 25
_MAX_JOINED = 1000
"""Commands joined by `|`, `&&` and `||` in one text; the time that the grammar takes grows with their square."""
HERE_STRING = "\x02"
"""Follows `<` where the text, and no file, is the input."""
_UNREADABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_UNREADABLE_WITHIN = re.compile(r"[\x00\x03-\x08\x0b-\x1f\x7f]")
_COPROC_NAME = re.compile(r"[ \t]+[A-Za-z_]\w*[ \t]+(?=[{(]|\[\[|(?:if|for|while|until|case|select)\b)")
_TIME_OPTIONS = re.compile(r"(?:[ \t]+-p)?(?:[ \t]+--)?(?=[ \t]+[^-\s])")
_METACHARACTERS = " \t\n;&|()<>"
_OPERATORS = ("&>>", "&>", ">>", ">&", ">|", "<&", "<>", "&&", "||", "|&", ";;&", ";;", ";&")
_KEEP_COMMAND = frozenset({"then", "do", "else", "elif", "if", "while", "until", "{", "!", "time", "coproc"})
_OPENS = frozenset({"if", "while", "until", "for", "select", "case", "{", "[["})
_CLOSES = {"fi": ("then", "else"), "done": ("do",), "}": ("{",), "esac": ("case", "patterns", "body")}
_CONTINUES = {
    "then": (("if",), "then"),
    "elif": (("then",), "if"),
    "else": (("then",), "else"),
    "do": (("while", "until", "for", "select"), "do"),
}
_COMPLETIONS = {
    "if": "\n:\nthen :\nfi",
    "then": "\n:\nfi",
    "else": "\n:\nfi",
    "while": "\n:\ndo :\ndone",
    "until": "\n:\ndo :\ndone",
    "for": "\ndo :\ndone",
    "select": "\ndo :\ndone",
    "do": "\n:\ndone",
    "{": "\n:\n}",
    "patterns": "\nesac",
    "body": "\n:\nesac",
}


@dataclass(frozen=True)
class Desugared:
    """The rewritten text."""

    text: str
    comments: tuple[int, ...] = ()
    """Where comments begin."""
    missing: str = ""
    """What would complete it, if its lines end within `if`, a loop or a list of commands."""


@dataclass
class _Document:
    """A here-document that has been announced."""

    place: int
    """Which piece of the output its text belongs to."""
    end: str
    quoted: bool
    tabs: bool


@dataclass
class _Frame:
    """A list of commands: the whole text, or what stands in parentheses."""

    close: str = ""
    words_only: bool = False
    """Whether it is an array or a pattern, in which nothing is a reserved word."""
    keywords: list[str] = field(default_factory=list[str])
    documents: list[_Document] = field(default_factory=list[_Document])
    start: bool = True
    """Whether the next character starts a word."""
    command: bool = True
    """Whether the next word is a command's first."""
    word: str | None = ""
    """The current word if it is literal."""
    placed: int = 0
    """Where the current word begins in the output."""
    loop_words: int = 0
    """Words since `for`."""
    name: bool = False
    """Whether the next word is the name of a function."""
    awaits: str = ""
    """What could follow the last token if that joins it with what must follow."""

    @property
    def top(self) -> str:
        """The innermost open reserved word."""
        return self.keywords[-1] if self.keywords else ""


def desugar(text: str, *, within: bool = False) -> Desugared:
    """Rewrite a text.

    Args:
        text: The text.
        within: It is a part of a text that was rewritten before.

    Raises:
        NotUnderstoodError: It can be read in more than one way, or is nested too deeply.
        UnfinishedError: A quote, a bracket or a here-document does not end.
    """
    text = text.replace("\r\n", "\n")
    if (_UNREADABLE_WITHIN if within else _UNREADABLE).search(text):
        raise NotUnderstoodError("control characters in the command")
    scanner = _Scanner(text, 0, within=within)
    frame = _Frame()
    scanner.commands(frame)
    missing = frame.awaits
    for keyword in reversed(frame.keywords):
        if keyword not in _COMPLETIONS:
            raise NotUnderstoodError(f"`{keyword}` without its end")
        missing += _COMPLETIONS[keyword]
    return Desugared("".join(scanner.out), scanner.comment_places(), missing)


class _Scanner:
    def __init__(self, text: str, depth: int, *, within: bool = False) -> None:
        self.text = text
        self.within = within
        self.at = 0
        self.depth = depth
        self.out: list[str] = []
        self.comments: list[tuple[int, int]] = []
        """Where comments begin: which piece of the output, and where in it."""
        self.joined = 0
        self.waiting = 0
        """Here-documents that have been announced anywhere."""

    def comment_places(self) -> tuple[int, ...]:
        """Where the comments begin in the output."""
        starts = [0, *accumulate(len(piece) for piece in self.out)]
        return tuple(sorted(starts[piece] + place for piece, place in self.comments))

    def _next(self, count: int = 1) -> str:
        return self.text[self.at : self.at + count]

    def _keep(self, count: int) -> None:
        self.out.append(self._next(count))
        self.at += count

    def _skip_continuation(self) -> bool:
        if self.text.startswith("\\\n", self.at):
            self.at += 2
            return True
        return False

    def commands(self, frame: _Frame) -> None:
        """Read commands up to the bracket that closes them, or to the end of the text."""
        self.depth += 1
        if self.depth > _MAX_NESTING:
            raise NotUnderstoodError("nested too deeply")
        while self.at < len(self.text):
            char = self.text[self.at]
            if self._skip_continuation():
                continue
            if char in " \t":
                self._end_word(frame)
                self._keep(1)
            elif char == "\n":
                self._line_end(frame)
            elif char == "#" and frame.start:
                end = self.text.find("\n", self.at)
                self.comments.append((len(self.out), 0))
                self._keep((end if end >= 0 else len(self.text)) - self.at)
            elif char == ")":
                if self._closed(frame):
                    self.depth -= 1
                    return
            elif char in _METACHARACTERS:
                self._operator(frame, char)
            else:
                self._piece(frame, char)
        self._end_word(frame)
        if frame.close or frame.documents:
            raise UnfinishedError
        self.depth -= 1

    def _piece(self, frame: _Frame, char: str) -> None:
        if frame.start:
            frame.start, frame.word, frame.placed = False, "", len(self.out)
            frame.awaits = ""
            brace = char == "{" and self._next(2)[1:] not in ("", " ", "\t", "\n")
            if frame.command and (brace or char == "\\"):
                # The grammar takes the one for the beginning of a group, the other for a line that goes on.
                self.out.append("''")
                frame.word = None
        if char in "\\'\"$`":
            frame.word = None
            self._quoted_piece(char, quoted=False)
        else:
            frame.word = None if frame.word is None else frame.word + char
            self._keep(1)

    def _quoted_piece(self, char: str, *, quoted: bool) -> None:
        """A quote, an escape or a substitution."""
        match char:
            case "\\":
                if self.at + 1 >= len(self.text):
                    raise UnfinishedError
                self._keep(2)
            case "'":
                self._keep(self._until("'", self.at + 1) - self.at)
            case '"':
                self._keep(1)
                self._double_quoted()
            case "`":
                self._backticks(quoted=quoted)
            case _:
                self._dollar(quoted=quoted)

    def _until(self, end: str, start: int, *, escapes: bool = False) -> int:
        """The place behind the next such character."""
        at = start
        while at < len(self.text) and self.text[at] != end:
            at += 2 if escapes and self.text[at] == "\\" else 1
        if at >= len(self.text):
            raise UnfinishedError
        return at + 1

    def _double_quoted(self) -> None:
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"':
                self._keep(1)
                return
            if self._skip_continuation():
                continue
            if char in "\\$`":
                self._quoted_piece(char, quoted=True)
            else:
                self._keep(1)
        raise UnfinishedError

    def _dollar(self, *, quoted: bool) -> None:
        rest = self.text[self.at + 1 : self.at + 3]
        if rest.startswith("'") and not quoted:
            self._ansi_quoted()
        elif rest.startswith('"') and not quoted:
            self.at += 1  # a translated string; there is no other language
        elif rest == "((":
            self._keep(3)
            self._arithmetic(as_text=not self.within)
        elif rest.startswith("("):
            self._keep(2)
            self.commands(_Frame(")"))
        elif rest.startswith("{"):
            self._keep(2)
            self._parameter(quoted=quoted)
        elif rest.startswith("["):
            raise NotUnderstoodError("`$[`")
        else:
            self._keep(2 if rest[:1] and rest[0] in "#$!?@*-" else 1)

    def _ansi_quoted(self) -> None:
        end = self._until("'", self.at + 2, escapes=True)
        plain = unescape_quoted(self.text[self.at + 2 : end - 1])
        if plain is None or _UNREADABLE.search(plain):
            self._keep(end - self.at)
        else:
            self.out.append("'" + plain.replace("'", "'\\''") + "'")
            self.at = end

    def _parameter(self, *, quoted: bool) -> None:
        if self._next() in ("(", "|", " ", "\t", "\n"):
            raise NotUnderstoodError("`${` with what is not a name")
        self.depth += 1
        if self.depth > _MAX_NESTING:
            raise NotUnderstoodError("nested too deeply")
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "}":
                self._keep(1)
                self.depth -= 1
                return
            if self._skip_continuation():
                continue
            if char == "'" and quoted:
                raise NotUnderstoodError("a quote within `${…}` within quotes")
            if char in "<>" and self._next(2)[1:] == "(":
                raise NotUnderstoodError("a process substitution within `${…}`")
            if char in "\\'\"$`":
                self._quoted_piece(char, quoted=quoted)
            else:
                self._keep(1)
        raise UnfinishedError

    def _arithmetic(self, *, as_text: bool) -> None:
        """Read up to `))`, the opening brackets being read.

        Args:
            as_text: Put it into quotes, which mean nothing there; the grammar does not know all expressions.
        """
        opened = 0
        quote = '"' if as_text else ""
        self.out.append(quote)
        while self.at < len(self.text):
            char = self.text[self.at]
            if self._skip_continuation():
                continue
            if char == ")":
                if not opened:
                    if self._next(2) != "))":
                        raise NotUnderstoodError("`((` that is not closed by `))`")
                    self.out.append(quote)
                    self._keep(2)
                    return
                opened -= 1
            elif char == "(":
                opened += 1
            if char in "'\\" or (as_text and char == '"'):
                raise NotUnderstoodError("a quote within `((…))`")
            if char in '"$`':
                self._quoted_piece(char, quoted=True)
            else:
                self._keep(1)
        raise UnfinishedError

    def _backticks(self, *, quoted: bool) -> None:
        end = self._until("`", self.at + 1, escapes=True)
        content = self.text[self.at + 1 : end - 1]
        content = re.sub(r'\\([\\`$"])' if quoted else r"\\([\\`$])", r"\1", content)
        inner = _Scanner(content, self.depth, within=self.within)
        frame = _Frame()
        try:
            inner.commands(frame)
        except UnfinishedError:
            raise NotUnderstoodError("backticks around what does not end") from None
        if frame.keywords or frame.awaits:
            raise NotUnderstoodError("backticks around what does not end")
        self.out.append("$( " if content.startswith("(") else "$(")
        self.comments += [(len(self.out) + piece, place) for piece, place in inner.comments]
        self.out += inner.out
        self.out.append("\n)")
        self.at = end

    def _line_end(self, frame: _Frame) -> None:
        self._end_word(frame)
        self._keep(1)
        frame.command = frame.command or not frame.words_only
        if frame.top in ("patterns", "case", "[["):
            frame.command = False
        if self.waiting > len(frame.documents):
            raise NotUnderstoodError("a here-document that begins within a substitution")
        for document in frame.documents:
            self._read_document(document)
        frame.documents.clear()
        self.waiting = 0

    def _closed(self, frame: _Frame) -> bool:
        self._end_word(frame)
        if frame.top in ("case", "patterns"):
            frame.keywords[-1] = "body"
            frame.command = True
            self._keep(1)
            return False
        if not frame.close or frame.keywords or frame.awaits:
            raise NotUnderstoodError("`)` without its partner")
        if frame.documents:
            raise NotUnderstoodError("a here-document that begins within a substitution")
        self._keep(1)
        return True

    def _operator(self, frame: _Frame, char: str) -> None:
        self._end_word(frame)
        frame.awaits = ""
        if char in "<>" and self._next(2)[1:] == "(":
            frame.start, frame.word = False, None
            self._keep(2)
            self.commands(_Frame(")"))
        elif self.text.startswith("<<<", self.at):
            self.out.append("<" + HERE_STRING)
            self.at += 3
            while self._next() in (" ", "\t"):
                self.at += 1
            frame.start, frame.word, frame.command = False, None, False
        elif self.text.startswith("<<", self.at):
            self._announce(frame)
        elif char == "(":
            self._parenthesis(frame)
        else:
            operator = next((text for text in _OPERATORS if self.text.startswith(text, self.at)), char)
            self._keep(len(operator))
            if operator[0] in "<>" or operator.startswith("&>"):
                frame.command = False
                return
            if operator in (";;", ";&", ";;&") and frame.top == "body":
                frame.keywords[-1] = "patterns"
            frame.command = not frame.words_only and frame.top not in ("patterns", "[[")
            if operator in ("|", "|&", "&&", "||") and frame.top not in ("patterns", "[["):
                frame.awaits = "\n:"
                self.joined += 1
            if self.joined > _MAX_JOINED:
                raise NotUnderstoodError("more joined commands than are looked at")

    def _parenthesis(self, frame: _Frame) -> None:
        before = self.out[-1][-1:] if self.out else ""
        if frame.top == "patterns" and before in " \t\n;&|":
            self._keep(1)  # the bracket that may stand before patterns
            frame.command = False
            return
        glued = bool(before) and before not in _METACHARACTERS
        commands = not frame.words_only and frame.top not in ("patterns", "case", "[[")
        if not commands or (glued and before in "=?*+@!"):
            frame.start, frame.word = False, None
            self._keep(1)
            self.commands(_Frame(")", words_only=True, command=False))
            return
        if (frame.command or frame.top in ("for", "select")) and self._next(2) == "((":
            self._keep(2)
            self._arithmetic(as_text=not self.within and frame.top not in ("for", "select"))
            frame.command = frame.top in ("for", "select", "while", "until", "if")
            return
        self._keep(1)
        begin = self.at
        self.commands(_Frame(")"))
        frame.start = frame.command = True
        if not self.text[begin : self.at - 1].strip():
            frame.awaits = "\n{ :\n}"  # the body of a function

    def _end_word(self, frame: _Frame) -> None:
        if frame.start:
            return
        frame.start = True
        word, first = frame.word, frame.command
        if frame.words_only:
            return
        if frame.name:
            frame.name, frame.command = False, True
        elif frame.top == "[[":
            if word == "]]":
                frame.keywords.pop()
        elif frame.top == "case":
            frame.command = False
            if word == "in":
                frame.keywords[-1] = "patterns"
        elif frame.top == "patterns":
            if word == "esac":
                frame.keywords.pop()
        elif first and word:
            self._reserved(frame, word)
            frame.loop_words = 0
        else:
            frame.command = False
            frame.loop_words += 1
            if word == "do" and frame.loop_words == 2 and frame.top in ("for", "select"):
                self.out[frame.placed] = ' in "$@"; d'  # what it stands for; the grammar does not know it
                self._reserved(frame, word)

    def _reserved(self, frame: _Frame, word: str) -> None:
        """A literal word where a command begins."""
        frame.command = word in _KEEP_COMMAND
        if word in _CLOSES:
            if frame.top not in _CLOSES[word]:
                raise NotUnderstoodError(f"`{word}` without its beginning")
            frame.keywords.pop()
            frame.command = True
        elif word in _CONTINUES:
            allowed, then = _CONTINUES[word]
            if frame.top not in allowed:
                raise NotUnderstoodError(f"`{word}` without its beginning")
            frame.keywords[-1] = then
        elif word in _OPENS:
            frame.keywords.append(word)
        elif word == "function":
            frame.name = True
        elif word == "[":
            self.out[frame.placed] = "'['"  # a command as any other; the grammar reads an expression
        elif word == "!" or (word == "time" and _TIME_OPTIONS.match(self.text, self.at)):
            del self.out[frame.placed :]
            if word == "time" and (options := _TIME_OPTIONS.match(self.text, self.at)):
                self.at = options.end()
        elif word == "coproc":
            del self.out[frame.placed :]
            self.out.append(f"'{COPROCESS}' | ")
            if name := _COPROC_NAME.match(self.text, self.at):
                self.at = name.end() - 1  # a space stays

    def _announce(self, frame: _Frame) -> None:
        """`<<WORD`: a here-document begins at the next line."""
        if frame.words_only or frame.top == "[[":
            raise NotUnderstoodError("`<<` within a pattern")
        self.at += 2
        tabs = self._next() == "-"
        self.at += tabs
        while self._next() in (" ", "\t"):
            self.at += 1
        end: list[str] = []
        quoted, begin = False, self.at
        while self.at < len(self.text) and (char := self.text[self.at]) not in _METACHARACTERS:
            if char in "'\"":
                stop = self._until(char, self.at + 1)
                end.append(self.text[self.at + 1 : stop - 1])
                quoted, self.at = True, stop
            elif char == "\\":
                end.append(self._next(2)[1:])
                quoted = True
                self.at += 2
            elif char in "$`":
                raise NotUnderstoodError("a here-document whose end is computed")
            else:
                end.append(char)
                self.at += 1
        delimiter = "".join(end)
        if begin == self.at or set(delimiter) & set("\\\n"):
            raise NotUnderstoodError("a here-document without an end")
        frame.documents.append(_Document(len(self.out), delimiter, quoted, tabs))
        self.waiting += 1
        self.out.append("")
        frame.command = False

    def _read_document(self, document: _Document) -> None:
        lines: list[str] = []
        continued = False
        while True:
            if self.at >= len(self.text):
                raise UnfinishedError
            end = self.text.find("\n", self.at)
            line = self.text[self.at : end if end >= 0 else len(self.text)]
            self.at += len(line) + 1
            line = line.lstrip("\t") if document.tabs else line
            if line == document.end and not continued:
                break
            continued = not document.quoted and (len(line) - len(line.rstrip("\\"))) % 2 == 1
            lines.append(line)
        text = "\n".join(lines)
        if document.quoted:
            self.out[document.place] = f"<{HERE_STRING}'" + text.replace("'", "'\\''") + "' "
            return
        inner = _Scanner(text, self.depth, within=self.within)
        try:
            inner.document()
        except UnfinishedError:
            raise NotUnderstoodError("a here-document with a substitution that does not end") from None
        head = f'<{HERE_STRING}"'
        self.comments += [(document.place, len(head) + place) for place in inner.comment_places()]
        self.out[document.place] = head + "".join(inner.out) + '" '

    def document(self) -> None:
        """Read a here-document, and write it as a double-quoted text."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if self._skip_continuation():
                continue
            if char == '"':
                self.out.append('\\"')
                self.at += 1
            elif char == "\\" and self._next(2)[1:] not in ("$", "`", "\\"):
                self.out.append("\\\\")
                self.at += 1
            elif char == "`" and '\\"' in self.text[self.at : self._until("`", self.at + 1, escapes=True)]:
                raise NotUnderstoodError("an escaped quote in backticks in a here-document")
            elif char in "\\$`":
                self._quoted_piece(char, quoted=True)
            else:
                self._keep(1)
