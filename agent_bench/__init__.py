"""agent-bench: AI coding agents side by side on the same tasks, graded, priced and kept."""

from importlib.metadata import version

__version__ = version("agent-bench")
