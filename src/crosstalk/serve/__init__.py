"""Our system as an OpenAI-compatible endpoint, and a world's database as MCP tools."""
