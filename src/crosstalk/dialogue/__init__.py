"""Dialogues, acts, goals, states and schemas: frozen, comparable values; no files, stdlib only."""
