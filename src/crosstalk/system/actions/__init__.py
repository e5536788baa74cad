"""Our own system's actions: understood, tracked and decided, done, and put into words."""
