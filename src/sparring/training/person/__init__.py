"""Adapts a policy to one person: their rating, style, sharpness and repertoire, fitted to their games."""
