"""`python -m antifreeze` is the `antifreeze` command."""

import os
import sys

from ._exceptions import SetupError
from ._executable import executable


def main() -> None:
    try:
        path = executable()
    except SetupError as error:
        sys.exit(f"error: {error}")
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
