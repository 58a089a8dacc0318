"""Perturbations: named and versioned changes to how a desktop looks; the task stays the same."""

from trueline.desktop.perturbations.gnome import gnome_applied
from trueline.desktop.perturbations.model import Applied, Perturbation
from trueline.desktop.perturbations.sets import digest_of, load_set

__all__ = [
    "Applied",
    "Perturbation",
    "digest_of",
    "gnome_applied",
    "load_set",
]
