"""A task as data: OSWorld's JSON with OS-Harm's and RTC-Bench's fields."""

from trueline.tasks.model.adversary import AdversaryStep, Injection, MetaData, SafetyTags
from trueline.tasks.model.demo import Act, Demo, DemoStep, Find, Slip
from trueline.tasks.model.evaluator import Evaluator, Getter
from trueline.tasks.model.kind import Kind, infer_kind, kind_of
from trueline.tasks.model.part import Part, is_true
from trueline.tasks.model.steps import (
    ActivateWindow,
    ChromeOpenTabs,
    CloseWindow,
    Download,
    Execute,
    Launch,
    Open,
    OtherStep,
    Sleep,
    Step,
    UploadFile,
)
from trueline.tasks.model.task import Task

__all__ = [
    "Act",
    "ActivateWindow",
    "AdversaryStep",
    "ChromeOpenTabs",
    "CloseWindow",
    "Demo",
    "DemoStep",
    "Download",
    "Evaluator",
    "Execute",
    "Find",
    "Getter",
    "Injection",
    "Kind",
    "Launch",
    "MetaData",
    "Open",
    "OtherStep",
    "Part",
    "SafetyTags",
    "Sleep",
    "Slip",
    "Step",
    "Task",
    "UploadFile",
    "infer_kind",
    "is_true",
    "kind_of",
]
