"""What an install must do at once: `python tests/smoke.py`, with nothing installed but boidsgen itself."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

EXTRAS = ("matplotlib", "distributed", "pytest")
FRAMES = 12


def boidsgen(*arguments):
    """Runs the program in an environment of nothing but its own, and gives what it prints."""
    command = [sys.executable, "-I", "-m", "boidsgen", *arguments]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, env={"PATH": os.defpath})
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def gif_frames(path):
    """How many frames Pillow sees."""
    from PIL import Image

    with Image.open(path) as clip:
        return clip.n_frames


def mp4_frames(path):
    """How many frames ffmpeg sees."""
    from imageio_ffmpeg import count_frames_and_secs

    return count_frames_and_secs(str(path))[0]


def main():
    """Everything that needs no extra, in an empty directory."""
    assert not [extra for extra in EXTRAS if find_spec(extra)]
    assert (Path(sys.prefix) / "share" / "man" / "man1" / "boidsgen.1").is_file()
    os.chdir(tempfile.mkdtemp())

    assert "murmuration" in boidsgen("presets")
    assert json.loads(boidsgen("schema"))["title"] == "Scenario"
    found = json.loads(boidsgen("doctor", "--json"))
    assert "libx264" in found["ffmpeg"]
    assert "lanes" in found["kernel"], found["kernel"]
    boidsgen("new", "my.toml", "--from", "quickstart")
    assert "time" in boidsgen("check", "my.toml")
    assert "check.py" in boidsgen("course", "starter", "numpy", "-o", "exercise")

    outputs = [Path("my.gif"), Path("my.mp4")]
    printed = boidsgen("render", "my.toml", "--frames", str(FRAMES), "-o", "my.gif", "-o", "my.mp4", "--json")
    digests = {json.loads(line)["digest"] for line in printed.splitlines()}
    assert len(digests) == 1
    assert [gif_frames(outputs[0]), mp4_frames(outputs[1])] == [FRAMES, FRAMES]

    again = hashlib.sha256(outputs[0].read_bytes())
    boidsgen("render", "my.toml", "--frames", str(FRAMES), "-o", "my.gif")
    assert hashlib.sha256(outputs[0].read_bytes()).digest() == again.digest()

    boidsgen("sweep", "my.toml", "--vary", "flock.count=5,10", "--frames", "2", "-o", "study")
    assert len(list(Path("study").glob("count=*.gif"))) == 2
    sys.stdout.write("works without extras\n")


if __name__ == "__main__":
    main()
