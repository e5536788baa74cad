"""One trainer per module: find the data, train, cross-validate, write the card. See `table.py`."""
