"""Benchmarks that a stranger can run: `python -m docs.programs.benchmarks` from the project's root prints one table."""
