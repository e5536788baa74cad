"""Statistics of corpora and tables, as the papers count them."""
