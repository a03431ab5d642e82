"""scikit-learn skins: kernel landmarks as a transformer, diverse rows as a fit-only estimator.

# kernel  as scikit-learn has it (a name, a function of two rows), or a kernel object of ours
# twin    the kernel object that picks for a scikit-learn name: the same formula, on all cores
# rows    X after scikit-learn's own checks
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics.pairwise import kernel_metrics, pairwise_kernels
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from . import kernels
from .arrays import is_dask
from .door import sample, select
from .items import read_items, refuse_missing
from .kernels import Kernel, Precomputed
from .messages import nearest, whole
from .methods import METHODS, Method
from .sampling import SAMPLERS, RandomMethod, Uniform


class _OnKernels(BaseEstimator):
    """What both skins share: how they read X, and what they tell scikit-learn about it."""

    kernel: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not isinstance(self.kernel, Kernel) or self.kernel.sparse
        tags.input_tags.pairwise = self._precomputed
        return tags

    @property
    def _precomputed(self) -> bool:
        return self.kernel in ("precomputed", Precomputed())

    def _rows(self, X: Any, *, reset: bool) -> Any:
        rows = validate_data(self, X, accept_sparse="csr", reset=reset, ensure_all_finite=False)
        refuse_missing(rows, getattr(self, "feature_names_in_", None))
        if not self._precomputed:
            return rows
        if reset and rows.shape[0] != rows.shape[1]:
            raise ValueError(f"A precomputed kernel must be (n, n) in fit, got shape {rows.shape}.")
        return rows.toarray() if issparse(rows) else rows


class DiverseNystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _OnKernels):
    """scikit-learn's ``Nystroem`` with landmarks that are chosen: features of a kernel.

    A row x becomes k(x, C) (U S^(-1/2) V)^T, with C the landmarks and K_CC = U S V. Parameters and
    attributes are those of ``Nystroem``, to which it is equivalent under ``method="uniform"`` (the
    same landmarks for the same ``random_state``).

    ``method``  a name or an object. Deterministic, see `diverset.METHODS`: "deterministic-kdpp"
                (the default), "derandomized" for a proven error, "greedy-map" for big pools (it
                reads k columns of K). Random, see `diverset.sampling.SAMPLERS`: "rpcholesky", ...;
                only these look at ``random_state``.
    ``kernel``  what ``Nystroem`` takes, or a kernel object. A function compares two rows, as in
                scikit-learn; type ``diverset.kernels.Custom(f)`` for one of two matrices.
                "precomputed" goes with any ``n_components``: `fit` wants the (n, n) kernel of the
                training rows, `transform` that of m rows with all of them, (m, n).

    >>> from sklearn.datasets import load_digits
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = load_digits(return_X_y=True)
    >>> model = make_pipeline(DiverseNystroem(gamma=1e-3), RidgeClassifier())
    >>> model.fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.9
    True
    >>> model[0].component_indices_[:3].tolist()  # the same ones every time
    [998, 732, 155]
    """

    def __init__(
        self,
        kernel: str | Kernel | Callable[..., Any] = "rbf",
        *,
        gamma: float | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        n_components: int = 100,
        method: str | Method | RandomMethod = "deterministic-kdpp",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.method: Any = method
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the landmarks among the rows of X, and normalise the kernel between them.

        Of a Dask array or dataframe, only the landmarks come here.
        """
        if is_dask(X):
            return self._fit_in_parts(X)
        rows = self._rows(X, reset=True)
        k = _at_most(rows.shape[0], self.n_components)
        self.kernel_ = _kernel_object(self.kernel, self._kernel_params(), rows).resolve(rows)
        sampler = _sampler(self.method)
        if sampler is None:
            picks = select(rows, k, kernel=self.kernel_, method=self.method).indices
        elif isinstance(sampler, Uniform):  # scikit-learn's landmarks, without a look at the kernel
            picks = check_random_state(self.random_state).permutation(rows.shape[0])[:k]
        else:
            rng = _generator(self.random_state)
            picks = sample(rows, k, kernel=self.kernel_, method=sampler, rng=rng).indices
        return self._settle(picks, rows[picks])

    def _fit_in_parts(self, X: Any) -> Self:
        if self._precomputed or _sampler(self.method) is not None:
            what = f"kernel={self.kernel!r}" if self._precomputed else f"method={self.method!r}"
            raise TypeError(
                f"{what} wants the rows in memory, and X is a Dask collection. "
                "Take a deterministic method and a kernel of rows, or X.compute()."
            )
        self._count_columns(X, reset=True)
        width = np.empty((0, self.n_features_in_))
        kernel = _kernel_object(self.kernel, self._kernel_params(), width)
        picks = select(X, whole("n_components", self.n_components), kernel=kernel, method=self.method)
        self.kernel_ = picks.kernel
        return self._settle(picks.indices, np.asarray(picks.take(X)))

    def _count_columns(self, X: Any, reset: bool) -> None:
        """What scikit-learn notes down of a Dask collection; of a frame, from its empty copy."""
        validate_data(self, X._meta if hasattr(X, "dtypes") else X, skip_check_array=True, reset=reset)

    def _settle(self, picks: Any, landmarks: Any) -> Self:
        self.component_indices_ = picks
        self.components_ = landmarks
        U, S, V = np.linalg.svd(self._with_landmarks(self.components_))
        self.normalization_ = U / np.sqrt(np.maximum(S, 1e-12)) @ V
        self._n_features_out = len(picks)
        return self

    def transform(self, X: Any) -> Any:
        """The features of the rows of X, one column per landmark; of a Dask collection, a lazy Dask array."""
        check_is_fitted(self)
        if is_dask(X):
            from .distributed import row_map

            self._count_columns(X, reset=False)
            return row_map(self._features_of, X, self._n_features_out)
        return self._with_landmarks(self._rows(X, reset=False)) @ self.normalization_.T

    def _features_of(self, rows: Any) -> Any:
        return self._with_landmarks(rows) @ self.normalization_.T

    def _with_landmarks(self, rows: Any) -> Any:
        """The kernel of rows with the landmarks, in single precision if the rows are."""
        if self._precomputed:
            K = rows[:, self.component_indices_]
        elif isinstance(self.kernel, Kernel):
            K = self.kernel_(rows, self.components_)
        else:  # not the twin: the digits of scikit-learn, and its n_jobs
            params = self._kernel_params()
            parallel = partial(pairwise_kernels, filter_params=True, n_jobs=self.n_jobs)
            K = parallel(rows, self.components_, metric=self.kernel, **params)
        return np.asarray(K, dtype=np.float32 if rows.dtype == np.float32 else np.float64)

    def _kernel_params(self) -> dict[str, Any]:
        named = {"gamma": self.gamma, "coef0": self.coef0, "degree": self.degree}
        given = {name: value for name, value in named.items() if value is not None}
        if given and (callable(self.kernel) or self._precomputed):
            raise ValueError(  # begins as in scikit-learn, for those who match on it
                "Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed "
                f"kernel, got {given}. Type kernel_params={{...}} for what a callable wants."
            )
        return {**(self.kernel_params or {}), **given}


