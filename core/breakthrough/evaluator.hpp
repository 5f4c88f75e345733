// Features, evaluation and move ordering of Breakthrough for alpha-beta.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "breakthrough/network.hpp"
#include "breakthrough/position.hpp"
#include "search/evaluator.hpp"

namespace sparring::breakthrough {

/// The differences of eight counts between the side to move and the opponent, and a constant for the right to
/// move.
struct Features {
    using SearchState = Position;
    static constexpr int stages = 1;
    static constexpr int size = 9;

    static int stage(const SearchState&) { return 0; }
    static void extract_features(const SearchState& search_state, std::span<double> out);
    static std::vector<std::string> names();
    static std::vector<std::string> stage_names() { return {"all"}; }

    class Weights {
     public:
        explicit Weights(std::span<const double> plain) : plain_(plain.begin(), plain.end()) {}
        double value(const SearchState& search_state) const;

     private:
        std::vector<double> plain_;
    };
};

class Evaluator {
 public:
    using SearchState = Position;
    using Features = breakthrough::Features;
    static constexpr int repetitions_to_draw = 0;  // positions never recur
    static constexpr int history_slots = 1 << 8;

    explicit Evaluator(std::span<const double> weights)
        : weights_(std::make_shared<const Features::Weights>(weights)) {}

    /// Copies the weights of another evaluator.
    void set_weights(const Evaluator& other) { weights_ = other.weights_; }
    /// Evaluates with a network instead of the weights.
    void set_network(std::shared_ptr<const Network> network) { network_ = std::move(network); }

    static SearchState search_state(const Node<Position>& node) { return node.position; }
    std::optional<int> decided(const SearchState& search_state) const;
    int evaluate(const SearchState& search_state) const;
    void moves(const SearchState& search_state, search::OrderedMoves& moves) const {
        order(search_state, moves, false);
    }
    /// Captures, and steps onto the far row.
    void noisy_moves(const SearchState& search_state, search::OrderedMoves& moves) const {
        order(search_state, moves, true);
    }
    static bool reversible(Move) { return false; }
    std::uint64_t table_key(const SearchState& search_state) const { return search_state.key(); }

 private:
    static void order(const SearchState& search_state, search::OrderedMoves& moves, bool only_noisy);

    std::shared_ptr<const Features::Weights> weights_;
    std::shared_ptr<const Network> network_;
};

}  // namespace sparring::breakthrough
