"""`python -m trueline` is the same as `trueline`."""

import sys

from trueline.cli import main

sys.exit(main())
