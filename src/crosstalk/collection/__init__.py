"""The heart of the collection website: rooms, lobby, forms and hints as pure values; no I/O."""
