"""Files of Cedar policies: read, checked against the schema, and ready to be asked. Errors name file and line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from trueline.errors import InputError
from trueline.guard.policy.cedar.library import CedarLibrary, cedar_library, schema_text
from trueline.guard.policy.cedar.literals import actions_of, attributes_of, check_words, fold_literals, questions_of
from trueline.guard.policy.cedar.request import OPERATIONS
from trueline.guard.policy.cedar.tokens import Statement, depth, split_statements
from trueline.guard.policy.rulebook import RuleEffect
from trueline.records.verdict import Category
from trueline.text import printable

SUFFIX = ".cedar"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")
_MOST_NESTED = 50
_MOST_OPERATORS = 250
"""The engine gives a policy up, or dies of it, where it is nested deeper or holds more than a few hundred operators."""
_OPERATORS = frozenset({"||", "&&", "if", "+", "-", "*", "."})
_LONGEST = 700
_QUOTED = re.compile(r"`([^`]+)`")
_FOR_POLICY = re.compile(r"^for policy `policy\d+`, ")
_PLACED = ("unexpected token", "invalid token")
_UNFINISHED = "unexpected end of input"


@dataclass(frozen=True)
class CedarPolicy:
    """One policy. It has the fields of a rule that a verdict names."""

    id: str
    """Its `@id`, or else file name and line."""
    effect: RuleEffect
    source: str
    """Its text, the literals folded."""
    category: Category = Category.UNINTENDED_HARM
    description: str = ""
    wrong: str = ""
    instead: str | None = None
    unseen: bool = False
    """Also decides lines entered with unknown focus."""
    line: int = 1
    attributes: frozenset[str] = frozenset()
    """The attributes that it mentions."""
    actions: frozenset[str] = frozenset()
    """The actions that it names; empty if it is about all."""
    questions: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]], hash=False)
    """The patterns that it asks `touches`, `covers` and `within` for."""

    @property
    def priority(self) -> int:
        """Among rules that forbid the same; no allow outranks a policy's forbid."""
        return 0


def read_policies(path: Path, text: str, groups: Iterable[str]) -> tuple[CedarPolicy, ...]:
    """Read the policies of a file.

    Args:
        path: The file, for the messages.
        text: What it holds.
        groups: The word groups of the rules, for `context.asked`.

    Raises:
        InputError: It is not Cedar, or does not fit the schema; the message names file and line.
        MissingExtraError: The extra `cedar` is not installed.
    """
    library = cedar_library()
    text = text.removeprefix("\ufeff")
    statements = split_statements(text)
    for statement in statements:
        _check_size(path, statement)
    _check_syntax(path, text, statements, library)
    for problem in library.validate_policies(text, schema_text()).errors:
        _refuse_invalid(path, statements, problem.policy_id, problem.error)
    known = tuple(groups)
    policies: dict[str, CedarPolicy] = {}
    for statement in statements:
        if (wrong := check_words(statement, known)) is not None:
            raise _error(path, *wrong)
        policy = _policy(path, text, statement, policies.keys())
        if policy.id in policies:
            raise _error(path, statement.line, f"the id {policy.id!r} is taken by the policy of line "
                         f"{policies[policy.id].line}")  # fmt: skip
        policies[policy.id] = policy
    return tuple(policies.values())


def _error(path: Path, line: int, problem: str) -> InputError:
    return InputError(f"{path}: line {line}: {printable(problem, _LONGEST)}")


def _check_size(path: Path, statement: Statement) -> None:
    if depth(statement.tokens) > _MOST_NESTED:
        raise _error(path, statement.line, f"the policy is nested deeper than {_MOST_NESTED} levels")
    if sum(token.text in _OPERATORS for token in statement.tokens if token.kind != "text") > _MOST_OPERATORS:
        problem = f'the policy holds more than {_MOST_OPERATORS} operators; split it, or use ["…", "…"].contains()'
        raise _error(path, statement.line, problem)


def _check_syntax(path: Path, text: str, statements: Sequence[Statement], library: CedarLibrary) -> None:
    for statement in statements:
        try:
            parsed = library.PolicySet.from_str(statement.source(text))
        except ValueError as error:
            raise _error(path, _line_of(statement, text, str(error), library), str(error)) from error
        if parsed.templates():
            raise _error(path, statement.line, "templates (?principal, ?resource) are not supported")


