"""Conversation disentanglement: raw multi-party chat logs become two-person dialogues.

The main path: `extraction_run` (a whole run) -> `part_extraction` (one channel and month) ->
`log_reader` (messages) -> an `Extractor` (`linking.link_extractor` or `paper_extraction`) ->
`thread_tables` (Parquet).
"""
