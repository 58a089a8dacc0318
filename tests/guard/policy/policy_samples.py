"""Small screens and questions for the tests of the policy stage."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from trueline.actions import Action
from trueline.actions.codecs.pyautogui import decode
from trueline.guard.policy.follow.follower import follow
from trueline.guard.policy.follow.input_state import InputState
from trueline.guard.policy.operations import Operation
from trueline.guard.policy.screen.view import View, view
from trueline.guard.types import GuardContext, PastStep
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.tree import Node, Place, Size, Tree

SHOWN = frozenset({"showing", "visible", "enabled"})
NOW = datetime(2024, 5, 1, tzinfo=UTC)


def node(
    role: str,
    name: str = "",
    box: tuple[int, int, int, int] | None = None,
    *children: Node,
    text: str = "",
    states: Sequence[str] = (),
    url: str = "",
) -> Node:
    return Node(
        role,
        name,
        text,
        SHOWN | {*states},
        {"url": url} if url else {},
        Place(box[0], box[1]) if box else None,
        Size(box[2], box[3]) if box else None,
        children=children,
    )


def desktop(*applications: Node) -> Observation:
    return Observation(time=NOW, tree=Tree(Node("desktop-frame", states=SHOWN, children=applications)))


def app(name: str, *children: Node, window: str = "Window", role: str = "frame") -> Node:
    return node("application", name, None, node(role, window, (0, 0, 1000, 700), *children, states=["active"]))


def terminal(text: str = "user@desk:~$ ") -> Observation:
    shell = node("terminal", "Terminal", (0, 30, 1000, 670), text=text, states=["focused"])
    return desktop(app("xfce4-terminal", shell))


def page(*elements: Node) -> Observation:
    address = node("entry", "Address and search bar", (100, 40, 800, 28), states=["editable"])
    return desktop(app("Chromium", address, node("document-web", "Page", (0, 80, 1000, 620), *elements)))


def actions(*sources: str) -> tuple[Action, ...]:
    return tuple(action for source in sources for action in decode(source).actions)


def operations(observation: Observation | None, *sources: str, desk: InputState | None = None) -> tuple[Operation, ...]:
    seen: View = view(observation)
    return follow(desk or InputState(), actions(*sources), seen)


def question(
    observation: Observation,
    *sources: str,
    instruction: str = "Make the title bold.",
    history: Sequence[tuple[Observation | None, str]] = (),
    domain: str | None = None,
) -> GuardContext:
    past = tuple(
        PastStep(number, Proposal(id=f"p{number}", actions=actions(source)), seen)
        for number, (seen, source) in enumerate(history, 1)
    )
    proposal = Proposal(id="now", actions=actions(*sources))
    return GuardContext(instruction, observation, proposal, past, step=len(past) + 1, domain=domain)
