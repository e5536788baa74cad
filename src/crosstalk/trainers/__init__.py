"""What `crosstalk train` does for each part: find the data, train, cross-validate, write a card."""
