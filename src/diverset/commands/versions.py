"""WHAT IS RUNNING? The versions that a report of a fault needs."""

from __future__ import annotations

import platform


def versions() -> str:
    """diverset, Python, NumPy, SciPy, and each BLAS with its threads."""
    import numpy as np
    import scipy.linalg  # SciPy carries a BLAS of its own
    from threadpoolctl import threadpool_info

    from .. import __version__
    from ..threads import cores

    lines = [
        f"diverset {__version__}",
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()}, {cores()} cores",
        f"NumPy {np.__version__}, SciPy {scipy.__version__}",
    ]
    for info in threadpool_info():
        if info["user_api"] == "blas":
            kind = f" for {info['architecture']}" if info.get("architecture") else ""
            lines.append(
                f"BLAS {info['internal_api']} {info['version']}{kind}, {info['num_threads']} threads"
            )
    return "\n".join(lines)
