"""Own sines, cosines and powers, against arithmetic in 60 digits."""

import hashlib
import re
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest

from boidsgen import exact

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")


def wave(angle, first):
    """Sine (first 1) or cosine (first 0) by its power series, after taking whole turns away."""
    angle -= (angle / (2 * PI)).to_integral_value() * 2 * PI
    term = total = angle if first else Decimal(1)
    for power in range(2 + first, 90, 2):
        term *= -angle * angle / (power * (power - 1))
        total += term
    return total


RANDOM = np.random.default_rng(5)
ANGLES = np.concatenate(
    [
        np.linspace(-20, 20, 801),
        np.arange(-16, 17) * np.pi / 8,
        RANDOM.uniform(-1e6, 1e6, 500),
        [0.0, 1e-300, 5e-9, 1e6],
    ]
)
LOW, HIGH = 0.4, 2.2
POSITIVE = [*RANDOM.random(500) * 4, 1e-300, 0.125, 0.5, 1, 1 + 1e-9, 3, 27]
FUNCTIONS = {
    "sine": (exact.sine, lambda x: wave(x, 1), ANGLES, 1.5, "2e-16"),
    "cosine": (exact.cosine, lambda x: wave(x, 0), ANGLES, 1.5, "2e-16"),
    "exponential": (exact.exponential, Decimal.exp, np.linspace(-700, 700, 1201), 2, "0"),
    "logarithm": (exact.logarithm, Decimal.ln, [*POSITIVE, 1e300], 2, "2e-16"),
    "cube root": (exact.cube_root, lambda x: x ** (Decimal(1) / 3), [*POSITIVE, 1e300], 1, "0"),
    "power": (lambda x: exact.powers(x, LOW), lambda x: x ** Decimal(LOW), POSITIVE, 400, "0"),
    "high power": (lambda x: exact.powers(x, HIGH), lambda x: x ** Decimal(HIGH), POSITIVE[:500], 400, "0"),
}
"""Ours, the definition, numbers, and by how many units in the last place they may differ, or by how much near zero."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_right_to_the_last_places(name):
    """They are within so many units in the last place of the true value."""
    ours, definition, numbers, units, least = FUNCTIONS[name]
    with localcontext() as context:
        context.prec = 60
        for number, value in zip(numbers, ours(np.array(numbers, dtype=float)), strict=True):
            right = definition(Decimal(float(number)))
            unit = float(np.spacing(abs(float(right))))
            assert abs(Decimal(float(value)) - right) <= max(Decimal(units * unit), Decimal(least)), number


def test_headings_are_right_to_the_last_places():
    """The angle of a vector is within two units in the last place; along the axes and for no vector it is exact."""
    across, along = RANDOM.normal(size=(2, 400)) * 10.0 ** RANDOM.integers(-6, 6, (2, 400))
    with localcontext() as context:
        context.prec = 60
        for angle, *vector in zip(exact.heading(across, along), across, along, strict=True):
            (y, x), turn = map(Decimal, map(float, vector)), Decimal(float(angle))
            aside = (wave(turn, 1) * x - wave(turn, 0) * y) / (x * x + y * y).sqrt()
            assert abs(aside) <= Decimal(2 * float(np.spacing(abs(angle))))
    headings = exact.heading([0.0, 1.0, 0.0, -1.0, 0.0], [1.0, 0.0, -1.0, 0.0, 0.0])
    assert headings.tolist() == [0.0, np.pi / 2, np.pi, -np.pi / 2, 0.0]


def test_powers_by_hand():
    """Powers of numbers are rounded once, whole powers are products, and a power of ten is the largest not above."""
    base = np.array([0.9, 0.5, 1.0, 0.3, 0.7])
    wanted = [1.0, 0.5, 1.0, 0.3 * 0.3, 0.7 * 0.7 * 0.7]

    assert exact.whole_power(base, np.array([0, 1, 5, 2, 3])).tolist() == pytest.approx(wanted, rel=1e-15)
    assert exact.whole_power(0.5, np.array([2000])).tolist() == [0.0]
    assert exact.powers(0.0, 0.4) == exact.cube_root(0.0) == 0.0
    assert exact.exponential(900.0) == exact.exponential(700.0)
    assert [exact.power(2.0, "10"), exact.power(0.25, "0.5"), exact.power(1.06, "1")] == [1024.0, 0.5, 1.06]
    assert [exact.tens(number) for number in (0.02, 1.0, 9.99, 10.0, 12345.0)] == [0.01, 1.0, 1.0, 10.0, 10000.0]


@pytest.mark.parametrize("far", [1e13, -3e16, 1e20, 1e300])
def test_angles_without_end(far):
    """However far an angle goes, its sine and cosine are those of one angle, and no other one is touched by that."""
    near = np.array([0.5, 1000.0])
    sine, cosine = exact.sine([*near, far]), exact.cosine([*near, far])

    assert (sine**2 + cosine**2).tolist() == pytest.approx([1.0] * 3, abs=1e-15)
    assert sine[:2].tolist() == exact.sine(near).tolist()


def test_the_bits_are_those_of_any_other_machine():
    """What was computed on another machine comes out here, bit by bit."""
    angles = np.linspace(-1000, 1000, 10001)
    numbers = np.arange(5000) / 512
    computed = (exact.sine(angles), exact.cosine(angles), exact.cube_root(numbers))

    assert hashlib.sha256(np.concatenate(computed).astype("<f8").tobytes()).hexdigest() == COMPUTED


COMPUTED = "426fa312ed91f408257a4d265c97c38f289cf3a7fc7d72f7a7a3400a37d83c3f"


def test_random_numbers_are_those_of_numpy():
    """Even and normal numbers are numpy's own, but for the last bits of those that come from the C library."""
    ours, theirs = np.random.default_rng(3), np.random.default_rng(3)
    even, usual = exact.uniform(ours, -2.0, 5.0, (1000,)), theirs.uniform(-2.0, 5.0, 1000)
    np.testing.assert_allclose(even, usual, rtol=0, atol=1e-15)
    np.testing.assert_allclose(exact.normal(ours, (50_000,)), theirs.standard_normal(50_000), rtol=0, atol=1e-10)


def test_random_numbers_come_from_here():
    """No module takes numbers from a range by numpy's own way, which joins product and sum on some processors."""
    package = Path(exact.__file__).parent.rglob("*.py")

    assert [path.name for path in package if re.search(r"(?<!exact)\.uniform\(", path.read_text("utf-8"))] == []
