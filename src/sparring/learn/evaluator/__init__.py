"""Networks that evaluate Expendibots: positions from self-play, and what learns from them."""
