"""The cache under damage, hostility and races: never a crash, never wrong bytes."""

from __future__ import annotations

import errno
import json
import os
import pickle
import random
import re
import struct
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path

import pytest

from tapeless.config import config
from tapeless.runtime import cache

PAYLOAD = bytes(range(256)) * 8
META = {"kernel": "k", "sites": [["bounds", "", None]], "size": 7}
KEY = cache.key("program", "machine")


@pytest.fixture(autouse=True)
def folder(tmp_path):
    cache._warned.clear()
    with config(cache=True, cache_dir=str(tmp_path / "cache")):
        yield tmp_path / "cache"


@pytest.fixture
def entry(folder):
    cache.put(KEY, PAYLOAD, META)
    return folder / f"{KEY.hex()}.tpc"


def expect_refusal(path):
    with pytest.warns(cache.CacheWarning, match="damaged entry"):
        assert cache.get(KEY) is None
    assert not path.exists()
    cache.put(KEY, PAYLOAD, META)
    assert cache.get(KEY).payload == PAYLOAD


def test_round_trip(entry):
    found = cache.get(KEY)
    assert (found.payload, found.meta) == (PAYLOAD, META)
    assert cache.get(cache.key("another")) is None
    assert entry.stat().st_mode & 0o777 == 0o600
    assert entry.parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in entry.parent.iterdir()] == [entry.name]


def test_empty_payload():
    cache.put(KEY, b"", {})
    assert cache.get(KEY) == cache.Entry(b"", {})


def test_keys_depend_on_every_part_and_its_limits():
    keys = {cache.key(), cache.key(""), cache.key("a"), cache.key("ab"), cache.key("a", "b"), cache.key("", "ab")}
    assert len(keys) == 6
    assert cache.key("a", "b") == cache.key("a", "b")


def test_keys_depend_on_the_compilers_sources(monkeypatch):
    before = cache.key("a")
    monkeypatch.setattr(cache, "_sources", lambda: b"another compiler")
    assert cache.key("a") != before


def test_every_bit_of_structure_and_some_of_the_payload(entry):
    """All bits of prefix, header and digest; random ones of the payload."""
    good = entry.read_bytes()
    payload_at = good.index(PAYLOAD)
    places = [*range(payload_at), *range(payload_at + len(PAYLOAD), len(good))]
    places += random.Random(0).sample(range(payload_at, payload_at + len(PAYLOAD)), 200)
    for place in places:
        for bit in (0, 3, 7):
            bad = bytearray(good)
            bad[place] ^= 1 << bit
            assert cache._decode(bytes(bad), KEY) is None
    assert cache._decode(good, KEY) is not None


