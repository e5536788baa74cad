"""The database of a website: tables, migrations, one writer, backups."""
