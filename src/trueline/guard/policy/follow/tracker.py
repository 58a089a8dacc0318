"""The state shared by the modules that follow actions."""

from __future__ import annotations

from dataclasses import dataclass, field

from trueline.actions.facts.mentions import mentions
from trueline.actions.types import Action
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
    """Remaining characters of command lines to parse; an unfinished line is parsed again at each Enter."""
    touched: bool = False
    """Whether typed text is not recorded as an operation yet."""
    started_input: tuple[Action, ...] = ()
    """What a command that was just entered types and clicks by itself."""

    def flush(self) -> None:
        """Record the text of the focused field before the focus moves."""
        state = self.state
        if not self.touched:
            return
        self.touched = False
        self.operations.append(Typed(state.line, state.focus, state.whole))
        if state.focus is not None and state.focus.is_recipient_field:
            self.operations.extend(Addressed(address) for address in mentions([fold(state.line)]).emails)

    def focus(self, target: Target | None) -> None:
        """Move the focus to an element; the text of an already focused field is kept."""
        if target is not None and self.state.focus is not None and target.place == self.state.focus.place:
            self.state.focus = target
            return
        self.flush()
        self.state.leave(target)

    def open(self, url: str, by: Way, *, certain: bool = True) -> None:
        """Record that an address is visited, or that a mailto: address is written to."""
        self.operations.append(Opened(url, by, certain))
        if url.lower().startswith("mailto:"):
            emails = mentions([url[7:]]).emails
            self.operations.extend(Addressed(address, certain=certain, restates=by == "command") for address in emails)

    def send_from(self, target: Target) -> None:
        """Send was pressed: record the recipients in the window's fields."""
        texts = [fold(field.text) for field in self.view.in_window_of(target) if field.is_recipient_field]
        self.operations.extend(Addressed(address, sent=True) for address in mentions(texts).emails)
