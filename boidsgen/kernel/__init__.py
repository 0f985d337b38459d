"""The compiled kernel: steps and pictures in C, equal to numpy's to the bit, with its build and its loader."""
