"""Pages for translating: editors, annotators of quality control, and who coordinates them."""
