"""One person: style networks, and how much a person's games bring."""
