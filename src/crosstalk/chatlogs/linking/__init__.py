"""Reply-structure linking: every line is linked to the line it answers.

`link_extractor` asks a linker (rules, or `trained_linker` over `link_features` of
`link_candidates`); conversations are the connected lines.
"""
