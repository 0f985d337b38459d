"""Store what each preset takes to render in its own format: `python -m docs.programs.benchmarks.presets [NAMES]`.

`check` estimates time and size by formulas, which `tests/scenario/test_estimate.py` holds to these measurements. Times
are seconds of one processor, so that what else the machine does hardly matters; sizes are bytes, of GIFs alone.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from boidsgen import load_scenario, presets

STORED = Path(__file__).with_name("presets.json")


def measured(preset: str, folder: Path) -> dict[str, float]:
    """Processor time of a command that renders a preset with one thread, and the size of the GIF."""
    clip = folder / f"clip.{load_scenario(preset).output.format}"
    command = [sys.executable, "-m", "boidsgen", "render", preset, "-o", str(clip), "--quiet"]
    process = subprocess.Popen(command, env={**os.environ, "BOIDSGEN_THREADS": "1"}, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{preset} could not be rendered")
    size = {"bytes": clip.stat().st_size} if clip.suffix == ".gif" else {}
    return {"seconds": round(used.ru_utime + used.ru_stime, 2), **size}


def main() -> None:
    """Measure the presets that are named, or all, and store what it gives."""
    known = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}
    every = [preset.name for preset in presets()]
    with TemporaryDirectory() as folder:
        for name in sys.argv[1:] or every:
            known[name] = measured(name, Path(folder))
            stored = {preset: known[preset] for preset in every if preset in known}
            STORED.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
