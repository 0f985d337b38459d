"""Own sines, cosines and powers, against arithmetic in 60 digits."""

import hashlib
import re
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest

from boidsgen import exact

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")
ANGLES = np.concatenate((
    np.linspace(-20, 20, 801),
    np.arange(-16, 17) * np.pi / 8,
    np.random.default_rng(5).uniform(-1e6, 1e6, 500),
    [0.0, 1e-300, 5e-9, 1e6],
))  # fmt: skip
NUMBERS = np.concatenate((np.random.default_rng(6).random(500), [0.0, 1e-300, 0.125, 1.0, 8.0, 27.0, 1e300]))


def _sine(angle):
    """By its power series in 60 digits, after taking whole turns away."""
    angle = Decimal(float(angle))
    angle -= (angle / (2 * PI)).to_integral_value() * 2 * PI
    term = total = angle
    for power in range(3, 90, 2):
        term *= -angle * angle / (power * (power - 1))
        total += term
    return total


@pytest.mark.parametrize(("ours", "shift"), [(exact.sine, 0), (exact.cosine, 1)])
def test_waves_are_right_to_the_last_place(ours, shift):
    """Sine and cosine are within 1.5 units in the last place of the true value, or 2e-16 where it is near zero."""
    with localcontext() as context:
        context.prec = 60
        for angle, value in zip(ANGLES, ours(ANGLES), strict=True):
            right = _sine(angle) if not shift else _cosine(angle)
            error = abs(Decimal(float(value)) - right)
            assert error <= max(Decimal(1.5 * np.spacing(abs(float(right)))), Decimal("2e-16"))


def _cosine(angle):
    angle = Decimal(float(angle))
    angle -= (angle / (2 * PI)).to_integral_value() * 2 * PI
    term = total = Decimal(1)
    for power in range(2, 90, 2):
        term *= -angle * angle / (power * (power - 1))
        total += term
    return total


def _within(value, right, units, least="0"):
    """Whether a value is so many units in the last place from the true one, or nearer than `least`."""
    return abs(Decimal(float(value)) - right) <= max(Decimal(units * float(np.spacing(abs(value)))), Decimal(least))


def test_exponentials_are_right_to_the_last_place():
    """E to a number is within 2 units in the last place, and what is beyond 700 counts as 700."""
    numbers = np.concatenate((np.linspace(-700, 700, 1201), np.random.default_rng(8).normal(size=400), [0.0, 1e-9]))
    with localcontext() as context:
        context.prec = 60
        for number, value in zip(numbers, exact.exponential(numbers), strict=True):
            assert _within(value, Decimal(float(number)).exp(), 2)
    assert exact.exponential(900.0) == exact.exponential(700.0)


def test_logarithms_are_right_to_the_last_place():
    """The natural logarithm is within 2 units in the last place, or 2e-16 where the number is near 1."""
    numbers = np.concatenate((np.random.default_rng(9).random(500) * 4, [1e-300, 0.5, 1.0, 1 + 1e-9, 3.0, 1e300]))
    with localcontext() as context:
        context.prec = 60
        for number, value in zip(numbers, exact.logarithm(numbers), strict=True):
            assert _within(value, Decimal(float(number)).ln(), 2, "2e-16")


@pytest.mark.parametrize("exponent", [0.4, 1.5, 2.2])
def test_powers_of_many_numbers(exponent):
    """Powers are those of Python's own to a part in 1e13; zero stays zero."""
    numbers = np.concatenate((np.random.default_rng(9).random(500) * 4, [1e-9, 1.0, 1e9]))

    np.testing.assert_allclose(exact.powers(numbers, exponent), [n**exponent for n in numbers.tolist()], rtol=1e-13)
    assert exact.powers(0.0, exponent) == 0.0


def test_cube_roots_are_right_to_the_last_place():
    """The true root lies within a unit in the last place."""
    with localcontext() as context:
        context.prec = 60
        for number, root in zip(NUMBERS, exact.cube_root(NUMBERS), strict=True):
            right = Decimal(float(number)) ** (Decimal(1) / 3) if number else Decimal(0)
            assert abs(Decimal(float(root)) - right) <= Decimal(float(np.spacing(root)))


def test_whole_powers_are_products():
    """Small powers are the plain products, and a power of zero is one."""
    base = np.array([0.9, 0.5, 1.0, 0.3, 0.7])

    assert exact.whole_power(base, np.array([0, 1, 5, 2, 3])).tolist() == pytest.approx(
        [1.0, 0.5, 1.0, 0.3 * 0.3, 0.7 * 0.7 * 0.7], rel=1e-15
    )
    assert exact.whole_power(0.5, np.array([2000])).tolist() == [0.0]


@pytest.mark.parametrize("far", [1e13, -3e16, 1e20, 1e300])
def test_angles_without_end(far):
    """However far an angle goes, its sine and cosine are those of one angle, and no other one is touched by that."""
    near = np.array([0.5, 1000.0])
    with np.errstate(all="raise"):
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


def test_headings_are_right_to_the_last_places():
    """The angle of a vector is within two units in the last place, as sine and cosine in 60 digits tell."""
    random = np.random.default_rng(8)
    across, along = random.normal(size=(2, 400)) * 10.0 ** random.integers(-6, 6, (2, 400))
    with localcontext() as context:
        context.prec = 60
        for angle, y, x in zip(exact.heading(across, along), across, along, strict=True):
            y, x = Decimal(float(y)), Decimal(float(x))  # noqa: PLW2901  the same numbers, exactly
            aside = (_sine(angle) * x - _cosine(angle) * y) / (x * x + y * y).sqrt()
            assert abs(aside) <= Decimal(2 * float(np.spacing(abs(angle))))


def test_headings_along_the_axes():
    """Right, up, left and down, and the zero vector, which has the heading 0."""
    headings = exact.heading([0.0, 1.0, 0.0, -1.0, 0.0], [1.0, 0.0, -1.0, 0.0, 0.0])

    assert headings.tolist() == [0.0, np.pi / 2, np.pi, -np.pi / 2, 0.0]


def test_powers_and_powers_of_ten_are_the_nearest_numbers():
    """Powers are rounded once, and the power of ten is the largest that is not above the number."""
    assert [exact.power(2.0, "10"), exact.power(0.25, "0.5"), exact.power(1.06, "1")] == [1024.0, 0.5, 1.06]
    assert [exact.tens(number) for number in (0.02, 1.0, 9.99, 10.0, 12345.0)] == [0.01, 1.0, 1.0, 10.0, 10000.0]


def test_random_numbers_are_those_of_numpy():
    """Even and normal numbers are numpy's own, but for the last bits of those that come from the C library."""
    ours, theirs = np.random.default_rng(3), np.random.default_rng(3)
    np.testing.assert_allclose(
        exact.uniform(ours, -2.0, 5.0, (1000,)), theirs.uniform(-2.0, 5.0, 1000), rtol=0, atol=1e-15
    )
    np.testing.assert_allclose(exact.normal(ours, (50_000,)), theirs.standard_normal(50_000), rtol=0, atol=1e-10)


def test_random_numbers_come_from_here():
    """No module takes numbers from a range by numpy's own way, which joins product and sum on some processors."""
    package = Path(exact.__file__).parent
    modules = {
        path.name for path in package.rglob("*.py") if re.search(r"(?<!exact)\.uniform\(", path.read_text("utf-8"))
    }

    assert modules == set()
