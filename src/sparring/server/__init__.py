"""The page: a web server on which people play, watch and understand games."""
