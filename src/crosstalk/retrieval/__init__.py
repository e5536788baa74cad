"""Response selection: given a context, which of several responses is the real one?

The main path: `turn_table` (dialogues) -> `triples` (write files) -> `rankers` (train, load) ->
`response_files` and `evaluation.response_selection` (Recall@k).
"""
