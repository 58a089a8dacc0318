"""What the parts that follow actions share."""

from __future__ import annotations

from dataclasses import dataclass, field

from trueline.actions.facts.mentions import mentions
from trueline.guard.policy.deeds import Addressed, Deed, Opened, Typed, Way
from trueline.guard.policy.folding import fold
from trueline.guard.policy.follow.desk import Desk
from trueline.guard.policy.screen.target import Target
from trueline.guard.policy.screen.view import View


@dataclass
class Scene:
    """The desk, the screen before the proposal, and the deeds so far."""

    desk: Desk
    view: View
    deeds: list[Deed] = field(default_factory=list[Deed])
    budget: int = 100_000
    """How much of command lines is still read; an unfinished one is read again with each Enter."""
    touched: bool = False
    """Something was typed that no deed tells of yet."""

    def flush(self) -> None:
        """Tell what stands in the field now, before the keyboard goes elsewhere."""
        desk = self.desk
        if not self.touched:
            return
        self.touched = False
        self.deeds.append(Typed(desk.line, desk.focus, desk.whole))
        if desk.focus is not None and desk.focus.is_recipient_field:
            self.deeds.extend(Addressed(address) for address in mentions([fold(desk.line)]).emails)

    def focus(self, target: Target | None) -> None:
        """Give the keyboard to an element; a field that has it already keeps what was typed."""
        if target is not None and self.desk.focus is not None and target.place == self.desk.focus.place:
            self.desk.focus = target
            return
        self.flush()
        self.desk.leave(target)

    def open(self, url: str, by: Way, *, certain: bool = True) -> None:
        """An address is visited; one of mail is written to."""
        self.deeds.append(Opened(url, by, certain))
        if url.lower().startswith("mailto:"):
            emails = mentions([url[7:]]).emails
            self.deeds.extend(Addressed(address, certain=certain, restates=by == "command") for address in emails)

    def send_from(self, target: Target) -> None:
        """Send was pressed: tell who gets it, as the fields of the window say."""
        texts = [fold(field.text) for field in self.view.in_window_of(target) if field.is_recipient_field]
        self.deeds.extend(Addressed(address, sent=True) for address in mentions(texts).emails)
