"""The training of `human-chess`, a student of Maia-3. README.md has the recipe."""
