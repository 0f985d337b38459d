"""glTF: scenes that the validator of Khronos accepts, read again by the letters of the specification."""

import json
import shutil
import struct
import subprocess
from math import hypot, isclose
from pathlib import Path

import numpy as np
import pytest

from boidsgen import load_scenario, presets, record, simulate
from boidsgen.simulation.world import BOUNDARIES

VALIDATOR = Path(__file__).parents[1] / "page" / "node_modules" / "gltf-validator" / "index.js"
VALIDATE = """
const {{ readFileSync }} = require("node:fs");
const paths = process.argv.slice(1);
Promise.all(paths.map((path) => require({0}).validateBytes(new Uint8Array(readFileSync(path)))))
  .then((reports) => console.log(JSON.stringify(reports.map(({{ issues }}) => issues.messages))));
"""


def opened(path):
    """The JSON and the numbers of a file."""
    content = path.read_bytes()
    magic, version, length, told, kind = struct.unpack_from("<4sIII4s", content)
    assert (magic, version, length, kind) == (b"glTF", 2, len(content), b"JSON")
    size, kind = struct.unpack_from("<I4s", content, 20 + told)
    assert (kind, size) == (b"BIN\0", len(content) - told - 28)
    return json.loads(content[20 : 20 + told]), content[28 + told :]


def numbers(scene, content, accessor):
    """The numbers of an accessor, one row each."""
    told = scene["accessors"][accessor]
    view = scene["bufferViews"][told["bufferView"]]
    wide = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[told["type"]]
    dtype, least = {5126: ("<f4", 1.0), 5122: ("<i2", 32767.0)}[told["componentType"]]
    start = view["byteOffset"] + told["byteOffset"]
    found = np.frombuffer(content, dtype, told["count"] * wide, start)
    return found.reshape(told["count"], wide).astype(float) / least


def turned(quaternion):
    """The axis x, turned by a unit quaternion (x, y, z, w)."""
    x, y, z, w = quaternion
    return 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)


@pytest.mark.parametrize("name", ["quickstart", "couzin-torus", "numpy-predator"])
def test_every_pose_is_that_of_its_animal(name, tmp_path):
    """Each node is where its animal is, y upward, looks where it flies, and has no size while it is absent."""
    scenario = load_scenario(name, {"time.frames": 70, "time.warmup": 0})
    record(scenario, tmp_path / "run.glb")
    scene, content = opened(tmp_path / "run.glb")
    found = {}
    for channel in scene["animations"][0]["channels"]:
        sampler = scene["animations"][0]["samplers"][channel["sampler"]]
        times = numbers(scene, content, sampler["input"])[:, 0]
        assert np.allclose(times, np.arange(70) / scenario.output.fps)
        found[channel["target"]["node"], channel["target"]["path"]] = numbers(scene, content, sampler["output"])
    animals = sum(scenario.most_boids) + sum(scenario.most_predators)
    assert {node for node, _ in found} == {*range(1, animals + 1)}
    for frame, state in enumerate(simulate(scenario)):
        first = 1
        groups, sizes = (*state.flocks, *state.predators), (*scenario.most_boids, *scenario.most_predators)
        for group, most in zip(groups, sizes, strict=True):
            there = group.numbers.tolist()
            for number, position, velocity in zip(there, group.position.tolist(), group.velocity.tolist(), strict=True):
                x, y, z = (*position, 0.0)[:3]
                up, deep = (z, -y) if len(position) == 3 else (0.0, -y)
                assert np.allclose(found[first + number, "translation"][frame], (x, up, deep), atol=1e-3)
                u, v, w = (*velocity, 0.0)[:3]
                speed = hypot(u, v, w)
                wanted = np.array((u, w, -v) if len(position) == 3 else (u, 0.0, -v)) / speed
                assert np.allclose(turned(found[first + number, "rotation"][frame]), wanted, atol=1e-3)
            for number in {*range(most)} - {*there}:
                assert not found[first + number, "scale"][frame].any()
            first += most


@pytest.mark.parametrize("size", [(60, 40), (50, 40, 30)])
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_nobody_is_seen_to_cross_the_world(boundary, size, tmp_path):
    """Poses are interpolated in worlds with walls or without end; where edges are joined, they are held for a frame."""
    flock = {"count": 12, "max_speed": 3.0, "separation": {"radius": 4.0}, "perception": {"radius": 8.0}}
    table = {"world": {"size": size, "boundary": boundary}, "time": {"frames": 60}, "flock": flock}
    record(load_scenario(table), tmp_path / "run.glb")
    scene, content = opened(tmp_path / "run.glb")
    jumps = {"LINEAR": 0, "STEP": 0}
    for channel in scene["animations"][0]["channels"]:
        sampler = scene["animations"][0]["samplers"][channel["sampler"]]
        if channel["target"]["path"] == "translation":
            ways = np.abs(np.diff(numbers(scene, content, sampler["output"]), axis=0))
            jumps[sampler["interpolation"]] += int((ways > min(size) / 2).any(axis=1).sum())

    assert jumps["LINEAR"] == 0
    assert bool(jumps["STEP"]) == BOUNDARIES[boundary].jumps


def test_faces_look_outward(tmp_path):
    """The normal of each face of the body points away from its middle."""
    record(load_scenario("quickstart", {"time.frames": 2, "time.warmup": 0}), tmp_path / "run.glb")
    scene, content = opened(tmp_path / "run.glb")
    body = scene["meshes"][0]["primitives"][0]["attributes"]
    corners, normals = (numbers(scene, content, body[part]).reshape(-1, 3, 3) for part in ("POSITION", "NORMAL"))
    for face, normal in zip(corners, normals, strict=True):
        assert np.dot(normal[0], face.mean(0)) > 0
        assert isclose(float(np.linalg.norm(normal[0])), 1.0, abs_tol=1e-6)
        assert np.dot(np.cross(face[1] - face[0], face[2] - face[0]), normal[0]) > 0


@pytest.mark.skipif(not VALIDATOR.exists(), reason="needs gltf-validator, which `just page` installs")
def test_the_validator_finds_nothing(tmp_path):
    """The scene of every preset is valid glTF 2.0, without warnings; 500 boids of 200 frames take less than 6 MB."""
    for preset in presets():
        scenario = load_scenario(preset.name, {"time.frames": 2, "time.warmup": 0, "output.loop_seam": 0})
        if sum(scenario.most_boids) < 5000:
            record(scenario, tmp_path / f"{preset.name}.glb")
    record(load_scenario("quickstart", {"flock.count": 500}), tmp_path / "large.glb")
    script = VALIDATE.format(json.dumps(str(VALIDATOR)))
    node = shutil.which("node")
    checked = subprocess.run([node, "-e", script, *tmp_path.iterdir()], capture_output=True, text=True, check=True)

    assert [issues for issues in json.loads(checked.stdout) if issues] == []
    assert (tmp_path / "large.glb").stat().st_size < 6e6