def test_flipped_bit_on_disk(entry):
    good = entry.read_bytes()
    for place in (0, 9, 13, 17, 30, len(good) // 2, len(good) - 1):
        bad = bytearray(good)
        bad[place] ^= 16
        entry.write_bytes(bytes(bad))
        expect_refusal(entry)


def test_every_truncation_and_added_bytes(entry):
    good = entry.read_bytes()
    assert all(cache._decode(good[:length], KEY) is None for length in range(len(good)))
    assert cache._decode(good + b"\0", KEY) is None
    entry.write_bytes(good[: len(good) // 2])
    expect_refusal(entry)
    entry.write_bytes(b"")
    expect_refusal(entry)


def test_entry_of_another_key(entry):
    other = cache.key("other")
    cache.put(other, b"other code", {})
    os.replace(entry.parent / f"{other.hex()}.tpc", entry)
    expect_refusal(entry)


def sealed(header: bytes, payload: bytes = b"", header_length: int | None = None, payload_length: int | None = None):
    """An entry with a right digest whatever its content."""
    lengths = (
        len(header) if header_length is None else header_length,
        len(payload) if payload_length is None else payload_length,
    )
    body = struct.pack("<8sIIQ", b"TAPELESS", 1, *lengths) + header + payload
    return body + blake2b(body, digest_size=32).digest()


class Payload:
    def __reduce__(self):
        return (os.abort, ())


def hostile_files():
    key = KEY.hex()
    return {
        "pickle": pickle.dumps(Payload()),
        "sealed pickle": sealed(pickle.dumps(Payload())),
        "deep json": sealed(b"[" * 200_000),
        "no object": sealed(b"3"),
        "no meta": sealed(json.dumps({"key": key}).encode()),
        "meta is no object": sealed(json.dumps({"key": key, "meta": 3}).encode()),
        "not text": sealed(b"\xff\xfe\x00"),
        "huge header length": sealed(b"{}", header_length=2**32 - 1),
        "huge payload length": sealed(b"{}", payload_length=2**64 - 1),
        "lengths that cancel": sealed(b"{}", header_length=6, payload_length=2**64 - 4),
        "zeros": bytes(10_000),
        "text": b"hello\n" * 50,
    }


@pytest.mark.parametrize("name", sorted(hostile_files()))
def test_hostile_file(entry, name):
    entry.write_bytes(hostile_files()[name])
    expect_refusal(entry)


def test_link_folder_and_pipe_in_place_of_an_entry(entry, tmp_path):
    outside = tmp_path / "outside"
    outside.write_bytes(entry.read_bytes())
    entry.unlink()
    entry.symlink_to(outside)
    expect_refusal(entry)
    assert outside.exists()
    for make in (os.mkdir, os.mkfifo):
        entry.unlink()
        make(entry)
        expect_refusal(entry)


def test_full_folder_in_place_of_an_entry(entry):
    entry.unlink()
    (entry / "inside").mkdir(parents=True)
    with pytest.warns(cache.CacheWarning):
        assert cache.get(KEY) is None
    with pytest.warns(cache.CacheWarning, match="cannot write"):
        cache.put(KEY, PAYLOAD, META)
    assert list(entry.parent.iterdir()) == [entry]


def test_folder_others_can_write_is_refused(entry):
    entry.parent.chmod(0o777)
    with pytest.warns(cache.CacheWarning, match="others own it or can write"):
        assert cache.get(KEY) is None
    cache.put(KEY, PAYLOAD, META)  # no second warning


def test_folder_of_another_owner_is_refused(monkeypatch):
    cache.put(KEY, PAYLOAD, META)
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.warns(cache.CacheWarning, match="others own it or can write"):
        assert cache.get(KEY) is None


def test_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with config(cache_dir=str(tmp_path / "file" / "sub")):
        with pytest.warns(cache.CacheWarning, match="cannot use"):
            cache.put(KEY, PAYLOAD, META)
        assert cache.get(KEY) is None


def test_full_disk(folder, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(cache.CacheWarning, match="No space left"):
        cache.put(KEY, PAYLOAD, META)
    cache.put(cache.key("b"), PAYLOAD, META)  # no second warning
    assert list(folder.iterdir()) == []
    monkeypatch.undo()
    assert cache.get(KEY) is None


def test_switched_off(entry):
    with config(cache=False):
        assert cache.get(KEY) is None
        cache.put(cache.key("b"), PAYLOAD, META)
    assert len(list(entry.parent.iterdir())) == 1


def test_oldest_entries_are_evicted(folder):
    keys = [cache.key(str(k)) for k in range(12)]
    with config(cache_limit=10_000):
        for age, key in enumerate(keys):
            cache.put(key, bytes(2000), {})
            path = folder / f"{key.hex()}.tpc"
            os.utime(path, (10**9 + age, 10**9 + age))
        found = [cache.get(key) is not None for key in keys]
    assert found[-1]
    assert not any(found[:6])
    assert cache.info().bytes <= 10_000 + 3000


def test_info_verify_and_clear(entry):
    other = cache.key("other")
    cache.put(other, b"x", {})
    assert cache.info().entries == 2
    entry.write_bytes(entry.read_bytes()[:-1])
    (entry.parent / "notes.txt").write_text("mine")
    (entry.parent / ".writing-1-ab").write_text("a writer died")
    assert cache.verify() == (1, [entry.name])
    assert cache.clear() == 1
    assert [path.name for path in entry.parent.iterdir()] == ["notes.txt"]


RACE = """
import sys
from tapeless.config import config
from tapeless.runtime import cache
config.set(cache=True, cache_dir=sys.argv[1], cache_limit=int(sys.argv[2]))
for round in range(3):
    for k in range(20):
        key = bytes([k]) * 32
        found = cache.get(key)
        expected = bytes([k]) * 5000
        if found is not None:
            assert found.payload == expected and found.meta == {"k": k}
        else:
            cache.put(key, expected, {"k": k})
"""


@pytest.mark.parametrize("limit", [10**9, 40_000])
def test_32_racing_processes(tmp_path, limit):
    """With room for all, and with entries evicted all the time."""
    script = [sys.executable, "-W", "error", "-c", RACE, str(tmp_path / "raced"), str(limit)]
    processes = [subprocess.Popen(script, stderr=subprocess.PIPE, text=True) for _ in range(32)]
    outcomes = [(process.communicate(timeout=100)[1], process.returncode) for process in processes]
    assert outcomes == [("", 0)] * 32
    with config(cache_dir=str(tmp_path / "raced")):
        good, bad = cache.verify()
    assert not bad
    assert (good == 20) == (limit == 10**9)
    assert not list((tmp_path / "raced").glob(".writing-*"))


def test_no_module_loads_pickles():
    forbidden = re.compile(r"^\s*(import|from)\s+(pickle|marshal|shelve|dill|cloudpickle)\b", re.MULTILINE)
    root = Path(cache.__file__).parent.parent
    assert [path.name for path in root.rglob("*.py") if forbidden.search(path.read_text())] == []


def test_the_cache_evaluates_nothing():
    assert not re.search(r"\b(eval|exec|compile|__import__)\(", Path(cache.__file__).read_text())


def test_an_edit_of_the_compiler_is_seen_though_size_and_date_stay(tmp_path):
    source = tmp_path / "passes" / "fold.py"
    source.parent.mkdir()
    source.write_text("x = 1\n")
    before = list(cache._changes(str(tmp_path)))
    date = source.stat().st_mtime_ns
    assert list(cache._changes(str(tmp_path))) == before
    source.write_text("x = 2\n")
    os.utime(source, ns=(date, date))
    assert list(cache._changes(str(tmp_path))) != before
