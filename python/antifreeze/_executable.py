"""The `antifreeze` executable that came with the package: it is started as the helper that holds the code."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from functools import lru_cache
from pathlib import Path

from ._exceptions import SetupError


def _candidates() -> list[Path]:
    schemes = [sysconfig.get_path("scripts")]
    try:
        schemes.append(sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user")))
    except (AttributeError, KeyError):  # Python 3.9 has no preferred schemes.
        schemes.append(sysconfig.get_path("scripts", scheme=f"{os.name}_user"))
    # Beside a package that was installed with `--target`.
    schemes.append(str(Path(__file__).resolve().parent.parent / "bin"))
    schemes.append(str(Path(sys.executable).parent))
    return [Path(folder) / "antifreeze" for folder in schemes]


@lru_cache(maxsize=1)
def executable() -> str:
    """The path of the executable; `$ANTIFREEZE_EXECUTABLE` names another."""
    named = os.environ.get("ANTIFREEZE_EXECUTABLE")
    if named:
        return named
    for path in _candidates():
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    found = shutil.which("antifreeze")
    if found:
        return found
    raise SetupError(
        "the antifreeze executable that comes with this package is not where scripts are installed; "
        "install the package again with pip, or name the executable in ANTIFREEZE_EXECUTABLE"
    )
