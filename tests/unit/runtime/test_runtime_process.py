"""Memory, threads, forks and Ctrl-C of the native runtime."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from tapeless.backend import native
from tapeless.config import config
from tapeless.runtime import host
from tapeless.runtime.signature import Param, Result, Signature

from .runtime_kernels import SQUARES, builtin, link

SQUARES_SIGNATURE = Signature((Param("int", "i64"),), (Result("array", "i64", 1),), (0,))


@pytest.fixture(scope="module")
def allocator():
    addresses = native.symbols()
    alloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)(addresses["tp_alloc"])
    free = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(addresses["tp_free"])
    return alloc, free


def test_blocks_are_aligned_disjoint_and_large_enough(allocator):
    alloc, free = allocator
    sizes = [0, 1, 63, 64, 65, 100, 1000, 4096, 4097, 10**6, 3 * 10**6]
    blocks = [(alloc(size), size) for size in sizes for _ in range(3)]
    assert all(address % 64 == 0 for address, _ in blocks)
    for k, (address, size) in enumerate(blocks):
        ctypes.memset(address, k + 1, size)
    for k, (address, size) in enumerate(blocks):
        assert ctypes.string_at(address, size) == bytes([k + 1]) * size
    for address, _ in blocks:
        free(address)


def test_freed_block_is_reused_and_counted(allocator):
    alloc, free = allocator
    host.trim()
    before = host.memory()
    assert before.cached_bytes == before.cached_blocks == 0
    first = alloc(100_000)
    assert host.memory().live_blocks == before.live_blocks + 1
    assert host.memory().live_bytes - before.live_bytes >= 100_000
    free(first)
    assert host.memory().live_bytes == before.live_bytes
    assert host.memory().cached_blocks == 1
    second = alloc(99_000)  # of the same class
    assert second == first
    free(second)
    host.trim()
    after = host.memory()
    assert (after.live_blocks, after.live_bytes) == (before.live_blocks, before.live_bytes)
    assert (after.cached_blocks, after.cached_bytes, after.allocations - before.allocations) == (0, 0, 2)


def test_cached_memory_is_limited(allocator):
    alloc, free = allocator
    host.trim()
    with config(buffers=1_000_000):
        blocks = [alloc(200_000) for _ in range(20)]
        for block in blocks:
            free(block)
        assert 0 < host.memory().cached_bytes <= 1_000_000
        free(alloc(2_000_000))
        assert host.memory().cached_bytes <= 1_000_000
    host.trim()


@pytest.mark.skipif(sys.platform != "linux", reason="pages are lent on Linux only")
def test_what_is_kept_beyond_the_limit_is_lent(allocator):
    alloc, free = allocator
    host.trim()
    with config(buffers=1_000_000):
        blocks = [alloc(6_000_000) for _ in range(3)]
        for block in blocks:
            free(block)
        assert host.memory().cached_bytes == 0
        assert host.memory().lent_bytes >= 18_000_000
        again = [alloc(6_000_000) for _ in range(3)]
        assert set(again) == set(blocks)
        assert host.memory().lent_bytes == 0
        for k, block in enumerate(again):
            ctypes.memset(block, k + 1, 6_000_000)
        for k, block in enumerate(again):
            assert ctypes.string_at(block, 6_000_000) == bytes([k + 1]) * 6_000_000
            free(block)
        host.trim()
        assert host.memory().lent_bytes == 0
    with config(buffers=0):
        free(alloc(6_000_000))
        assert host.memory().lent_bytes == 0


def test_impossible_sizes_give_null(allocator):
    alloc, _ = allocator
    assert alloc(2**61) is None
    assert alloc(-1) is None


@pytest.mark.parametrize("threads", [1, 2, 8, 3])
@pytest.mark.parametrize("blocks", [0, 1, 2, 7, 1000])
def test_every_block_runs_once(threads, blocks):
    squares = builtin(SQUARES_SIGNATURE, SQUARES)
    with config(threads=threads):
        for _ in range(20):
            np.testing.assert_array_equal(squares(blocks), np.arange(blocks) ** 2)


def test_workers_really_take_part():
    # Each block waits until another one is running as well.
    text = """
    @arrived = internal global i64 0
    define i64 @kernel(ptr %args, ptr %results, ptr %fault) {
      store i64 0, ptr @arrived
      call void @tp_parallel(ptr @body, ptr null, i64 2)
      ret i64 0
    }
    define internal void @body(ptr %env, i64 %first, i64 %last) {
    entry:
      %old = atomicrmw add ptr @arrived, i64 1 seq_cst
      br label %wait
    wait:
      %now = load atomic i64, ptr @arrived seq_cst, align 8
      %both = icmp eq i64 %now, 2
      br i1 %both, label %done, label %wait
    done:
      ret void
    }
    """
    meet = builtin(Signature((), (), ()), text)
    with config(threads=2):
        for pause in (0.0, 0.0, 0.05):  # workers spinning, then asleep
            time.sleep(pause)
            meet()


def test_nested_and_concurrent_regions():
    text = """
    define i64 @kernel(ptr %args, ptr %results, ptr %fault) {
      %n = load i64, ptr %args
      store i64 0, ptr %results
      call void @tp_parallel(ptr @outer, ptr %results, i64 %n)
      ret i64 0
    }
    define internal void @outer(ptr %sum, i64 %first, i64 %last) {
    entry:
      br label %check
    check:
      %i = phi i64 [ %first, %entry ], [ %next, %body ]
      %more = icmp slt i64 %i, %last
      br i1 %more, label %body, label %done
    body:
      call void @tp_parallel(ptr @inner, ptr %sum, i64 10)
      %next = add i64 %i, 1
      br label %check
    done:
      ret void
    }
    define internal void @inner(ptr %sum, i64 %first, i64 %last) {
      %count = sub i64 %last, %first
      %old = atomicrmw add ptr %sum, i64 %count seq_cst
      ret void
    }
    """
    count = builtin(Signature((Param("int", "i64"),), (Result("int", "i64"),), (0,)), text)
    wrong = []

    def work():
        for n in range(60):
            if count(n) != 10 * n:
                wrong.append(n)

    with config(threads=3):
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_child_of_a_fork_has_a_working_runtime():
    squares = builtin(SQUARES_SIGNATURE, SQUARES)
    with config(threads=3):
        squares(100)
        child = os.fork()
        if child == 0:
            right = all(np.array_equal(squares(n), np.arange(n) ** 2) for n in range(50))
            os._exit(0 if right else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        np.testing.assert_array_equal(squares(100), np.arange(100) ** 2)


def _script(kernel: str, body: str) -> str:
    return f"""
