"""Changes of the tables, one file each, run when a store is opened."""
