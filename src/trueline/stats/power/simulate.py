"""Simulated studies: tasks of unequal difficulty in domains of unequal size, run several times in two settings.

They prove the intervals and tests, feed the demo (which says so), and stand for no agent.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from trueline.errors import InputError
from trueline.stats.power.difficulty import Difficulty

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

OSWORLD_SIZES = (46, 26, 47, 47, 23, 101, 24, 15, 17, 23)
"""Tasks per domain of OSWorld."""

_POINTS = 20_000


@dataclass(frozen=True)
class StudyPlan:
    """What a simulated study looks like. The shares are parts of the variance of the latent ease of tasks."""

    base: Difficulty
    new: Difficulty
    tasks: int = 361
    repeats: int = 3
    link: float = 1.0
    """Correlation of the ease of a task in the two settings."""
    domain_sizes: tuple[int, ...] = OSWORLD_SIZES
    """In proportion; every domain has at least one task."""
    domain_share: float = 0.15
    cluster_size: int = 1
    """Units resampled together, such as the injections into one host task."""
    cluster_share: float = 0.0
    new_repeats: int | None = None
    """Repeats of the new setting, where they differ."""

    def __post_init__(self) -> None:
        if self.tasks < len(self.domain_sizes):
            raise InputError(f"tasks = {self.tasks}: {len(self.domain_sizes)} domains need a task each")
        if min(self.repeats, self.new_repeats or 1, self.cluster_size) < 1:
            raise InputError("repeats and cluster_size must be at least 1")
        if not (0 <= self.link <= 1 and min(self.domain_share, self.cluster_share) >= 0):
            raise InputError("link and shares must lie between 0 and 1")
        if self.domain_share + self.cluster_share > 1:
            raise InputError("the shares of domain and cluster add up to more than 1")


@dataclass(frozen=True, eq=False)
class SimulatedStudies:
    """Many studies of one plan."""

    plan: StudyPlan
    domain: IntArray
    """Domain of each task, the same in all studies."""
    cluster: IntArray
    base: BoolArray = field(repr=False)
    """Whether the run succeeded: study, task, repeat."""
    new: BoolArray = field(repr=False)

    @property
    def base_counts(self) -> IntArray:
        """Successes per study and task in the base setting."""
        return np.count_nonzero(self.base, axis=2).astype(np.int64)

    @property
    def new_counts(self) -> IntArray:
        """Successes per study and task in the new setting."""
        return np.count_nonzero(self.new, axis=2).astype(np.int64)


def simulate_studies(plan: StudyPlan, studies: int, seed: int) -> SimulatedStudies:
    """Draw tasks and runs of that many studies; domains keep their sizes and their difficulty."""
    rng = np.random.default_rng(seed)
    domain = domains_of(plan)
    cluster = _clusters(domain, plan.cluster_size)
    shape = (studies, plan.tasks)
    own = 1 - plan.domain_share - plan.cluster_share

    def noise() -> FloatArray:
        of_cluster = rng.standard_normal((studies, int(cluster.max()) + 1))[:, cluster]
        return np.sqrt(plan.cluster_share) * of_cluster + np.sqrt(own) * rng.standard_normal(shape)

    of_domain = np.sqrt(plan.domain_share) * _domain_ease(plan)[domain]
    first = noise()
    second = first if plan.link == 1 else plan.link * first + np.sqrt(1 - plan.link**2) * noise()
    base = rng.random((*shape, plan.repeats)) < plan.base.at(of_domain + first)[:, :, None]
    new = rng.random((*shape, plan.new_repeats or plan.repeats)) < plan.new.at(of_domain + second)[:, :, None]
    return SimulatedStudies(plan, domain, cluster, base, new)


def true_pass_hat(plan: StudyPlan, setting: Difficulty, k: int) -> float:
    """Pass^k over all tasks that the plan could have drawn, with the domains as they are."""
    ease: FloatArray = ndtri((np.arange(_POINTS) + 0.5) / _POINTS)
    shares = np.bincount(domains_of(plan)) / plan.tasks
    within = np.sqrt(1 - plan.domain_share) * ease
    centres = np.sqrt(plan.domain_share) * _domain_ease(plan)
    return float(sum(w * np.mean(setting.at(within + c) ** k) for w, c in zip(shares, centres, strict=True)))


def domains_of(plan: StudyPlan) -> IntArray:
    """Domain of each task: sizes in proportion, largest remainders first, none empty."""
    ideal = np.array(plan.domain_sizes) / sum(plan.domain_sizes) * plan.tasks
    sizes = np.maximum(np.floor(ideal).astype(np.int64), 1)
    while sizes.sum() < plan.tasks:
        sizes[np.argmax(ideal - sizes)] += 1
    while sizes.sum() > plan.tasks:
        sizes[np.argmax(np.where(sizes > 1, sizes - ideal, -np.inf))] -= 1
    return np.repeat(np.arange(len(sizes)), sizes)


def _domain_ease(plan: StudyPlan) -> FloatArray:
    """Normal scores of the domains, in an order that does not follow their sizes."""
    count = len(plan.domain_sizes)
    order = np.argsort(np.sin(1 + np.arange(count)))
    scores = np.empty(count)
    scores[order] = ndtri((np.arange(count) + 0.5) / count)
    return scores


def _clusters(domain: IntArray, size: int) -> IntArray:
    """Number the clusters: up to `size` neighbours of one domain each."""
    place = np.arange(len(domain)) - np.searchsorted(domain, domain)
    first = place % size == 0
    return np.cumsum(first) - 1
