"""The child process of the scale benchmark: one job, an object on stdin, one JSON line on stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import rpcholesky
from benchmarks.case import Clock
from benchmarks.data import Array
from benchmarks.memory import PeakMemory
from benchmarks.quality import largest_eigenvalue, nystrom_factor
from benchmarks.reference import BANDWIDTH, gaussian
from benchmarks.scale_pools import clustered, on_disk, small
from benchmarks.worker import WARM_UP_K, WARM_UP_ROWS, keep_to_cores

Job = dict[str, Any]


def main() -> None:
    job = json.loads(sys.stdin.read())
    keep_to_cores(job["threads"])
    doing = {"reach": reach, "rival": rival, "quality": quality}[job["do"]]
    print(json.dumps(doing(job)))


@contextmanager
def measured(clock: Clock, answer: Job) -> Iterator[None]:
    """Seconds and the largest memory above what the process held before."""
    memory = PeakMemory()
    with clock():
        yield
    answer |= {"seconds": clock.seconds["select"], "cpu": clock.cpu["select"], "peak": memory.bytes()}


# --- how far -----------------------------------------------------------------------------------


def reach(job: Job) -> Job:
    """One selection from so many rows, in memory or in a file."""
    if job["disk"]:
        with on_disk(job["n"]) as path:
            return selected(job, path)
    return selected(job, clustered(job["n"]))


def selected(job: Job, X: Any) -> Job:
    import diverset as dv

    settings = job["settings"] | ({"solver": dv.LowRank(**job["solver"])} if job["solver"] else {})
    kernel = dv.Gaussian(BANDWIDTH)
    dv.select(clustered(3_000), WARM_UP_K, kernel=kernel, solver="low-rank")
    answer: Job = {}
    with measured(Clock(), answer):
        picks = dv.select(X, job["k"], kernel=kernel, **settings)
    found = {"picks": list(picks), "log_det": picks.log_det, "missed": picks.missed}
    return answer | found | {"taken": str(picks.solver), "decided": int(picks.decided.sum())}


# --- beside others -----------------------------------------------------------------------------


def rival(job: Job) -> Job:
    """Landmarks found by others, and by us: what they cost, and how much of K they miss."""
    X = clustered(job["n"])
    find: Any = RIVALS[job["name"]]
    find(X[: max(WARM_UP_ROWS, 4 * job["k"])].copy(), job["k"], 0)
    answer: Job = {}
    clock, errors = Clock(), []
    for seed in range(job["draws"]):
        one = Clock()
        with measured(one, answer):
            landmarks = find(X, job["k"], seed)
        clock.keep_shortest(one)
        errors.append(trace_error(X, landmarks))
    answer |= {"seconds": clock.seconds["select"], "cpu": clock.cpu["select"]}
    return answer | {"trace_error": float(np.mean(errors))}


def trace_error(X: Array, landmarks: Array) -> float:
    """tr(K - K_hat) / tr(K); the landmarks need not be rows of X."""
    both = np.concatenate([landmarks, X])
    picks: Any = np.arange(len(landmarks))
    F = nystrom_factor(both, gaussian, picks, gaussian(landmarks, landmarks))[len(landmarks) :]
    return 1.0 - float(np.einsum("ij,ij->", F, F)) / len(X)


def ours(method: str) -> Any:
    def find(X: Array, k: int, _: int) -> Array:
        import diverset as dv

        return np.asarray(X[dv.select(X, k, kernel=dv.Gaussian(BANDWIDTH), method=method)])

    return find


def random_columns(X: Array, k: int, seed: int) -> Array:
    from sklearn.kernel_approximation import Nystroem

    model = Nystroem(kernel="rbf", gamma=1 / (2 * BANDWIDTH**2), n_components=k, random_state=seed)
    return np.asarray(X[model.fit(X).component_indices_])


def kmeans(X: Array, k: int, seed: int) -> Array:
    from sklearn.cluster import KMeans

    return np.asarray(KMeans(k, n_init=1, random_state=seed).fit(X).cluster_centers_)


def minibatch_kmeans(X: Array, k: int, seed: int) -> Array:
    from sklearn.cluster import MiniBatchKMeans

    return np.asarray(MiniBatchKMeans(k, n_init=1, random_state=seed).fit(X).cluster_centers_)


def skmatter_fps(X: Array, k: int, _: int) -> Array:
    from skmatter.sample_selection import FPS

    return np.asarray(X[FPS(n_to_select=k, initialize=0).fit(X).selected_idx_])


def entries(X: Array) -> rpcholesky.Entries:
    return lambda rows, columns: gaussian(X[rows], X[columns])


def rpcholesky_simple(X: Array, k: int, seed: int) -> Array:
    S, _ = rpcholesky.simple(entries(X), np.ones(len(X)), k, np.random.default_rng(seed))
    return X[S]


def rpcholesky_accelerated(X: Array, k: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    S, _ = rpcholesky.accelerated(entries(X), np.ones(len(X)), k, rng, block=k)
    return X[S]


RIVALS = {
    "diverset deterministic-kdpp": ours("deterministic-kdpp"),
    "diverset greedy-map": ours("greedy-map"),
    "scikit-learn Nystroem, random rows": random_columns,
    "scikit-learn MiniBatchKMeans centres": minibatch_kmeans,
    "scikit-learn KMeans centres": kmeans,
    "scikit-matter farthest point": skmatter_fps,
    "RPCholesky, published, simple": rpcholesky_simple,
    "RPCholesky, published, accelerated": rpcholesky_accelerated,
    "diverset greedy-trace": ours("greedy-trace"),
    "diverset derandomized": ours("derandomized"),
}


# --- how good ----------------------------------------------------------------------------------


def quality(job: Job) -> Job:
    """Picks from the exact spectrum and from factors, judged by the same matrix."""
    import diverset as dv

    X = small(job["pool"], job["n"], Path(job["directory"]) if job["directory"] else None)
    width = job["bandwidth"]
    gamma = 1 / (2 * width**2)

    def f(A: Array, B: Array) -> Array:
        from sklearn.metrics.pairwise import rbf_kernel

        return np.asarray(rbf_kernel(A, B, gamma=gamma))

    K = f(X, X)
    norm = largest_eigenvalue(K, lambda v: K @ v)
    rows = []
    for k in job["k"]:
        for name, solver in (("exact", None), *job["solvers"].items()):
            settings: Job = {} if solver is None else {"solver": dv.LowRank(**solver)}
            answer: Job = {"k": k, "solver": name}
            with measured(Clock(), answer):
                picks = dv.select(X, k, kernel=dv.Gaussian(width), method=job["method"], **settings)
            rows.append(answer | judged(X, f, K, norm, np.asarray(picks.indices)))
            rows[-1] |= {"rank": getattr(picks.solver, "rank", None), "missed": picks.missed}
    return {"rows": rows}


def judged(X: Array, f: Any, K: Array, norm: float, picks: Array) -> Job:
    K_CC = f(X[picks], X[picks])
    F = nystrom_factor(X, f, picks, K_CC)
    return {
        "picks": picks.tolist(),
        "log_det": float(np.log(np.linalg.svd(K_CC, compute_uv=False)).sum()),
        "trace_error": 1.0 - float(np.einsum("ij,ij->", F, F)) / len(X),
        "operator_error": largest_eigenvalue(K, lambda v: K @ v - F @ (F.T @ v)) / norm,
    }


if __name__ == "__main__":
    main()
