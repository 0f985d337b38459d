"""One picture instead of a clip."""

from boidsgen.drawing.frame import Frame
from boidsgen.writers.formats.png import encoded
from boidsgen.writers.publication import place_for, storing


def write_still(
    path: str, frame: Frame, *, number: int | None = None, provenance: str = "", no_clobber: bool = False
) -> tuple[str, ...]:
    """Write the frame as a PNG, complete or not at all; "-" is standard output.

    Args:
        path: the file, a pipe, or "-".
        frame: the picture.
        number: of the frame in its clip, counted from 0, for the chunk "Frame".
        provenance: a text for the chunk "Comment", empty for none.
        no_clobber: leave an existing file as it is.

    Returns:
        Lines the user should see, such as what was tidied up.

    Raises:
        StorageError: it cannot be written.
        OutputExistsError: it exists, under `no_clobber`.
        UsageError: standard output is a terminal.
    """
    place = place_for(path, "stream", no_clobber=no_clobber)
    try:
        with storing(place.name):
            with place.open() as file:
                file.write(encoded(frame, provenance, number))
            place.publish()
    finally:
        place.discard()
    return place.notices
