"""Tracking, recorded games and matches of reconnaissance blind chess."""
