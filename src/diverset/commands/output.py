"""WHERE DOES IT GO? To stdout, or to files that are either all there or as they were before."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from .sheets import Answer
from .terminal import Teller, on_terminal, put, visible

SUFFIXES = {
    ".json": "json",
    ".csv": "csv",
    ".txt": "ids",
    ".parquet": "parquet",
    ".html": "report",
    ".htm": "report",
}
_EXTRAS = {"parquet": ("tables", ("pyarrow",)), "report": ("report", ("bokeh", "jinja2", "PIL"))}


@dataclass(frozen=True)
class Output:
    """Where an answer goes, decided before any work is done.

    ``form``  json, csv, ids, parquet, or table for a person
    ``file``  None: to stdout
    ``page``  where the report goes, if there is one
    """

    form: str
    file: Path | None = None
    page: Path | None = None

    def deliver(self, answer: Answer, page: str | None, tell: Teller) -> None:
        """Write all of it: the files first, since stdout cannot be taken back."""
        files = {}
        if self.page is not None and page is not None:
            files[self.page] = page.encode()
        if self.file is not None:
            files[self.file] = answer.data(self.form)
        write_all(files)
        if self.file is None and self.form != "report":
            put(
                answer.text(
                    self.form, shutil.get_terminal_size().columns if on_terminal(sys.stdout) else None
                )
            )
        for path in files:
            tell(f"wrote {path}")


def planned(
    form: str | None,
    file: str | None = None,
    page: str | None = None,
    *,
    sources: Sequence[str] = (),
    suffixes: Mapping[str, str] = SUFFIXES,
) -> Output:
    """The output that was asked for, or a refusal."""
    out = None if file in (None, "-") else Path(str(file))
    report = None if page is None else Path(page)
    for path in filter(None, (out, report)):
        _writable(path, sources)
    if out is not None:
        form = _form_of(out, form, suffixes)
        if form == "report":
            if report is not None:
                raise click.UsageError(
                    f"-o {out} and --report {report} both ask for the page: type one of them."
                )
            out, report = None, out
    form = form or ("table" if on_terminal(sys.stdout) else "csv")
    if report is not None:
        need("report")
    if form in _EXTRAS and form != "report":
        need(form)
    if out is not None and report is not None and out.resolve() == report.resolve():
        raise click.UsageError(f"-o and --report name the same file {out}.")
    return Output(form, out, report)


def _form_of(path: Path, form: str | None, suffixes: Mapping[str, str]) -> str:
    named = suffixes.get(path.suffix.lower())
    if form is None and named is None:
        raise click.UsageError(
            f"-o {path}: in which form? End it in {', '.join(suffixes)}, or add --json, --csv or --ids."
        )
    if form is not None and named is not None and form != named:
        raise click.UsageError(f"--{form} and -o {path} ask for different forms: leave one out.")
    return form or str(named)


def need(form: str) -> None:
    """Refuse what needs a package that is missing, before the work rather than after it."""
    extra, modules = _EXTRAS[form]
    for module in modules:
        if find_spec(module) is None:
            raise click.ClickException(f"This output needs {module}. Type: pip install 'diverset[{extra}]'")


def _writable(path: Path, sources: Sequence[str]) -> None:
    if path.is_dir():
        raise click.UsageError(f"{path} is a folder, wanted a file: {path / 'picks.csv'}.")
    if _device(path):
        return
    folder = path.resolve().parent
    if not folder.is_dir():
        raise click.UsageError(f"{path}: there is no folder {folder}. Make it first: mkdir -p {folder}")
    if not os.access(folder, os.W_OK):
        raise click.UsageError(f"{path}: the folder {folder} may not be written to.")
    for source in sources:
        with suppress(OSError, ValueError):
            if source != "-" and path.exists() and path.samefile(source):
                raise click.UsageError(f"{path} is what is read: write to another file.")


# --- writing -----------------------------------------------------------------------------------


def write_all(files: Mapping[Path, bytes]) -> None:
    """Every file, or none: what was there before is replaced in one step when all are on the disk."""
    ready: list[tuple[Path, Path]] = []
    try:
        for path, data in files.items():
            if _device(path):
                path.write_bytes(data)
            else:
                target = path.resolve()  # a link stays a link
                ready.append((_beside(target, data), target))
        while ready:
            os.replace(*ready[0])  # noqa: PTH105  of a pair
            ready.pop(0)
    except OSError as why:
        raise click.ClickException(
            f"{visible(str(next(iter(files))))} cannot be written: {(why.strerror or str(why)).lower()}."
        ) from why
    finally:  # also when Ctrl-C came in between
        for made, _ in ready:
            made.unlink(missing_ok=True)


def _device(path: Path) -> bool:
    """Whether a path is a pipe or /dev/null, which take data as they come."""
    return path.exists() and not stat.S_ISREG(path.stat().st_mode)


def _beside(target: Path, data: bytes) -> Path:
    """A finished file in the folder of the target, with the rights that the target has or would get."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name[:40]}-", dir=target.parent)
    made = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        made.chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask())
    except BaseException:
        made.unlink(missing_ok=True)
        raise
    return made


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def facts_of(schema: str, command: str) -> dict[str, Any]:
    """What every JSON starts with."""
    from .. import __version__

    return {"schema": f"diverset.{schema}/1", "version": __version__, "command": command}
