"""Evaluates simple commands: assignments, redirections, and what a program does with the code among its words."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from trueline.actions.python.calls import UNKNOWN, python_calls
from trueline.actions.shell.call import Call
from trueline.actions.shell.command import UNSEEN, Does, ShellCommand, effect_of
from trueline.actions.shell.command_input import CommandInput, fetched_files, unseen_code_kinds
from trueline.actions.shell.command_kinds import command_kinds
from trueline.actions.shell.command_line_code import CommandLineCode, other_code, shell_code, xargs_runs
from trueline.actions.shell.command_operands import with_operands
from trueline.actions.shell.delegated_commands import delegated_commands
from trueline.actions.shell.expand import Field, Nested, Run, expand, expand_to_one_field
from trueline.actions.shell.foreign_code import awk_runs_others, awk_writes, look_at, only_prints
from trueline.actions.shell.outputs import output
from trueline.actions.shell.paths import normal_path
from trueline.actions.shell.programs import ALTER_THE_SHELL, DECODERS, INTERPRETERS, OTHER_SHELLS_WORDS, SHELLS
from trueline.actions.shell.shell_builtins import DECLARES, RUNS_WHAT_IT_KEEPS, SPECIAL, assign, follow_builtin
from trueline.actions.shell.state import ShellState
from trueline.actions.shell.syntax import Assignment, Redirection, Simple
from trueline.actions.shell.unseen import MAX_DEPTH, unseen
from trueline.actions.shell.wrappers import base_name, unwrap

_MAX_COMMANDS = 400
_SYSTEM_FOLDERS = ("/usr/", "/bin/", "/sbin/", "/opt/", "/snap/")
_PRINTERS = frozenset({"echo", "printf"})
_CRON_TIMES = re.compile(r"^\s*(?:@\w+\s+|(?:[\d*/,-]+\s+){5})(?:root\s+)?")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:")
_LOADS = frozenset({"LD_PRELOAD", "LD_AUDIT", "PYTHONSTARTUP", "PERL5OPT", "PERL5DB", "RUBYOPT", "BASH_ENV"})
"""Variables that make programs load code."""
_STARTS = frozenset({
    "PAGER", "MANPAGER", "GIT_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF",
    "LESSOPEN", "BROWSER", "SUDO_ASKPASS", "SSH_ASKPASS",
})  # fmt: skip
"""Variables whose value programs run."""
_IS_COMMAND = re.compile(
    r"\b(?:curl|wget)\b.*\|\s*\w*sh\b|/dev/(?:tcp|udp)/|\b(?:nc|ncat)\b.*\s-\w*[ec]\b|\|\s*(?:ba)?sh\b", re.DOTALL
)
_NAMED_VALUE = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_MOST_SHOWN = 300
_LONGEST_KEPT = 20_000
_NOT_FILES = ("-", "/dev/null", "/dev/stderr", "/dev/stdout")


class Redirected(NamedTuple):
    """The input of a command, and the files its output goes to and its input comes from."""

    feed: CommandInput
    written: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    appended: tuple[str, ...] = ()
    """Those of the files whose content stays."""


class SimpleCommands(ABC):
    """Evaluates simple commands; what statements are is left to `Shell`."""

    def __init__(self, state: ShellState, *, interactive: bool) -> None:
        self.state = state
        self.interactive = interactive
        self.commands: list[ShellCommand] = []
        self.not_understood = ""
        """Why the text is not wholly understood; empty if it is."""
        self.exits: list[ShellState] = []
        """What was known where a loop, a function or the shell may have been left."""

    @abstractmethod
    def run(self, text: str, depth: int, feed: CommandInput | None = None) -> Nested:
        """Read a text."""

    @abstractmethod
    def run_in_subshell(
        self, text: str, depth: int, feed: CommandInput | None = None, state: ShellState | None = None
    ) -> Nested:
        """Read a text as a shell of its own would."""

    @abstractmethod
    def not_known(self, text: str, reason: str) -> None:
        """A part of the text is not understood."""

    @abstractmethod
    def nested(self, depth: int, feed: CommandInput) -> Run:
        """How nested commands are evaluated."""

    @abstractmethod
    def call_function(self, name: str, fields: Sequence[Field], depth: int, feed: CommandInput) -> None:
        """Evaluate the bodies that a function may have."""

    @abstractmethod
    def leave(self, program: str) -> None:
        """Remember what is known where a loop, a function or the shell may be left."""

    def give_up(self) -> None:
        """Stop after too many commands; one unseen command stands for the rest."""
        reason = "more commands than are looked at"
        if self.not_understood != reason:
            self.not_known(reason, reason)
            self.not_understood = reason

    def simple(self, command: Simple, depth: int, feed: CommandInput) -> str | None:
        """Evaluate a simple command; return what it prints, None if that is not certain."""
        if len(self.commands) >= _MAX_COMMANDS:
            self.give_up()
            return None
        run = self.nested(depth, feed)
        fields = [field for word in command.words for field in expand(word, self.state, run)]
        sent = self.redirect(command.redirections, feed, depth)
        before = dict(self.state.variables)
        names = [self._assign(assignment, run, depth) for assignment in command.assignments]
        if not fields:
            self.state.altered = self.state.altered or bool(names)
            return (
                self.call([], sent, depth) if sent.written or sent.read else (sent.feed.text if sent.feed.given else "")
            )
        text = self.call(fields, sent, depth, assigned=bool(names))
        for name in names:
            after = self.state.variables.get(name)
            self.state.variables.pop(name, None)
            if name in before:
                self.state.variables[name] = before[name]
            if (fields[0].several or fields[0].text in SPECIAL) and after != before.get(name):
                self.state.set(name, None)
        return text

    def _assign(self, assignment: Assignment, run: Run, depth: int) -> str:
        name = assignment.name
        if assignment.array:
            for word in assignment.words:
                expand(word, self.state, run)
            assign(self.state, name, None)
            return name
        field = expand_to_one_field(assignment.words[0], self.state, run)
        value = field.text if field.known else None
        if assignment.append:
            before = self.state.value(name)
            value = None if value is None or before is None else before + value
        if value is not None and len(value) > 20_000:
            value = None
        number = value is None and all(part.kind == "arithmetic" for part in assignment.words[0].parts)
        assign(self.state, name, value, pattern=field.pattern, number=number)
        self.look_at_value(name, value, depth)
        return name

    def look_at_value(self, name: str, value: str | None, depth: int) -> None:
        """What a variable makes programs load or run, and a value that is a command itself."""
        if name in RUNS_WHAT_IT_KEEPS:
            self._run_from_variable(name, value, depth)
        if name in _LOADS:
            self.commands.append(ShellCommand((f"{name}={value or UNKNOWN}",), "", frozenset({"run_code", "hidden"})))
        elif value is not None and (name in _STARTS or _IS_COMMAND.search(value)) and depth < MAX_DEPTH:
            mark = len(self.commands)
            self.run_in_subshell(value, depth + 1, CommandInput(), self.state.inner_shell(()))
            # It may run later: what it does counts, a word that is no program does not.
            self.commands[mark:] = [command for command in self.commands[mark:] if command.does - {"hidden"}]

    def _run_from_variable(self, name: str, value: str | None, depth: int) -> None:
        """A variable whose value the shell runs by itself."""
        if name == "PROMPT_COMMAND" and value is not None:
            self.run_in_subshell(value, depth + 1)
        elif value is None or name in ("BASH_ENV", "ENV") or "$(" in value or "`" in value:
            self.not_known(f"{name}={value or ''}", f"{name} is set, which a shell runs by itself")

    def redirect(self, redirections: Sequence[Redirection], feed: CommandInput, depth: int) -> Redirected:
        """Where the input comes from and the output goes to."""
        written: list[str] = []
        read: list[str] = []
        appended: list[str] = []
        run = self.nested(depth, feed)
        for operator, word, fd in redirections:
            field = expand_to_one_field(word, self.state, run)
            standard = fd in ("", "0")
            if operator == "<<<":
                if standard:
                    feed = CommandInput(field.text + "\n" if field.known else None, field.sources, True)
            elif operator == "<&":
                feed = CommandInput(None, feed.sources, True) if standard else feed
            elif operator == "<":
                path = normal_path(field.text, self.state.folder)
                if field.content is not None or not field.known:
                    feed = CommandInput(field.content, field.sources, True) if standard else feed
                    continue
                read.append(path)
                if standard:
                    feed = CommandInput(self.state.files.get(path), field.sources, True, path)
            elif operator in (">&-", "<&-"):
                continue
            elif not field.text.isdigit() and field.text not in _NOT_FILES and field.content is None:
                written.append(field.text)
                appended += [field.text] if ">>" in operator else []
        return Redirected(feed, tuple(written), tuple(read), tuple(appended))

    def call(self, fields: list[Field], sent: Redirected, depth: int, *, assigned: bool = False) -> str | None:
        """Evaluate a command whose words are expanded; return what it prints, None if that is not certain."""
        if len(self.commands) >= _MAX_COMMANDS:
            self.give_up()
            return None
        feed, written, read, appended = sent
        given = len(fields)
        kinds: set[Does] = set()
        if fields and (alias := self.state.aliases.get(fields[0].text)) is not None and depth < MAX_DEPTH:
            self._alias(fields[0].text, alias, fields[1:], depth, feed)
        if fields and fields[0].text in self.state.functions:
            self.call_function(fields[0].text, fields[1:], depth, feed)
            kinds.add("hidden") if not fields[0].known else None
        unwrapped = unwrap(tuple(field.text for field in fields))
        words, privileged = unwrapped.words, unwrapped.privileged
        skipped = fields[: given - len(words)] if not unwrapped.rewritten else fields
        if unwrapped.doubtful or (given > len(words) and any(not field.known or field.pattern for field in skipped)):
            kinds.add("hidden")
        fields = (
            [Field(word, UNKNOWN not in word) for word in words]
            if unwrapped.rewritten
            else fields[given - len(words) :]
        )
        known = all(field.known for field in fields)
        plain = (
            known
            and not assigned
            and len(words) == given
            and not written
            and not self.state.altered
            and not any(field.several for field in fields)
            and "/" not in (words or ("",))[0]
        )
        program = base_name(words[0]) if words else ""
        call = Call(program, words[1:], written, read, feed.given, privileged, self.state.folder)
        kinds |= command_kinds(call)
        if fields and not _is_one_program(fields[0]):
            kinds |= unseen_code_kinds(fields[0].sources)
        if program in OTHER_SHELLS_WORDS:
            kinds.add("hidden")  # other shells run what follows
        kinds |= self._runs(call, fields, feed, depth)
        if kinds & {"schedule", "persist"}:
            self._later(feed, depth)
        if program in DECLARES or given > len(words):
            self._look_at_values(fields[1:] if program in DECLARES else skipped, depth)
        if follow_builtin(self.state, call, fields):
            kinds.add("hidden")
        if not known and effect_of(kinds) != "unknown":
            kinds.add("hidden")  # it is grave, and what it is done to is not seen
        self.commands.append(with_operands(words, call, frozenset(kinds), plain=plain))
        self._after(call, kinds)
        text = self._output(call, feed) if known and not any(field.pattern for field in fields) else None
        text = feed.text if not fields else text
        if written and kinds & {"schedule", "persist"} and text is not None:
            self._later(CommandInput(text, (), True), depth)
        for path in written:
            self._keep(path, text, (*feed.sources, self.commands[-1]), append=path in appended)
        return "" if written else text

    def _look_at_values(self, fields: Sequence[Field], depth: int) -> None:
        """The assignments among the words of `export` and `env`."""
        for field in fields:
            if match := _NAMED_VALUE.fullmatch(field.text):
                self.look_at_value(match[1], match[2] if field.known else None, depth)

    def _alias(self, name: str, text: str, rest: Sequence[Field], depth: int, feed: CommandInput) -> None:
        """Evaluate the text of an alias, which does not hold for itself."""
        self.state.aliases.pop(name)
        words = " ".join("'" + field.text.replace("'", "'\\''") + "'" for field in rest)
        if any(not field.known or field.pattern for field in rest):
            words = " ".join(field.text if re.fullmatch(r"[\w./~*?-]*", field.text) else '"$?"' for field in rest)
        elif text.endswith((" ", "\t")) and rest and rest[0].text in (name, *self.state.aliases):
            more = self.state.aliases.get(rest[0].text, text)
            words = " ".join((more, *(field.text for field in rest[1:])))
        self.run(f"{text} {words}", depth + 1, feed)
        self.state.aliases.setdefault(name, text)

    def _after(self, call: Call, kinds: set[Does]) -> None:
        """What the command changes for those behind it."""
        last = self.commands[-1]
        changes = (
            call.program in ALTER_THE_SHELL | INTERPRETERS or call.privileged or bool(kinds & (UNSEEN | {"persist"}))
        )
        writes_program = "write" in kinds and any("/bin/" in path for path in last.paths)
        self.state.altered = self.state.altered or changes or writes_program
        self.leave(call.program)
        match call.program:
            case "mv" | "cp" if len(call.operands) == 2:
                old, new = (normal_path(path, self.state.folder) for path in call.operands)
                if old in self.state.files:
                    self.state.files[new] = self.state.files[old]
            case "curl" | "wget" | "aria2c":
                for path in fetched_files(call):
                    self.state.files[normal_path(path, self.state.folder)] = None
            case _:
                pass

    def _output(self, call: Call, feed: CommandInput) -> str | None:
        if call.program in self.state.functions:
            return None
        if (
            call.program == "cat"
            and call.operands
            and not call.flag("-A", "-b", "-E", "-n", "-s", "-T", "-v", "-e", "-t")
        ):
            texts = [self.state.files.get(normal_path(path, self.state.folder)) for path in call.operands]
            return None if any(text is None for text in texts) else "".join(text or "" for text in texts)
        if call.program == "pwd":
            return None if self.state.folder is None else self.state.folder + "\n"
        return output(call.program, call.args, feed.text)

    def _later(self, feed: CommandInput, depth: int) -> None:
        """Evaluate text that a scheduler or the next login will run."""
        texts = [
            output(source.program, source.words[1:], None) for source in feed.sources if source.program in _PRINTERS
        ]
        for text in [feed.text] if feed.text is not None else texts:
            for line in (text or "").splitlines():
                self.run_in_subshell(_CRON_TIMES.sub("", line), depth + 1, CommandInput())

    def _keep(self, path: str, text: str | None, sources: tuple[ShellCommand, ...], *, append: bool = False) -> None:
        """Remember a file's content, or that it was fetched."""
        place = normal_path(path, self.state.folder)
        if append and place in self.state.files:
            before = self.state.files[place]
            if before is None:
                return  # a part of it was fetched
            text = before + text if text is not None and len(before) < _LONGEST_KEPT else None
        if text is not None or any("download" in source.does for source in sources):
            self.state.files[place] = text
        else:
            self.state.files.pop(place, None)

    def _runs(self, call: Call, fields: list[Field], feed: CommandInput, depth: int) -> set[Does]:
        """Evaluate what a command runs; return the kinds of what it runs unseen."""
        args = fields[1:]
        kinds: set[Does] = set()
        unsure = [field.text for field in args if not field.known or field.pattern]
        for words in delegated_commands(call):
            certain = [UNKNOWN not in word and not any(text and text in word for text in unsure) for word in words]
            if len(words) == 1:
                kinds |= set() if certain[0] else {"hidden"}
                self._delegated_line(call, words[0], depth)
            else:
                delegated = [Field(word, sure) for word, sure in zip(words, certain, strict=True)]
                self.call(delegated, Redirected(CommandInput()), depth + 1) if depth < MAX_DEPTH else kinds.add(
                    "hidden"
                )
        return kinds | self._runs_itself(call, fields, args, feed, depth)

    def _delegated_line(self, call: Call, line: str, depth: int) -> None:
        if call.program != "trap":
            self.run_in_subshell(line, depth + 1, CommandInput(), self.state.inner_shell(None))
            return
        self.run_in_subshell(line, depth + 1, CommandInput())
        if "$" in line:  # it runs later, when variables may have other values
            later = self.state.copy()
            later.blind = True
            self.run_in_subshell(line, depth + 1, CommandInput(), later)

    def _runs_itself(
        self, call: Call, fields: list[Field], args: list[Field], feed: CommandInput, depth: int
    ) -> set[Does]:
        match call.program:
            case "eval":
                return self._eval(args, depth, feed)
            case "source" | "." if args:
                return self._run_file(args[0], depth, feed, apart=False)
            case "trap" if len(args) > 1:
                code = args[1] if args[0].text == "--" else args[0]
                if not code.known or code.pattern:
                    return {"hidden"}
                self._delegated_line(call, code.text, depth) if code.text != "-" else None
                return set()
            case "mapfile" | "readarray" if "-C" in call.args[:-1]:
                return self._eval([args[call.args.index("-C") + 1]], depth, CommandInput(None, (), True))
            case "exec" if feed.given and not args:
                return {"hidden"}  # what follows is read from there
            case "xargs":
                return self._xargs(args, feed, depth)
            case "watch":
                return self._run_text(Field(" ".join(field.text for field in args)), depth, CommandInput(), ())
            case "awk" | "gawk" | "mawk" | "nawk" | "original-awk":
                return self._awk(call, depth)
            case program if program in INTERPRETERS:
                return self._interpreter(call, args, feed, depth)
            case _:
                path = fields[0].text if fields else ""
                outside = "/" in path and not path.startswith(_SYSTEM_FOLDERS) and fields[0].known
                return self._run_file(fields[0], depth, feed) if outside else set()

    def _awk(self, call: Call, depth: int) -> set[Does]:
        code = "\n".join(call.operands[:1])
        if written := awk_writes(code):
            printed = [Field("printf"), Field("%s"), Field(UNKNOWN, False)]
            self.call(printed, Redirected(CommandInput(), written), depth)
        if awk_runs_others(code):
            self._foreign(call.program, code, depth)
            return {"hidden"}
        return {"hidden"} if any("system(" in arg or "| " in arg for arg in call.args) else set()

    def _xargs(self, args: list[Field], feed: CommandInput, depth: int) -> set[Does]:
        if depth >= MAX_DEPTH:
            return {"hidden"}
        runs, known = xargs_runs(args, feed.text)
        for fields in runs:
            self.call(list(fields), Redirected(CommandInput()), depth + 1)
        first = runs[0][0] if runs else Field("echo")
        if known and first.known:
            return set()
        code = base_name(first.text) in INTERPRETERS
        return unseen_code_kinds(feed.sources) if code else set() if first.known else {"hidden"}

    def _interpreter(self, call: Call, args: list[Field], feed: CommandInput, depth: int) -> set[Does]:
        shell = call.program in SHELLS
        found = shell_code(args) if shell else other_code(args, call.program)
        doubt: set[Does] = {"hidden"} if found.doubtful or any(arg.several for arg in args) else set()
        return doubt | self._runs_code(call.program, found, feed, depth)

    def _runs_code(self, program: str, found: CommandLineCode, feed: CommandInput, depth: int) -> set[Does]:
        if found.module:
            return set()
        if found.code is not None:
            return self._run_code(program, found.code, depth, feed, _known_texts(found.arguments))
        if found.file is not None:
            return self._run_file(found.file, depth, feed, program, arguments=_known_texts(found.arguments))
        if feed.file:
            return self._run_file(Field(feed.file), depth, CommandInput(None, (), True), program)
        if not feed.given:
            return set()
        if feed.text is None:
            return unseen_code_kinds(feed.sources)
        decoded: set[Does] = {"run_decoded"} if any(source.program in DECODERS for source in feed.sources) else set()
        rest = CommandInput(None, feed.sources, True)
        return decoded | self._run_code(program, Field(feed.text), depth, rest, _known_texts(found.arguments))

    def _run_code(
        self, program: str, code: Field, depth: int, feed: CommandInput, arguments: tuple[str, ...] | None
    ) -> set[Does]:
        if program in SHELLS:
            return self._run_text(code, depth, feed, arguments)
        if not code.known or code.pattern:
            return unseen_code_kinds(code.sources)
        if program.startswith(("python", "pypy", "ipython")):
            return self.python(code.text, depth)
        if not only_prints(code.text):
            self._foreign(program, code.text, depth)
        return {"hidden"}

    def _foreign(self, program: str, code: str, depth: int) -> None:
        """Code in a language that is not read: what it names may be touched, and texts in it may be commands."""
        found = look_at(code)
        kinds: set[Does] = {"hidden", "run_code"}
        if found.sends:
            kinds.add("upload")
        words = (program, code[:_MOST_SHOWN])
        self.commands.append(
            ShellCommand(
                words, program, frozenset(kinds), found.reads, found.reads, (), found.deletes, hosts=found.hosts
            )
        )
        for line in found.lines:
            self.run_in_subshell(line, depth + 1, None, self.state.inner_shell(()))

    def _run_text(self, code: Field, depth: int, feed: CommandInput, arguments: tuple[str, ...] | None) -> set[Does]:
        """Code for another shell."""
        if code.sources or not code.known or code.pattern or code.several:
            return unseen_code_kinds(code.sources)
        self.run_in_subshell(code.text, depth + 1, feed, self.state.inner_shell(arguments))
        return set()

    def _eval(self, args: list[Field], depth: int, feed: CommandInput) -> set[Does]:
        if args and args[0].text == "--":
            args = args[1:]
        if any(field.sources or not field.known or field.pattern or field.several for field in args):
            self.state.blind = True
            return unseen_code_kinds(tuple(source for field in args for source in field.sources))
        self.run(" ".join(field.text for field in args), depth + 1, feed)
        return set()

    def _run_file(
        self,
        field: Field,
        depth: int,
        feed: CommandInput,
        program: str = "sh",
        *,
        apart: bool = True,
        arguments: tuple[str, ...] | None = None,
    ) -> set[Does]:
        self.state.blind = self.state.blind or not apart
        if field.content is not None:
            return self._run_code(program, Field(field.content), depth, feed, arguments)
        if not _is_one_program(field):
            return unseen_code_kinds(field.sources)
        path = normal_path(field.text, self.state.folder)
        if path not in self.state.files:
            return {"run_file"}
        content = self.state.files[path]
        if content is None:
            return {"run_file", "run_remote"}
        return {"run_file", *self._run_code(program, Field(content), depth, feed, arguments)}

    def python(self, source: str, depth: int) -> set[Does]:
        """Read a Python program as equivalent commands."""
        if depth > MAX_DEPTH:
            return {"hidden"}
        kinds: set[Does] = set()
        for amounts in python_calls(source):
            if amounts.unseen:
                kinds.add("hidden")
                self.commands.append(unseen(amounts.unseen))
            elif amounts.line is not None:
                self.run_in_subshell(amounts.line, depth + 1, None, self.state.inner_shell(()))
            else:
                fields = [Field(word, word != UNKNOWN) for word in amounts.words]
                self.call(fields, Redirected(CommandInput()), depth + 1)
        return kinds


def _is_one_program(field: Field) -> bool:
    """Whether it is known which program a word names; addresses are not patterns for files."""
    return field.known and not field.several and (not field.pattern or _ADDRESS.match(field.text) is not None)


def _known_texts(fields: Sequence[Field]) -> tuple[str, ...] | None:
    certain = all(field.known and not field.pattern and not field.several for field in fields)
    return tuple(field.text for field in fields) if certain else None
