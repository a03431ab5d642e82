"""WHAT CAME OUT? The picks in order, how close each was, and why the selection ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from .arrays import Bools, Floats, Ints, is_dask
from .stored import opened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Stop(Enum):
    """Why a selection ended, and what to do about it."""

    COMPLETE = "All k items were picked and each added something new."
    RANK = (
        "Fewer than k items add anything new: from the numerical rank on, every item left is, up to "
        "rounding, a combination of those picked. The rest was filled with the lowest row numbers that "
        "are allowed. Take a smaller k, remove copies, or a kernel of higher rank (a smaller bandwidth, "
        "Gaussian instead of Linear)."
    )
    DRAWN = "The items were drawn at random: no pick was decided, so none has a margin."

    def __repr__(self) -> str:
        return f"Stop.{self.name}"


@dataclass(frozen=True, eq=False)
class Selection:
    """The picked rows. Behaves like the sequence of their row numbers.

    ``indices``    row numbers in the order they were picked
    ``labels``     their index labels, if X was a frame with an index
    ``gains``      what each pick added when it was picked (NaN where the method has no such number)
    ``margins``    relative lead of each pick over the best item it beat; 0 is a tie, which went to the
                   lowest row number; copies of the pick itself do not count; inf: no choice was left
    ``decided``    per pick: was this decision, and each before it, clear of the numerical noise?
    ``stop``       why it ended; its value says what to do about it
    ``log_det``    log det of the kernel matrix of the picks
    ``missed``     the share of the trace of K that a low-rank solver lacks; None where K itself was read
    ``gap``        relative spectral gap at the cut, (lambda_k - lambda_k+1) / lambda_k, where there is a cut
    """

    indices: Ints
    gains: Floats
    margins: Floats
    decided: Bools
    stop: Stop
    log_det: float
    kernel: Any
    method: Any
    solver: Any = None
    gap: float | None = None
    missed: float | None = None
    labels: Any = None
    n: int = field(default=0, repr=False)

    @property
    def k(self) -> int:
        return len(self.indices)

    @property
    def certified(self) -> bool:
        """Whether every pick was clear of the noise, so that every machine gives the same."""
        return bool(self.decided.all())

    @property
    def undecided(self) -> int | None:
        """The place of the first pick that the noise could have changed; None when certified."""
        return None if self.certified else int(np.argmin(self.decided))

    # --- a sequence of row numbers ------------------------------------------------------

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[int]:
        return iter(self.indices.tolist())

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: int | slice) -> int | list[int]:
        found: int | list[int] = self.indices[at].tolist()
        return found

    def __contains__(self, row: object) -> bool:
        return row in self.indices.tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False and dtype is not None and np.dtype(dtype) != self.indices.dtype:
            raise ValueError("A Selection cannot be converted to another dtype without a copy.")
        return np.array(self.indices, dtype=dtype, copy=True if copy is None else copy)

    # --- its uses ----------------------------------------------------------------------

    def take(self, X: Any) -> Any:
        """The picked rows of X, in pick order, in the type that X has; of a file, if X is its path.

        >>> import diverset as dv
        >>> picks = dv.select([[0.0], [0.1], [5.0]], 2)
        >>> picks.take(["a", "b", "c"])
        ['c', 'a']
        """
        if isinstance(X, (str, Path)):
            X = opened(Path(X))
        if is_dask(X):
            from .distributed import row_count, take

            n = row_count(X)
        elif hasattr(X, "count_rows"):  # a data set of pyarrow
            n = X.count_rows()
        else:
            n = X.shape[0] if hasattr(X, "shape") else len(X)
        if n != self.n:
            raise ValueError(
                f"These picks are rows of {self.n} items, X has {n}: pass the items they came from."
            )
        if is_dask(X):
            return take(X, self.indices)
        if type(X).__module__.startswith("pyarrow."):
            return X.take(self.indices)
        if hasattr(X, "iloc"):
            return X.iloc[self.indices]
        if isinstance(X, (list, tuple)):
            return type(X)([X[i] for i in self])
        if hasattr(X, "tocsr"):
            return X.tocsr()[self.indices]
        if hasattr(X, "columns") or isinstance(X, np.ndarray):
            return X[self.indices]
        return X[self.indices.tolist()]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain Python values, ready for JSON (no NaN, no infinity)."""
        return {
            "indices": self.indices.tolist(),
            "labels": None if self.labels is None else [_plain(label) for label in self.labels],
            "gains": [_plain(value) for value in self.gains],
            "margins": [_plain(value) for value in self.margins],
            "decided": self.decided.tolist(),
            "certified": self.certified,
            "undecided": self.undecided,
            "stop": self.stop.name,
            "advice": self.stop.value,
            "log_det": _plain(self.log_det),
            "kernel": repr(self.kernel),
            "method": repr(self.method),
            "solver": None if self.solver is None else repr(self.solver),
            "why_solver": getattr(self.solver, "why", None),
            "gap": _plain(self.gap),
            "missed": _plain(self.missed),
            "n": self.n,
            "k": self.k,
        }

    # --- how it looks: views.py ----------------------------------------------------------

    def __str__(self) -> str:
        from .views import text_table

        return text_table(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The table that a notebook shows."""
        from .views import html_table

        return html_table(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """The gain of every pick, its lead, and which picks the noise could have changed.

        Drawn with matplotlib (``pip install 'diverset[plot]'``) into ``ax``, or into a new figure;
        the Axes comes back, to be titled, scaled or saved.
        """
        from .views import plot_gains

        return plot_gains(self, ax)


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
