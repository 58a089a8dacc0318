"""Perturbations: named and versioned changes to how a desktop looks; the task stays the same."""

from trueline.desktop.perturbations.gnome import apply_gnome, gnome_applied, gnome_commands
from trueline.desktop.perturbations.model import Applied, Perturbation
from trueline.desktop.perturbations.sets import digest_of, known_sets, load_set

__all__ = [
    "Applied",
    "Perturbation",
    "apply_gnome",
    "digest_of",
    "gnome_applied",
    "gnome_commands",
    "known_sets",
    "load_set",
]
