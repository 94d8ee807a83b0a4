"""Pattern databases: distances against a slow twin and known counts, symmetries, and files that came to harm."""

import collections
import itertools
import os
import warnings

import numpy as np
import pytest
from helpers import run

from gridpuzzles_gym.agents.n_puzzle.pattern_databases import building as pattern_building
from gridpuzzles_gym.agents.n_puzzle.pattern_databases import cache as pattern_cache
from gridpuzzles_gym.agents.n_puzzle.pattern_databases.building import (
    UNKNOWN,
    Partition,
    build,
    make_partition,
    rank_of,
    standard,
    weights_of,
)
from gridpuzzles_gym.agents.n_puzzle.pattern_databases.cache import HEADER, load_or_build, path_of
from gridpuzzles_gym.puzzles.n_puzzle import boards

SMALL = Partition(2, 3, 0, ((1, 2), (3, 4, 5)))


def steps(square, height, width):
    row, column = divmod(square, width)
    if row:
        yield square - width
    if row + 1 < height:
        yield square + width
    if column:
        yield square - 1
    if column + 1 < width:
        yield square + 1


def twin(partition, pattern):
    """Placement → distance: breadth-first over placements and blanks; moves of other tiles are free."""
    start = (pattern, partition.blank)
    found, queue = {start: 0}, collections.deque([start])
    while queue:
        placement, blank = queue.popleft()
        distance = found[placement, blank]
        for square in steps(blank, partition.height, partition.width):
            if square in placement:
                moved = tuple(blank if other == square else other for other in placement)
                after, cost = (moved, square), 1
            else:
                after, cost = (placement, square), 0
            if found.get(after, UNKNOWN) > distance + cost:
                found[after] = distance + cost
                (queue.append if cost else queue.appendleft)(after)
    least = {}
    for (placement, _), distance in found.items():
        least[placement] = min(distance, least.get(placement, UNKNOWN))
    return least


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize(
    ("height", "width", "blank", "pattern"),
    [
        (2, 2, 0, (1, 2, 3)),
        (2, 3, 1, (0, 5)),
        (2, 3, 2, (0, 1, 3, 4)),
        (3, 3, 4, (0, 1, 2, 3)),
        (3, 3, 0, (2, 5, 7, 8)),
        (2, 5, 3, (0, 4, 9)),
        (4, 4, 0, (12, 13, 14)),
        (3, 5, 7, (1, 14)),
        (2, 8, 5, (0, 15)),
    ],
)
def test_distances(height, width, blank, pattern):
    partition = Partition(height, width, blank, (pattern,))
    distances = np.zeros(partition.entries[0], np.uint8)
    build(distances, pattern, partition)
    weights, known = weights_of(height * width, len(pattern)), twin(partition, pattern)
    seen = set()
    for placement in itertools.permutations(range(height * width), len(pattern)):
        rank = rank_of(placement, weights)
        seen.add(rank)
        assert distances[rank] == known.get(placement, UNKNOWN)
    assert len(seen) == len(distances)


@pytest.mark.compiled
@pytest.mark.extended
def test_the_whole_eight_puzzle():
    """A. Reinefeld, "Complete solution of the eight-puzzle", IJCAI 1993: 181,440 boards, 31 moves, 21.97 on average."""
    partition = make_partition(3, 3, 0, (8,))
    distances = np.zeros(partition.entries[0], np.uint8)
    reports = []
    build(distances, partition.patterns[0], partition, reports.append)
    reached = distances[distances != UNKNOWN]
    assert (len(reached), reached.max(), (reached == 31).sum()) == (181_440, 31, 2)
    assert round(reached.mean(), 2) == 21.97
    assert reports[-1] == 181_440


@pytest.mark.compiled
@pytest.mark.extended
def test_disjoint_patterns_never_exceed_the_distance():
    whole, halves = make_partition(3, 3, 0, (8,)), make_partition(3, 3, 0, (4, 4))
    tables = []
    for partition in (whole, halves):
        for pattern, entries in zip(partition.patterns, partition.entries, strict=True):
            tables.append((pattern, np.zeros(entries, np.uint8)))
            build(tables[-1][1], pattern, partition)
    (_, exact), *parts = tables
    rng = np.random.default_rng(0)
    gap = 0
    for _ in range(3000):
        squares = rng.permutation(9)[:8].tolist()  # of tiles 1 … 8, at home on squares 1 … 8
        distance = exact[rank_of(squares, weights_of(9, 8))]
        total = sum(
            int(part[rank_of([squares[tile - 1] for tile in pattern], weights_of(9, 4))]) for pattern, part in parts
        )
        assert total <= distance
        gap += distance != UNKNOWN and total == distance
    assert gap, "and sometimes they reach it"


