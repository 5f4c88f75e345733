"""Self-play: a strong policy and value network of any game from its rules alone.

`games` plays blocks of games in lockstep, `window` has the positions that the learner samples, `matches` are
the evaluation, and `task` is the loop: a task of the one trainer.
"""
