"""Expendibots: rules, agent, tables, book, value network, referee."""
