"""Runs the command line."""

import sys

from inventory.cli import main

sys.exit(main())
