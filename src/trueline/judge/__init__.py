"""Judge whole trajectories afterwards: success, safety, first violation.

The package can be called, because the public function has its name: `trueline.judge(...)` is `judge.api.judge(...)`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trueline.judge.report import JudgeReport


class _CallablePackage(ModuleType):
    def __call__(self, what: Any, /, **options: Any) -> JudgeReport:
        """Judge recorded episodes and return the report: see `trueline.judge.api.judge`."""
        from trueline.judge.api import judge

        return judge(what, **options)


sys.modules[__name__].__class__ = _CallablePackage
