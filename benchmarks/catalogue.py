"""What is measured, in the order of the table, and what each number has to reach."""

from __future__ import annotations

from dataclasses import dataclass

GIGABYTE = 1e9


@dataclass(frozen=True)
class Target:
    """A number that a row must reach; `quantity` names one of the properties of table.Line."""

    quantity: str  # "ratio", "seconds", "peak", "peak_of_K", ...
    at_least: float | None = None
    below: float | None = None

    def met(self, value: float) -> bool:
        if self.at_least is not None:
            return value >= self.at_least
        assert self.below is not None
        return value < self.below

    def wanted(self) -> str:
        if self.at_least is not None:
            return f">= {self.at_least:g} x"
        assert self.below is not None
        if self.quantity == "uninvited":
            return "loads no sklearn, pandas, polars, matplotlib"
        return f"< {units(self.quantity, self.below)}"


def units(quantity: str, value: float) -> str:
    match quantity:
        case "peak":
            return f"{value / GIGABYTE:.3g} GB"
        case "peak_of_K":
            return f"{value:.3g} x K"
        case "seconds":
            return f"{value:.3g} s"
        case "milliseconds":
            return f"{value:.0f} ms"
        case "uninvited":
            return f"{value:.0f} loaded"
        case _:
            return f"{value:.3g} x"


@dataclass(frozen=True)
class Row:
    """One line of the table: a part of what a case timed, beside the row it is compared with."""

    title: str
    part: str = "select"
    versus: str | None = None  # the title of a row of ours in the same group
    same_method: bool = False  # the picks should be those of that row
    targets: tuple[Target, ...] = ()


@dataclass(frozen=True)
class Case:
    """One function, run in a process of its own."""

    call: str
    rows: tuple[Row, ...]
    package: str | None = None  # the import name of the peer, looked for before the run


@dataclass(frozen=True)
class Group:
    """Cases on the same rows, with the same number of threads, judged by the same kernel."""

    key: str
    title: str
    pool: str
    k: int
    kernel: str
    cases: tuple[Case, ...]
    threads: int | None = None  # None: as many as the run was given
    operator_norm: bool = True
    full: bool = False  # only with --full


def ours(call: str, title: str, targets: tuple[Target, ...] = ()) -> Case:
    return Case(f"benchmarks.ours:{call}", (Row(title, targets=targets),))


def classical(call: str, title: str, versus: str, at_least: float) -> Case:
    row = Row(title, versus=versus, same_method=True, targets=(Target("ratio", at_least=at_least),))
    return Case(f"benchmarks.classical:{call}", (row,))


def peer(call: str, title: str, package: str, versus: str) -> Case:
    return Case(f"benchmarks.peers:{call}", (Row(title, versus=versus),), package)


# part of a sampler's time -> how the table calls it, and the factor wanted over DPPy's default mode
DRAW_PARTS = {
    "first": ("first draw", 2.0),
    "mean": ("draws 2 to 101, mean", 4.0),
    "median": ("draws 2 to 101, median", None),
}


def draws(call: str, name: str, package: str | None = None, judged: bool = False) -> Case:
    """A k-DPP sampler's rows."""
    module = "peers" if package else "ours"
    rows = [
        Row(
            f"{name}, {title}",
            part=part,
            versus=f"{OUR_KDPP}, {title}" if package else None,
            targets=(Target("ratio", at_least=factor),) if judged and factor else (),
        )
        for part, (title, factor) in DRAW_PARTS.items()
    ]
    return Case(f"benchmarks.{module}:{call}", tuple(rows), package)


PAPER = "diverset deterministic-kdpp"
FPS = "diverset farthest-point"
MAP = "diverset greedy-map, cosine"
OUR_KDPP = "diverset k-DPP"

SELECT = Group(
    key="select",
    title="diverse rows, end to end, the kernel included",
    pool="table",
    k=100,
    kernel="gaussian",
    cases=(
        ours("deterministic_kdpp", PAPER, (Target("peak_of_K", below=1.6),)),
        classical("textbook", "SciPy eigh + the paper's loop", PAPER, at_least=20.0),
        classical("arpack", "ARPACK eigsh + greedy", PAPER, at_least=4.0),
        ours("greedy_map", "diverset greedy-map"),
        ours("greedy_trace", "diverset greedy-trace"),
        ours("derandomized", "diverset derandomized"),
        peer("apricot_facility_location", "apricot facility location", "apricot", PAPER),
        peer("nystroem", "scikit-learn Nystroem, k rows", "sklearn", PAPER),
        peer("nystroem_twice", "scikit-learn Nystroem, 2k rows", "sklearn", PAPER),
        ours("farthest_point", FPS),
        peer("skmatter_fps", "scikit-matter FPS", "skmatter", FPS),
    ),
)

COSINE = Group(
    key="cosine",
    title="greedy MAP on embeddings, cosine kernel",
    pool="embeddings",
    k=100,
    kernel="cosine",
    operator_norm=False,
    cases=(
        ours("greedy_map_cosine", MAP),
        peer("pyversity_dpp", "pyversity DPP", "pyversity", MAP),
    ),
)

KDPP = Group(
    key="kdpp",
    title="exact k-DPP, the kernel matrix given",
    pool="table-4000",
    k=100,
    kernel="gaussian",
    threads=1,
    cases=(
        draws("kdpp", OUR_KDPP),
        draws("dppy_kdpp", "DPPy k-DPP", "dppy", judged=True),
        draws("dppy_kdpp_bis", "DPPy k-DPP, GS_bis", "dppy"),
    ),
)

LARGE = Group(
    key="large",
    title="diverse rows, the kernel matrix never formed",
    pool="large",
    k=100,
    kernel="gaussian",
    operator_norm=False,
    full=True,
    cases=(
        ours("deterministic_kdpp", PAPER, (Target("peak", below=1.5 * GIGABYTE),)),
        peer("nystroem", "scikit-learn Nystroem, k rows", "sklearn", PAPER),
        ours("farthest_point", FPS),
        peer("skmatter_fps", "scikit-matter FPS", "skmatter", FPS),
    ),
)

GROUPS = (SELECT, COSINE, KDPP, LARGE)
SCALE = "scale"  # cases of its own: see scale.py
CLUSTER = "cluster"  # a page of its own, only when asked for: see cluster.py
IMPORTS = "imports"  # the last group, which runs no case: see imports.py

IMPORT_TARGETS = (Target("milliseconds", below=250.0), Target("uninvited", below=1))
