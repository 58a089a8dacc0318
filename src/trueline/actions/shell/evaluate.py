"""Evaluates the commands of a text: what each would run, nested ones too. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trueline.actions.python.calls import UNKNOWN, python_calls
from trueline.actions.shell.call import Call
from trueline.actions.shell.command import UNSEEN, Does, Session, ShellCommand, effect_of
from trueline.actions.shell.command_input import CommandInput, fetched_files, joined_output, unseen_code_kinds
from trueline.actions.shell.command_kinds import command_kinds
from trueline.actions.shell.command_operands import with_operands
from trueline.actions.shell.delegated_commands import delegated_commands
from trueline.actions.shell.expand import Field, Nested, expand, expand_to_one_field
from trueline.actions.shell.lex import Word, lex
from trueline.actions.shell.outputs import output
from trueline.actions.shell.parse import Group, Loop, Pipeline, Redirection, Stage, parse
from trueline.actions.shell.paths import normal_path
from trueline.actions.shell.programs import ALTER_THE_SHELL, DECODERS, INTERPRETERS, SHELLS
from trueline.actions.shell.wrappers import after_options, base_name, unwrap

_MAX_DEPTH = 6
_MAX_COMMANDS = 400
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=(.*)", re.DOTALL)
_FORK_BOMB = re.compile(r"([\w:.]{1,20})\(\)\{\1\|\1&\};\1")
_FUNCTION = re.compile(r"[\w:.-]\s*\(\s*\)")
_RECALL = re.compile(r"(?:^|[\s;|&(])!(?:!|-?\d+|[A-Za-z?])")
_SYSTEM_FOLDERS = ("/usr/", "/bin/", "/sbin/", "/opt/", "/snap/")
_SHELL_CODE = re.compile(r"-\w*c|--command")
_OTHER_CODE = re.compile(r"-\w*[ceEr]|--eval")
_XARGS_OPTIONS = frozenset({"-n", "-I", "-P", "-L", "-d", "-s", "-a", "-E"})
_PRINTERS = frozenset({"echo", "printf"})
_CRON_TIMES = re.compile(r"^\s*(?:@\w+\s+|(?:[\d*/,-]+\s+){5})(?:root\s+)?")
_ONLY_ASSIGN = frozenset({"export", "declare", "local", "readonly", "typeset"})


def unseen(text: str, *more: Does) -> ShellCommand:
    """A command whose text is unknown."""
    return ShellCommand((text[:200],), "", frozenset({"hidden", *more}))


class Shell:
    """Evaluates pipelines; `commands` collects all that would run, nested ones too."""

    def __init__(self, session: Session) -> None:
        self.variables = dict(session.variables)
        self.aliases = dict(session.aliases)
        self.files = dict(session.files)
        self.folder = session.folder
        self.altered = session.altered
        self.commands: list[ShellCommand] = []

    def run(self, text: str, depth: int) -> Nested:
        """Read a text; its output is known when that of every part is."""
        before = len(self.commands)
        if depth > _MAX_DEPTH:
            self.commands.append(unseen(text))
            return Nested(None, tuple(self.commands[before:]))
        if _FORK_BOMB.search("".join(text.split())):
            self.commands.append(ShellCommand((text[:200],), ":", frozenset({"fork_bomb"})))
            return Nested(None, tuple(self.commands[before:]))
        if depth == 0 and _RECALL.search(text):
            self.commands.append(unseen(text))
        self.altered = self.altered or bool(_FUNCTION.search(text))
        return Nested(
            joined_output([self._pipeline(p, depth, CommandInput()) for p in parse(lex(text).tokens)]),
            tuple(self.commands[before:]),
        )

    def _pipeline(self, pipeline: Pipeline, depth: int, feed: CommandInput) -> CommandInput:
        for place, stage in enumerate(pipeline):
            before = len(self.commands)
            text = self._stage(stage, depth, feed)
            if len(self.commands) > _MAX_COMMANDS:
                return CommandInput(None, (), True)
            feed = CommandInput(text, (*(feed.sources if place else ()), *self.commands[before:]), True)
        return feed

    def _stage(self, stage: Stage, depth: int, feed: CommandInput) -> str | None:
        if isinstance(stage, Loop):
            self.variables[stage.name] = " ".join(
                field.text for word in stage.words for field in self._fields(word, depth)
            )
            return ""
        if isinstance(stage, Group):
            before = len(self.commands)
            text = joined_output([self._pipeline(inner, depth, feed) for inner in stage.pipelines])
            if stage.redirections:
                self._call([], stage.redirections, CommandInput(text, tuple(self.commands[before:]), True), depth)
            return text
        return self._call(
            [field for word in stage.words for field in self._fields(word, depth)], stage.redirections, feed, depth
        )

    def _fields(self, word: Word, depth: int) -> list[Field]:
        return expand(word, self.variables, lambda text: self.run(text, depth + 1))

    def _call(
        self, fields: list[Field], redirections: Sequence[Redirection], feed: CommandInput, depth: int
    ) -> str | None:
        if len(self.commands) >= _MAX_COMMANDS:
            return self._give_up()
        given, fields = len(fields), self._assign(fields)
        feed, written, read = self._redirect(redirections, feed, depth)
        if not fields:
            self.altered = self.altered or given > 0
            if not written:
                return feed.text if feed.given else ""
        if fields and fields[0].text in self.aliases and depth < _MAX_DEPTH:
            rest = " ".join(field.text for field in fields[1:])
            return self.run(f"{self.aliases[fields[0].text]} {rest}", depth + 1).text
        words, privileged = unwrap(tuple(field.text for field in fields))
        fields = fields[len(fields) - len(words) :]
        known = all(field.known for field in fields)
        plain = known and len(words) == given and not written and not self.altered and "/" not in words[0]
        program = base_name(words[0]) if words else ""
        call = Call(program, words[1:], written, read, feed.given, privileged, self.folder)
        kinds: set[Does] = set(command_kinds(call))
        if fields and not fields[0].known:
            kinds |= unseen_code_kinds(fields[0].sources)
        kinds |= self._runs(call, fields, feed, depth)
        if kinds & {"schedule", "persist"}:
            self._later(feed, depth)
        if not known and effect_of(kinds) != "unknown":
            kinds.add("hidden")  # it is grave, and what it is done to is not seen
        command = with_operands(words, call, frozenset(kinds), plain=plain)
        self.commands.append(command)
        changes = program in ALTER_THE_SHELL | INTERPRETERS or privileged or bool(kinds & (UNSEEN | {"persist"}))
        self.altered = self.altered or changes or ("write" in kinds and any("/bin/" in path for path in command.paths))
        self._remember(call)
        text = self._output(call, feed) if known else None
        text = feed.text if not fields else text
        if written and kinds & {"schedule", "persist"} and text is not None:
            self._later(CommandInput(text, (), True), depth)
        for path in written:
            self._keep(path, text, (*feed.sources, self.commands[-1]))
        return "" if written else text

    def _output(self, call: Call, feed: CommandInput) -> str | None:
        if call.program == "pwd":
            return None if self.folder is None else self.folder + "\n"
        return output(call.program, call.args, feed.text)

    def _give_up(self) -> None:
        """Stop after too many commands; one unseen command stands for the rest."""
        if len(self.commands) == _MAX_COMMANDS:
            self.commands.append(unseen("more commands than are looked at"))

    def _later(self, feed: CommandInput, depth: int) -> None:
        """Evaluate text that a scheduler or the next login will run."""
        texts = [
            output(source.program, source.words[1:], None) for source in feed.sources if source.program in _PRINTERS
        ]
        for text in [feed.text] if feed.text is not None else texts:
            for line in (text or "").splitlines():
                self.run(_CRON_TIMES.sub("", line), depth + 1)

    def _assign(self, fields: list[Field]) -> list[Field]:
        if fields and fields[0].text in _ONLY_ASSIGN:
            fields = [field for field in fields[1:] if not field.text.startswith("-")]
        while fields and (match := _ASSIGNMENT.fullmatch(fields[0].text)):
            if fields[0].known:
                self.variables[match[1]] = (self.variables.get(match[1], "") if match[2] else "") + match[3]
            else:
                self.variables.pop(match[1], None)
            fields = fields[1:]
        return fields

    def _redirect(
        self, redirections: Sequence[Redirection], feed: CommandInput, depth: int
    ) -> tuple[CommandInput, tuple[str, ...], tuple[str, ...]]:
        written: list[str] = []
        read: list[str] = []
        for operator, word, _fd in redirections:
            field = expand_to_one_field(word, self.variables, lambda text: self.run(text, depth + 1))
            if operator in ("<<", "<<-", "<<<"):
                feed = CommandInput(field.text + "\n" if field.known else None, field.sources, True)
            elif operator.startswith("<") and not field.text.isdigit():
                path = normal_path(field.text, self.folder)
                read.append(path)
                feed = CommandInput(self.files.get(path), field.sources, True, path)
            elif not field.text.isdigit() and field.text not in ("-", "/dev/null", "/dev/stderr", "/dev/stdout"):
                written.append(field.text)
        return feed, tuple(written), tuple(read)

    def _keep(self, path: str, text: str | None, sources: tuple[ShellCommand, ...]) -> None:
        """Remember a file's content, or that it was fetched."""
        if text is not None or any("download" in source.does for source in sources):
            self.files[normal_path(path, self.folder)] = text

    def _remember(self, call: Call) -> None:
        """Update what later commands depend on: folder, aliases, fetched and moved files."""
        match call.program:
            case "cd" | "pushd":
                self.folder = normal_path(call.operands[0] if call.operands else "~", self.folder)
            case "alias":
                self.aliases |= {name: text for arg in call.operands for name, _, text in [arg.partition("=")] if text}
            case "mv" | "cp" if len(call.operands) == 2:
                old, new = (normal_path(path, self.folder) for path in call.operands)
                if old in self.files:
                    self.files[new] = self.files[old]
            case "curl" | "wget" | "aria2c":
                for path in fetched_files(call):
                    self.files[normal_path(path, self.folder)] = None
            case _:
                pass

    def _runs(self, call: Call, fields: list[Field], feed: CommandInput, depth: int) -> set[Does]:
        """Evaluate what a command runs; return the kinds of what it runs unseen."""
        args = fields[1:]
        for words in delegated_commands(call):
            if len(words) == 1:
                self.run(words[0], depth + 1)
            else:
                self._call([Field(word) for word in words], (), CommandInput(), depth + 1)
        match call.program:
            case "eval":
                return self._run_text(args, depth)
            case "source" | "." if args:
                return self._run_file(args[0], depth)
            case "xargs":
                words, _ = unwrap(after_options(call.args, _XARGS_OPTIONS))
                self._call(
                    [Field(word) for word in (*words, *(feed.text or "").split()[:100])], (), CommandInput(), depth + 1
                )
                return (
                    unseen_code_kinds(feed.sources)
                    if words[:1] and words[0] in INTERPRETERS and feed.text is None
                    else set()
                )
            case "awk" | "gawk" | "mawk" if any("system(" in arg or "| " in arg for arg in call.args):
                return {"hidden"}
            case program if program in INTERPRETERS:
                return self._interpreter(call, args, feed, depth)
            case _:
                path = fields[0].text if fields else ""
                outside = "/" in path and not path.startswith(_SYSTEM_FOLDERS) and fields[0].known
                return self._run_file(fields[0], depth) if outside else set()

    def _interpreter(self, call: Call, args: list[Field], feed: CommandInput, depth: int) -> set[Does]:
        flag = _SHELL_CODE if call.program in SHELLS else _OTHER_CODE
        place = next((at for at, arg in enumerate(call.args) if flag.fullmatch(arg)), None)
        if place is not None and place + 1 < len(args):
            return self._run_code(call.program, args[place + 1], depth)
        files = [arg for arg in args if not arg.text.startswith("-")]
        if call.flag("-m") and call.program not in SHELLS:
            return set()
        if files and not (call.flag("-s") and call.program in SHELLS):
            return self._run_file(files[0], depth, call.program)
        if feed.file:
            return self._run_file(Field(feed.file), depth, call.program)
        if not feed.given:
            return set()
        if feed.text is None:
            return unseen_code_kinds(feed.sources)
        decoded: set[Does] = {"run_decoded"} if any(source.program in DECODERS for source in feed.sources) else set()
        return decoded | self._run_code(call.program, Field(feed.text), depth)

    def _run_code(self, program: str, code: Field, depth: int) -> set[Does]:
        if program in SHELLS:
            return self._run_text([code], depth)
        if not code.known:
            return unseen_code_kinds(code.sources)
        return self.python(code.text, depth) if program.startswith("python") else {"hidden"}

    def _run_text(self, fields: list[Field], depth: int) -> set[Does]:
        sources = tuple(source for field in fields for source in field.sources)
        if sources or not all(field.known for field in fields):
            return unseen_code_kinds(sources)
        self.run(" ".join(field.text for field in fields), depth + 1)
        return set()

    def _run_file(self, field: Field, depth: int, program: str = "sh") -> set[Does]:
        if field.content is not None:
            return self._run_code(program, Field(field.content), depth)
        if not field.known:
            return unseen_code_kinds(field.sources)
        path = normal_path(field.text, self.folder)
        if path not in self.files:
            return {"run_file"}
        content = self.files[path]
        if content is None:
            return {"run_file", "run_remote"}
        return {"run_file", *self._run_code(program, Field(content), depth)}

    def python(self, source: str, depth: int) -> set[Does]:
        """Read a Python program as equivalent commands."""
        if depth > _MAX_DEPTH:
            return {"hidden"}
        kinds: set[Does] = set()
        for amounts in python_calls(source):
            if amounts.unseen:
                kinds.add("hidden")
                self.commands.append(unseen(amounts.unseen))
            elif amounts.line is not None:
                self.run(amounts.line, depth + 1)
            else:
                self._call([Field(word, word != UNKNOWN) for word in amounts.words], (), CommandInput(), depth + 1)
        return kinds
