"""What a cluster still holds. Not in conftest.py: workers import it by name, and there are more of those."""

from __future__ import annotations

import time


def tasks_left(client, seconds=5.0):
    """The tasks that the scheduler knows, once they had time to be forgotten."""
    end = time.monotonic() + seconds
    while (
        left := client.run_on_scheduler(lambda dask_scheduler: [str(key) for key in dask_scheduler.tasks])
    ) and (time.monotonic() < end):
        time.sleep(0.05)
    return left
