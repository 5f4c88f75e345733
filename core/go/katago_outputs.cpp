#include "go/katago_outputs.hpp"

#include <algorithm>
#include <cmath>

namespace sparring::go::katago {

void policy(const Position& position, const MoveList& moves, int side, const float* logits,
            float* probabilities) {
    if (moves.empty()) return;
    const int size = position.size();
    const auto logit = [&](Move m) {
        if (m == position.pass()) return logits[side * side];
        return logits[(size - 1 - m / size) * side + m % size];
    };
    float highest = logit(moves[0]);
    for (const Move m : moves) highest = std::max(highest, logit(m));
    double sum = 0.0;
    for (std::size_t i = 0; i < moves.size(); ++i) {
        probabilities[i] = std::exp(logit(moves[i]) - highest);
        sum += probabilities[i];
    }
    for (std::size_t i = 0; i < moves.size(); ++i)
        probabilities[i] = static_cast<float>(probabilities[i] / sum);
}

ValueOutput result(const Position& position, const float* logits) {
    const Rules& rules = position.rules();
    const bool may_repeat = rules.ko == KoRule::simple || rules.scoring == ScoringRule::territory;
    const double highest = std::max({logits[0], logits[1], may_repeat ? logits[2] : logits[1]});
    const double win = std::exp(logits[0] - highest);
    const double loss = std::exp(logits[1] - highest);
    const double none = may_repeat ? std::exp(logits[2] - highest) : 0.0;
    const double sum = win + loss + none;
    return {win / sum, none / sum, loss / sum};
}

}  // namespace sparring::go::katago
