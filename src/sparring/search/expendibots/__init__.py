"""Parts of the Expendibots search: endgame tables and value networks, both read by the native search."""
