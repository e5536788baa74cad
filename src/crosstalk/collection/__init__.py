"""Wizard-of-Oz data collection as pure values, without I/O; `web/collect` is the website around it.

Main path: a command (`commands`) becomes events (`events`), a room is the fold of its events
(`rooms`), each role sees a view of it (`room_views`), a finished room is a dialogue (`export`).
"""
