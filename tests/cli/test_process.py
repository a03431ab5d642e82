"""The command as a process: signals, pipes, terminals, and how quickly it answers."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from .conftest import left_in

TRIES = 5


def finished(process, timeout=60):
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out.decode(), err.decode()


PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


# --- signals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_reading_a_pipe_leaves_nothing_behind(shell, tmp_path, sent, code):
    (tmp_path / "picks.csv").write_text("of yesterday")
    process = shell("select", "-", "-k", 3, "-o", "picks.csv", stdin=subprocess.PIPE, **PIPES)
    process.stdin.write(b"a,b\n" + b"1,2\n" * 100_000)  # more than a pipe holds: it is being read
    process.stdin.flush()
    spool = tmp_path / "spool"
    assert left_in(spool)  # the copy of what came so far
    process.send_signal(sent)
    process.stdin.close()
    process.stdin = None
    returned, out, err = finished(process)
    assert returned == code
    assert out == ""
    assert "Traceback" not in err
    assert left_in(spool) == []
    assert left_in(tmp_path) == ["picks.csv", "spool"]
    assert (tmp_path / "picks.csv").read_text() == "of yesterday"


def test_ctrl_c_while_selecting_leaves_nothing_behind(shell, tmp_path):
    np.save(tmp_path / "many.npy", np.random.default_rng(0).normal(size=(4000, 3)))
    words = ("select", "many.npy", "-k", 20, "--method", "das", "-o", "picks.csv", "--report", "picks.html")
    process = shell(*words, **PIPES)
    assert b"4,000 items" in process.stderr.readline()  # it has been read: the work begins
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    returned, _, err = finished(process)
    assert returned == 130
    assert err.endswith("interrupted\n")
    assert "Traceback" not in err
    assert left_in(tmp_path) == ["many.npy", "spool"]


COMPILED = """
import hashlib, os, signal, threading
from diverset.commands.work import interruptible

done = []

def compiled():  # some seconds in which Python has no say
    done.append(hashlib.pbkdf2_hmac("sha256", b"", b"", 20_000_000))

threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    interruptible(compiled)
except KeyboardInterrupt:
    print("heard", "late" if done else "at once", interruptible(lambda: 3))
