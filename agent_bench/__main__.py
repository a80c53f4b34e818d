"""``python -m agent_bench``."""

from agent_bench.cli.main import main

main()
