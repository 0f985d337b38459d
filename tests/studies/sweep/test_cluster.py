"""The Dask adapter, on a real cluster of two worker processes on this machine."""

import os
import signal
import threading

import pytest

from boidsgen.errors import StorageError
from boidsgen.scenario.overrides import Override
from boidsgen.scenario.sources import find
from boidsgen.studies.sweep.jobs import run_jobs
from boidsgen.studies.sweep.plan import SweepOptions, plan_sweep
from boidsgen.studies.sweep.study import Backend, Study
from boidsgen.studies.sweep.tasks import collected
from tests.studies.sweep import fakes
from tests.systems import needs_a_scheduler_of_dask

distributed = pytest.importorskip("distributed", reason="Dask is an extra: pip install 'boidsgen[dask]'")

from boidsgen.studies.sweep import cluster as module  # noqa: E402  only where Dask is
from boidsgen.studies.sweep.cluster import Cluster  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # Dask's own, about ports and connections that tests break on purpose
]


@pytest.fixture(autouse=True)
def _here():
    needs_a_scheduler_of_dask()


@pytest.fixture
def scheduler():
    """The address of a scheduler with two workers of one thread each."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as local:
        yield local.scheduler_address


def _plan(runs, frames=4):
    small = [Override("time.frames", frames, ""), Override("output.size", [64, 64], "")]
    return plan_sweep(find("quickstart"), small, SweepOptions(seeds=runs))


def _files(directory):
    return {path.name: path.read_bytes() for path in directory.glob("*.gif")}


def test_equal_jobs_are_done_each(scheduler):
    """Jobs that are alike are different jobs: each is done."""
    with Cluster(scheduler) as cluster:
        futures = [cluster.submit(fakes.process, 7) for _ in range(4)]

        assert [future.result(30)["job"] for future in futures] == [7] * 4
        assert cluster.at_once == 4


def test_an_exception_is_an_outcome(scheduler):
    """What a task raises there is told here, with its kind."""
    with Cluster(scheduler) as cluster:
        [(_, outcome)] = run_jobs([3], cluster, fakes.failing, at_once=2)

    assert outcome == {"status": "failed", "reason": "ValueError: no 3"}


def test_the_same_files_come_as_here(scheduler, tmp_path):
    """A sweep on a cluster writes, or brings back, what the same sweep writes here."""
    plan = _plan(4)
    here, shared, back = (tmp_path / name for name in ("here", "shared", "back"))
    with Study(plan, here) as study:
        rows = {row["run"]: row for row in study.run(study.missing(), Backend(fakes.Immediate(), at_once=1))}
    with Cluster(scheduler) as cluster, Study(plan, shared) as study:
        cluster.refuse_other_directory(shared)
        assert all(
            row["digest"] == rows[row["run"]]["digest"] for row in study.run(study.missing(), Backend(cluster, 4))
        )
    with Cluster(scheduler) as cluster, Study(plan, back) as study:
        assert len(list(study.run(study.missing(), Backend(cluster, 4, collected)))) == 4
        assert study.missing() == []

    assert _files(here) == _files(shared) == _files(back)


def test_a_worker_killed_in_the_middle_costs_nothing(scheduler, tmp_path):
    """A run whose worker is killed is done elsewhere, with the same result."""
    plan = _plan(6, frames=150)
    with Cluster(scheduler) as cluster, Study(plan, tmp_path / "runs") as study:
        rows = []
        victim = cluster.submit(fakes.process, 0).result(30)["pid"]
        for row in study.run(study.missing(), Backend(cluster, 4)):
            if not rows:
                os.kill(victim, signal.SIGKILL)
            rows.append(row)

    assert {row["status"] for row in rows} == {"done"}
    with Study(plan, tmp_path / "again") as study:
        again = {row["run"]: row["digest"] for row in study.run(study.missing(), Backend(fakes.Immediate(), at_once=1))}
    assert {row["run"]: row["digest"] for row in rows} == again


def test_a_task_that_kills_workers_is_one_failure(scheduler):
    """A task that kills every worker it meets is given up, and the others go on."""
    jobs = [{"number": number, "dies": number == 1} for number in range(4)]
    with distributed.Client(scheduler, set_as_default=False) as client:
        client.run_on_scheduler(_allow_one_death)
    with Cluster(scheduler) as cluster:
        outcomes = {job["number"]: outcome for job, outcome in run_jobs(jobs, cluster, fakes.dies, at_once=2)}

    assert [outcomes[number]["status"] for number in range(4)] == ["done", "failed", "done", "done"]
    assert outcomes[1]["reason"].startswith("KilledWorker")


def _allow_one_death(dask_scheduler):
    dask_scheduler.allowed_failures = 1


def test_leaving_gives_up_what_is_queued(scheduler, tmp_path):
    """Leaving does not wait for what is queued."""
    with Cluster(scheduler) as cluster:
        paths = [tmp_path / str(number) for number in range(6)]
        for path in paths:
            cluster.submit(fakes.cleans_up, {"path": str(path)})
        while sum(path.exists() for path in paths) < 2:
            threading.Event().wait(0.01)

    assert sum(path.exists() for path in paths) == 2


def test_a_scheduler_that_dies_ends_the_sweep():
    """When the scheduler goes in the middle, the sweep ends with a clear error, and does not hang."""
    local = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")
    try:
        with Cluster(local.scheduler_address) as cluster:
            ended = run_jobs(range(1000), cluster, fakes.process, at_once=2)
            next(ended)
            local.close()

            with pytest.raises(StorageError, match="the scheduler is gone"):
                list(ended)
    finally:
        local.close()


def test_nobody_there_is_told_at_once(monkeypatch):
    """A scheduler that cannot be reached, or an address that is none, is one clear line."""
    monkeypatch.setattr(module, "PATIENCE", 0.5)

    for address in ("tcp://127.0.0.1:9", "nonsense://x"):
        with pytest.raises(StorageError, match="cannot reach a Dask scheduler there"), Cluster(address):
            pass


def test_a_cluster_without_workers_is_refused():
    """A scheduler without workers would wait for ever."""
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None, host="127.0.0.1") as local,
        pytest.raises(StorageError, match="the scheduler has no workers"),
        Cluster(local.scheduler_address),
    ):
        pass


def test_other_versions_are_refused(scheduler, monkeypatch):
    """Workers with other versions would make other pictures, and are refused."""
    monkeypatch.setattr(module, "versions", lambda: "# boidsgen 9\n")

    with pytest.raises(StorageError, match="and this machine has boidsgen 9"), Cluster(scheduler):
        pass


def test_a_directory_that_is_not_shared_is_refused(scheduler, tmp_path, monkeypatch):
    """A directory that workers do not see is refused, and no file is left in it."""
    monkeypatch.setattr(module, "_exists", fakes.nothing_exists)

    with Cluster(scheduler) as cluster, pytest.raises(StorageError, match="--collect"):
        cluster.refuse_other_directory(tmp_path)

    assert list(tmp_path.iterdir()) == []
