"""The typed data of an episode, and result folders read and written.

Names are imported when they are first used: a program that only wants folder names does not pay for the models.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueline.records.attack import Attack, Funnel
    from trueline.records.base import Record
    from trueline.records.end import End, Unscored
    from trueline.records.episode import CheckRecord, EpisodeError, EpisodeRecord, EpisodeTimings, Retry, TaskRef
    from trueline.records.folder.attempts import attempts_of, move_aside
    from trueline.records.folder.claim import claim_setting, has_setting, read_setting
    from trueline.records.folder.closing import recover
    from trueline.records.folder.files import DiskFullError
    from trueline.records.folder.reader import Trajectory, read_episode
    from trueline.records.folder.store import StoreLevel
    from trueline.records.folder.writer import EpisodeWriter
    from trueline.records.judgment import JudgedBy, Judgment
    from trueline.records.layout import Location, Unit
    from trueline.records.observation import Observation, ObservationRecord, ObservationSpec, StoredFile, TreeScope
    from trueline.records.problem import Problem
    from trueline.records.proposal import Proposal
    from trueline.records.setting import Environment, EpisodeLimits, GuardSetting, RetryMethod, Sampling, Setting
    from trueline.records.step import ActionResult, Attempt, Gap, Narrative, Step, StepTimings
    from trueline.records.tree import Node, Tree
    from trueline.records.usage import NO_USAGE, Usage, total_usage
    from trueline.records.verdict import Category, Decision, Evidence, Feedback, Finding, Stage, Verdict

_MODULES = {
    "attack": ("Attack", "Funnel"),
    "base": ("Record",),
    "end": ("End", "Unscored"),
    "episode": ("CheckRecord", "EpisodeError", "EpisodeRecord", "EpisodeTimings", "Retry", "TaskRef"),
    "folder.attempts": ("attempts_of", "move_aside"),
    "folder.claim": ("claim_setting", "has_setting", "read_setting"),
    "folder.files": ("DiskFullError",),
    "folder.closing": ("recover",),
    "folder.reader": ("Trajectory", "read_episode"),
    "folder.store": ("StoreLevel",),
    "folder.writer": ("EpisodeWriter",),
    "judgment": ("JudgedBy", "Judgment"),
    "layout": ("Location", "Unit"),
    "observation": ("Observation", "ObservationRecord", "ObservationSpec", "StoredFile", "TreeScope"),
    "problem": ("Problem",),
    "proposal": ("Proposal",),
    "setting": ("Environment", "GuardSetting", "EpisodeLimits", "RetryMethod", "Sampling", "Setting"),
    "step": ("ActionResult", "Attempt", "Gap", "Narrative", "Step", "StepTimings"),
    "tree": ("Node", "Tree"),
    "usage": ("NO_USAGE", "Usage", "total_usage"),
    "verdict": ("Category", "Decision", "Evidence", "Feedback", "Finding", "Stage", "Verdict"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import the module that holds a public name."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})


__all__ = [
    "NO_USAGE",
    "ActionResult",
    "Attack",
    "Attempt",
    "Category",
    "CheckRecord",
    "Decision",
    "DiskFullError",
    "End",
    "Environment",
    "EpisodeError",
    "EpisodeLimits",
    "EpisodeRecord",
    "EpisodeTimings",
    "EpisodeWriter",
    "Evidence",
    "Feedback",
    "Finding",
    "Funnel",
    "Gap",
    "GuardSetting",
    "JudgedBy",
    "Judgment",
    "Location",
    "Narrative",
    "Node",
    "Observation",
    "ObservationRecord",
    "ObservationSpec",
    "Problem",
    "Proposal",
    "Record",
    "Retry",
    "RetryMethod",
    "Sampling",
    "Setting",
    "Stage",
    "Step",
    "StepTimings",
    "StoreLevel",
    "StoredFile",
    "TaskRef",
    "Trajectory",
    "Tree",
    "TreeScope",
    "Unit",
    "Unscored",
    "Usage",
    "Verdict",
    "attempts_of",
    "claim_setting",
    "has_setting",
    "move_aside",
    "read_episode",
    "read_setting",
    "recover",
    "total_usage",
]  # fmt: skip
