"""Store how long each preset takes to render in its own format: `python -m docs.programs.benchmarks.presets [NAMES]`.

`check` estimates this time by a formula, which `tests/scenario/test_estimate.py` holds to these measurements. They are
seconds of one processor, so that what else the machine does hardly matters.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from boidsgen import load_scenario, presets

STORED = Path(__file__).with_name("presets.json")


def seconds_of(preset: str, folder: Path) -> float:
    """Processor time of a command that renders a preset with one thread."""
    clip = folder / f"clip.{load_scenario(preset).output.format}"
    command = [sys.executable, "-m", "boidsgen", "render", preset, "-o", str(clip), "--quiet"]
    process = subprocess.Popen(command, env={**os.environ, "BOIDSGEN_THREADS": "1"}, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{preset} could not be rendered")
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure the presets that are named, or all, and store the times."""
    known = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}
    every = [preset.name for preset in presets()]
    with TemporaryDirectory() as folder:
        for name in sys.argv[1:] or every:
            known[name] = round(seconds_of(name, Path(folder)), 2)
            stored = {preset: known[preset] for preset in every if preset in known}
            STORED.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
