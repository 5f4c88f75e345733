"""Breakthrough: rules and notation."""
