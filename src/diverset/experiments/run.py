"""EVERYTHING IN ORDER: data, pieces, figures, numbers, the page. Resumed from what is finished.

# work   all tasks, in the order in which data is loaded and let go again
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any
from typing import Protocol as Structural

from . import dogs, kimia, lines, page, plane, plates, sheets
from .claims import Claim, all_claims
from .curves import SEX, Curves, Task
from .data import PARTS, TABLES, Table, load_table
from .pictures import Pictures, load_dogs, load_shapes
from .pieces import Pieces
from .protocol import FAST, FULL, Protocol
from .results import Results, TableResult


class Show(Structural):
    """Where the run tells how far it is."""

    def say(self, text: str) -> None: ...
    def plan(self, seconds: float) -> None: ...
    def done(self, seconds: float) -> None: ...


class Silent:
    """Tells nothing."""

    def say(self, text: str) -> None: ...
    def plan(self, seconds: float) -> None: ...
    def done(self, seconds: float) -> None: ...


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a run leaves."""

    page: Path
    results: Results
    claims: list[Claim]
    seconds: float
    made: int
    reused: int


@dataclass(frozen=True, eq=False)
class _Loaded:
    tables: dict[str, Table]
    dogs: Pictures | None
    shapes: Pictures | None


def run(
    out: Path,
    *,
    data: Path | None = None,
    fast: bool = False,
    only: Sequence[str] = PARTS,
    show: Show | None = None,
) -> Outcome:
    """All experiments on the parts named in ``only``, into the folder ``out``."""
    start = perf_counter()
    show = show or Silent()
    protocol = FAST if fast else FULL
    loaded = _load(only, data, show.say)
    pieces = Pieces(out / "pieces")
    results = _measure(loaded, protocol, "plane" in only, pieces, show)
    claims = all_claims(results)
    show.say("drawing")
    figures = lines.draw_all(results, out / "figures")
    figures += plates.draw_all(results, loaded.dogs, loaded.shapes, out / "figures")
    sheets.write_all(results, claims, out / "numbers")
    facts = _facts(loaded, protocol)
    path = out / "index.html"
    path.write_text(page.html(results, claims, figures, out / "figures", facts))
    (out / "index.md").write_text(page.markdown(results, claims, figures, facts))
    return Outcome(path, results, claims, perf_counter() - start, pieces.made, pieces.reused)


def _load(only: Sequence[str], data: Path | None, say: Callable[[str], None]) -> _Loaded:
    """All data before any work, so that what is missing is known at once."""
    return _Loaded(
        tables={name: load_table(name, data, say=say) for name in TABLES if name in only},
        dogs=load_dogs(data, say) if "dogs" in only else None,
        shapes=load_shapes(data, say) if "kimia99" in only else None,
    )


def _measure(loaded: _Loaded, protocol: Protocol, with_plane: bool, pieces: Pieces, show: Show) -> Results:
    curves = {name: Curves(table, protocol) for name, table in loaded.tables.items()}
    others = [n for n in SEX if n != "code"] if "abalone" in curves and not protocol.fast else []
    readings = {n: Curves(loaded.tables["abalone"], protocol, n) for n in others}
    album = dogs.Album(loaded.dogs) if loaded.dogs else None
    groups: list[tuple[str, list[Task], Callable[[], None]]] = []
    for name, c in curves.items():
        groups.append((name, list(c.tasks()), c.forget))
        if name == "abalone":
            groups += [(n, list(r.reading_tasks()), r.forget) for n, r in readings.items()]
    if with_plane:
        groups.append(("plane", [_plane_task(protocol)], lambda: None))
    if album:
        groups.append(("dogs", list(_dog_tasks(album, protocol)), lambda: None))
    if loaded.shapes:
        groups.append(("kimia", list(_kimia_tasks(loaded.shapes, protocol)), lambda: None))

    tasks = [task for _, group, _ in groups for task in group]
    show.plan(sum(t.seconds for t in tasks if not pieces.has(t.name, t.key)))
    found: dict[str, list[Any]] = {}
    for name, group, forget in groups:
        found[name] = [_piece(task, pieces, show) for task in group]
        forget()

    def table(name: str, c: Curves, group: list[Task]) -> TableResult:
        strip = len(c.name) + 1
        held = {task.name[strip:]: value for task, value in zip(group, found[name], strict=True)}
        return TableResult(c.name, c.table.spec.title, held)

    by_name = {name: group for name, group, _ in groups}
    shapes, photos = loaded.shapes, loaded.dogs
    return Results(
        protocol=protocol,
        tables={name: table(name, c, by_name[name]) for name, c in curves.items()},
        readings={n: table(n, c, by_name[n]) for n, c in readings.items()},
        plane=found["plane"][0] if with_plane else None,
        dogs=[row for rows in found.get("dogs", []) for row in rows],
        dogs_chance=dogs.chance(photos) if photos else 0.0,
        kimia=found["kimia"][0] if shapes else [],
        kimia_chance=kimia.chance(shapes) if shapes else 0.0,
        kimia_drawing=found["kimia"][1] if shapes else None,
    )


