"""Lanes: a few numbers that compiled code handles at once, one for each of some boids.

  + - * /                     lane by lane
  spread(number)              the same number in all lanes
  loaded(array, index)        so many elements of an array of one dimension, from this index on
  store(array, index, lanes)  put them there
  rounded(lanes)              as `np.rint`
  rooted(lanes)               as `np.sqrt`
  where_less(one, other, value, otherwise)
                              the value in lanes in which the one is less than the other, what is otherwise in the rest
  any_less(one, other)        1 if it is so in any lane, 0 if in none
Each lane has the bits that the same operation on single numbers gives. The compiler is told what to do at once: to find
out by itself it would have to be sure that no array overlaps another, and can hardly be.
"""

# What numba hands over has no types of its own; what an operation is generated for need not be what it is called with.
# ruff: noqa: ANN001, ANN002, ANN201, ANN202, ARG001
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

import operator

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

WIDTH, REGISTER = 8, 4
"""Lanes, and how many of them go into one register. With eight, dense crowds in 3D take an eighth less; but these slow
the processor down more, for which all else pays."""

ARITHMETIC = {operator.add: "fadd", operator.sub: "fsub", operator.mul: "fmul", operator.truediv: "fdiv"}
"""What Python calls an operation, and what the compiler calls it."""


class Lanes(types.Type):
    """The type of such numbers."""


lanes = Lanes(f"{WIDTH} lanes")

_part = ir.VectorType(ir.DoubleType(), REGISTER)
_all_parts = ir.ArrayType(_part, WIDTH // REGISTER)


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    """What they are in machine code."""

    def __init__(self, manager, kind) -> None:
        super().__init__(manager, kind, _all_parts)


def _by_parts(builder, generate, *operands):
    """Lanes of which each part is generated from that part of the operands."""
    whole = ir.Constant(_all_parts, ir.Undefined)
    for number in range(_all_parts.count):
        parts = [builder.extract_value(operand, number) for operand in operands]
        whole = builder.insert_value(whole, generate(*parts), number)
    return whole


def _offer(operation, instruction) -> None:
    """Let lanes be operands of an operation."""

    @infer_global(operation)
    class _Typing(AbstractTemplate):
        def generic(self, args, _):
            return signature(lanes, *args) if args == (lanes, lanes) else None

    @lower_builtin(operation, lanes, lanes)
    def generate(_, builder, __, args):
        return _by_parts(builder, getattr(builder, instruction), *args)


for _operation, _instruction in ARITHMETIC.items():
    _offer(_operation, _instruction)


def _addresses(context, builder, kind, array, index):
    """Where the parts begin that stand in an array from this index on."""
    data = context.make_array(kind)(context, builder, array).data
    begins = [builder.add(index, index.type(number * REGISTER)) for number in range(_all_parts.count)]
    return [builder.bitcast(builder.gep(data, [begin]), _part.as_pointer()) for begin in begins]


@intrinsic
def spread(_, number):
    """The same number in all lanes."""

    def generate(_, builder, __, args):
        first = builder.insert_element(ir.Constant(_part, ir.Undefined), args[0], ir.IntType(32)(0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), REGISTER), None)
        part = builder.shuffle_vector(first, first, everywhere)
        return _by_parts(builder, lambda: part)

    return lanes(types.float64), generate


@intrinsic
def loaded(_, array, index):
    """Elements of an array (n,), from this index on."""

    def generate(context, builder, signature, args):
        addresses = iter(_addresses(context, builder, signature.args[0], *args))
        return _by_parts(builder, lambda: builder.load(next(addresses), align=8))

    return lanes(array, types.uint64), generate


@intrinsic
def store(_, array, index, one):
    """Put lanes into an array (n,), from this index on."""

    def generate(context, builder, signature, args):
        for number, address in enumerate(_addresses(context, builder, signature.args[0], *args[:2])):
            builder.store(builder.extract_value(args[2], number), address, align=8)
        return context.get_dummy_value()

    return types.void(array, types.uint64, one), generate


def _applied(instruction):
    """What makes machine code of an operation of the processor on one operand."""

    def generate(_, builder, __, args):
        kind = ir.FunctionType(_part, [_part])
        code = builder.module.declare_intrinsic(f"{instruction}.v{REGISTER}f64", (), kind)
        return _by_parts(builder, lambda part: builder.call(code, [part]), *args)

    return generate


@intrinsic
def rounded(_, one):
    """Lanes rounded to whole numbers, halves to even ones."""
    return lanes(one), _applied("llvm.rint")


@intrinsic
def rooted(_, one):
    """Square roots."""
    return lanes(one), _applied("llvm.sqrt")


@intrinsic
def where_less(_, one, other, value, otherwise):
    """The value in lanes in which the one is less than the other, what is otherwise in the rest."""

    def generate(_, builder, __, args):
        def part_where_less(one, other, value, otherwise):
            return builder.select(builder.fcmp_ordered("<", one, other), value, otherwise)

        return _by_parts(builder, part_where_less, *args)

    return lanes(one, other, value, otherwise), generate


@intrinsic
def any_less(_, one, other):
    """1 if the one is less than the other in any lane, 0 if in none."""

    def generate(_, builder, __, args):
        bits = ir.IntType(REGISTER)(0)
        for number in range(_all_parts.count):
            less = builder.fcmp_ordered("<", *[builder.extract_value(operand, number) for operand in args])
            bits = builder.or_(bits, builder.bitcast(less, bits.type))
        return builder.zext(builder.icmp_unsigned("!=", bits, bits.type(0)), ir.IntType(64))

    return types.uint64(one, other), generate
