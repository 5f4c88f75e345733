"""Self-play: how strong the networks of a run are."""
