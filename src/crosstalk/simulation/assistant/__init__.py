"""The assistant people talk to: it listens, keeps track, looks things up, decides and speaks."""