class DiverseSubset(_OnKernels):
    """The k most diverse rows of X, by `diverset.select` behind scikit-learn's interface.

    Fit-only: ``selected_indices_`` are the row numbers in pick order, ``selection_`` tells all.
    ``kernel`` is None (Gaussian, median bandwidth) or what `DiverseNystroem` takes, its settings
    in ``kernel_params``. ``method`` as there. ``include``: rows to start from, for deterministic
    methods. Equivalent to ``diverset.select(X, k)``; take it to clone, search and pickle.

    >>> from sklearn.datasets import load_iris
    >>> subset = DiverseSubset(k=4).fit(load_iris().data)
    >>> subset.selected_indices_.tolist(), subset.selection_.certified
    ([15, 118, 41, 90], True)
    """

    def __init__(
        self,
        k: int = 10,
        *,
        kernel: str | Kernel | Callable[..., Any] | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        method: str | Method | RandomMethod = "deterministic-kdpp",
        include: Any = (),
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.k = k
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.method: Any = method
        self.include = include
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Pick k rows of X."""
        rows = self._rows(X, reset=True)
        k, n = whole("k", self.k), rows.shape[0]
        if not 1 <= k <= n:
            raise ValueError(f"k must be between 1 and n_samples = {n}, got k={k}.")
        kernel = kernels.Gaussian() if self.kernel is None else self.kernel
        kernel = _kernel_object(kernel, self.kernel_params or {}, rows)
        items = replace(read_items(rows), labels=X.index if hasattr(X, "iloc") else None)
        sampler = _sampler(self.method)
        if sampler is None:
            chosen = select(items, k, kernel=kernel, method=self.method, include=self.include)
        elif len(self.include):
            raise ValueError(f"include is for deterministic methods, got {sampler}: leave it out.")
        else:
            rng = _generator(self.random_state)
            chosen = sample(items, k, kernel=kernel, method=sampler, rng=rng)
        self.selection_ = chosen
        self.selected_indices_ = chosen.indices
        return self


def _at_most(n: int, n_components: object) -> int:
    k = whole("n_components", n_components)
    if k < 1:
        raise ValueError(f"n_components must be at least 1, got n_components={k}.")
    if k > n:
        warnings.warn(  # in the words of scikit-learn, for those who filter them
            "n_components > n_samples. This is not possible.\nn_components was set to n_samples, "
            "which results in inefficient evaluation of the full kernel.",
            stacklevel=3,
        )
    return min(k, n)


# --- names become objects ------------------------------------------------------------------

_TWINS: dict[str, Callable[..., Kernel]] = {
    "rbf": lambda gamma, **_: kernels.Gaussian(bandwidth=(2 * gamma) ** -0.5),
    "laplacian": lambda gamma, **_: kernels.Laplacian(bandwidth=1 / gamma),
    "chi2": lambda gamma, **_: kernels.ChiSquared(gamma=gamma),
    # minus a squared distance, zero on the diagonal: nothing to pick by, but exp of it is a kernel
    "additive_chi2": lambda **_: kernels.ChiSquared(),
    "linear": lambda **_: kernels.Linear(),
    "cosine": lambda **_: kernels.Cosine(),
    "poly": lambda gamma, degree, coef0, **_: kernels.Polynomial(degree, gamma, coef0),
    "polynomial": lambda gamma, degree, coef0, **_: kernels.Polynomial(degree, gamma, coef0),
}


def _kernel_object(kernel: Any, params: Mapping[str, Any], rows: Any) -> Kernel:
    """What picks: a kernel object, the twin of a name, or else scikit-learn's function itself."""
    if isinstance(kernel, (Kernel, type)) or not (callable(kernel) or isinstance(kernel, str)):
        return kernels.as_kernel(kernel)
    if kernel == "precomputed":
        return Precomputed()
    if isinstance(kernel, str):
        if kernel not in kernel_metrics():
            raise ValueError(nearest("kernel", kernel, [*kernel_metrics(), "precomputed"]))
        params = {name: value for name, value in params.items() if value is not None}
        for name, least in (("gamma", 0), ("degree", 1)):
            if params.get(name, least) < least:
                raise ValueError(f"{name} must be at least {least}, got {name}={params[name]!r}.")
        twin = _twin(kernel, params, rows.shape[1])
        if twin is not None and (twin.sparse or not issparse(rows)):
            return twin
    return kernels.Custom(partial(pairwise_kernels, metric=kernel, filter_params=True, **params))


def _twin(name: str, params: Mapping[str, Any], width: int) -> Kernel | None:
    gamma = 1.0 if name == "chi2" else 1 / width
    try:
        return _TWINS[name](**{"gamma": gamma, "degree": 3, "coef0": 1, **params})
    except (KeyError, ValueError, ZeroDivisionError):
        # no twin, or a setting that only scikit-learn allows: gamma=0, degree=3.1, coef0=-1
        return None


def _sampler(method: Any) -> RandomMethod | None:
    """The random method that is meant, or None for a deterministic one: `select` knows those."""
    if not isinstance(method, str):
        return method if hasattr(method, "prepare") and not isinstance(method, type) else None
    if method not in METHODS and method not in SAMPLERS:
        raise ValueError(nearest("method", method, [*METHODS, *SAMPLERS]))
    return SAMPLERS[method]() if method in SAMPLERS else None


def _generator(random_state: Any) -> np.random.Generator:
    return np.random.default_rng(check_random_state(random_state).randint(2**31, size=4))
