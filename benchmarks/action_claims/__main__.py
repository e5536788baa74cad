"""Prints the figures."""

from benchmarks.action_claims import main

main()
