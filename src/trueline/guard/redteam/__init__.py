"""Attacking the guard: a corpus of techniques and goals, and a runner that tries them within a budget."""

from trueline.guard.redteam.attempt import Player
from trueline.guard.redteam.campaign import AttackAttempt, AttackCase, Campaign, CampaignOptions, attack
from trueline.guard.redteam.rewrite import Rewriter
from trueline.guard.redteam.techniques import TECHNIQUES

__all__ = ["TECHNIQUES", "AttackAttempt", "AttackCase", "Campaign", "CampaignOptions", "Player", "Rewriter", "attack"]
