"""Compiled code on disk: content-addressed, checked before use, written atomically.

    entry ::= magic | format | header length | payload length | JSON header | payload | BLAKE2b of all before

One file per entry, named by its key: the digest of everything the code depends on, the sources of the compiler
included. Nothing in it is ever evaluated. An entry that is not exactly as written is deleted with one warning,
and the caller compiles again. Writers write a file of their own and rename it over the name: a reader sees a whole
entry or none, and two writers of one key write the same. Whoever can write the folder can run code as the
user, so a folder that others own or can write is refused.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
import struct
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache as once
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

from platformdirs import user_cache_dir

from ..config import config

_MAGIC = b"TAPELESS"
_FORMAT = 1
_PREFIX = struct.Struct("<8sIIQ")
_DIGEST = 32
_SUFFIX = ".tpc"
_TEMPORARY = ".writing-"
_ABANDONED_AFTER = 3600.0


class CacheWarning(UserWarning):
    """The cache could not be used, or an entry was damaged; results are right, only slower to come."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What was stored: the bytes, and a JSON object about them."""

    payload: bytes
    meta: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Info:
    """The state of the cache."""

    folder: str
    enabled: bool
    entries: int
    bytes: int
    limit: int


def key(*parts: str) -> bytes:
    """The digest of strings and of the compiler's own sources."""
    return _digest(_sources(), parts)


def lasting_key(*parts: str) -> bytes:
    """The digest of strings alone: for what stays true when the compiler changes."""
    return _digest(b"", parts)


def _digest(first: bytes, parts: tuple[str, ...]) -> bytes:
    digest = blake2b(first, digest_size=_DIGEST)
    for part in parts:
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.digest()


def get(key: bytes) -> Entry | None:
    """The entry of a key, or None when there is none that can be trusted."""
    folder = _usable_folder()
    if folder is None:
        return None
    path = _path(folder, key)
    try:
        raw = _read(path)
    except FileNotFoundError:
        return None
    except OSError:
        raw = None
    entry = None if raw is None else _decode(raw, key)
    if entry is None:
        _discard(path)
        _warn(f"a damaged entry was deleted: {path}")
        return None
    _touch(path)
    return entry


def put(key: bytes, payload: bytes, meta: dict[str, Any]) -> None:
    """Store an entry; when that is not possible, say so once and go on."""
    folder = _usable_folder()
    if folder is None:
        return
    raw = _encode(key, payload, meta)
    temporary = folder / f"{_TEMPORARY}{os.getpid()}-{secrets.token_hex(8)}"
    try:
        _write(temporary, raw)
        os.replace(temporary, _path(folder, key))
    except OSError as reason:
        _discard(temporary)
        _warn_once(f"cannot write to {folder}: {reason.strerror or reason}")
        return
    _limit(folder, len(raw))


def info() -> Info:
    """Where the cache is and what it holds."""
    folder = _folder()
    sizes = [status.st_size for _, status in _entries(folder)]
    return Info(str(folder), config.cache, len(sizes), sum(sizes), config.cache_limit)


def clear() -> int:
    """Delete every entry; return how many there were."""
    folder = _folder()
    paths = [path for path, _ in _entries(folder)]
    for path in paths:
        _discard(path)
    _sweep(folder, older_than=0.0)
    return len(paths)


def each() -> Iterator[Entry]:
    """Every entry that can be read."""
    for path, _ in _entries(_folder()):
        try:
            entry = _decode(_read(path), bytes.fromhex(path.stem))
        except (OSError, ValueError):
            entry = None
        if entry is not None:
            yield entry


def verify() -> tuple[int, list[str]]:
    """Check every entry and delete the damaged ones; return how many are good, and the names of the others."""
    good, bad = 0, list[str]()
    for path, _ in _entries(_folder()):
        try:
            entry = _decode(_read(path), bytes.fromhex(path.stem))
        except (OSError, ValueError):
            entry = None
        if entry is not None:
            good += 1
        else:
            bad.append(path.name)
            _discard(path)
    return good, bad


def refusal() -> str:
    """Why the folder must not be used; empty when it can be. Makes the folder if need be."""
    folder = _folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError as reason:
        return f"cannot use {folder}: {reason.strerror or reason}"
    if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"{folder} is not used: others own it or can write to it"
    return ""


