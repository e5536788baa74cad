"""The websites: a FastAPI shell and a store around `collection` and `translation`.

`app` puts a site together from areas: `collect` (data collection), `annotate` (second annotation by
experts) and `translate` (post-editing, quality control). See design/collection.md.
"""
