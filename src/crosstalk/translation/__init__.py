"""Translating a corpus: machine translation, post-editing by people, quality control.

`machine_translation` (stage 1) writes one record per utterance, `post_editing` (stage 2) and
`control` (stage 3) are the work queues that the website serves, `finished_corpus` puts the edited
texts and values back into the corpus. Records are `translation_segments`, files `appendix_files`.
"""
