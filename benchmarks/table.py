"""The one table: from measurements to lines, and from lines to text, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.catalogue import IMPORT_TARGETS, Group, Row, Target, units
from benchmarks.data import POOLS, SMOKE_ROWS, source
from benchmarks.imports import ImportTime
from benchmarks.measure import Measurement, Setting, size

HEADINGS = (
    "case",
    "seconds",
    "cpu s",
    "x ours",
    "K entries",
    "peak MB",
    "log det",
    "op. error",
    "trace error",
    "target",
)


@dataclass(frozen=True)
class Line:
    """One row of the table with its numbers; None is a number that there is none of."""

    group: str
    title: str
    seconds: float | None = None
    cpu: float | None = None
    ratio: float | None = None
    entries: int | None = None
    peak: int | None = None
    peak_of_K: float | None = None
    log_det: float | None = None
    operator_error: float | None = None
    trace_error: float | None = None
    blas_threads: int | None = None
    uninvited: int | None = None  # heavy packages that an import loads along
    note: str = ""
    targets: tuple[Target, ...] = field(default=(), repr=False)

    @property
    def milliseconds(self) -> float | None:
        return None if self.seconds is None else 1e3 * self.seconds

    def verdicts(self) -> list[str]:
        return [verdict(target, getattr(self, target.quantity)) for target in self.targets]

    def missed(self) -> bool:
        values = [(target, getattr(self, target.quantity)) for target in self.targets]
        return any(value is not None and not target.met(value) for target, value in values)


def verdict(target: Target, value: float | None) -> str:
    if value is None:
        return f"{target.wanted()}: not measured"
    word = "met" if target.met(value) else "MISSED"
    return f"{target.wanted()}: {word}, {units(target.quantity, value)}"


@dataclass(frozen=True)
class Section:
    """The lines of one group under its heading."""

    heading: str
    lines: tuple[Line, ...]


def section(group: Group, setting: Setting, results: dict[str, Measurement]) -> Section:
    found = {row.title: (row, results[case.call]) for case in group.cases for row in case.rows}
    lines = (line(group, setting, *one, found.get(one[0].versus or "")) for one in found.values())
    return Section(heading(group, setting), tuple(lines))


def rows_of(group: Group, setting: Setting) -> int:
    rows = POOLS[group.pool][0]
    return min(rows, SMOKE_ROWS) if setting.smoke else rows


def heading(group: Group, setting: Setting) -> str:
    threads = group.threads or setting.threads
    where = source(group.pool, setting.directory)
    columns = POOLS[group.pool][1]
    return (
        f"{group.title}: {size(group, setting)} of {rows_of(group, setting):,} x {columns} "
        f"({where}), {threads} thread{'s' if threads > 1 else ''}"
    )


def line(
    group: Group,
    setting: Setting,
    row: Row,
    result: Measurement,
    versus: tuple[Row, Measurement] | None,
) -> Line:
    targets = () if setting.smoke else row.targets  # on small pools they mean nothing
    if result.problem is not None:
        return Line(group.key, row.title, note=result.problem, targets=targets)
    return Line(
        group=group.key,
        title=row.title,
        seconds=result.seconds[row.part],
        cpu=result.cpu[row.part],
        ratio=ratio(row, result, *versus) if versus else None,
        entries=result.entries,
        peak=result.peak,
        peak_of_K=result.peak / (8 * rows_of(group, setting) ** 2),
        blas_threads=result.blas_threads,
        log_det=result.quality.get("log_det"),
        operator_error=result.quality.get("operator_error"),
        trace_error=result.quality.get("trace_error"),
        note=agreement(result, versus[1]) if versus and row.same_method else "",
        targets=targets,
    )


def ratio(row: Row, result: Measurement, other: Row, reference: Measurement) -> float | None:
    if reference.problem is not None:
        return None
    return result.seconds[row.part] / reference.seconds[other.part]


def agreement(result: Measurement, reference: Measurement) -> str:
    """Where two programs claim the same method, whether they picked the same."""
    if reference.problem is not None:
        return ""
    mine, theirs = result.picks[0], reference.picks[0]
    if mine == theirs:
        return f"same {len(mine)} picks, same order"
    return f"{len(set(mine) & set(theirs))} of {len(mine)} picks in common"


def import_section(times: Sequence[ImportTime | str]) -> Section:
    """A string stands for a package that is not there."""
    present = [one for one in times if isinstance(one, ImportTime)]
    reference = next((one.seconds for one in present if is_ours(one)), None)
    lines = tuple(import_line(one, reference) for one in times)
    return Section("import in a fresh interpreter, median of 7", lines)


def is_ours(one: ImportTime) -> bool:
    return one.module == "diverset"


def import_line(one: ImportTime | str, reference: float | None) -> Line:
    if isinstance(one, str):
        return Line("imports", f"import {one}", note="not installed")
    return Line(
        group="imports",
        title=f"import {one.module}",
        seconds=one.seconds,
        ratio=one.seconds / reference if reference and not is_ours(one) else None,
        uninvited=len(one.loaded),
        note=f"loads {', '.join(one.loaded)}" if one.loaded else "",
        targets=IMPORT_TARGETS if is_ours(one) else (),
    )


def cells(line: Line) -> list[str]:
    return [
        line.title,
        short(line.seconds),
        short(line.cpu),
        short(line.ratio),
        "" if line.entries is None else f"{line.entries:.2e}",
        "" if line.peak is None else f"{line.peak / 1e6:,.0f}",
        "" if line.log_det is None else f"{line.log_det:.1f}",
        "" if line.operator_error is None else f"{line.operator_error:.1e}",
        "" if line.trace_error is None else f"{line.trace_error:.1e}",
        "; ".join([*line.verdicts(), *([line.note] if line.note else [])]),
    ]


def short(value: float | None) -> str:
    """Three digits, and no powers of ten where a plain number will do."""
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def as_text(sections: Sequence[Section]) -> str:
    """Aligned columns, a heading above each group."""
    table = [cells(line) for one in sections for line in one.lines]
    widths = [max(len(row[i]) for row in [list(HEADINGS), *table]) for i in range(len(HEADINGS))]
    out = [aligned(HEADINGS, widths), ""]
    for one in sections:
        out += [one.heading, *(aligned(cells(line), widths) for line in one.lines), ""]
    return "\n".join(out)


def aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *numbers, last = zip(row, widths, strict=True)
    middle = "  ".join(cell.rjust(width) for cell, width in numbers)
    return f"  {first[0].ljust(first[1])}  {middle}  {last[0]}".rstrip()


def as_markdown(sections: Sequence[Section]) -> str:
    out = ["| " + " | ".join(HEADINGS) + " |", "|---|" + "---:|" * (len(HEADINGS) - 2) + "---|"]
    for one in sections:
        out.append(f"| **{one.heading}** " + "| " * (len(HEADINGS) - 1) + "|")
        out += ["| " + " | ".join(cells(line)) + " |" for line in one.lines]
    return "\n".join(out) + "\n"


def as_json(sections: Sequence[Section]) -> list[dict[str, Any]]:
    return [
        asdict(line) | {"heading": one.heading, "verdicts": line.verdicts()}
        for one in sections
        for line in one.lines
    ]
