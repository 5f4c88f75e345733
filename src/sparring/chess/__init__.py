"""Chess: rules, notation, PGN, books, and the networks of Lc0, Maia and Maia-3."""
