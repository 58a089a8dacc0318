"""Tokens as pipelines. Loops and conditions are groups: whatever stands in them may run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trueline.actions.shell.lex import Operator, Token, Word

MAX_DEPTH = 12
"""Groups nested deeper than this are read as a flat sequence."""

_REDIRECTIONS = frozenset({"<", ">", ">>", ">|", ">&", "&>", "&>>", "<<", "<<-", "<<<", "<&", "<>"})
_OPENING = frozenset({"{", "do", "if", "case"})
_CLOSING = frozenset({"}", "fi", "done", "esac"})
_SKIPPED = frozenset({"then", "while", "until", "else", "elif", "!", "time", "function", "coproc"})


class Redirection(NamedTuple):
    """Where input comes from or output goes to."""

    operator: str
    target: Word
    fd: str = ""


@dataclass(frozen=True)
class Simple:
    """A command with its words."""

    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True)
class Loop:
    """`for NAME in words`: what the name stands for in the group that follows."""

    name: str
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Group:
    """Pipelines whose outputs go the same way."""

    pipelines: tuple[Pipeline, ...]
    redirections: tuple[Redirection, ...] = ()


Stage = Simple | Group | Loop
Pipeline = tuple[Stage, ...]


def parse(tokens: Sequence[Token]) -> tuple[Pipeline, ...]:
    """Return the pipelines in order. A bracket without its partner is skipped, never an error."""
    return _Parser(tokens).pipelines(0)


class _Parser:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def pipelines(self, depth: int) -> tuple[Pipeline, ...]:
        found: list[Pipeline] = []
        stages: list[Stage] = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if isinstance(token, Operator) and token.text in ("|", "|&"):
                self.at += 1
            elif _closes(token) and depth:
                break
            elif isinstance(token, Operator) and token.text not in _REDIRECTIONS and token.text != "(":
                self.at += 1
                _end(found, stages)
            elif (stage := self._stage(depth)) is not None:
                stages.append(stage)
                if isinstance(stage, Loop):
                    _end(found, stages)
        _end(found, stages)
        return tuple(found)

    def _stage(self, depth: int) -> Stage | None:
        token = self.tokens[self.at]
        word = token.bare if isinstance(token, Word) else None
        if token == Operator("(") or word in _OPENING:
            self.at += 1
            if depth >= MAX_DEPTH:
                return None
            inner = self.pipelines(depth + 1)
            self.at += 1  # the bracket that closes it
            return Group(inner, self._redirections())
        if word in _SKIPPED or word in _CLOSING or token == Operator(")"):
            self.at += 1
            return None
        if word in ("for", "select"):
            return self._loop()
        return self._simple()

    def _loop(self) -> Loop:
        self.at += 1
        words: list[Word] = []
        while self.at < len(self.tokens) and isinstance(token := self.tokens[self.at], Word) and token.bare != "do":
            words.append(token)
            self.at += 1
        name, *values = words or [Word(())]
        return Loop(name.bare or "", tuple(word for word in values if word.bare != "in"))

    def _simple(self) -> Simple:
        words: list[Word] = []
        redirections: list[Redirection] = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if isinstance(token, Word):
                words.append(token)
                self.at += 1
            elif token.text in _REDIRECTIONS:
                redirections += self._redirections()
            else:
                break
        return Simple(tuple(words), tuple(redirections))

    def _redirections(self) -> tuple[Redirection, ...]:
        found: list[Redirection] = []
        while self.at < len(self.tokens) and isinstance(token := self.tokens[self.at], Operator):
            if token.text not in _REDIRECTIONS:
                break
            following = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else None
            self.at += 1
            if isinstance(following, Word):
                found.append(Redirection(token.text, following, token.fd))
                self.at += 1
        return tuple(found)


def _closes(token: Token) -> bool:
    return token == Operator(")") if isinstance(token, Operator) else token.bare in _CLOSING


def _end(found: list[Pipeline], stages: list[Stage]) -> None:
    if stages:
        found.append(tuple(stages))
        stages.clear()