def _piece(task: Task, pieces: Pieces, show: Show) -> Any:
    if pieces.has(task.name, task.key):
        return pieces.get(task.name, task.key, task.make)
    show.say(task.label)
    value = pieces.get(task.name, task.key, task.make)
    show.done(task.seconds)
    return value


def _plane_task(protocol: Protocol) -> Task:
    key = [plane.BULK, plane.AROUND, plane.K_PICKS, plane.BANDWIDTH, protocol.seed]
    return Task("plane", "the plane", 0.3, key, lambda: plane.picked(protocol))


def _dog_tasks(album: dogs.Album, protocol: Protocol) -> Iterator[Task]:
    for choice in dogs.vocabularies(protocol.fast):
        yield Task(
            "dogs-" + "-".join(str(c).replace(" ", "-") for c in choice),
            f"Dogs: {choice[0]}, {choice[1]} words, start {choice[2]}",
            3.0,
            [choice, dogs.WEIGHTS],
            partial(dogs.judged, album, *choice),
        )


def _kimia_tasks(shapes: Pictures, protocol: Protocol) -> Iterator[Task]:
    readings = kimia.readings(protocol.fast)
    yield Task(
        "kimia-readings",
        "Kimia-99: all readings",
        4.0,
        [asdict(r) for r in readings],
        lambda: [kimia.judged(shapes, r) for r in readings],
    )
    yield Task("kimia-drawing", "Kimia-99: projection", 0.3, [], lambda: kimia.drawing(shapes))


def _facts(loaded: _Loaded, protocol: Protocol) -> list[str]:
    gammas = ", ".join(f"{g:g}" for g in protocol.gammas)
    facts = [
        "Features are all columns but the last, which is the target; every feature is standardised to "
        "mean 0 and "
        "population standard deviation 1. Abalone's Sex is numbered M 1, F 2, I 3.",
        "Gaussian kernel exp(-|x - y|^2 / (2 bandwidth^2)): bandwidth 2 for Boston, Stock and Abalone, 5 for "
        "Bank8FM.",
        f"k = {', '.join(map(str, protocol.grid))}, below the numerical rank of each table. Random methods: "
        f"{protocol.repetitions} repetitions, each with a seed of its own.",
        f"DAS keeps, for each k, the gamma with the largest log det among {gammas}; its other numbers are "
        "those of the set so chosen. Each gamma by itself is in numbers/gammas-*.csv.",
        "K_hat = K_C (K_CC + 1e-12 I)^-1 K_C^T. log det is the sum of the logs of the singular values of "
        "K_CC. The "
        "error matrix is positive semi-definite, so its largest entry stands on the diagonal; its "
        "spectral norm "
        "is found by Lanczos among the eigenvectors of K.",
        f"Python package diverset; settings: {'the fast grid' if protocol.fast else 'the full grid'}.",
    ]
    if protocol.whole_up_to is not None:
        facts.append(
            f"Beyond {protocol.whole_up_to:,} items only the {protocol.leading:,} leading eigenpairs were "
            "computed "
            "(fast run): k-DPP and DAS leave the rest of the spectrum out, and there is no time of theirs."
        )
    return facts + [_fact(table) for table in loaded.tables.values()]


def _fact(table: Table) -> str:
    spec = table.spec
    return (
        f"{spec.title}: {len(table.rows):,} x {len(spec.columns)}, the numbers verified by SHA-256 "
        f"{spec.sha256_numbers[:12]}; columns {', '.join(spec.columns)}."
    )
