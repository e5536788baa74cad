"""Vectors of length 1."""

import numpy as np

from crosstalk.training.unit_vectors import unit_vectors


def test_the_last_axis_has_length_one_and_zeros_stay() -> None:
    found = unit_vectors(np.array([[[3.0, 4.0], [0.0, 0.0]]]))
    assert np.allclose(found, [[[0.6, 0.8], [0.0, 0.0]]])
    assert found.dtype == np.float32
