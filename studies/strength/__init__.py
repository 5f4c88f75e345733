"""How strong is this player: a rating with an interval from the moves of one or more games."""
