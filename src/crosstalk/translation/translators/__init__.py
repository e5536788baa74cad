"""Machine translation behind one interface."""
