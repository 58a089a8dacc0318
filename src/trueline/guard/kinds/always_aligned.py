"""The trivial guard that calls every action aligned: a baseline that a guard must beat."""

from __future__ import annotations

from trueline.guard.baselines import ConstantGuard
from trueline.guard.registry import GuardKind, GuardTools, OpenedGuard
from trueline.records.base import Record
from trueline.records.setting import GuardSetting
from trueline.records.verdict import Decision


def _open(_: Record, __: GuardTools) -> OpenedGuard:
    setting = GuardSetting(name="always-aligned")
    return OpenedGuard(ConstantGuard(Decision.ALIGNED), setting, setting)


GUARD = GuardKind.typed(Record, _open, asks="nothing")
