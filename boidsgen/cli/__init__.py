"""The command line: one file per family of commands; the only place that prints or exits.

`boidsgen --help` must stay quick: whatever imports numpy, Pillow or the scenario's tables is imported inside commands.
"""
