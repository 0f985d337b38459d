import os
import subprocess
import sys
import threading

import pytest

from boidsgen.errors import LimitError, UsageError
from boidsgen.jobs import Here, Workers
from tests.studies import fakes
from tests.studies.fakes import Call
from tests.systems import WINDOWS


@pytest.fixture(scope="module")
def workers():
    """Two worker processes."""
    with Workers(2) as pool:
        yield pool


def test_jobs_come_back_with_their_outcomes(workers):
    """Two processes of one thread each do all jobs, which travel unchanged."""
    jobs = [Call(fakes.process, one) for one in (float("inf"), 'ß 鳥\n"\\', (1, 2.5, None), *range(7))]
    outcomes = dict(workers.run(jobs))

    assert {job: outcome[0] for job, outcome in outcomes.items()} == {job: job.argument for job in jobs}
    assert len({pid for _, pid, _ in outcomes.values()}) <= 2
    assert {threads for _, _, threads in outcomes.values()} == {"1"}


@pytest.mark.parametrize("place", [Here, lambda: Workers(2)], ids=["here", "workers"])
def test_outcomes_in_the_order_of_the_jobs(place):
    """They come in this order whatever ends first, those of equal jobs too, and none is waited for that comes later."""
    with place() as backend:
        outcomes = backend.in_order([Call(fakes.waits, seconds) for seconds in (0.4, 0.0, 0.2, 0.0)])

        assert list(outcomes) == [0.4, 0.0, 0.2, 0.0]


def test_few_jobs_are_in_flight(workers):
    """Jobs are taken one by one, so that ten thousand cost no more memory than ten."""
    taken = []
    ended = workers.run(taken.append(number) or Call(fakes.echo, number) for number in range(1000))
    next(ended)

    assert len(taken) <= 8
    ended.close()


def test_a_job_that_raises_costs_no_other(workers):
    """The outcome is what was raised: an error of the user as it is, a bug in words."""
    [(_, bug)] = workers.run([Call(fakes.failing, "job")])
    [(_, error)] = workers.run([Call(fakes.refusing, "job")])

    assert (type(bug), str(bug)) == (RuntimeError, "ValueError: no job")
    assert (type(error), str(error)) == (UsageError, "no job")


def test_a_killed_worker_loses_one_job():
    """A job whose worker is killed or leaves with exit code 0, however early, fails; the others are done."""
    dying = {3: True, 4: False, 7: True}
    jobs = [Call(fakes.dies, dying.get(number)) for number in range(8)]
    with Workers(2) as workers:
        outcomes = [*workers.in_order(jobs)]
    reasons = {True: "exit code 9" if WINDOWS else "ended by SIGKILL", False: "exit code 0"}

    assert {number for number, one in enumerate(outcomes) if one is None} == {0, 1, 2, 5, 6}
    for number, killed in dying.items():
        assert isinstance(outcomes[number], LimitError)
        assert str(outcomes[number]) == f"the worker died ({reasons[killed]})"


def test_leaving_ends_tasks_in_the_middle(tmp_path):
    """Leaving the block does not wait for tasks to end, and they clean up first."""
    paths = [tmp_path / str(number) for number in range(3)]
    with Workers(2) as workers:
        next(workers.run(Call(fakes.cleans_up, path) for path in (None, *map(str, paths))))
        while sum(path.exists() for path in paths) < 2:
            threading.Event().wait(0.01)

    assert not any(path.exists() for path in paths)


SCRIPT = """
from boidsgen.jobs import Workers
from tests.studies import fakes
print("main")
with Workers(1) as workers:
    [(_, outcome)] = workers.run([fakes.Call(fakes.echo, 7)])
    print(outcome)
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
