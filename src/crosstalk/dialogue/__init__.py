"""The words of the workbench: frozen, comparable values; no files, no services, stdlib only."""
