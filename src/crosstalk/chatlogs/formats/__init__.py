"""Layouts of chat logs: one file for each program, over shared parts; `registry` lists them."""
