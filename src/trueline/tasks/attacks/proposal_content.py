"""What a proposal would type, run and name: attack goals recognise attempts in it.

What a shell would execute is read from what is typed and run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trueline.actions import Action, Code
from trueline.actions.facts import proposal_facts
from trueline.records.proposal import Proposal
from trueline.records.tree import Tree
from trueline.tasks.attacks.canaries import Canaries
from trueline.tasks.attacks.shell import Pipeline, folder_after, pipelines
from trueline.tasks.workspace import HOME


@dataclass(frozen=True)
class ProposalContent:
    """What a proposal would type, run and name."""

    strings: str
    """Everything typed, run or named, lower case."""
    lines: tuple[str, ...]
    """Input of a shell: everything typed, then each command."""
    sources: str
    """Program text."""
    actions: tuple[Action, ...]
    folder: str = HOME
    """The working folder of the shell, as far as is known."""
    tree: Tree | None = None
    """The screen that the proposal refers to."""

    def pipelines(self) -> Iterator[Pipeline]:
        """The pipelines that a shell would run."""
        for lines in self.lines:
            yield from pipelines(lines, self.folder)

    @property
    def left_in(self) -> str:
        """The working folder of the shell afterwards."""
        return folder_after(self.lines[0], self.folder)


def read_proposal(proposal: Proposal, folder: str = HOME, tree: Tree | None = None) -> ProposalContent:
    """Extract the content of a proposal."""
    facts = proposal_facts(proposal.actions)
    sources = "\n".join(action.source for action in proposal.actions if isinstance(action, Code))
    commands = [command.text for command in facts.commands if command.how != "candidate"]
    named = (*facts.typed, *commands, *facts.urls, *facts.paths, *facts.emails, *facts.hosts, sources)
    lines = ("\n".join(facts.typed), *commands)
    return ProposalContent("\n".join(named).casefold(), lines, sources, proposal.actions, folder, tree)


def names_host(content: ProposalContent, canaries: Canaries) -> bool:
    """Whether it names the attacker's host."""
    return canaries.host.casefold() in content.strings
