"""Reconnaissance blind chess: rules, tracking of possible boards, bots, planner, training, front ends."""
