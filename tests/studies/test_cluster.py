"""Sweeps on a real Dask cluster of two worker processes on this machine."""

import os
from contextlib import nullcontext

import pytest

from boidsgen import jobs as module
from boidsgen.errors import StorageError
from boidsgen.jobs import Cluster, Workers
from boidsgen.scenario.layers import Override
from boidsgen.scenario.sources import find
from boidsgen.studies.plan import SweepAxis, SweepOptions, plan_sweep
from boidsgen.studies.sweep import Study
from tests.studies import fakes
from tests.systems import needs_a_scheduler_of_dask

distributed = pytest.importorskip("distributed", reason="Dask is an extra: pip install 'boidsgen[dask]'")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # Dask's own, about ports and connections that tests break on purpose
]


@pytest.fixture
def scheduler():
    """The address of a scheduler with two workers of one thread each."""
    needs_a_scheduler_of_dask()
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as local:
        yield local.scheduler_address


def _files(directory):
    return {path.name: path.read_bytes() for path in directory.glob("*.gif")}


def test_the_same_files_come_as_here(scheduler, tmp_path):
    """A sweep on a cluster writes what the same sweep writes here."""
    small = [Override("time.frames", 4, ""), Override("output.size", [64, 64], "")]
    plan = plan_sweep(find("quickstart"), small, SweepOptions(seeds=6))
    here, shared = (tmp_path / name for name in ("here", "shared"))
    with Workers(1) as workers, Study(plan, here) as study:
        assert study.run(workers) == []
        digests = {row["run"]: row["digest"] for row in study.rows()}
    with Study(plan, shared) as study, Cluster(scheduler, shared) as cluster:
        assert study.run(cluster) == []
        assert {row["run"]: row["digest"] for row in study.rows()} == digests

    assert len(digests) == 6
    assert _files(here) == _files(shared)


def test_a_worker_that_is_killed_leaves_the_same_table(tmp_path):
    """Of three workers one is killed in the middle; its runs are done by others."""
    needs_a_scheduler_of_dask()
    options = SweepOptions((SweepAxis("flock.count", (20, 30), ""),), seeds=9, drawn=False)
    plan, tables = plan_sweep(find("quickstart"), [Override("time.frames", 20, "")], options), []
    with distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as local:
        killed = local.workers[1].pid

        def kill_once(done):
            if done == 1:
                os.kill(killed, fakes.KILL)

        for backend, progress in ((Workers(1), None), (Cluster(local.scheduler_address), kill_once)):
            with backend as workers, Study(plan, tmp_path / type(backend).__name__) as study:
                assert study.run(workers, progress) == []
                tables.append([{**row, "seconds": 0} for row in study.rows()])

    assert len(tables[0]) == 18
    assert tables[0] == tables[1]


def test_equal_jobs_are_done_each(scheduler):
    """Jobs that are equal are different jobs; what a task raises is an outcome."""
    with Cluster(scheduler) as cluster:
        assert [outcome[0] for _, outcome in cluster.run([fakes.Call(fakes.process, 7)] * 9)] == [7] * 9
        [(_, outcome)] = cluster.run([fakes.Call(fakes.failing, 3)])

    assert (type(outcome), str(outcome)) == (RuntimeError, "ValueError: no 3")


def test_a_scheduler_that_dies_ends_the_sweep():
    """When the scheduler ends in the middle, the sweep ends with a clear error, and does not hang."""
    needs_a_scheduler_of_dask()
    local = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")
    try:
        with Cluster(local.scheduler_address) as cluster:
            ended = cluster.run(fakes.Call(fakes.process, number) for number in range(1000))
            next(ended)
            local.close()

            with pytest.raises(StorageError, match="the scheduler is gone"):
                list(ended)
    finally:
        local.close()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x"])
def test_a_scheduler_that_cannot_be_reached(address, monkeypatch):
    """An address where nobody listens, or that is none, is one clear line."""
    monkeypatch.setattr(module, "ANSWER", 0.5)

    with pytest.raises(StorageError, match="cannot reach a Dask scheduler there"), Cluster(address):
        pass


def test_a_cluster_without_workers_is_refused():
    """A scheduler without workers would wait for ever."""
    needs_a_scheduler_of_dask()
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None, host="127.0.0.1") as local,
        pytest.raises(StorageError, match="the scheduler has no workers"),
        Cluster(local.scheduler_address),
    ):
        pass


def test_other_workers_are_refused(scheduler, monkeypatch, tmp_path):
    """Workers that do not share the directory, or whose versions differ, are refused, and no file is left."""
    with monkeypatch.context() as patch:
        patch.setattr(module, "scratch_folder", lambda directory: nullcontext(str(directory / "nowhere")))
        with pytest.raises(StorageError, match="--measures-only"), Cluster(scheduler, tmp_path):
            pass
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(module, "versions", lambda: "# boidsgen 9\n")
    with pytest.raises(StorageError, match="and this machine has boidsgen 9"), Cluster(scheduler):
        pass
