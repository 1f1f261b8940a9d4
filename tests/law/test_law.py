"""The law: deleting the decorator changes nothing: value, dtype, shape, exception, written arguments."""

import pytest

from . import (
    programs_algorithms,
    programs_arrays,
    programs_control,
    programs_loops,
    programs_models,
    programs_pitfalls,
    programs_simulation,
    programs_traps,
    programs_users_buffers,
    programs_users_corners,
    programs_users_everyday,
    programs_users_factorise,
    programs_users_fields,
    programs_users_finance,
    programs_users_graphs,
    programs_users_indexing,
    programs_users_industry,
    programs_users_iterate,
    programs_users_laboratory,
    programs_users_language,
    programs_users_lists,
    programs_users_mutation,
    programs_users_networks,
    programs_users_numerics,
    programs_users_objects,
    programs_users_particles,
    programs_users_robotics,
    programs_users_sequences,
    programs_users_signals,
    programs_users_statistics,
    programs_users_structures,
    programs_users_types,
    programs_values,
)
from .corpus import CASES, MIXED
from .runner import assert_law

# Importing the programs registers them.
PROGRAMS = (
    programs_algorithms,
    programs_arrays,
    programs_control,
    programs_loops,
    programs_models,
    programs_pitfalls,
    programs_simulation,
    programs_traps,
    programs_users_buffers,
    programs_users_corners,
    programs_users_everyday,
    programs_users_factorise,
    programs_users_fields,
    programs_users_finance,
    programs_users_graphs,
    programs_users_indexing,
    programs_users_industry,
    programs_users_iterate,
    programs_users_laboratory,
    programs_users_language,
    programs_users_lists,
    programs_users_mutation,
    programs_users_networks,
    programs_users_numerics,
    programs_users_objects,
    programs_users_particles,
    programs_users_robotics,
    programs_users_sequences,
    programs_users_signals,
    programs_users_statistics,
    programs_users_structures,
    programs_users_types,
    programs_values,
)


@pytest.mark.parametrize(("function", "args"), CASES, ids=[f"{k}-{case[0].__name__}" for k, case in enumerate(CASES)])
def test_law(run, function, args):
    assert_law(run, function, args)


@pytest.mark.parametrize(("function", "args"), MIXED, ids=[f"{k}-{case[0].__name__}" for k, case in enumerate(MIXED)])
def test_law_up_to_the_kind_of_scalar(run, function, args):
    assert_law(run, function, args, mixed=True)


def test_the_corpus_is_large_enough():
    assert len({function for function, _ in CASES}) >= 80
