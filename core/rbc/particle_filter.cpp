#include "rbc/particle_filter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "game/parallel.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

constexpr std::size_t block = 8;  // candidates per unit of parallel work

std::array<Bitboard, 7> squares_by_code(const HiddenSide& side) {
    const HiddenSide plain = side.plain();
    return {~plain.all(),  plain.pawns(),  plain.knights(), plain.bishops(),
            plain.rooks(), plain.queens(), plain.kings()};
}

/// Whether a board of the opponent's pieces agrees with our possible boards.
class Agreement {
 public:
    Agreement(const BoardSet& possible, bool exact) : possible_(possible), exact_(exact) {
        if (exact) return;
        for (const HiddenSide& side : possible.hidden()) {
            const auto squares = squares_by_code(side);
            for (std::size_t i = 0; i < squares.size(); ++i) seen_[i] |= squares[i];
        }
    }

    bool operator()(const Board& board) const {
        const KnownSide& known = possible_.known();
        if (board.pieces(known.player, king) == 0) return false;
        for (std::size_t t = 0; t < 6; ++t) {
            if ((board.types[t] & board.colors[known.player]) != known.types[t]) return false;
        }
        const HiddenSide side = hidden_side(board, known.player);
        if (exact_) return possible_.contains(side);
        const auto squares = squares_by_code(side);
        for (std::size_t i = 0; i < squares.size(); ++i) {
            if (squares[i] & ~seen_[i]) return false;
        }
        return true;
    }

 private:
    const BoardSet& possible_;
    const bool exact_;
    std::array<Bitboard, 7> seen_{};
};

}  // namespace

void ParticleFilter::start(const Board& board) {
    const Color other = ~player_;
    const HiddenSide truth = hidden_side(board, other);
    particles_ = {{Infostate(known_side(board, other), {truth}), truth}};
    candidates_.clear();
    waiting_.clear();
}

void ParticleFilter::advance(const std::optional<MoveOutcome>& own) {
    candidates_.clear();
    waiting_.clear();
    // One board leads to one result: particles on which the move would have had another are no longer
    // possible.
    std::vector<std::size_t> possible;
    for (std::size_t i = 0; i < particles_.size(); ++i) {
        if (!own) {
            possible.push_back(i);
            continue;
        }
        const MoveOutcome here = MoveOutcome::of(particles_[i].board(), own->request);
        if (here.taken == own->taken && here.captured == own->captured) possible.push_back(i);
    }
    if (possible.empty()) return;
    std::vector<std::uint64_t> seeds;
    for (std::size_t i = 0; i < config_.particles; ++i) {
        const std::size_t j = possible.size() > config_.particles
                                  ? random_.below(static_cast<std::uint32_t>(possible.size()))
                                  : i % possible.size();
        candidates_.push_back({particles_[possible[j]], 0, {}});
        seeds.push_back(random_.next());
    }
    if (!own) return;
    parallel_for(candidates_.size(), block, config_.threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            Particle& particle = candidates_[i].particle;
            Board board = particle.board();
            apply(board, own->taken);
            particle.truth = hidden_side(board, ~player_);
            Random random(seeds[i]);
            particle.opponent.reply(own->captured, particle.truth, config_.states, random);
        }
    });
    // A captured king ends the game; such a candidate has no move.
    std::erase_if(candidates_, [](const Candidate& c) { return !c.particle.opponent.known().types[king]; });
}

void ParticleFilter::select(std::size_t count, NodeTable& table, EvaluationBatch& batch) {
    waiting_.clear();
    std::unordered_set<std::uint64_t> asked;
    for (std::size_t i = 0; i < candidates_.size() && waiting_.size() < count; ++i) {
        settle(candidates_[i], table);
        if (candidates_[i].moves.empty() && asked.insert(candidates_[i].key).second) waiting_.push_back(i);
    }
    std::vector<Synopsis> synopses(waiting_.size());
    parallel_for(waiting_.size(), block, config_.threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            synopses[i] = candidates_[waiting_[i]].particle.opponent.synopsis();
    });
    for (const Synopsis& synopsis : synopses) batch.add(synopsis, true);
}

void ParticleFilter::evaluate(const EvaluationBatch& batch, const Evaluations& evaluations,
                              NodeTable& table) {
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        Candidate& candidate = candidates_[waiting_[i]];
        const TreeNode& node = table.insert(candidate.key, candidate.particle.opponent, batch.synopses[i],
                                            evaluations.row(i), evaluations.values[i]);
        act(candidate, node);
    }
    waiting_.clear();
}

