"""Lasting: what appears at one frame and leaves at another."""

from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from boidsgen.tables import Table


class Lasting(Table):
    """Something that is there for a time."""

    from_: Annotated[int, Field(ge=0, alias="from")] = 0
    """First frame in which it is there."""
    until: Annotated[int, Field(ge=0)] | None = None
    """First frame in which it is no longer there. Default: it stays."""

    @field_validator("until")
    @classmethod
    def _after_from(cls, value: int | None, info: ValidationInfo) -> int | None:
        first = info.data.get("from_")
        if value is not None and first is not None and value <= first:
            raise ValueError(f"must be after from, {first}, not {value}")
        return value

    def present(self, frame: int) -> bool:
        """Whether it is there in this frame."""
        return self.from_ <= frame and (self.until is None or frame < self.until)
