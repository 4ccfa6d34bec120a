"""Work spread over processes of this machine or over a Dask cluster; results come in order."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from cairn.errors import CairnError
from cairn.sources.packs.prepare import Spread

In = TypeVar("In")
Out = TypeVar("Out")
_AHEAD = 4  # items given out for each worker, so that results that wait for their turn stay few


@contextmanager
def over_processes(workers: int) -> Iterator[Spread]:
    """A spread over so many processes of this machine."""
    # Spawned, not forked: the model runtime has threads, which a fork does not carry over.
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:

        def spread(work: Callable[[In], Out], items: Iterable[In], /) -> Iterator[Out]:
            return _in_order(lambda item: pool.submit(work, item), items, workers)

        yield spread


@contextmanager
def over_dask(workers: int, address: str = "") -> Iterator[Spread]:
    """A spread over the Dask cluster at ``address``, or over a local one of so many processes.

    Raises CairnError when the ``distributed`` library is not installed.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise CairnError(
            "The Dask engine needs the distributed library.",
            hint="Run: .venv/bin/pip install -r requirements/dask.txt",
        ) from error
    cluster: Any = address
    if not address:
        cluster = LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=40
        )
    try:
        with Client(cluster) as client:

            def spread(work: Callable[[In], Out], items: Iterable[In], /) -> Iterator[Out]:
                return _in_order(lambda item: client.submit(work, item, pure=False), items, workers)

            yield spread
    finally:
        if not address:
            cluster.close()


def _in_order(submit: Callable[[In], Any], items: Iterable[In], workers: int) -> Iterator[Any]:
    waiting: deque[Any] = deque()
    for item in items:
        waiting.append(submit(item))
        if len(waiting) >= _AHEAD * workers:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
