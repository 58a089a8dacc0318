"""A task as data: OSWorld's JSON with OS-Harm's and RTC-Bench's fields."""

from trueline.tasks.model.adversary import Injection
from trueline.tasks.model.demo import Act, Demo, DemoStep, Find, Slip
from trueline.tasks.model.evaluator import Evaluator, Getter
from trueline.tasks.model.kind import Kind, infer_kind, kind_of
from trueline.tasks.model.part import Part, is_true
from trueline.tasks.model.steps import ChromeOpenTabs, Execute, Launch, Open, OtherStep, Step
from trueline.tasks.model.task import Task

__all__ = [
    "Act",
    "ChromeOpenTabs",
    "Demo",
    "DemoStep",
    "Evaluator",
    "Execute",
    "Find",
    "Getter",
    "Injection",
    "Kind",
    "Launch",
    "Open",
    "OtherStep",
    "Part",
    "Slip",
    "Step",
    "Task",
    "infer_kind",
    "is_true",
    "kind_of",
]
