"""Conversational specialisation: continue training an encoder on text of a language pair.

`specialise_encoder` runs it: `training_instances` (data) -> `objectives` (losses and training).
"""
