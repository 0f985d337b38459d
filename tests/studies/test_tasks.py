from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from boidsgen.measuring import MAX_MEASURED, RunMeasures, accuracy
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import Source
from boidsgen.simulation.measures import measure
from boidsgen.simulation.profiles import PROFILES, everybody
from boidsgen.simulation.run import simulate
from boidsgen.studies.sweep import POSTER_SIDE, RunJob, late_poster
from tests.running import SMALL


def test_measuring_is_bounded():
    """However long a run is, only so many of its frames are measured, the last one among them."""
    scenario = draft(Source("", "", SMALL), [Override("time.frames", 3 * MAX_MEASURED + 1, "")]).scenario()
    states = list(simulate(scenario))
    measures = RunMeasures(scenario, {}, keep_rows=False)
    for state in states:
        measures.add(state)

    measured = [measure(state)["polarization"] for state in states[::4]]
    assert len(measured) <= MAX_MEASURED
    assert measures.entries()["final"] == measure(states[-1])
    assert measures.entries()["mean"]["polarization"] == pytest.approx(sum(measured) / len(measured))


def test_a_run_tells_means_errors_moments_and_profiles(tmp_path):
    """All of them are over the measured frames, and the series has these frames and no others."""
    wanted = {"names": ("mean_speed",), "profiles": ("density_profile",), "from": 1, "every": 1}
    settings = [Override("measure", wanted, ""), Override("time.frames", 6, "")]
    scenario = draft(Source("", "", SMALL), settings).scenario()
    series = tmp_path / "series.npz"
    pairs = tuple((one.key, one.value) for one in settings)

    found = RunJob("", Source("", "", SMALL), pairs, "", "", str(series)).do()

    states = list(simulate(scenario))[1:]
    speeds = [measure(state)["mean_speed"] for state in states]
    assert found["mean"] == {"mean_speed": pytest.approx(np.mean(speeds))}
    for entry, value in accuracy(speeds)._asdict().items():
        assert found[entry] == {"mean_speed": pytest.approx(value)}
    assert found["moments"] == {"mean_speed": pytest.approx([np.mean(np.power(speeds, power)) for power in (2, 4)])}
    assert found["boids"] == 5
    density = np.mean([PROFILES["density_profile"]().values(everybody(state)) for state in states], axis=0)
    assert found["profiles"]["density_profile"]["mean"] == pytest.approx(density.tolist())
    with np.load(series) as arrays:
        assert arrays["frame"].tolist() == [1, 2, 3, 4, 5]
        assert arrays["mean_speed"].tolist() == speeds


def test_a_poster_is_the_last_frame(tmp_path):
    """Of a clip that grows brighter the poster is as bright as its end, and no larger than it is shown."""
    frames = [Image.new("L", (700, 300), 60 * number) for number in range(4)]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])

    scenario = draft(Source("", "", SMALL), [Override("output.loop_seam", 0, "")]).scenario()
    head, _, content = late_poster(tmp_path / "a.gif", scenario).partition(",")

    assert head == "data:image/jpeg;base64"
    with Image.open(BytesIO(b64decode(content))) as image:
        assert max(image.size) == POSTER_SIDE
        assert np.asarray(image).mean() == pytest.approx(180, abs=3)
