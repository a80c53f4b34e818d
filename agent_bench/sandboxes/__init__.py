"""Where agents and graders run: ``interface`` is the contract, ``table`` finds one by name."""
