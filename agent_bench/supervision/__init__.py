"""The child program that starts commands, holds their limits and proves their end. Standard library alone.

``process.Launcher`` starts it once; nothing else talks to it.
"""
