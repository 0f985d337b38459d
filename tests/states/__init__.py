"""Digests of all states of every preset and of 200 drawn scenarios: an engine that gives them gives the same bits.

`python -m tests.states` compares an engine with what is stored; `drawing.py` draws the scenarios.
"""
