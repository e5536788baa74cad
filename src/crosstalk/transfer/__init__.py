"""Cross-lingual transfer: response retrieval, state tracking, and specialised encoders.

Retrieval: `transfer_corpora` -> `retrieval_task` -> `retriever_builder` ->
`cross_lingual_retriever` (or `dual_encoder`, published). Tracking: `states` -> `dst_transfer` (or
`published_dst_transfer`). `specialisation` continues training an encoder.
`evaluation/*_transfer.py` scores all of them.
"""
