"""How well the review of games of chess finds what people lose: `python -m studies review-judge` and
`review`."""
