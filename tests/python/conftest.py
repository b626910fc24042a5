"""The Python package against real CPython. Deadlines are generous: what is asserted is what comes out."""

import os

import pytest


@pytest.fixture(scope="session")
def cores():
    return os.cpu_count() or 1
