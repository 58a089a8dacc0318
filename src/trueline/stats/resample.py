"""Resampling tasks: the rescaled bootstrap of Rao and Wu, stratified, by cluster, with every task's runs kept whole.

The variance of a mean under it has a closed form, the unbiased variance of a stratified sample of clusters, so nothing
is drawn for intervals; draws are made when percentiles are asked for.

Each draw takes n - 1 of the n clusters of a stratum with replacement and weighs them by n / (n - 1). The plain
bootstrap (n of n) makes the variance too small by the factor (n - 1) / n in every stratum: with 36 tasks in ten domains
that is a quarter of it. Strata with one cluster say nothing about their variance, so they are pooled.

Runs are never resampled within a task: doing so turns two successes of three into three in 30 % of the draws and
biases Pass^3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from trueline.errors import InputError
from trueline.records.layout import Unit

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

DRAWS = 4000
_CHUNK = 4_000_000  # weights turned into floats at a time: 32 MB


@dataclass(frozen=True, eq=False)
class Resample:
    """How the units of a study are resampled, to be used for every figure about them."""

    cluster: IntArray
    """Number of the cluster each unit belongs to."""
    sizes: IntArray
    """Units in each cluster."""
    stratum: IntArray
    """Number of the stratum each cluster belongs to, after pooling those with a single cluster."""
    draws: int
    """How many `counts` holds."""
    seed: int

    @property
    def units(self) -> int:
        """How many units there are."""
        return len(self.cluster)

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return len(self.sizes)

    @cached_property
    def stratum_sizes(self) -> IntArray:
        """Clusters in each stratum."""
        return np.bincount(self.stratum).astype(np.int64)

    @property
    def strata(self) -> int:
        """How many strata there are."""
        return len(self.stratum_sizes)

    @cached_property
    def scale(self) -> FloatArray:
        """What one occurrence of each cluster in a draw weighs."""
        n = self.stratum_sizes
        return np.where(n > 1, n / np.maximum(n - 1, 1), 0.0)[self.stratum]

    @cached_property
    def counts(self) -> npt.NDArray[np.uint8]:
        """How often each draw (row) took each cluster (column)."""
        rng = np.random.default_rng(self.seed)
        counts = np.zeros((self.draws, self.clusters), np.uint8)
        for h in np.flatnonzero(self.stratum_sizes > 1).tolist():
            members = np.flatnonzero(self.stratum == h)
            counts[:, members] = _draw_counts(len(members), self.draws, rng)
        return counts

    @property
    def text(self) -> str:
        """How variances were made, in words, for the lines below a table."""
        return self._text("closed form")

    @property
    def text_of_draws(self) -> str:
        """How percentiles of the draws were made, in words."""
        return self._text(f"{self.draws} draws, seed {self.seed}")

    def _text(self, how: str) -> str:
        what = "tasks" if self.clusters == self.units else f"{self.clusters} clusters of tasks"
        strata = f", stratified ({self.strata} strata)" if self.strata > 1 else ""
        return f"bootstrap over {what}{strata}, runs kept whole (Rao-Wu, {how})"

    def by_cluster(self, values: FloatArray) -> FloatArray:
        """Sums of the rows of each cluster."""
        return self._over_clusters(np.add, values)

    def largest_by_cluster(self, values: FloatArray) -> FloatArray:
        """Largest value of the rows of each cluster."""
        return self._over_clusters(np.maximum, values)

    def _over_clusters(self, operation: np.ufunc, values: FloatArray) -> FloatArray:
        if self.clusters == self.units:
            return values
        order = np.argsort(self.cluster, kind="stable")
        starts = np.concatenate(([0], np.cumsum(self.sizes)[:-1]))
        return operation.reduceat(values[order], starts, axis=0)

    def variance(self, parts: FloatArray) -> FloatArray:
        """Bootstrap variance of sums over units, in closed form.

        Args:
            parts: What each unit (row) adds to each figure (column), as deviations that sum to zero.
        """
        sums = self.by_cluster(parts)
        n = self.stratum_sizes
        order = np.argsort(self.stratum, kind="stable")
        starts = np.concatenate(([0], np.cumsum(n)[:-1]))
        ordered = sums if self.strata == 1 else sums[order]
        totals = np.add.reduceat(ordered, starts, axis=0)
        squares = np.add.reduceat(ordered**2, starts, axis=0)
        within = np.maximum(squares - totals**2 / n[:, None], 0.0)
        return np.sum(within * np.where(n > 1, n / np.maximum(n - 1, 1), 0.0)[:, None], axis=0)


def resample_weights(
    strata: npt.ArrayLike, clusters: npt.ArrayLike | None = None, *, draws: int = DRAWS, seed: int = 0
) -> Resample:
    """Prepare the resampling once; `mean_interval` and `difference_interval` use it for any values of the same units.

    Args:
        strata: The domain of each unit (any labels).
        clusters: What is resampled together (the host task of injection episodes, a task with its rephrasing); each
            within one stratum. None: every unit by itself.
        draws: How many draws percentiles are made of; variances need none.
        seed: Of those draws.

    Raises:
        InputError: A cluster lies in two strata, the lengths differ, or there is nothing to resample.
    """
    stratum = _codes(strata)
    if stratum.size == 0:
        raise InputError("no tasks to resample")
    if draws < 1:
        raise InputError(f"draws = {draws}: at least one draw is needed")
    cluster = np.arange(stratum.size) if clusters is None else _codes(clusters)
    if cluster.shape != stratum.shape:
        raise InputError(f"clusters and strata must have one entry per task, got {cluster.size} and {stratum.size}")
    sizes = np.bincount(cluster)
    if len(sizes) == len(cluster):
        cluster = np.arange(len(cluster))
    stratum_of = np.zeros(len(sizes), np.int64)
    stratum_of[cluster] = stratum
    crossing = np.flatnonzero(stratum_of[cluster] != stratum)
    if crossing.size:
        raise InputError(f"task {int(crossing[0])}: its cluster lies in two strata; a cluster belongs to one domain")
    return Resample(cluster, sizes.astype(np.int64), _pool_singles(stratum_of), draws, seed)


def _draw_counts(n: int, draws: int, rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """How often each of `n` things came up in n - 1 picks with replacement, for every draw."""
    counts = np.empty((draws, n), np.uint8)
    step = max(1, _CHUNK // n)
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        picks = rng.integers(n, size=(rows, n - 1))
        picks += np.arange(rows)[:, None] * n
        counts[start : start + rows] = np.bincount(picks.ravel(), minlength=rows * n).reshape(rows, n)
    return counts


def _pool_singles(stratum_of: IntArray) -> IntArray:
    """Put all strata of one cluster together, and a stratum that is still alone into the smallest other one."""
    sizes = np.bincount(stratum_of)
    single = np.flatnonzero(sizes == 1)
    merged = np.where(np.isin(stratum_of, single), -1, stratum_of)
    if len(single) == 1 and len(sizes) > 1:
        others = np.flatnonzero(sizes > 1)
        merged[merged == -1] = others[np.argmin(sizes[others])]
    return np.unique(merged, return_inverse=True)[1].astype(np.int64)


def _codes(labels: npt.ArrayLike) -> IntArray:
    array = np.asarray(labels)
    if array.ndim != 1:
        raise InputError(f"labels must be one per task, got an array of shape {array.shape}")
    return np.unique(array, return_inverse=True)[1].astype(np.int64)


def resample_units(units: Sequence[Unit], *, seed: int) -> Resample:
    """Resample a set of units by domain, with what belongs together kept together."""
    domains = np.array([unit.domain for unit in units])
    return resample_weights(domains, cluster_labels(units), seed=seed)


def cluster_labels(units: Sequence[Unit]) -> IntArray | None:
    """Number the clusters that units belong to; `None` when every unit stands alone."""
    numbers: dict[tuple[str, str], int] = {}
    labels = np.array([numbers.setdefault(unit.host, len(numbers)) for unit in units], np.int64)
    return None if len(numbers) == len(units) else labels
