"""Many threads at once, the GIL released, results bit-equal for every number of threads, memory that does not grow."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tapeless as tp
from tapeless.runtime import host


def mapped(x):
    return np.sin(x) * np.exp(-x) + x**2


def summed(x):
    s = 0.0
    for v in x:
        s += v * v
    return s


def combined(x):
    return x.sum(), x.mean(), x.min(), x.argmax(), np.linalg.norm(x), (x > 0.5).any()


def binned(x):
    h = np.zeros(17)
    for v in x:
        h[int(v * 17) % 17] += v
    return h


def prefixes(x):
    return np.cumsum(x), np.maximum.accumulate(x)


def rows(x):
    m = x[: len(x) // 50 * 50].reshape(-1, 50)
    out = np.empty(len(m))
    for i in range(len(m)):
        best = -1.0
        for j in range(m.shape[1]):
            if m[i, j] > best:
                best = m[i, j] * 0.99
        out[i] = best
    return out, m.sum(axis=0), m.T @ m


def by_operators(x):
    total = tp.reduce(np.add, 0.0, tp.map(lambda v: np.tanh(v) * v, x))
    return total, tp.scan(np.add, 0.0, x), tp.hist(np.add, np.zeros(5), (x * 5).astype(np.int64), x)


PROGRAMS = [mapped, summed, combined, binned, prefixes, rows, by_operators]


def bits(value):
    """The bytes of all numbers of a result."""
    if isinstance(value, tuple):
        return b"".join(map(bits, value))
    return np.asarray(value).tobytes()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_results_do_not_depend_on_the_number_of_threads(program):
    x = np.random.default_rng(7).random(100_003)
    f = tp.jit(program)
    found = set()
    for threads in (1, 2, 3, 4, 2, 1):
        with tp.config(threads=threads):
            found.add(bits(f(x)))
    assert len(found) == 1


def forty_functions(folder):
    """Functions that differ in their code, from a file, for a compiler needs their source."""
    text = "".join(
        f"def f{k}(x):\n    s = {k}.0\n    for i in range(len(x)):\n        s += x[i] * {k} + i\n    return s\n\n\n"
        for k in range(40)
    )
    path = folder / "forty.py"
    path.write_text(text)
    names = {}
    exec(compile(text, str(path), "exec"), names)
    return [names[f"f{k}"] for k in range(40)]


@pytest.fixture
def no_cache():
    """Every thread has to compile."""
    before = tp.config.cache
    tp.config.set(cache=False)
    yield
    tp.config.set(cache=before)


@pytest.mark.usefixtures("no_cache")
def test_many_threads_compile_and_call(tmp_path):
    plain = forty_functions(tmp_path)
    shared = [tp.jit(f) for f in plain]
    x = np.arange(10.0)
    barrier = threading.Barrier(16)

    def work(seed):
        barrier.wait()
        order = np.random.default_rng(seed).permutation(40)
        return {int(k): shared[k](x) for k in order}

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(work, range(16)))
    expected = [f(x) for f in plain]
    assert all([answer[k] for k in range(40)] == expected for answer in answers)
    assert all(len(f.specialisations) == 1 for f in shared)


def test_many_threads_in_parallel_regions():
    x = np.random.default_rng(1).random(60_000)
    jitted = [tp.jit(program) for program in PROGRAMS]
    expected = [bits(f(x)) for f in jitted]

    def work(seed):
        order = np.random.default_rng(seed).permutation(len(jitted))
        return all(bits(jitted[k](x)) == expected[k] for k in order)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))


def test_faults_of_threads_do_not_mix():
    f = tp.jit(lambda x, i: x[i])
    x = np.arange(50.0)

    def work(i):
        try:
            return f(x, i)
        except IndexError as error:
            return f"index {i} " in str(error)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(work, range(100)))
    assert answers == [*x, *[True] * 50]


def test_settings_belong_to_the_thread_that_made_them():
    f = tp.jit(lambda x: np.sqrt(x) * 2)
    x = np.array([-1.0])
    inside, outside = threading.Event(), threading.Event()

    def strict():
        with tp.config(check="nan"):
            f(np.array([1.0]))
            inside.set()
            outside.wait(10)
            with pytest.raises(FloatingPointError):
                f(x)
        return True

    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(strict)
        inside.wait(10)
        assert np.isnan(f(x)[0])
        outside.set()
        assert answer.result()
    assert np.isnan(f(x)[0])


def test_python_runs_while_compiled_code_does():
    @tp.jit
    def long_run(n):
        x = 0.3
        for _ in range(n):
            x = 3.7 * x * (1.0 - x)
        return x

    long_run(1)
    started, done, turns = threading.Event(), threading.Event(), 0

    def work():
        started.set()
        long_run(100_000_000)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    started.wait(10)
    while not done.is_set():
        turns += 1
    thread.join()
    assert turns > 10_000


def test_memory_does_not_grow():
    @tp.jit
    def temporaries(x, n):
        y = np.zeros_like(x)
        for k in range(n):
            y = y + np.sort(x) * k
        return y, np.cumsum(y), x[::-1].copy()

    x = np.random.default_rng(3).random(300)
    faulty = tp.jit(lambda x, i: (x * 2)[i] + (x + 1).sum())
    for _ in range(10):
        temporaries(x, 3)
    before = host.memory()
    for k in range(2000):
        temporaries(x[: 200 + k % 50], k % 4)
        if k % 10 == 0:
            with pytest.raises(IndexError):
                faulty(x, 1000)
    after = host.memory()
    assert after.live_blocks == before.live_blocks
    assert after.live_bytes == before.live_bytes
    assert after.cached_blocks <= before.cached_blocks + 20
