"""Agreement of our network readers with the programs that the networks were made for."""
