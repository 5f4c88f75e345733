// The features of section 3 of the Expendibots report, and the linear evaluation.
//
// 17 numbers are measured for the player to move and for the opponent; their differences are features, too.
// With the ratio of tokens and the shortest distance there are 53. Each is used three times: plain, if the
// player is ahead in tokens, and if behind. With equal tokens the last two get half each.
//
// The value of a feature is half of the difference between the views of the two players, so that the
// evaluation is antisymmetric. The report uses the view of the player to move only and searches to even
// depths, so that all leaves have the same player to move; quiescence search ends at any depth.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "expendibots/board.hpp"

namespace sparring::expendibots {

/// A board and the number of BOOMs before it, which determines the stage.
struct SearchState {
    Board board;
    int booms = 0;

    std::uint64_t key() const { return board.key; }
    void play(Move move) {
        booms += is_boom(move);
        board.apply(move);
    }
};

/// The measurements of a board in their own units: ratio of tokens of both players, shortest distance,
/// numbers of the player to move, numbers of the opponent; padded with zeros to a multiple of four.
using Measured = std::array<float, 40>;
Measured measure(const Board& board);

enum Stage : int { opening, developing, middle, ending };

struct Features {
    using SearchState = expendibots::SearchState;

    static constexpr int stages = 4;
    static constexpr int per_player = 17;
    static constexpr int bases = 2 + 3 * per_player;  // ratio, closest; then own, other's, difference of each
    static constexpr int size = 3 * bases;            // as they are, ahead, behind

    /// The second BOOM starts the development and the fourth the middle game. At most 4 tokens of each side
    /// are the ending.
    static int stage(const SearchState& search_state);
    static void extract_features(const SearchState& search_state, std::span<double> out);
    static std::vector<std::string> names();
    static std::vector<std::string> stage_names();

    /// The weights in the form of a search: for each stage and balance of tokens one weight per measurement,
    /// since all features are linear in these.
    class Weights {
     public:
        explicit Weights(std::span<const double> plain);
        double value(const SearchState& search_state) const;

     private:
        static constexpr int measured =
            40;  // ratios of both, closest, the numbers of both; filled up to fours
        static constexpr int standings = 3;  // behind, level, ahead
        std::array<std::array<std::array<float, measured>, standings>, stages> folded_;
    };
};

}  // namespace sparring::expendibots
