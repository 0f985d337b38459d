from boidsgen.studies.sweep.directory import fingerprint


def test_a_folder_has_a_fingerprint(tmp_path):
    """A folder is known by the names and the content of its files."""
    (tmp_path / "1").write_bytes(b"a")
    first = fingerprint(tmp_path)
    (tmp_path / "1").rename(tmp_path / "2")

    assert first["bytes"] == 1
    assert fingerprint(tmp_path)["sha256"] != first["sha256"]
