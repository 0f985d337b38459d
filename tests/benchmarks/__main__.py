"""Measure this checkout: the yardstick, steps by engine and size, pictures of showpieces, whole films, and starts."""

import sys
from contextlib import ExitStack

from tests.benchmarks.beside import chosen_cases, here, parser_of, print_all


def main() -> int:
    """Print one line a case."""
    asked = parser_of("tests.benchmarks", __doc__).parse_args()
    with ExitStack() as stack:
        list(print_all(chosen_cases(asked.cases), [here(stack)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
