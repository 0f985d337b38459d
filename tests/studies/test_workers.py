import os
import subprocess
import sys
import threading

import pytest

from boidsgen.studies.sweep import Workers
from tests.studies import fakes
from tests.systems import WINDOWS


@pytest.fixture(scope="module")
def workers():
    """Two worker processes."""
    with Workers(2) as pool:
        yield pool


def test_jobs_come_back_with_their_outcomes(workers):
    """Two processes of one thread each do all jobs, which travel unchanged."""
    jobs = [float("inf"), 'ß 鳥\n"\\', (1, 2.5, None), *range(7)]
    outcomes = dict(workers.run(fakes.process, jobs))

    assert {job: outcome["job"] for job, outcome in outcomes.items()} == {job: job for job in jobs}
    assert len({outcome["pid"] for outcome in outcomes.values()}) <= 2
    assert {outcome["threads"] for outcome in outcomes.values()} == {"1"}


def test_few_jobs_are_in_flight(workers):
    """Jobs are taken one by one, so that ten thousand cost no more memory than ten."""
    taken = []
    ended = workers.run(fakes.echo, (taken.append(number) or number for number in range(1000)))
    next(ended)

    assert len(taken) <= 8
    ended.close()


def test_a_task_that_raises_costs_its_own_job(workers):
    """The outcome says so, with the exception."""
    [(_, outcome)] = workers.run(fakes.failing, ["job"])

    assert outcome == {"status": "failed", "reason": "ValueError: no job"}


def test_a_killed_worker_loses_one_job():
    """A job whose worker is killed or leaves with exit code 0, however early, fails; the others are done."""
    dying = {3: True, 4: False, 7: True}
    with Workers(2) as workers:
        jobs = [{"number": number, "dies": dying.get(number)} for number in range(8)]
        outcomes = {job["number"]: outcome for job, outcome in workers.run(fakes.dies, jobs)}
    reasons = {True: "exit code 9" if WINDOWS else "ended by SIGKILL", False: "exit code 0"}

    assert {number for number, one in outcomes.items() if one["status"] == "done"} == {0, 1, 2, 5, 6}
    for number, killed in dying.items():
        assert outcomes[number]["reason"] == f"the worker died ({reasons[killed]})"


def test_leaving_ends_tasks_in_the_middle(tmp_path):
    """Leaving the block does not wait for tasks to end, and they clean up first."""
    paths = [tmp_path / str(number) for number in range(3)]
    with Workers(2) as workers:
        next(workers.run(fakes.cleans_up, [None, *map(str, paths)]))
        while sum(path.exists() for path in paths) < 2:
            threading.Event().wait(0.01)

    assert not any(path.exists() for path in paths)


SCRIPT = """
from boidsgen.studies.sweep import Workers
from tests.studies import fakes
print("main")
with Workers(1) as workers:
    [(job, _)] = workers.run(fakes.echo, [7])
    print(job)
"""


def test_a_script_needs_no_guard(tmp_path):
    """A worker neither runs the main module again nor imports from the current directory while Python starts."""
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "pickle.py").write_text("raise SystemExit('from the current directory')")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    call = [sys.executable, tmp_path / "script.py"]
    done = subprocess.run(
        call, cwd=tmp_path / "here", env=environment, capture_output=True, text=True, timeout=60, check=False
    )

    assert (done.stdout, done.returncode) == ("main\n7\n", 0), done.stderr