import sys, threading, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
import runtime_kernels as k
from tapeless.config import config
from tapeless.runtime.signature import Signature
config.set(threads=2)
forever = k.builtin(Signature((), (), ()), k.{kernel})
print("ready", flush=True)
{body}
"""


CATCH = """
try:
    forever()
except KeyboardInterrupt:
    print("interrupted", flush=True)
try:
    forever()
except KeyboardInterrupt:
    print("again", flush=True)
"""


@pytest.mark.parametrize("kernel", ["FOREVER", "FOREVER_PARALLEL"])
def test_interrupt_ends_a_native_loop(kernel):
    script = [sys.executable, "-c", _script(kernel, CATCH)]
    with subprocess.Popen(script, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        for word in ("interrupted\n", "again\n"):
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == word
        assert process.wait(10) == 0


def test_interrupt_leaves_other_threads_alone():
    body = """
ended = []
def other():
    try:
        forever()
    except KeyboardInterrupt:
        ended.append(True)
thread = threading.Thread(target=other, daemon=True)
thread.start()
try:
    forever()
except KeyboardInterrupt:
    time.sleep(0.3)
    print("main", len(ended), flush=True)
"""
    script = [sys.executable, "-c", _script("FOREVER", body)]
    with subprocess.Popen(script, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "main 0\n"
        process.kill()


def test_poll_outside_a_call_never_stops():
    address, owner = link("define i64 @poll() {\n %r = call i64 @tp_poll()\n ret i64 %r\n}", "poll")
    assert ctypes.CFUNCTYPE(ctypes.c_int64)(address)() == 0
    assert owner is not None
