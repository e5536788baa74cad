"""The command line: one file a command group; the only place that prints.

A command parses its options, makes one call and prints the result.
"""
