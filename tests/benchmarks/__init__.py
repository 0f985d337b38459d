"""Benchmarks that a stranger can run: `python -m tests.benchmarks` from the project's root prints one table."""
