"""A network for small boards of Go: positions that teachers label, and the training on them."""
