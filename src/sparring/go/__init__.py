"""Go: rules, SGF, counting, GTP, and KataGo's networks."""