"""


def test_ctrl_c_is_heard_while_compiled_code_is_at_work():
    """In a process of its own: what else runs in this one may have a say in its signals."""
    done = subprocess.run([sys.executable, "-c", COMPILED], capture_output=True, text=True, check=True)
    assert done.stdout == "heard at once 3\n"


# --- pipes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("select", "items.csv", "-k", "5"), ("select", "--help")], ids=" ".join)
def test_a_reader_that_goes_away_is_no_failure(shell, items, words):
    read, write = os.pipe()
    os.close(read)
    process = shell(*words, "--quiet", stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    returned, _, err = finished_without_stdout(process)
    assert (returned, err) == (0, "")


def finished_without_stdout(process):
    _, err = process.communicate(timeout=60)
    return process.returncode, "", err.decode()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_a_full_disk_behind_stdout_is_a_failure(shell, items):
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        process = shell("select", "items.csv", "-k", 3, "-q", stdout=full, stderr=subprocess.PIPE)
    returned, _, err = finished_without_stdout(process)
    assert (returned, err) == (1, "error: Standard output: no space left on device.\n")


def test_standard_input_is_read_and_picked_from(shell, items, type_):
    with items.open("rb") as stream:
        returned, out, _ = finished(shell("select", "-", "-k", 4, "--ids", stdin=stream, **PIPES))
    assert returned == 0
    assert out == type_("select", "items.csv", "-k", 4, "--ids").stdout


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="needs /dev/stdout")  # noqa: PTH110
def test_a_pipe_can_be_named_as_the_file(shell, items, type_):
    words = ("select", "items.csv", "-k", 3, "--ids")
    returned, out, err = finished(shell(*words, "-q", "-o", "/dev/stdout", **PIPES))
    assert (returned, err) == (0, "")
    assert out == type_(*words).stdout


# --- terminals --------------------------------------------------------------------------------


def on_a_terminal(shell, *words, **env):
    """Standard output and error of a process that believes to be on a terminal."""
    near, far = pty.openpty()
    process = shell(*words, stdout=far, stderr=far, stdin=far, env={"COLUMNS": "70", "TERM": "xterm", **env})
    os.close(far)
    seen = b""
    try:
        while piece := os.read(near, 2**16):
            seen += piece
    except OSError:  # the other side has closed
        pass
    os.close(near)
    return process.wait(timeout=60), seen.decode()


def test_a_terminal_gets_a_table_in_which_names_cannot_play_tricks(shell, tmp_path):
    rows = "".join(f"{i},{i * i % 17},{'x' * 90}\n" for i in range(6))
    (tmp_path / "names.csv").write_text("id,x,group\n\x1b[31mred,9,g\n\u202eevil,30,g\n" + rows)
    words = ("select", "names.csv", "-k", 8, "--groups", "group", "--quota", 8)
    returned, seen = on_a_terminal(shell, *words, NO_COLOR="1")
    assert returned == 0
    table = seen[seen.index("8 of 8 items") :].replace("\r\n", "\n")
    assert "\\u001b[31mred" in table
    assert "\\u202eevil" in table
    assert "\x1b" not in table
    assert "\u202e" not in seen
    assert max(len(line) for line in table.splitlines()[3:]) <= 70


@pytest.mark.parametrize(("env", "coloured"), [({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False)])
def test_errors_have_a_colour_unless_no_color_is_set(shell, tmp_path, env, coloured):
    returned, seen = on_a_terminal(shell, "select", "absent\x1b[2J.csv", "-k", "3", **env)
    assert returned == 3
    assert ("\x1b[31m" in seen) is coloured
    assert "\x1b[2J" not in seen
    assert re.search(r"absent\\(x1b|u001b)\[2J", seen)


def test_the_bar_is_on_stderr_of_a_terminal_and_nowhere_else(shell, items):
    _, seen = on_a_terminal(shell, "select", "items.csv", "-k", "3")
    assert "left" in seen
    _, hushed = on_a_terminal(shell, "select", "items.csv", "-k", "3", "--quiet")
    assert "left" not in hushed
    _, _, err = finished(shell("select", "items.csv", "-k", "3", **PIPES))
    assert "left" not in err
    assert "\x1b" not in err


# --- how quick, and what it is ------------------------------------------------------------------


def test_help_takes_less_than_150_ms_and_loads_nothing_heavy(tmp_path):
    for words in (["--help"], ["select", "--help"], ["paper", "--help"], ["demo", "--help"]):
        log = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "diverset", *words],
            capture_output=True,
            text=True,
            check=True,
        ).stderr
        loaded = {line.rsplit("|", 1)[-1].strip().partition(".")[0] for line in log.splitlines()}
        assert "click" in loaded
        assert not loaded & {"numpy", "scipy", "sklearn", "rich", "pandas", "PIL", "bokeh", "threadpoolctl"}
    # time of the processor, the least of a few: other work on this machine is not ours
    assert min(_seconds_of(["select", "--help"]) for _ in range(TRIES)) < 0.150


def _seconds_of(words):
    before = os.times()
    subprocess.run([sys.executable, "-m", "diverset", *words], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    used = after.children_user + after.children_system
    return used - before.children_user - before.children_system


def test_version_names_all_that_a_report_of_a_fault_needs(shell):
    import scipy

    import diverset

    returned, out, err = finished(shell("--version", env={"OPENBLAS_NUM_THREADS": "1"}, **PIPES))
    assert (returned, err) == (0, "")
    assert f"diverset {diverset.__version__}\n" in out
    assert f"NumPy {np.__version__}, SciPy {scipy.__version__}" in out
    assert re.search(r"Python 3\.\d+", out)
    assert re.search(r"BLAS \w+ \d[\w.]* .*, 1 threads", out)


def test_the_script_and_the_module_are_one_command(shell):
    from importlib.metadata import entry_points

    import diverset.cli

    (script,) = entry_points(group="console_scripts", name="diverset")
    assert script.load() is diverset.cli.main
    returned, out, _ = finished(shell("--help", **PIPES))
    assert returned == 0
    assert out.startswith("Usage: diverset [OPTIONS]")
