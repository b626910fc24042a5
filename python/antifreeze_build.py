"""Builds the wheel: maturin's, with the `antifreeze` executable among its scripts.

The package starts that executable as the helper that holds the code, so that the two always belong together. maturin puts either an
extension module or an executable into a wheel; what is in its data folder comes along with either.
"""

import os
import shutil
import subprocess
from pathlib import Path

import maturin
from maturin import (  # noqa: F401  what a build backend has besides
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "target" / "wheel" / "antifreeze.data" / "scripts"
# maturin looks for its data folder whatever it is asked for.
SCRIPTS.mkdir(parents=True, exist_ok=True)


PROFILE = os.environ.get("ANTIFREEZE_BUILD_PROFILE", "release")
"""The Cargo profile; tests of the package itself build it with `dev`."""


READY = os.environ.get("ANTIFREEZE_BUILD_EXECUTABLE")
"""An executable that was built from this tree already."""


def _build_executable():
    if READY:
        return Path(READY)
    cargo = os.environ.get("CARGO", "cargo")
    subprocess.run([cargo, "build", "--profile", PROFILE, "--locked", "--bin", "antifreeze"], cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / ("debug" if PROFILE == "dev" else PROFILE) / "antifreeze"


def _add_executable():
    shutil.copy2(_build_executable(), SCRIPTS / "antifreeze")
    if shutil.which("strip"):
        subprocess.run(["strip", SCRIPTS / "antifreeze"], check=False)


def _settings(config_settings):
    settings = dict(config_settings or {})
    settings.setdefault("build-args", f"--profile {PROFILE} --locked")
    return settings


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _add_executable()
    return maturin.build_wheel(wheel_directory, _settings(config_settings), metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _add_executable()
    return maturin.build_editable(wheel_directory, _settings(config_settings), metadata_directory)
