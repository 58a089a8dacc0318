"""Lines of a terminal read as commands, one after the other, without running anything."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from trueline.actions.facts.mentions import mentions
from trueline.guard.policy.shell.command import Does, Session, ShellCommand
from trueline.guard.policy.shell.does import FETCHERS, INTERPRETERS, SHELLS, Call, does
from trueline.guard.policy.shell.expand import Field, Nested, expand, one
from trueline.guard.policy.shell.lex import lex
from trueline.guard.policy.shell.outputs import is_decoder, output
from trueline.guard.policy.shell.parse import Group, Loop, Pipeline, Redirection, Simple, parse
from trueline.guard.policy.shell.paths import looks_like_path, normal_path
from trueline.guard.policy.shell.wrappers import base_name, unwrap

MAX_LINE = 20_000
_MAX_DEPTH = 6
_MAX_COMMANDS = 400
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=(.*)", re.DOTALL)
_FORK_BOMB = re.compile(r"([\w:.]+)\(\)\{\1\|\1&\};\1")
_RECALL = re.compile(r"(?:^|[\s;|&(])!(?:!|-?\d+|[A-Za-z?])")
_AT_FILE = re.compile(r"(?:[^=@\s]*=)?@(.+)", re.DOTALL)
_KNOWN_FETCH_CODE = re.compile(r"urlopen|urllib|requests\.|httpx|socket|Net::HTTP|LWP|file_get_contents|fetch\(|open-uri")
_RUNS_CODE = re.compile(r"\bexec\b|\beval\b|system|popen|subprocess|spawn|compile\(")


class Read(NamedTuple):
    """What a line runs, and what the terminal remembers afterwards."""

    commands: tuple[ShellCommand, ...]
    session: Session


class _Feed(NamedTuple):
    """What comes in at a command's input."""

    text: str | None = None
    sources: tuple[ShellCommand, ...] = ()
    given: bool = False


def read_line(line: str, session: Session | None = None) -> Read:
    """Read one line as a terminal would; an unfinished one is kept until it is complete."""
    session = session or Session()
    text = f"{session.pending}\n{line}" if session.pending else line
    if len(text) > MAX_LINE:
        return Read((ShellCommand((text[:200],), "", frozenset({"hidden"})),), replace(session, pending=""))
    if not lex(text).complete or text.rstrip().endswith(("|", "&&", "||")):
        return Read((), replace(session, pending=text))
    shell = _Shell(session)
    shell.run(text, 0)
    entered = (*session.entered, line)[-50:]
    return Read(
        tuple(shell.commands),
        Session(shell.variables, shell.aliases, shell.files, shell.folder, "", entered),
    )


def read_words(words: tuple[str, ...]) -> tuple[ShellCommand, ...]:
    """Read a command that is already cut into words, as a program starts it."""
    shell = _Shell(Session())
    shell.call([Field(word) for word in words], (), _Feed(), 0)
    return tuple(shell.commands)


class _Shell:
    def __init__(self, session: Session) -> None:
        self.variables = dict(session.variables)
        self.aliases = dict(session.aliases)
        self.files = dict(session.files)
        self.folder = session.folder
        self.commands: list[ShellCommand] = []

    def run(self, text: str, depth: int) -> Nested:
        """Read a text; the output is known when every part of it is."""
        before = len(self.commands)
        if depth > _MAX_DEPTH or len(self.commands) > _MAX_COMMANDS:
            self.commands.append(ShellCommand((text[:200],), "", frozenset({"hidden"})))
            return Nested(None, tuple(self.commands[before:]))
        if _FORK_BOMB.search(text.replace(" ", "").replace("\n", "")):
            self.commands.append(ShellCommand((text[:200],), ":", frozenset({"fork_bomb"})))
            return Nested(None, tuple(self.commands[before:]))
        if depth == 0 and _RECALL.search(text):
            self.commands.append(ShellCommand((text[:200],), "!", frozenset({"hidden"})))
        outputs = [self.pipeline(pipeline, depth) for pipeline in parse(lex(text).tokens)]
        known = None if any(part.text is None for part in outputs) else "".join(part.text or "" for part in outputs)
        return Nested(known, tuple(self.commands[before:]))

    def pipeline(self, pipeline: Pipeline, depth: int, feed: _Feed = _Feed()) -> _Feed:
        for place, stage in enumerate(pipeline):
            before = len(self.commands)
            text = self.stage(stage, depth, feed)
            given = feed.sources if place else ()
            feed = _Feed(text, (*given, *self.commands[before:]), True)
        return feed

    def stage(self, stage: Simple | Group | Loop, depth: int, feed: _Feed) -> str | None:
        match stage:
            case Loop(name, words):
                self.variables[name] = " ".join(field.text for word in words for field in self.fields(word, depth))
                return ""
            case Group(pipelines, redirections):
                outputs = [self.pipeline(inner, depth, feed) for inner in pipelines]
                text = None if any(part.text is None for part in outputs) else "".join(part.text or "" for part in outputs)
                if redirections:
                    self.call([], redirections, _Feed(text, tuple(s for part in outputs for s in part.sources), True), depth)
                return text
            case Simple(words, redirections):
                fields = [field for word in words for field in self.fields(word, depth)]
                return self.call(fields, redirections, feed, depth)

    def fields(self, word: object, depth: int) -> list[Field]:
        from trueline.guard.policy.shell.lex import Word

        assert isinstance(word, Word)
        return expand(word, self.variables, lambda text: self.run(text, depth + 1))
