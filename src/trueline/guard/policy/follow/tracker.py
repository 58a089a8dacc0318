"""What the parts that follow actions share."""

from __future__ import annotations

from dataclasses import dataclass, field

from trueline.actions.facts.mentions import mentions
from trueline.guard.policy.folding import fold
from trueline.guard.policy.follow.input_state import InputState
from trueline.guard.policy.operations import Addressed, Opened, Operation, Typed, Way
from trueline.guard.policy.screen.target import Target
from trueline.guard.policy.screen.view import View


@dataclass
class Tracker:
    """The state, the screen before the proposal, and the operations so far."""

    state: InputState
    view: View
    operations: list[Operation] = field(default_factory=list[Operation])
    budget: int = 100_000
    """How much of command lines is still read; an unfinished one is read again with each Enter."""
    touched: bool = False
    """Something was typed that no operation tells of yet."""

    def flush(self) -> None:
        """Tell what stands in the field now, before the keyboard goes elsewhere."""
        state = self.state
        if not self.touched:
            return
        self.touched = False
        self.operations.append(Typed(state.line, state.focus, state.whole))
        if state.focus is not None and state.focus.is_recipient_field:
            self.operations.extend(Addressed(address) for address in mentions([fold(state.line)]).emails)

    def focus(self, target: Target | None) -> None:
        """Give the keyboard to an element; a field that has it already keeps what was typed."""
        if target is not None and self.state.focus is not None and target.place == self.state.focus.place:
            self.state.focus = target
            return
        self.flush()
        self.state.leave(target)

    def open(self, url: str, by: Way, *, certain: bool = True) -> None:
        """An address is visited; one of mail is written to."""
        self.operations.append(Opened(url, by, certain))
        if url.lower().startswith("mailto:"):
            emails = mentions([url[7:]]).emails
            self.operations.extend(Addressed(address, certain=certain, restates=by == "command") for address in emails)

    def send_from(self, target: Target) -> None:
        """Send was pressed: tell who gets it, as the fields of the window say."""
        texts = [fold(field.text) for field in self.view.in_window_of(target) if field.is_recipient_field]
        self.operations.extend(Addressed(address, sent=True) for address in mentions(texts).emails)
