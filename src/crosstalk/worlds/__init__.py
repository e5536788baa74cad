"""Worlds: tables, schema, languages, queries; the folders here are worlds that ship."""