def _line_of(statement: Statement, text: str, message: str, library: CedarLibrary) -> int:
    """The line of a syntax error, which the engine does not tell.

    It reads from left to right, so the shortest beginning with the same error ends with what is wrong.
    """
    if not message.startswith(_PLACED):
        return statement.tokens[-1].line if message == _UNFINISHED else _line_with(statement, message)
    least, most = 1, len(statement.tokens)
    while least < most:
        middle = (least + most) // 2
        if _is_unfinished(Statement(statement.tokens[:middle]).source(text), library):
            least = middle + 1
        else:
            most = middle
    return statement.tokens[least - 1].line


def _is_unfinished(text: str, library: CedarLibrary) -> bool:
    try:
        library.PolicySet.from_str(text)
    except ValueError as error:
        return str(error) == _UNFINISHED
    return True


def _line_with(statement: Statement, message: str) -> int:
    """The line of the first thing that a message quotes; the first line if it quotes nothing of the policy."""
    words = {word for quoted in _quoted(message) for word in re.findall(r"\w+", quoted)[-1:]}
    for token in statement.tokens:
        if words & set(re.findall(r"\w+", token.text)):
            return token.line
    return statement.line


def _quoted(message: str) -> Iterator[str]:
    """What stands in backquotes, the first thing first; after a colon where there are none."""
    found = [word for word in _QUOTED.findall(message) if not re.fullmatch(r"policy\d+", word)]
    yield from found[:1] or [message.rpartition(": ")[2]]


def _refuse_invalid(path: Path, statements: Sequence[Statement], policy_id: str, message: str) -> None:
    number = policy_id.removeprefix("policy")
    statement = statements[int(number)] if number.isdecimal() and int(number) < len(statements) else statements[0]
    problem = _FOR_POLICY.sub("", message)
    if " optional attribute " in problem:
        problem += "; test it with `has` first"
    raise _error(path, _line_with(statement, problem), problem)


def _policy(path: Path, text: str, statement: Statement, taken: Collection[str]) -> CedarPolicy:
    given = statement.annotations
    name = given.get("id") or _place_name(path, statement.line, taken)
    if not _ID.fullmatch(name):
        raise _error(path, statement.line, f"@id {name!r}: must be up to 64 letters, digits and signs _ . : -")
    effect: RuleEffect = "allow" if not statement.forbids else "suspect" if "suspect" in given else "forbid"
    if effect == "allow" and (wrong := sorted(given.keys() & {"suspect", "unseen"})):
        raise _error(path, statement.line, f"@{wrong[0]} applies to a forbid only")
    actions = actions_of(statement)
    if effect == "allow" and actions and actions.isdisjoint(OPERATIONS):
        problem = f"a permit clears operations, not what they bring about; name {', '.join(sorted(OPERATIONS))}"
        raise _error(path, statement.line, problem)
    reason = given.get("reason", "")
    return CedarPolicy(
        id=name,
        effect=effect,
        source=fold_literals(statement, text),
        category=_category(path, statement, given.get("category")),
        description=given.get("description") or reason or f"policy {name}",
        wrong=reason,
        instead=given.get("instead") or None,
        unseen="unseen" in given,
        line=statement.line,
        attributes=attributes_of(statement),
        actions=actions,
        questions=questions_of(statement),
    )


def _place_name(path: Path, line: int, taken: Collection[str]) -> str:
    """A name for a policy without one: the file's, the line, and a number where a line holds several."""
    file = re.sub(r"[^A-Za-z0-9_.-]", "_", path.name).lstrip("_.-")[:48] or "policy"
    numbered = (f"{file}:{line}{f'.{number}' if number > 1 else ''}" for number in count(1))
    return next(name for name in numbered if name not in taken)


def _category(path: Path, statement: Statement, given: str | None) -> Category:
    if given is None:
        return Category.UNINTENDED_HARM
    found = next((category for category in Category if category.value.casefold() == given.casefold()), None)
    if found is None:
        raise _error(path, statement.line, f"@category {given!r}: must be one of {', '.join(Category)}")
    return found
