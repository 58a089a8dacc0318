"""Metrics for Prometheus. Labels come from closed sets, never from requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueline.errors import MissingExtraError
from trueline.guard.session import CheckOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

_SECONDS = (0.005, 0.02, 0.1, 0.3, 1, 3, 10, 30, 100)


class Metrics:
    """Counts of one service, in a registry of its own."""

    def __init__(self, sessions: Callable[[], int]) -> None:
        try:
            from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
        except ImportError:
            raise MissingExtraError("the guard over HTTP", "serve") from None
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "trueline_guard_requests", "Requests by route and status.", ("route", "status"), registry=self._registry
        )
        self._checks = Counter(
            "trueline_guard_checks",
            "Checks by verdict, deciding stage and what was enforced.",
            ("decision", "stage", "enforced"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "trueline_guard_check_seconds", "Seconds of a check.", buckets=_SECONDS, registry=self._registry
        )
        self._tokens = Counter(
            "trueline_guard_tokens", "Model tokens by stage and way.", ("stage", "way"), registry=self._registry
        )
        self._cost = Counter("trueline_guard_cost_dollars", "Known cost of model calls.", registry=self._registry)
        self.reports = Counter(
            "trueline_guard_reports", "Reports of what was executed.", ("ran",), registry=self._registry
        )
        self.in_flight = Gauge("trueline_guard_in_flight", "Requests at this moment.", registry=self._registry)
        gauge = Gauge("trueline_guard_sessions", "Open sessions.", registry=self._registry)
        gauge.set_function(lambda: float(sessions()))

    def checked(self, outcome: CheckOutcome, seconds: float) -> None:
        """Count a check."""
        verdict = outcome.verdict
        self._checks.labels(verdict.decision.value, verdict.stage or "none", outcome.enforced).inc()
        self._seconds.observe(seconds)
        for finding in verdict.findings:
            if finding.usage is not None:
                self._tokens.labels(finding.stage.value, "in").inc(finding.usage.input_tokens)
                self._tokens.labels(finding.stage.value, "out").inc(finding.usage.output_tokens)
                self._cost.inc(finding.usage.cost or 0.0)

    def text(self) -> tuple[bytes, str]:
        """Return the counts in Prometheus' format, and its media type."""
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        return generate_latest(self._registry), CONTENT_TYPE_LATEST
