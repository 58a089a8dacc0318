"""The policy stage: what a proposal does on this screen, and the rules that forbid, allow or suspect it."""

from trueline.guard.policy.ruleset import Rules, load_rules
from trueline.guard.policy.stage import PolicyStage, judge, load_policy

__all__ = ["PolicyStage", "Rules", "judge", "load_policy", "load_rules"]
