"""The parts of the README that are made from the program itself."""

import subprocess
import sys


def commands() -> str:
    """The help of the program and of each of its commands, as Markdown."""
    overview = _help()
    names = [line.split()[0] for line in overview.partition("Commands:")[2].splitlines() if line.strip()]
    return "\n".join(
        [
            _block(overview),
            *(f"<details><summary>{name}</summary>\n\n{_block(_help(name))}\n</details>\n" for name in names),
        ]
    )


def _help(*command: str) -> str:
    call = [sys.executable, "-m", "boidsgen", *command, "--help"]
    return subprocess.run(call, check=True, capture_output=True, text=True, env={"COLUMNS": "100"}).stdout.strip()


def _block(text: str) -> str:
    return f"```\n{text}\n```\n"
