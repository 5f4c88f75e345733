"""Levels: which dial has which strength, and where strength is lost."""
