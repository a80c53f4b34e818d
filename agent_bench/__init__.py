"""agent-bench: AI coding agents side by side on the same tasks, graded, priced and kept."""

__version__ = "0.1.0"