@pytest.mark.parametrize("extent", [(3, 3), (4, 4), (2, 5), (5, 2)])
def test_standard_boards(extent):
    squares = extent[0] * extent[1]
    classes = collections.Counter()
    for blank in range(squares):
        goal = list(range(1, squares))
        goal.insert(blank, 0)
        level, _ = boards.make_rows(tuple(goal), tuple(goal), extent)
        (height, width, home), symmetries = standard(level)
        assert height <= width
        assert height * width == squares
        classes[home] += 1
        assert len(set(symmetries)) == len(symmetries) >= 1
        for places in symmetries:
            assert places[blank] == home
            for square in range(squares):  # neighbours remain neighbours
                near = {places[other] for other in steps(square, *extent)}
                assert near == set(steps(places[square], height, width))
    if extent == (4, 4):
        assert dict(classes) == {0: 4, 1: 8, 5: 4}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(pattern_cache, "cache_root", lambda: tmp_path)
    return tmp_path / "pattern-databases"


def builds(monkeypatch):
    calls = []
    monkeypatch.setattr(pattern_cache, "build", lambda *given: calls.append(1) or pattern_building.build(*given))
    return calls


def test_kept_and_found_again(folder, monkeypatch):
    calls = builds(monkeypatch)
    first = load_or_build(SMALL).copy()
    assert len(calls) == 2
    assert [file.name for file in folder.iterdir()] == ["2x3-blank-0_1-2_3-4-5.pdb"]
    second = load_or_build(SMALL)
    assert len(calls) == 2
    assert (first == second).all()
    second[:] = 0  # the caller's own: nobody else sees that
    assert (load_or_build(SMALL) == first).all()
    assert len(calls) == 2


def test_damaged_files_are_built_again(folder, monkeypatch):
    calls = builds(monkeypatch)
    good = load_or_build(SMALL).tobytes()
    path, rng = path_of(SMALL), np.random.default_rng(3)
    places = [0, 40, HEADER - 1, HEADER, len(good) - 1, *rng.integers(len(good), size=15).tolist()]
    harms = [good[:place] + bytes([good[place] ^ 1 << rng.integers(8)]) + good[place + 1 :] for place in places]
    harms += [b"", good[:100], good[:HEADER], good[:-1], good + b"\0", b"something else entirely" * 300]
    harms.append(load_or_build(Partition(2, 3, 0, ((1, 3), (2, 4, 5)))).tobytes())
    for number, harm in enumerate(harms):
        calls.clear()
        path.write_bytes(harm)
        with pytest.warns(UserWarning, match="2x3-blank-0_1-2_3-4-5.pdb cannot be used"):
            assert load_or_build(SMALL).tobytes() == good, number
        assert len(calls) == 2
        assert path.read_bytes() == good
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert load_or_build(SMALL).tobytes() == good


def test_ctrl_c_leaves_nothing_behind(folder, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pattern_cache, "build", interrupt)
        with pytest.raises(KeyboardInterrupt):
            load_or_build(SMALL)
    assert list(folder.iterdir()) == []
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            load_or_build(SMALL)
    assert list(folder.iterdir()) == []


@pytest.mark.compiled
@pytest.mark.extended
def test_the_command(folder, capsys):
    command = ["warmup", "15-puzzle", "--heuristic"]
    code, out, _ = run(capsys, *command, "pdb-5-5-5", "--workers", 1)
    assert (code, out.startswith("done; the tables are in ")) == (0, True)
    (file,) = folder.iterdir()
    before = file.stat()
    assert run(capsys, *command, "pdb-5-5-5", "--workers", 1)[0] == 0
    assert file.stat() == before
    for arguments, said in (
        ([*command, "manhattan"], "heuristic 'manhattan' keeps no tables on disk; available for Sliding tiles: pdb"),
        ([*command, "pdb"], "pdb supports boards of up to 10 squares; this one has 4x4"),
        (["warmup", "--heuristic", "pdb-5-5-5"], "--heuristic needs the ID of an environment"),
        (["warmup", "15-puzzle", "--workers", 2], "--workers is for tables: it needs --heuristic NAME"),
    ):
        code, _, err = run(capsys, *arguments)
        assert (code, err.count("\n")) == (2, 1)
        assert said in err
