"""A blend of two policies: how a beginner's moves change as a strong network counts for more.

White threatens mate on f7. 3... Nf6 attacks the queen and overlooks it.
"""

from __future__ import annotations

import sparring
from sparring.policies import Curve, PolicyPool, PoolMember


def main() -> None:
    """Prints the likeliest moves of blends with more and more of the strong network."""
    chess = sparring.load_game("chess")
    state = chess.initial()
    for move in ("e4", "e5", "Qh5", "Nc6", "Bc4"):
        state = chess.play(state, chess.parse_move(state, move))
    human, strong = (sparring.load_policy(name, game="chess") for name in ("human", "strong"))
    for share in (0.0, 0.25, 0.5, 1.0):
        weights = ((human, 1 - share), (strong, share))
        members = tuple(PoolMember(policy, Curve.constant(weight)) for policy, weight in weights)
        blend = PolicyPool("blend", members)  # the weighted geometric mean
        prediction = blend.predict([sparring.Position(state, rating=1000)])[0]
        moves = ", ".join(f"{move.name} {move.probability:.0%}" for move in prediction.top(4))
        print(f"{share:4.0%} strong: {moves}")


if __name__ == "__main__":
    main()
