"""Our rules written as Cedar policies, and why those that cannot be written so cannot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trueline.guard.policy.cedar.literals import is_literal, literal_of, pattern_of
from trueline.guard.policy.cedar.tokens import quote
from trueline.guard.policy.rulebook import (
    CommandWhen,
    EndWhen,
    OpenWhen,
    PressWhen,
    RecipientWhen,
    Rule,
    TextWhen,
    Unless,
    When,
)
from trueline.guard.policy.ruleset import Rules
from trueline.text import printable

HEADER = """\
// Rules of Trueline as policies in Cedar: give the file to --policy. The words behind context.asked stay in the rules.
// Two things are stricter here: a text of which a part is not known counts as not known (a rule looks at the rest), and
// a permit about files or hosts must fit all that a command names (an allow needs one).
"""


class NotExpressibleError(ValueError):
    """Why a rule cannot be written in Cedar."""


class ExportedRules(NamedTuple):
    """Rules as Cedar."""

    text: str
    left_out: dict[str, str]
    """Why, by the id of the rule."""


def export_rules(rules: Rules) -> ExportedRules:
    """Write rules as Cedar policies, those of the highest priority first; what is left out becomes a comment."""
    ordered = sorted(rules.rules, key=lambda rule: -rule.priority)
    written: list[str] = []
    left_out: dict[str, str] = {}
    for rule in ordered:
        try:
            written.append(_policy(rule, rules.rules))
        except NotExpressibleError as error:
            left_out[rule.id] = str(error)
    comments = [f"// {name} is left out: {printable(reason, 200)}\n" for name, reason in left_out.items()]
    return ExportedRules("\n".join((HEADER, *written, *comments)), left_out)


def _policy(rule: Rule, rules: Sequence[Rule]) -> str:
    if rule.more_than is not None:
        raise NotExpressibleError("Cedar decides each request by itself and counts nothing (more_than)")
    action, conditions = _when(rule)
    exceptions = [_clause(clause) for clause in rule.unless]
    if rule.effect == "forbid":
        outranking = [other for other in rules if other.effect == "allow" and other.priority > rule.priority]
        exceptions += [condition for other in outranking if (condition := _outranking(other, action))]
    if rule.domains:
        conditions = [f"context has domain && {_like('context.domain', rule.domains)}", *conditions]
    lines = [*_annotations(rule), f"{'permit' if rule.effect == 'allow' else 'forbid'}(principal, {action}, resource)"]
    if conditions:
        lines.append(_block("when", [f"({one})" if " || " in one else one for one in conditions], " &&"))
    lines += [_block("unless", [exception], "") for exception in exceptions]
    return "\n".join(lines) + ";\n"


def _block(word: str, parts: Sequence[str], joint: str) -> str:
    return f"{word} {{\n" + f"{joint}\n".join(f"  {part}" for part in parts) + "\n}"


def _annotations(rule: Rule) -> Iterator[str]:
    yield f"@id({quote(rule.id)})"
    if rule.effect == "suspect":
        yield "@suspect"
    if rule.when.command is not None and rule.when.command.unseen and rule.effect != "allow":
        yield "@unseen"
    yield f"@category({quote(rule.category.value)})"
    yield f"@description({quote(printable(rule.description))})"
    if rule.wrong:
        yield f"@reason({quote(printable(rule.wrong))})"
    if rule.instead:
        yield f"@instead({quote(printable(rule.instead))})"


def _outranking(other: Rule, action: str) -> str:
    """The condition under which an allow of higher priority takes a forbid away; empty if it never does."""
    if other.more_than is not None or other.when.screen is not None:
        raise NotExpressibleError(f"the allow {other.id}, which outranks it, cannot be written")
    allowed, conditions = _when(other)
    if "action" not in (allowed, action) and allowed != action:
        return ""
    if action != allowed and action == "action":
        conditions = [allowed, *conditions]
    exceptions = [f"!({_clause(clause)})" for clause in other.unless]
    domain = [f"context has domain && ({_like('context.domain', other.domains)})"] if other.domains else []
    return " && ".join(f"({part})" for part in (*domain, *conditions, *exceptions)) or "true"


def _clause(clause: Unless) -> str:
    parts = [f"context.asked.containsAny({_set(clause.asked)})"] if clause.asked else []
    if clause.named is not None:
        parts.append("context.named" if clause.named else "!context.named")
    return " && ".join(parts)


def _when(rule: Rule) -> tuple[str, list[str]]:
    """The scope of the action, and the conditions that must all hold."""
    match rule.when:
        case When(command=CommandWhen() as command):
            return _action("run"), list(_command(command, rule))
        case When(press=PressWhen() as press):
            return _action("click"), list(_press(press))
        case When(text=TextWhen() as text):
            return _action("type"), list(_text(text))
        case When(open=OpenWhen() as opened):
            return _action("open"), list(_open(opened))
        case When(recipient=RecipientWhen() as recipient):
            return _action("address"), list(_recipient(recipient))
        case When(end=EndWhen() as end):
            return _action("end"), list(_end(end))
        case When(effect=tuple() as effects):
            return "action", [f"{_set(effects)}.contains(context.effect)"]
        case _:
            raise NotExpressibleError(
                "Cedar is asked about what an action hits, not about all texts on the screen (screen)"
            )


def _action(name: str) -> str:
    return f'action == Trueline::Action::"{name}"'


def _command(when: CommandWhen, rule: Rule) -> Iterator[str]:
    if rule.effect == "allow" and (when.path_not or when.host_not):
        raise NotExpressibleError(
            "an allow with path_not or host_not sees all paths and hosts of a command; Cedar sees them one by one"
        )
    if when.host and when.host_not:
        raise NotExpressibleError("two hosts of one command may fit host and host_not; Cedar sees them one by one")
    if when.whole and (when.path or when.path_not or when.access):
        raise NotExpressibleError("two paths of one command may fit whole and path; Cedar sees them one by one")
    if when.does:
        yield f"resource.does.containsAny({_set(when.does)})"
    if when.program:
        yield _like("resource.program", when.program)
    if when.program_not:
        yield f"!({_like('resource.program', when.program_not)})"
    if when.argument:
        yield _arguments(when.argument)
    if when.line:
        yield _like("resource.line", when.line)
    if when.whole:
        yield _asking("covers", when.whole)
    if when.access:
        yield f"resource.access.containsAny({_set(when.access)})"
    if when.path or when.path_not:
        yield _asking("touches", when.path or ("*",))
    if when.path_not:
        yield f"!{_asking('touches', when.path_not)}"
    if when.host:
        yield _like("resource.host", when.host)
    if when.host_not:
        yield f'resource.host != "" && !({_like("resource.host", when.host_not)})'


def _asking(question: str, patterns: Sequence[str]) -> str:
    return f"resource.{question}.containsAny({_set(patterns)})"


def _arguments(patterns: Sequence[str]) -> str:
    """An argument that is exactly one of these: Cedar compares the members of a set, it does not search them."""
    if (searched := next((pattern for pattern in patterns if not is_literal(pattern)), None)) is not None:
        raise NotExpressibleError(f"Cedar cannot search a set of arguments for {searched!r} (argument)")
    return f"resource.arguments.containsAny([{', '.join(literal_of(pattern) for pattern in patterns)}])"


def _press(when: PressWhen) -> Iterator[str]:
    if when.act:
        yield f"{_set(when.act)}.contains(resource.act)"
    named = (("name", when.label), ("role", when.role), ("window", when.window), ("application", when.app))
    for attribute, patterns in (*named, ("dialog", when.dialog)):
        if patterns:
            yield _like(f"resource.{attribute}", patterns)
    if when.many is not None:
        yield "context.many" if when.many else "!context.many"


def _text(when: TextWhen) -> Iterator[str]:
    if when.into:
        if "unknown" in when.into:
            raise NotExpressibleError("Cedar cannot decide about a place that is not known (into: unknown)")
        yield f"{_set(when.into)}.contains(resource.place)"
    if when.field:
        yield _like("resource.name", when.field)
    if when.matches:
        yield _like("context.text", when.matches)
    if when.secret:
        yield f"context.secrets.containsAny({_set(when.secret)})"


def _open(when: OpenWhen) -> Iterator[str]:
    if when.host and when.host_not:
        raise NotExpressibleError("two hosts of one address may fit host and host_not; Cedar sees them one by one")
    if when.by:
        yield f"{_set(when.by)}.contains(context.by)"
    if when.host:
        yield _like("resource.host", when.host)
    if when.host_not:
        yield f'resource.host != "" && !({_like("resource.host", when.host_not)})'
    if when.matches:
        yield _like("resource.url", when.matches)
    if when.carries:
        yield f"context.secrets.containsAny({_set(when.carries)})"


def _recipient(when: RecipientWhen) -> Iterator[str]:
    if when.sent is not None:
        yield "context.sent" if when.sent else "!context.sent"
    if when.address:
        yield _like("resource.address", when.address)
    if when.address_not:
        yield f"!({_like('resource.address', when.address_not)})"


def _end(when: EndWhen) -> Iterator[str]:
    if when.kind:
        yield f"{_set(when.kind)}.contains(context.kind)"
    if when.before_step is not None:
        yield f"context.step < {when.before_step}"


def _like(attribute: str, patterns: Sequence[str]) -> str:
    """Whether an attribute fits one of some globs; those that fit one text only are members of a set."""
    literal = [literal_of(pattern) for pattern in patterns if is_literal(pattern)]
    try:
        found = [f"{attribute} like {pattern_of(pattern)}" for pattern in patterns if not is_literal(pattern)]
    except ValueError as error:
        raise NotExpressibleError(str(error)) from error
    if literal:
        member = (
            f"{attribute} == {literal[0]}" if len(literal) == 1 else f"[{', '.join(literal)}].contains({attribute})"
        )
        found.insert(0, member)
    return " || ".join(found)


def _set(words: Sequence[str]) -> str:
    return f"[{', '.join(quote(word) for word in words)}]"
