"""The ACE paper's experiments: tuned Theta, a round robin of four classes, a position test."""
