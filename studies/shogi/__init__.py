"""Shogi of people: games by people, their strength, and tables to train on."""