@once
def _sources() -> bytes:
    """A digest of the compiler's own sources: another compiler makes other code.

    Reading them all would take longer than compiling a small function. A file that was replaced or edited has another
    time of change, which nobody can set.
    """
    files = sorted(_changes(str(Path(__file__).parent.parent)))
    return blake2b(repr(files).encode(), digest_size=_DIGEST).digest()


# Folders that have no part in making code.
_NO_SOURCES = frozenset({"__pycache__", "testing"})


def _changes(folder: str) -> Iterator[tuple[str, int, int, int]]:
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in _NO_SOURCES:
                yield from _changes(entry.path)
        elif entry.name.endswith((".py", ".ll")):
            status = entry.stat()
            yield entry.path, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _encode(key: bytes, payload: bytes, meta: dict[str, Any]) -> bytes:
    header = json.dumps({"key": key.hex(), "meta": meta}).encode()
    body = _PREFIX.pack(_MAGIC, _FORMAT, len(header), len(payload)) + header + payload
    return body + blake2b(body, digest_size=_DIGEST).digest()


def _decode(raw: bytes, key: bytes) -> Entry | None:
    if len(raw) < _PREFIX.size + _DIGEST:
        return None
    body, digest = raw[:-_DIGEST], raw[-_DIGEST:]
    if blake2b(body, digest_size=_DIGEST).digest() != digest:
        return None
    magic, version, header_length, payload_length = _PREFIX.unpack_from(body)
    if (magic, version) != (_MAGIC, _FORMAT) or len(body) != _PREFIX.size + header_length + payload_length:
        return None
    payload_at = _PREFIX.size + header_length
    try:
        header: Any = json.loads(body[_PREFIX.size : payload_at])
    except (ValueError, RecursionError):
        return None
    match header:
        case {"key": str(name), "meta": dict()} if name == key.hex():
            return Entry(body[payload_at:], cast("dict[str, Any]", header["meta"]))
        case _:
            return None


def _read(path: Path) -> bytes:
    # A link, a device or a pipe could lead elsewhere or never end.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise OSError("not a file of ours")
        return file.read()


def _write(path: Path, raw: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(raw)
        file.flush()
        os.fsync(descriptor)


def _folder() -> Path:
    return Path(config.cache_dir or user_cache_dir("tapeless", appauthor=False))


def _usable_folder() -> Path | None:
    """The folder, made if need be; None when the cache is off or the folder must not be used."""
    if not config.cache:
        return None
    reason = refusal()
    if reason:
        _warn_once(reason)
        return None
    return _folder()


def _path(folder: Path, key: bytes) -> Path:
    return folder / (key.hex() + _SUFFIX)


def _entries(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    return _files(folder, lambda name: name.endswith(_SUFFIX) and not name.startswith("."))


def _files(folder: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[Path, os.stat_result]]:
    try:
        with os.scandir(folder) as found:
            for item in found:
                if wanted(item.name):
                    try:
                        yield Path(item.path), item.stat(follow_symlinks=False)
                    except OSError:  # deleted by another process meanwhile
                        continue
    except OSError:
        return


# Bytes written to a folder since it was last looked at.
_written: dict[Path, int] = {}


def _limit(folder: Path, size: int) -> None:
    """Delete the entries used longest ago when the cache is too large. Looks at the folder now and then only."""
    limit = config.current.cache_limit
    pending = _written.get(folder, limit) + size
    _written[folder] = pending
    if pending < limit // 20:
        return
    _written[folder] = 0
    _sweep(folder, older_than=_ABANDONED_AFTER)
    entries = sorted(_entries(folder), key=lambda entry: entry[1].st_mtime)
    excess = sum(status.st_size for _, status in entries) - limit
    for path, status in entries:
        if excess <= 0:
            return
        _discard(path)
        excess -= status.st_size


def _sweep(folder: Path, older_than: float) -> None:
    """Delete what writers that died have left."""
    now = time.time()
    for path, status in list(_files(folder, lambda name: name.startswith(_TEMPORARY))):
        if now - status.st_mtime >= older_than:
            _discard(path)


def _touch(path: Path) -> None:
    try:
        os.utime(path)
    except OSError:
        return


def _discard(path: Path) -> None:
    """Delete a file, or an empty folder that has its name; leave what cannot be deleted."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        try:
            path.rmdir()
        except OSError:
            return


_warned: set[str] = set()


def _warn_once(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        _warn(message)


def _warn(message: str) -> None:
    warnings.warn(f"tapeless cache: {message}", CacheWarning, stacklevel=3)
