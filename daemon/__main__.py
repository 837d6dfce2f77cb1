"""``python -m capsa.daemon`` is the command ``capsa``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
