"""Where corpora come from: the catalogue and the one door to the network."""
