"""The sentences below the picture."""


def changes(frames):
    """The numbers of the frames that differ from the one before."""
    return [number for number in range(1, len(frames)) if (frames[number] != frames[number - 1]).any()]


def test_captions_follow_the_events(film):
    """The overlay's caption stands until an event brings another, and an empty one takes it away."""
    events = ({"at": 2, "caption": "alignment off"}, {"at": 4, "caption": ""})
    frames = film({"overlay": {"caption": "all three rules"}}, events=events)

    assert changes(frames) == [2, 4]
    assert frames[0].any()
    assert not frames[4].any()


def test_caption_of_an_event_needs_no_overlay(film):
    """An event's caption is shown without a word in the overlay table."""
    frames = film(events=({"at": 2, "caption": "alignment off"},))

    assert changes(frames) == [2]
