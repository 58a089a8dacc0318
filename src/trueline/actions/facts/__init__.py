"""What an action touches, types, runs and names, for drawing it and for the guard."""

from trueline.actions.facts.action_facts import ActionFacts, facts, proposal_facts
from trueline.actions.facts.effects import Effect
from trueline.actions.facts.touch_points import Touch

__all__ = ["ActionFacts", "Effect", "Touch", "facts", "proposal_facts"]
