"""Adapters: how each agent is started, and what is read from what it leaves."""
