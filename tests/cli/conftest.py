import pytest

from boidsgen.cli.main import run

SMALL = """\
seed = 3
[world]
size = [64, 48]
[time]
frames = 3
[flock]
count = 5
"""


class Ran:
    """What came of a command line."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def paths(self):
        """The lines on standard output."""
        return self.out.splitlines()


@pytest.fixture
def boidsgen(tmp_path, monkeypatch, capfd):
    """Runs a command line in an empty directory with one small scenario, `small.toml`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL)

    def ran(*arguments):
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        return Ran(code, *capfd.readouterr())

    return ran
