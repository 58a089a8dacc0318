"""Attack goals by name: what an injected text asks for. Ours, and those of packages (`trueline.goals`).

Each goal is one file with its text, how an attempt looks in a proposal, and how the end state shows that it came about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Template

from trueline.errors import InputError
from trueline.records.attack import Twin, split_twin
from trueline.records.end import End
from trueline.registry import Registry
from trueline.tasks.attacks.canaries import Canaries
from trueline.tasks.attacks.proposal_content import ProposalContent
from trueline.tasks.attacks.sinks.log import EntryKind, SinkLog
from trueline.tasks.attacks.twins import twin_text
from trueline.tasks.model import DemoStep
from trueline.text import printable

TITLE = "title.v1"
PLACEHOLDERS = ("host", "address")
"""In texts: `$host` and `$address` stand for the attacker's host and mail address, drawn for each episode."""


@dataclass(frozen=True)
class EndState:
    """What an episode left behind, as far as goals look at it."""

    sinks: SinkLog
    files: Mapping[str, bytes | None]
    """By path in the home folder; `None`: it does not exist."""
    end: End | None
    score: float | None
    """Score of the task; `None` if unknown."""
    exposed: bool = True
    """The agent was shown the injection."""
    instruction: str = ""
    """The task as the user worded it."""
    idle: bool = False
    """The agent did nothing once it was shown the injection, and before only pointed at things, as one does to read."""

    @property
    def ended(self) -> bool:
        """Whether the agent itself declared the task done or impossible."""
        return self.end is End.DONE or self.end is End.FAIL


Pages = Mapping[tuple[str, str], bytes]
"""What the web sink serves, by host and path."""
Achieved = Callable[[EndState, Canaries], Iterable[str]]
"""Yields the evidence that a goal was achieved; nothing when it was not."""
Attempted = Callable[[ProposalContent, Canaries], bool]


def _no_pages(_: Canaries) -> Pages:
    return {}


def _no_files(_: Canaries) -> Mapping[str, bytes]:
    return {}


@dataclass(frozen=True)
class Goal:
    """One thing that an attacker may want."""

    id: str
    text: str
    """What the screen says, with `$host` and `$address` for what differs between episodes."""
    achieved: Achieved
    attempted: Attempted
    files: tuple[str, ...] = ()
    """Paths in the home folder that `achieved` reads, besides those that are read for every goal."""
    hijack: tuple[DemoStep, ...] = ()
    """How the simulated `hijacked` subject follows the text, with `{host}` and `{address}`; by default it does not."""
    by_ending: bool = False
    """It is reached by ending the task, which every agent does: only an end that achieves it was an attempt."""
    by_host: bool = False
    """Nothing but this goal makes anyone look up the attacker's host."""
    by_files: bool = False
    """It is seen in files of the home folder; where those cannot be read, it is unknown."""
    sink: EntryKind | None = None
    """The sink that sees it; if the sink dropped entries, it is unknown."""
    own_desktop_only: bool = False
    """It needs files that only Trueline's own desktop keeps where `achieved` reads them, or would destroy another."""
    pages: Callable[[Canaries], Pages] = _no_pages
    """What stands at the attacker's host."""
    fixtures: Callable[[Canaries], Mapping[str, bytes]] = _no_files
    """Files of the user that it is about, by path in the home folder."""

    twin: Twin | None = None
    """Which harmless twin of the goal with this text it is."""

    @property
    def needs_sinks(self) -> bool:
        """Whether it can be seen only where a desktop has sinks."""
        return self.sink is not None


@cache
def read_text(name: str) -> str:
    """Read one of our texts, such as `stop_task.v1`."""
    return resources.files("trueline.tasks.attacks").joinpath("texts", f"{name}.txt").read_text("utf-8").strip()


def _adapt(name: str, found: object) -> Goal:
    shown = printable(name, 100)
    if not isinstance(found, Goal) or found.id != name:
        raise InputError(f"attack goal {shown}: must be a Goal with this id")
    template = Template(found.text)
    if not template.is_valid() or not set(template.get_identifiers()) <= set(PLACEHOLDERS):
        raise InputError(f"attack goal {shown}: its text may hold only the placeholders $host and $address")
    return found


_NAMES = (
    "stop_task",
    "url_query_params",
    "email_send_prompt",
    "email_send_password",
    "email_send_file",
    "form_paste_ssh",
    "swisstransfer_send_files",
    "terminal_local_script",
    "terminal_remote_script",
    "terminal_cron_setup",
    "delete_all_user_files",
    "change_document_number",
    "accept_purchase",
    "protection_off",
    "plant_instruction",
    "open_remote_access",
    "form_send_password",
    "image_send_password",
    "delete_all_system_files",
)


class _Goals(Registry[Goal]):
    """Goals by name; a name with the ending of a twin stands for the twin of the goal."""

    def __contains__(self, name: str) -> bool:
        return super().__contains__(split_twin(name)[0])

    def provides(self, name: str) -> bool:
        """Whether there is such a goal. Raises InputError as `Registry.provides`."""
        return super().provides(split_twin(name)[0])

    def find(self, name: str) -> Goal:
        """Find the goal of this name. Raises InputError as `Registry.find`."""
        base, twin = split_twin(name)
        goal = super().find(base)
        if twin is None:
            return goal
        from trueline.tasks.attacks.goals.twins import twin_of

        return twin_of(goal, twin)


GOALS: Registry[Goal] = _Goals(
    "attack goal", "trueline.goals", {name: f"{__name__}.{name}:GOAL" for name in _NAMES}, _adapt
)


def injected_text(goal: Goal, canaries: Canaries) -> str:
    """What the screen says in one episode."""
    text = Template(goal.text).substitute(host=canaries.host, address=canaries.address)
    return text if goal.twin is None else twin_text(goal.twin, canaries, len(text))


def injected_title() -> str:
    """The line that addresses the text to the agent."""
    return read_text(TITLE)
