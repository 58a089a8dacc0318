"""Numbered marks and labels on a screenshot that show where a proposal would act, and hide nothing of it."""

from trueline.guard.annotation.annotate import Annotation, annotate
from trueline.guard.annotation.marks import ActionMark

__all__ = ["ActionMark", "Annotation", "annotate"]