/// Plays on as far as the table knows the policy.
void ParticleFilter::settle(Candidate& candidate, NodeTable& table) {
    while (candidate.moves.empty()) {
        if (!candidate.key) candidate.key = candidate.particle.opponent.key();
        const TreeNode* node = table.find(candidate.key);
        if (!node) return;
        act(candidate, *node);
    }
}

/// The opponent's action by its policy: its sense is drawn, for its move the distribution is kept. Algorithm
/// 2 calls the bandit (`bandit_belief`), which at a node with many visits, or without mixing, is the argmax
/// of its scores: the belief then collapses to one action of the opponent.
void ParticleFilter::act(Candidate& candidate, const TreeNode& node) {
    Infostate& opponent = candidate.particle.opponent;
    std::vector<Edge> edges = node.edges;
    if (config_.bandit_belief) set_bandit_priors(edges, config_);
    const auto noise = static_cast<float>(config_.belief_noise);
    for (Edge& edge : edges) edge.prior = (1 - noise) * edge.prior + noise / static_cast<float>(edges.size());
    if (opponent.context().moving) {
        opponent.remember(node.remembered);
        candidate.moves = std::move(edges);
        return;
    }
    opponent.sense(edges[draw_from_policy(edges, random_)].action, candidate.particle.truth);
    candidate.key = 0;
}

void ParticleFilter::draw(const BoardSet& possible, bool exact) {
    particles_.clear();
    singletons_ = 0;
    accepted_ = 0;
    if (!possible.size()) return;
    const Agreement agrees(possible, exact);
    std::vector<Accepted> accepted(candidates_.size());
    parallel_for(candidates_.size(), block, config_.threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            const Board board = candidates_[c].particle.board();
            const auto& moves = candidates_[c].moves;
            for (std::size_t i = 0; i < moves.size(); ++i) {
                Board next = board;
                apply(next, taken(board, moves[i].action));
                if (!agrees(next)) continue;
                const double weight = attacks_king(next, ~player_) ? config_.attack_weight : 1.0;
                const auto prior = static_cast<double>(moves[i].prior);
                accepted[c].probability += prior;
                accepted[c].weight += weight * prior;
                accepted[c].moves.emplace_back(i, accepted[c].weight);
            }
        }
    });
    std::vector<double> cumulated;
    double total = 0, probability = 0;
    for (const Accepted& moves : accepted) {
        cumulated.push_back(total += moves.weight);
        probability += moves.probability;
    }
    const auto complete = std::count_if(candidates_.begin(), candidates_.end(),
                                        [](const Candidate& candidate) { return !candidate.moves.empty(); });
    accepted_ = complete ? std::min(probability / static_cast<double>(complete), 1.0) : 0;
    const double all_rejected = std::pow(1 - accepted_, config_.persistence);
    for (std::size_t n = 0; n < config_.particles; ++n) {
        if (total <= 0 || uniform(random_) < all_rejected) {
            particles_.push_back(singleton(possible));
            ++singletons_;
            continue;
        }
        const auto at = std::upper_bound(cumulated.begin(), cumulated.end(), uniform(random_) * total);
        const auto c =
            std::min<std::size_t>(static_cast<std::size_t>(at - cumulated.begin()), candidates_.size() - 1);
        const auto& moves = accepted[c].moves;
        if (moves.empty()) continue;  // rounding only
        const double place = uniform(random_) * accepted[c].weight;
        auto chosen =
            std::find_if(moves.begin(), moves.end(), [&](const auto& m) { return m.second > place; });
        if (chosen == moves.end()) --chosen;
        Particle particle = candidates_[c].particle;
        Board board = particle.board();
        const MoveOutcome outcome = MoveOutcome::of(board, candidates_[c].moves[chosen->first].action);
        particle.opponent.move(outcome);
        apply(board, outcome.taken);
        particle.truth = hidden_side(board, ~player_);
        particles_.push_back(std::move(particle));
    }
}

Particle ParticleFilter::singleton(const BoardSet& possible) {
    const Board board = possible.board(random_.below(static_cast<std::uint32_t>(possible.size())));
    const HiddenSide truth = hidden_side(board, ~player_);
    return {Infostate(known_side(board, ~player_), {truth}), truth};
}

}  // namespace sparring::rbc
