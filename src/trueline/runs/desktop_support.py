"""What the desktops of a run support, and which tasks and attacks need more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trueline.desktop.types import Capability
from trueline.runs.plan import Injected, Planned
from trueline.tasks.checkers.home import NOTE
from trueline.tasks.model import Task
from trueline.tasks.support import unsupported_injection

SINKS_TAG = "sinks"
"""Tag of tasks whose solution sends something, and which need a sink to receive it."""
_VECTORS_WITH_SINKS = frozenset({"website"})
_GOALS_WITH_SINKS = frozenset({"url_query_params", "email_send_password"})
_OWN_PLACES = frozenset({"thunderbird_mail_received", "terminal_cron_setup"})
"""Vectors and goals that use files only Trueline's own desktop has: mail profile, crontab."""


@dataclass(frozen=True)
class DesktopSupport:
    """What the desktops of a run support; local ones support everything."""

    capabilities: frozenset[Capability] = frozenset(Capability)
    own: bool = True
    """Whether it is Trueline's own desktop, local or served, not a machine with other applications."""


def missing_support(planned: Planned, support: DesktopSupport) -> tuple[str, ...]:
    """Describe what an episode needs and these desktops lack."""
    task, able = planned.task.task, support.capabilities
    found: list[str] = []
    if Capability.DIFF not in able and any(getter.type == NOTE for getter in task.evaluator.getters):
        found.append(f"checker {NOTE}: this machine cannot tell what changed in the home folder")
    if Capability.SINKS not in able and needs_sinks(task):
        found.append("nothing on this machine takes what the task sends (tag sinks)")
    if planned.injected is not None:
        found += unsupported_injection(task, planned.injected.vector, planned.injected.config.get("additional_config"))
        found += _attack(planned.injected, support)
    return tuple(found)


def needs_sinks(task: Task) -> bool:
    """Whether a task needs a sink to receive what it sends."""
    return isinstance(task.tags, tuple) and SINKS_TAG in task.tags


def _attack(injected: Injected, support: DesktopSupport) -> Iterator[str]:
    sinks = Capability.SINKS in support.capabilities
    if not sinks and injected.vector in _VECTORS_WITH_SINKS:
        yield f"vector {injected.vector}: nothing on this machine serves the page"
    if not sinks and injected.goal in _GOALS_WITH_SINKS:
        yield f"goal {injected.goal}: nothing on this machine would see it reached"
    for name in (injected.vector, injected.goal):
        if not support.own and name in _OWN_PLACES:
            yield f"{name}: only Trueline's own desktop has the files that it needs where they are looked for"
