"""The worked example of `antifreeze watch`: what its first lines say is what happens."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "watch_story.py"


def test_the_story_is_as_told():
    pytest.importorskip("smolagents")
    done = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "exit statuses [124, 0], events ['timed_out', 'rejected'], frozen in ['evaluate_binop']: as told" in done.stdout
    assert "were still running" not in done.stderr
