"""Shogi: rules, notation, KIF, CSA, hcpe, and dlshogi's networks."""
