// Algorithm 2 of the DSMCP paper and the belief states of algorithm 4: an unweighted particle filter over the
// infostates of the opponent.
//
// A particle is what the opponent may know. All its boards have the same pieces of the opponent, and those of
// one of our boards: so a particle and our set of possible boards have at most one board in common, the true
// one.
//
// The paper draws a particle of the previous belief, an action of the opponent, and rejects the pair if it
// contradicts what we know. After k rejections a singleton, one of our possible boards, takes its place. Here
// `advance` plays the opponent's sense for many particles and asks for the policy of its move; `draw` then
// computes which moves are accepted, and draws from those. The distribution is the same as with rejections,
// and a further `draw`, after our own sense has shown more, costs no inference.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rbc/planner_tree.hpp"

namespace sparring::rbc {

struct Particle {
    Infostate opponent;
    HiddenSide truth;  // our pieces, one of the boards of `opponent`

    Board board() const { return whole_board(opponent.known(), truth); }
};

class ParticleFilter {
 public:
    ParticleFilter(const PlannerConfig& config, chess::Color player, std::uint64_t seed)
        : config_(config), player_(player), random_(seed) {}

    const std::vector<Particle>& particles() const { return particles_; }
    /// The share of candidates that the last draw accepted, and the number of singletons that it added.
    double accepted() const { return accepted_; }
    std::size_t singletons() const { return singletons_; }

    /// The start of a game: the opponent knows the board.
    void start(const Board& board);
    /// Our move: candidates for the opponent's turn after it. Without `own` the opponent has the first move
    /// of the game.
    void advance(const std::optional<MoveOutcome>& own);

    /// The synopses whose policies are needed next, at most `count`; none if all candidates are complete.
    /// Policies that the table has are not asked for again.
    void select(std::size_t count, NodeTable& table, EvaluationBatch& batch);
    void evaluate(const EvaluationBatch& batch, const Evaluations& evaluations, NodeTable& table);

    /// Draws the belief after the opponent's move: particles that agree with our possible boards. If these
    /// are a sample, a particle agrees if each of its pieces stands where one of the sample has such a piece.
    void draw(const BoardSet& possible, bool exact);

 private:
    /// The opponent in its turn.
    struct Candidate {
        Particle particle;
        std::uint64_t key = 0;
        std::vector<Edge> moves;  // with their probabilities, after its sense
    };
    /// The moves of a candidate that lead to a possible board.
    struct Accepted {
        double probability = 0;                             // by the policy
        double weight = 0;                                  // the same with the attack weight, for the draw
        std::vector<std::pair<std::size_t, double>> moves;  // index and cumulated weight
    };

    void act(Candidate& candidate, const TreeNode& node);
    void settle(Candidate& candidate, NodeTable& table);
    Particle singleton(const BoardSet& possible);

    const PlannerConfig config_;
    const chess::Color player_;
    Random random_;
    std::vector<Particle> particles_;
    std::vector<Candidate> candidates_;
    std::vector<std::size_t> waiting_;  // candidates of the last select
    double accepted_ = 0;
    std::size_t singletons_ = 0;
};

}  // namespace sparring::rbc
