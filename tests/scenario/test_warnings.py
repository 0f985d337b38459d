"""Warnings: what is valid and probably not intended."""

from boidsgen.cli.main import run


def test_strict_treats_warnings_as_errors(tmp_path, monkeypatch, capsys):
    """A rendering prints warnings and goes on; with --strict it is refused in the same words, and so is a check."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.toml").write_text("time = { frames = 2 }\noutput = { size = [64, 32] }\n", encoding="utf-8")

    assert run(["render", "my.toml", "-o", "my.gif"]) == 0
    assert "my.toml:2: output.size: has another aspect ratio" in capsys.readouterr().err
    assert run(["check", "my.toml"]) == 0
    assert "my.toml:2: output.size: has another aspect ratio" in capsys.readouterr().out
    for command in ("check", "render"):
        assert run([command, "my.toml", "--strict"]) == 3
        assert capsys.readouterr().err.startswith("my.toml:2: output.size: has another aspect ratio")
