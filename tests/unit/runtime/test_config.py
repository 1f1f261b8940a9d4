"""Options: defaults, environment, blocks, validation."""

from __future__ import annotations

import contextvars
import os
import threading

import pytest

from tapeless.config import Config, Settings, config, table, variable


@pytest.fixture
def fresh(monkeypatch):
    for name in [name for name in os.environ if name.startswith("TAPELESS_")]:
        monkeypatch.delenv(name)
    return Config()


def test_defaults(fresh):
    assert fresh.current == Settings()
    assert fresh.threads >= 1
    assert fresh.check == {"bounds"}
    assert fresh.mode == "compile"
    assert fresh.cache is True


def test_environment(monkeypatch, fresh):
    for name, value in {
        "threads": "3",
        "check": "bounds, nan",
        "cache": "0",
        "buffers": "64MB",
        "mode": "python",
    }.items():
        monkeypatch.setenv(variable(name), value)
    settings = fresh.current
    assert (settings.threads, settings.check, settings.cache) == (3, {"bounds", "nan"}, False)
    assert (settings.buffers, settings.mode) == (64_000_000, "python")


def test_blocks_nest_and_end(fresh):
    with fresh(threads=2, check="none") as outer:
        assert outer.threads == fresh.threads == 2
        assert fresh.check == frozenset()
        with fresh(threads=3):
            assert (fresh.threads, fresh.check) == (3, frozenset())
        assert fresh.threads == 2
    assert fresh.current == Settings()
    with pytest.raises(KeyError), fresh(threads=2):
        raise KeyError
    assert fresh.current == Settings()


def test_blocks_belong_to_their_context(fresh):
    seen = []
    with fresh(mode="interpret"):
        thread = threading.Thread(target=lambda: seen.append(fresh.mode))
        thread.start()
        thread.join()
        context = contextvars.copy_context()
    seen.append(context.run(lambda: fresh.mode))
    assert seen == ["compile", "interpret"]


def test_set_changes_the_process(fresh):
    fresh.set(threads=5)
    fresh.debug = True
    seen = []
    thread = threading.Thread(target=lambda: seen.append((fresh.threads, fresh.debug)))
    thread.start()
    thread.join()
    assert seen == [(5, True)]


def test_listeners_hear_every_change(fresh):
    heard = []
    fresh.listen(lambda settings: heard.append(settings.threads))
    with fresh(threads=2):
        fresh.set(debug=True)
    fresh.set(threads=4)
    assert heard[1:] == [2, 2, heard[0], 4]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("threads", 0),
        ("threads", "many"),
        ("threads", True),
        ("threads", 2.0),
        ("check", "bounds,overflow"),
        ("check", 3),
        ("mode", "fast"),
        ("cache", "maybe"),
        ("cache", 2),
        ("cache_dir", 3),
        ("cache_limit", -1),
        ("cache_limit", "1TB"),
        ("buffers", None),
    ],
)
def test_wrong_values_are_refused(fresh, option, value):
    with pytest.raises(ValueError, match=rf"^{option} must be .*; it is "), fresh(**{option: value}):
        pass
    assert fresh.current == Settings()


def test_wrong_environment_names_the_variable(monkeypatch, fresh):
    monkeypatch.setenv("TAPELESS_THREADS", "all")
    with pytest.raises(ValueError, match="TAPELESS_THREADS must be a number from 1 to 1024; it is 'all'"):
        _ = fresh.threads


def test_unknown_options_are_refused(fresh):
    with pytest.raises(TypeError, match="there is no option 'thread'; the options are threads,"), fresh(thread=1):
        pass
    with pytest.raises(AttributeError, match="there is no option"):
        _ = fresh.thread
    with pytest.raises(AttributeError, match="there is no option"):
        fresh.thread = 1


def test_settings_are_keys():
    assert len({Settings(), Settings(), Settings(debug=True)}) == 2


def test_table_lists_every_option():
    rows = table()
    assert [row[0] for row in rows] == list(Settings.__dataclass_fields__)
    assert all(name == f"TAPELESS_{option.upper()}" and doc for option, name, _, doc in rows)
    assert {row[0]: row[2] for row in rows}["threads"] == config.threads
