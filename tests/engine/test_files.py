"""Files are complete or not there."""

import os
import stat

import pytest

from gridpuzzles_gym.engine.system.files import remove_unfinished, replacing, write_bytes, write_text


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_at_the_end_with_its_folders(tmp_path):
    path = tmp_path / "new" / "table.csv"
    with replacing(path) as unfinished:
        assert unfinished.suffix == ".csv"
        unfinished.write_text("a\r\n")
        assert not path.exists()
    assert path.read_bytes() == b"a\r\n"
    assert names(path.parent) == ["table.csv"]
    write_text(path, "ä\n")
    assert path.read_bytes() == "ä\n".encode()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_whatever_ends_it_leaves_what_was_there_and_nothing_else(tmp_path, error):
    path = tmp_path / "film.gif"
    path.write_text("before")

    def fail():
        with replacing(path) as unfinished:
            unfinished.write_text("half of")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_text() == "before"
    assert names(tmp_path) == ["film.gif"]


def test_permissions_follow_the_umask_unless_narrower(tmp_path):
    before = os.umask(0o027)
    try:
        write_bytes(tmp_path / "table", b"")
        write_bytes(tmp_path / "key", b"", mode=0o600)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "table").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


def test_links_stay_links_and_devices_devices(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_text(tmp_path / "link", "through")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "through"
    os.mkfifo(tmp_path / "pipe")
    with replacing(tmp_path / "pipe") as target:
        assert target == tmp_path / "pipe"
    assert names(tmp_path) == ["file", "link", "pipe"]


def test_what_a_killed_writer_left_can_be_removed(tmp_path):
    with replacing(tmp_path / "a[b]c.json") as unfinished:
        left = unfinished.name
    others = ["a[b]c.json", left.replace("a[b]c", "abc"), left[1:], f"{left[:-5]}.csv", ".a[b]c-notes.json"]
    for name in (left, *others):
        (tmp_path / name).touch()
    remove_unfinished(tmp_path / "a[b]c.json")
    assert names(tmp_path) == sorted(others)
