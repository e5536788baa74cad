"""What the website keeps: tables, migrations, one writer, backups."""
